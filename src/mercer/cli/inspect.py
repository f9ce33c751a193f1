"""``mercer inspect``: look at a data file, a matrix or a model."""

from __future__ import annotations

from typing import Any

import click

from mercer.cli._echo import echo
from mercer.cli._options import json_option, reading

EPILOG = """
\b
Examples:
  mercer inspect clinic.csv                     columns, gaps, suspicious things
  mercer inspect clinic.csv --target outcome    also columns that give the answer away
  mercer inspect D.npy                          a square matrix: a metric? a kernel? repairs
  mercer inspect gram.npy --precomputed kernel  not what it looks like: say it
  mercer inspect model.mercer                   what the file holds, without running anything
"""


@click.command(
    short_help="Look at a data file, a matrix of pairs, or a saved model.", epilog=EPILOG
)
@click.argument("path", type=str)
@click.option("--target", "-t", metavar="NAME", help="Also look at this column as the target.")
@reading
@json_option
def command(path: str, target: str | None, as_json: bool, **values: Any) -> int:
    """Say what is in PATH and what to beware of; nothing is learned."""
    import json

    from mercer.app.inspect_table import inspect_path
    from mercer.io.jsonable import jsonable

    document, lines = inspect_path(path, target, values)
    echo(json.dumps(jsonable(document)) if as_json else "\n".join(lines))
    return 0
