"""``mercer compare``: several learners side by side, with one confidence for all."""

from __future__ import annotations

from typing import Any

import click

from mercer.cli._options import (
    check_budget,
    counted_looks,
    delta_option,
    json_option,
    reading,
    seed_option,
)

EPILOG = """
\b
Examples:
  mercer compare clinic.csv --target outcome
  mercer compare clinic.csv --target outcome --with svm:gaussian --with nu-svm:laplacian
  mercer compare first.mercer second.mercer --on fresh.csv
"""


@click.command(
    short_help="Several learners or models side by side, with one confidence for all.",
    epilog=EPILOG,
)
@click.argument("what", nargs=-1, required=True)
@click.option("--target", "-t", metavar="NAME", help="The column to predict.")
@click.option(
    "--with",
    "specs",
    multiple=True,
    metavar="LEARNER[:KERNEL]",
    help="What to compare (repeatable); also 'linear' and 'trivial'.",
)
@click.option("--on", metavar="FILE", help="Fresh labelled rows to compare saved models on.")
@click.option("--group", metavar="NAME", help="Rows with the same value belong together.")
@click.option("--order", metavar="NAME", help="Train on the past, count on what came later.")
@click.option("--ignore", multiple=True, metavar="NAME", help="Leave out a column.")
@click.option("--task", type=click.Choice(["classification", "regression"]))
@click.option("--labels", type=str, metavar="FILE", help="Labels in a file of their own.")
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    metavar="T",
    help="Numbers: count targets further than T away.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, 1, max_open=True),
    metavar="M",
    help="How much more often a new one may err and still take the first one's place.",
)
@delta_option
@counted_looks
@seed_option
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="For each learner.",
)
@reading
@json_option
def command(**values: Any) -> int:
    """Train several learners on the same rows of a file and count errors on the same other rows.

    Delta is divided over all of them, so every limit shown holds at once and the best may be
    picked. With model files and --on, compare those on fresh rows.
    """  # fmt: skip
    from mercer.cli._compare_run import compare_learners, compare_models, show
    from mercer.errors import UserError

    models = [name for name in values["what"] if name.endswith(".mercer")]
    if models and values["on"] is None:
        raise UserError("models are compared on fresh rows.", "Name them with --on FILE.")
    if not models and len(values["what"]) > 1:
        raise UserError("one data file is compared at a time.")
    if values["ledger"] is not None and not models:
        raise UserError(
            "--ledger counts looks at fresh rows, and this file is learned from.",
            "Compare saved models: mercer compare A.mercer B.mercer --on FILE.",
        )
    check_budget(values)
    rows = compare_models(models, values) if models else compare_learners(values)
    show(rows, values)
    return 0
