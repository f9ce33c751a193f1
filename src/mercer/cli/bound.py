"""``mercer bound``: every bound as a calculator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mercer.cli._options import delta_option, json_option

EPILOG = """
\b
Examples:
  mercer bound list                                   all bounds
  mercer bound show mistake-bound                     one of them, with an example
  mercer bound vc --n 1000 --vc 10 --error 0.05       its value
  mercer bound vc --n 1000 --vc 10 --error 0.05 --target 0.2    rows for 20 %
  mercer bound holdout --n 114 --error 0.026
  mercer bound compression --n 500 --size 40 --error 0
  mercer bound mistake-bound --n 10000 --set mistakes.limit=25
  mercer bound vc --n 1000 --vc 10 --error 0.05 --curve n=100:1000000
  mercer bound holdout --n 10000 --error 0.02 --log-delta -2300
"""


@click.command(short_help="Calculate any bound, invert it, draw it.", epilog=EPILOG)
@click.argument("code", required=False)
@click.argument("which", required=False)
@click.option("--n", type=click.IntRange(min=1), help="Number of rows.")
@click.option("--error", type=click.FloatRange(0), help="Error rate seen (or mean loss).")
@click.option("--vc", type=click.FloatRange(min=0), help="VC dimension.")
@click.option("--margin", type=float, help="Margin of the rows that are right.")
@click.option("--norm", type=click.FloatRange(min=0), help="Norm of the weights.  [1]")
@click.option("--radius", type=click.FloatRange(min=0), help="Radius of the points.  [1]")
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
    metavar="NAME=VALUE",
    help="Any other fact, such as mistakes.distinct=20, stages.0.kl=5, margins=0.1,0.3x98 or "
    "margins=@FILE; `mercer bound show CODE` lists them.",
)
@click.option(
    "--evidence",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Facts from a JSON file, as evidence_.to_dict() writes them.",
)
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="NAME=VALUE",
    help="A constant of the bound that is fixed before seeing data.",
)
@delta_option
@click.option(
    "--log-delta",
    type=click.FloatRange(max=0, max_open=True),
    help="Natural logarithm of --delta, where that is too small for a number.",
)
@click.option("--target", type=float, metavar="VALUE", help="Rows needed for this value.")
@click.option("--curve", metavar="NAME=FROM:TO", help="Values while one number changes.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --curve: also draw it to a picture.",
)
@json_option
def command(code: str | None, which: str | None, **values: Any) -> int:
    """Calculate the bound CODE from a few numbers.

    `mercer bound list` lists all bounds, `mercer bound show CODE` explains one of them: formula,
    assumptions, what it reads, and a command that runs.
    """  # fmt: skip
    from mercer.cli._bound_run import calculate, failure_probability, list_bounds

    values["delta"] = failure_probability(values["delta"], values.pop("log_delta"))
    if which is not None and code != "show":
        raise click.UsageError(f"'{which}' is one argument too many; did you mean `show {which}`?")
    if code in (None, "list"):
        list_bounds(values["as_json"])
    elif code == "show":
        from mercer.cli._bound_show import show

        show(which, values["delta"], values["as_json"])
    else:
        calculate(str(code), values)
    return 0
