"""``mercer bound``: every bound as a calculator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mercer.cli._options import delta_option, json_option

EPILOG = """
\b
Examples:
  mercer bound                                        list of all bounds
  mercer bound vc --n 1000 --vc 10 --error 0.05       its value
  mercer bound vc --n 1000 --vc 10 --error 0.05 --target 0.2    rows for 20 %
  mercer bound holdout --n 114 --error 0.026
  mercer bound compression --n 500 --size 40 --error 0
  mercer bound vc --n 1000 --vc 10 --error 0.05 --curve n=100:1000000
"""


def _pair(_: Any, __: Any, texts: tuple[str, ...]) -> dict[str, Any]:
    """``name=value`` options as a dict of numbers."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = None
        if not equals or number is None:
            raise click.BadParameter(f"'{text}' is not NAME=NUMBER")
        found[name] = int(number) if number.is_integer() and "." not in value else number
    return found


@click.command(short_help="Calculate any bound, invert it, draw it.", epilog=EPILOG)
@click.argument("code", required=False)
@click.option("--n", type=click.IntRange(min=1), help="Number of rows.")
@click.option("--error", type=click.FloatRange(0), help="Error rate seen (or mean loss).")
@click.option("--vc", type=click.FloatRange(min=0), help="VC dimension.")
@click.option("--margin", type=float, help="Margin of the rows that are right.")
@click.option("--norm", type=click.FloatRange(min=0), default=1.0, help="Norm of the weights.")
@click.option("--radius", type=click.FloatRange(min=0), default=1.0, help="Radius of the points.")
@click.option("--rank", type=click.IntRange(min=0), help="Rank of the Gram matrix.")
@click.option("--c", "-C", "c", type=click.FloatRange(min=0), help="Price of errors, C.")
@click.option("--alpha", type=click.FloatRange(min=0), help="Dual coefficient of every row.")
@click.option("--size", type=click.IntRange(min=0), help="Rows that rebuild the model.")
@click.option("--kl", type=click.FloatRange(min=0), help="Divergence of posterior and prior.")
@click.option("--tandem", type=click.FloatRange(0, 1), help="Share of pairs that err together.")
@click.option("--disagreement", type=click.FloatRange(0, 1), help="Share of pairs that differ.")
@click.option("--pool", type=click.IntRange(min=1), help="Unlabelled rows.")
@click.option("--disagreements", type=click.IntRange(min=0), help="Pool rows that differ.")
@click.option("--accepted", type=click.FloatRange(0, 1), help="Share of rows answered.")
@click.option(
    "--range", nargs=2, type=float, default=None, metavar="LOW HIGH", help="Range of a loss."
)
@click.option("--class-size", type=click.FloatRange(min=1), help="Number of rules in the class.")
@click.option("--bits", type=click.FloatRange(min=0), help="Length of the rule's description.")
@click.option(
    "--set",
    "more",
    multiple=True,
    callback=_pair,
    metavar="NAME=NUMBER",
    help="Any other field of the evidence.",
)
@delta_option
@click.option("--target", type=float, metavar="VALUE", help="Rows needed for this value.")
@click.option("--curve", metavar="NAME=FROM:TO", help="Values while one number changes.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --curve: also draw it to a picture.",
)
@json_option
def command(code: str | None, **values: Any) -> int:
    """Calculate the bound CODE from a few numbers; without CODE, list all bounds."""  # fmt: skip
    from mercer.cli._bound_run import calculate, list_bounds

    if code is None:
        list_bounds(values["as_json"])
        return 0
    calculate(code, values)
    return 0
