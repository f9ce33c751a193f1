"""``mercer embed``: rows as points in a few coordinates."""

from __future__ import annotations

from typing import Any

import click

from mercer.cli._echo import echo
from mercer.cli._options import json_option, reading, seed_option

METHODS = ("pca", "kernel-pca", "isomap", "diffusion", "mds", "lle", "laplacian")
EPILOG = """
\b
Examples:
  mercer embed clinic.csv --colour outcome         principal components, coloured
  mercer embed roll.npy --method isomap            distances along the data
  mercer embed D.csv --precomputed distance        points from distances alone
"""


@click.command(short_help="Draw rows as points: PCA, kernel PCA, Isomap, diffusion map, MDS.",
               epilog=EPILOG)  # fmt: skip
@click.argument("path", type=str)
@click.option("--method", type=click.Choice(METHODS), default="pca", show_default=True,
              help="How coordinates are found.")  # fmt: skip
@click.option("--dimension", "-d", type=click.IntRange(min=1), default=2, show_default=True,
              help="Number of coordinates.")  # fmt: skip
@click.option(
    "--colour",
    "--color",
    "colour",
    metavar="NAME",
    help="Colour points by this column; it is not embedded.",
)
@click.option("--ignore", metavar="NAME", multiple=True, help="Leave this column out.")
@click.option("--output", "-o", metavar="FOLDER", default=".", help="Where files are written.")
@reading
@seed_option
@json_option
def command(
    path: str,
    method: str,
    dimension: int,
    colour: str | None,
    ignore: tuple[str, ...],
    output: str,
    seed: int,
    as_json: bool,
    **values: Any,
) -> int:
    """Write coordinates of the rows of PATH and a page on which they can be looked at."""
    import json

    from mercer.app.embed import embed
    from mercer.io.jsonable import jsonable

    found = embed(
        path,
        method=method,
        dimension=dimension,
        colour=colour,
        ignore=ignore,
        out=output,
        seed=seed,
        values=values,
    )
    echo(json.dumps(jsonable(found.document)) if as_json else "\n".join(found.lines))
    return 0
