"""``mercer cluster``: groups of rows, and whether to believe them."""

from __future__ import annotations

from typing import Any

import click

from mercer.cli._echo import echo
from mercer.cli._options import json_option, reading, seed_option

EPILOG = """
\b
Examples:
  mercer cluster clinic.csv                        the number of clusters is found
  mercer cluster clinic.csv -k 3 --colour outcome  three clusters, beside a known column
  mercer cluster D.csv --precomputed distance      from distances alone
"""


@click.command(short_help="Find groups of rows, and say whether to believe them.", epilog=EPILOG)
@click.argument("path", type=str)
@click.option("--clusters", "-k", default="auto", show_default=True, metavar="NUMBER",
              help="How many, or 'auto'.")  # fmt: skip
@click.option("--laplacian", type=click.Choice(["symmetric", "random-walk", "unnormalized"]),
              default="symmetric", show_default=True, help="Of the similarities.")  # fmt: skip
@click.option(
    "--colour",
    "--color",
    "colour",
    metavar="NAME",
    help="Compare with this column; it is not clustered.",
)
@click.option("--ignore", metavar="NAME", multiple=True, help="Leave this column out.")
@click.option("--output", "-o", metavar="FOLDER", default=".", help="Where files are written.")
@click.option("--trust/--no-trust", default=True, help="Examine the clustering (takes longer).")
@reading
@seed_option
@json_option
def command(
    path: str,
    clusters: str,
    laplacian: str,
    colour: str | None,
    ignore: tuple[str, ...],
    output: str,
    trust: bool,
    seed: int,
    as_json: bool,
    **values: Any,
) -> int:
    """Write the cluster of every row of PATH and a page with the trust report."""
    import json

    from mercer.app.cluster import cluster
    from mercer.io.jsonable import jsonable

    if clusters != "auto" and not clusters.isdigit():
        raise click.BadParameter(f"'{clusters}' is neither a number nor 'auto'", param_hint="-k")
    found = cluster(path, clusters=clusters, laplacian=laplacian, colour=colour, ignore=ignore,
                    out=output, trust=trust, seed=seed, values=values)  # fmt: skip
    echo(json.dumps(jsonable(found.document)) if as_json else "\n".join(found.lines))
    return 0
