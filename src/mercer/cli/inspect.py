"""``mercer inspect``: look at a data file, a matrix or a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mercer.cli._echo import echo
from mercer.cli._options import json_option, reading

EPILOG = """
\b
Examples:
  mercer inspect clinic.csv                     columns, gaps, suspicious things
  mercer inspect clinic.csv --target outcome    also columns that give the answer away
  mercer inspect clinic.csv -t outcome -o clinic.html   the same as a page, with pictures
  mercer inspect 'big/*.parquet' -t outcome     many files, one pass, in batches
  mercer inspect D.npy                          a square matrix: a metric? a kernel? repairs
  mercer inspect gram.npy --precomputed kernel  not what it looks like: say it
  mercer inspect model.mercer                   what the file holds, without running anything
"""


@click.command(
    short_help="Look at a data file, a matrix of pairs, or a saved model.", epilog=EPILOG
)
@click.argument("path", type=str)
@click.option("--target", "-t", metavar="NAME", help="Also look at this column as the target.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="PAGE.html",
    help="Also write a page: shapes of the columns, associations, suspects.",
)
@click.option("--cluster", metavar="WHERE", help="Files in batches on a Dask cluster, see fit.")
@click.option("--skip-bad-files", is_flag=True, help="Leave out files that cannot be read.")
@reading
@json_option
def command(
    path: str, target: str | None, output: Path | None, as_json: bool, **values: Any
) -> int:
    """Say what is in PATH and what to beware of; nothing is learned.

    PATH may be a folder or a pattern such as 'big/*.parquet': its rows are read once, in batches,
    and need not fit into memory.
    """
    import json

    from mercer.app.inspect_table import inspect_path, write_page
    from mercer.app.reading import reader_options
    from mercer.app.streams.inspect import inspect_stream
    from mercer.io.jsonable import jsonable
    from mercer.io.source import is_pattern

    profiled = output is not None
    if is_pattern(path) or values["cluster"] or values["skip_bad_files"]:
        document, lines = inspect_stream(
            path, target, reader_options(values), profiled, cluster=values["cluster"],
            skip_bad=values["skip_bad_files"], quiet=as_json,
        )  # fmt: skip
    else:
        document, lines = inspect_path(path, target, values, profiled=profiled)
    if output is not None:
        write_page(document, output)
        lines += ["", f"wrote {output}"]
    echo(json.dumps(jsonable(document)) if as_json else "\n".join(lines))
    return 0
