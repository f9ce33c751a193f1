"""``mercer guarantee``: further guarantees from the rows that a fit kept apart."""

from __future__ import annotations

from typing import Any

import click

from mercer.cli._echo import echo
from mercer.cli._options import delta_option, json_option

EPILOG = """
\b
Examples:
  mercer guarantee mercer-clinic/model.mercer clinic.csv --coverage 0.9
  mercer guarantee mercer-clinic/model.mercer clinic.csv --metric f1 --ledger looks.json
  mercer guarantee mercer-clinic/model.mercer clinic.csv --recall 0.95 --positive yes
  mercer guarantee mercer-clinic/model.mercer clinic.csv --price 5 --positive yes
  mercer guarantee mercer-clinic/model.mercer clinic.csv --groups site
  mercer guarantee mercer-gram/model.mercer gram.npy --labels labels.csv --metric f1
"""
QUESTIONS = ("coverage", "metric", "recall", "price", "groups")


@click.command(short_help="Ask the counted rows of a run for more than the error.", epilog=EPILOG)
@click.argument("model", type=str)
@click.argument("data", type=str)
@click.option("--coverage", type=click.FloatRange(0, 1, min_open=True, max_open=True),
              metavar="C", help="Sets or intervals that hold so many new truths.")  # fmt: skip
@click.option("--metric", metavar="NAME", help="f1, auc, precision:positive=yes, ...")
@click.option("--recall", type=click.FloatRange(0, 1, min_open=True, max_open=True), metavar="R",
              help="The highest threshold that finds so many of the positives.")  # fmt: skip
@click.option("--price", type=click.FloatRange(0, min_open=True), metavar="P",
              help="Mean cost where a miss costs as much as P false alarms.")  # fmt: skip
@click.option("--groups", metavar="NAME", help="Limits for every value of a column.")
@click.option("--positive", metavar="CLASS",
              help="With --recall, --price: the class not to be missed.  [the second]")  # fmt: skip
@click.option("--kind", type=click.Choice(["pac", "all", "marginal"]), default="pac",
              show_default=True, help="With --coverage: with confidence, at every coverage at "
              "once, or on average only.")  # fmt: skip
@click.option("--per", type=click.Choice(["all", "class"]), default="all", show_default=True,
              help="With --coverage: of all rows, or of the rows of every class.")  # fmt: skip
@click.option("--tolerance", type=click.FloatRange(min=0), metavar="T",
              help="With --groups, for numbers: count targets further than T away.")  # fmt: skip
@click.option("--labels", metavar="FILE", help="Labels in a file of their own, as for the fit.")
@click.option("--ledger", metavar="PATH", help="The file in which the run counted its looks.")
@delta_option
@json_option
def command(
    model: str, data: str, labels: str | None, ledger: str | None, as_json: bool, **values: Any
) -> int:  # fmt: skip
    """Ask the rows that a run counted errors on: sets, metrics, thresholds, groups.

    DATA is the file that MODEL was made from. Where groups were kept together, one row of every
    group is asked. Every question is one more look at the same rows, at
    its own delta; with --ledger they are counted together with those of the run.
    """
    from mercer.app.held_out import HeldOut

    asked = [name for name in QUESTIONS if values[name] is not None]
    if len(asked) != 1:
        raise click.UsageError(f"ask for one of --{', --'.join(QUESTIONS)}.")
    (question,) = asked
    more = {
        "coverage": ("kind", "per"),
        "recall": ("positive",),
        "price": ("positive",),
        "groups": ("tolerance",),
    }.get(question, ())
    options = {name: values[name] for name in more}
    held = HeldOut.of(model, data, ledger, labels)
    found = getattr(held, question)(values[question], values["delta"], **options)
    if as_json:
        import json

        table = {"heads": found.heads, "rows": found.rows, "words": found.words}
        echo(json.dumps({"certificate": found.certificate.to_dict(), "table": table}))
        return 0
    echo(found.certificate.explain())
    if found.words:
        echo(found.words)
    for line in (found.heads, *found.rows):
        echo("\t".join(f"{v:.4g}" if isinstance(v, float) else str(v) for v in line))
    return 0
