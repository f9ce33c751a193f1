"""``mercer rows``: how many rows a guarantee needs, before labels are paid for."""

from __future__ import annotations

from typing import Any

import click

from mercer.cli._echo import echo
from mercer.cli._options import delta_option, json_option

EPILOG = """
\b
Examples:
  mercer rows                                  every question, with its options
  mercer rows limit 0.05 --expected 0.02       certify 5 % where 2 % are wrong
  mercer rows limit 0.8 --expected 0.9         a recall or precision of at least 80 %
  mercer rows coverage 0.9 --slack 0.05        sets or intervals, not much wider than needed
  mercer rows recall 0.95                      positives, for a threshold that finds 95 %
  mercer rows target-error 0.01                accepted rows without an error
  mercer rows f1 0.7 --expected 0.8            an F1 of at least 0.7
  mercer rows gain 0.04 --lost 0.01            tell two models apart
  mercer rows groups 0.1 --groups 4 --expected 0.05
  mercer rows weights 0.1 --expected 0.05 --largest 3
  mercer rows alarm 0.05 --risk 0.1            labels until a monitor sees it
"""
# question: the function, the name of VALUE, further options, what the answer counts
QUESTIONS: dict[str, tuple[str, str, tuple[str, ...], str]] = {
    "limit": ("rows_for_limit", "limit", ("expected",),
              "rows of the denominator until a rate is certified at VALUE"),
    "coverage": ("rows_for_coverage", "coverage", ("slack",),
                 "held-out rows for sets or intervals that hold VALUE"),
    "recall": ("rows_for_recall", "recall", (),
               "rows of the positive class until a threshold keeps the recall VALUE"),
    "target-error": ("rows_for_target_error", "target", (),
                     "accepted rows without an error that show an error of at most VALUE"),
    "f1": ("rows_for_f1", "f1", ("expected",),
           "rows that are positive or called so until an F1 of VALUE is certified"),
    "auc": ("rows_for_auc", "auc", ("expected",),
            "rows of the rarer class until an AUC of VALUE is certified"),
    "gain": ("rows_for_gain", "won", ("lost",),
             "rows until one model is better, if VALUE are won"),
    "groups": ("rows_for_groups", "gap", ("groups", "expected"),
               "rows of every group until no two differ by more than VALUE"),
    "weights": ("rows_for_weights", "limit", ("expected", "largest"),
                "about how many rows, if the other population has weights"),
    "alarm": ("labels_until_alarm", "limit", ("risk", "alpha"),
              "about how many labels until a monitor of VALUE raises the alarm"),
}  # fmt: skip
NEEDED = {"limit": ("expected",), "f1": ("expected",), "auc": ("expected",), "gain": ("lost",),
          "groups": ("groups",), "alarm": ("risk",),
          "weights": ("expected", "largest")}  # fmt: skip


@click.command(short_help="How many rows does a guarantee need?", epilog=EPILOG)
@click.argument("question", type=click.Choice([*QUESTIONS]), required=False)
@click.argument("value", type=float, required=False)
@click.option("--expected", type=float, help="The rate that is expected.")
@click.option("--slack", type=float, help="With coverage: how much more than VALUE may be held.")
@click.option("--lost", type=float, help="With gain: share of rows the new model alone has wrong.")
@click.option("--groups", type=int, metavar="K", help="Number of groups.")
@click.option("--largest", type=float, metavar="B", help="The largest weight.")
@click.option("--risk", type=float, help="With alarm: what the risk has grown to.")
@click.option("--alpha", type=float, help="With alarm: chance of ever a false one.  [0.01]")
@delta_option
@json_option
def command(
    question: str | None, value: float | None, delta: float, as_json: bool, **given: Any
) -> int:
    """Answer QUESTION for VALUE: the fewest rows that can give such a guarantee.

    Without a question all of them are listed.
    """
    from mercer.certification.guarantees import sample_size

    if question is None:
        for name, (_, _, options, words) in QUESTIONS.items():
            more = " ".join(f"--{option} X" for option in options)
            echo(f"{name + ' VALUE':<20} {more:<26} {words}".rstrip())
        return 0
    if value is None:
        raise click.UsageError(f"'{question}' needs a VALUE.")
    function, first, options, words = QUESTIONS[question]
    told = {name: v for name, v in given.items() if v is not None}
    strange = sorted(set(told) - set(options))
    if strange:
        raise click.UsageError(f"--{strange[0]} does not belong to '{question}'.")
    lacking = [name for name in NEEDED.get(question, ()) if name not in told]
    if lacking:
        raise click.UsageError(f"'{question}' needs --{lacking[0]}.")
    if question != "alarm":
        told["delta"] = delta
    found = getattr(sample_size, function)(**{first: value}, **told)
    if as_json:
        import json

        echo(json.dumps({"question": question, first: value, **told, "rows": found}))
        return 0
    echo(f"{found:,} {words.replace('VALUE', f'{value:g}')}")
    return 0
