"""``mercer monitor``: is a model still as good as it was certified to be?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mercer.cli._echo import echo
from mercer.cli._options import reading

EPILOG = """
\b
Examples:
  mercer monitor model.mercer stream.csv                 after every new batch of rows
  mercer monitor model.mercer stream.csv --limit 0.05 || page-somebody
\b
Exit codes: 0 no alarm, 7 an alarm (also one of an earlier call).
"""


@click.command(short_help="Watch a certified model on a stream of new rows.", epilog=EPILOG)
@click.argument("model", type=str)
@click.argument("stream", type=str)
@click.option("--target", "-t", metavar="NAME", help="Column of the true labels.  [the model's]")
@click.option(
    "--limit",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="R",
    help="The risk to watch for.  [the certified one]",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    metavar="T",
    help="Numbers: further than T away is wrong.  [the certified distance]",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.01,
    show_default=True,
    help="Chance of ever raising a false alarm.",
)
@click.option(
    "--batch",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Rows between two lines, and two writings of the state.",
)
@click.option(
    "--state",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What is known so far; it outlives the process.  [MODEL.monitor.json]",
)
@click.option(
    "--picture",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw risk and evidence (.png, .svg, .pdf).",
)
@reading
def command(**values: Any) -> int:
    """Count the errors of MODEL on the rows of STREAM that are new, in the order they came.

    A line of JSON after every batch. Rows without a label are watched by the model's outputs alone.
    The alarm holds whenever one looks: however often, the chance of a false one is at most alpha.
    """  # fmt: skip
    import json

    from mercer.app.monitor import run_monitor
    from mercer.errors import AlarmRaised

    line: dict[str, Any] = {}
    for line in run_monitor(values):
        echo(json.dumps(line))
    if values["picture"] is not None:
        from mercer.app.monitor_picture import draw

        draw(values)
    if line["alarm"]:
        raise AlarmRaised(
            f"the risk is above {line['limit']:.4g}: {line['errors']} errors in {line['labels']} "
            f"labels, alarm after {line['alarm_at']}.",
            "The certificate no longer describes the rows that come.",
        )
    if line["drift"]:
        raise AlarmRaised(
            f"the model's outputs have changed, seen after {line['drift_at']} rows.",
            "Look at the inputs; labels would tell whether the risk has changed too.",
        )
    return 0
