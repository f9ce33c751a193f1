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
@reading
@json_option
def command(
    path: str, target: str | None, output: Path | None, as_json: bool, **values: Any
) -> int:
    """Say what is in PATH and what to beware of; nothing is learned."""
    import json

    from mercer.app.inspect_table import inspect_path, write_page
    from mercer.io.jsonable import jsonable

    document, lines = inspect_path(path, target, values, profiled=output is not None)
    if output is not None:
        write_page(document, output)
        lines += ["", f"wrote {output}"]
    echo(json.dumps(jsonable(document)) if as_json else "\n".join(lines))
    return 0
