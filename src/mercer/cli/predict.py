"""``mercer predict``: apply a saved model to new data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mercer.cli._echo import echo
from mercer.cli._options import reading

EPILOG = """
\b
Examples:
  mercer predict mercer-clinic/model.mercer new.csv
  mercer predict model.mercer new.csv -o answers.csv --reject 0.9
  cat new.csv | mercer predict model.mercer - --output answers.parquet
"""


@click.command(short_help="Apply a saved model to new data.", epilog=EPILOG)
@click.argument("model", type=str)
@click.argument("data", type=str)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write: .csv, .tsv, .jsonl or .parquet.  [standard output, as CSV]",
)
@click.option(
    "--reject",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Do not answer where the most probable class has less than this probability.",
)
@click.option("--only", is_flag=True, help="Only the predictions, without probabilities.")
@reading
def command(
    model: str, data: str, output: Path | None, reject: float | None, only: bool, **values: Any
) -> int:
    """Predict every row of DATA with MODEL.

    The output has the number of the row in the file, its name if the model was trained on rows or
    sequences with names, the prediction, and the probability of every class or the interval around
    a number. Rows the model does not answer are marked.
    """  # fmt: skip
    from mercer.app.apply import answer, new_rows, row_names, unfamiliar
    from mercer.app.doubts import doubts
    from mercer.app.reading import reader_options
    from mercer.app.write_table import write_table
    from mercer.io.model_file import open_model
    from mercer.io.readers import read

    stored = open_model(model)
    table = read(data, reader_options(values, stored.about))
    found = answer(stored, new_rows(stored, table), reject)
    columns: dict[str, Any] = {"row": table.rows} | row_names(stored.about, table)
    columns["predicted"] = found.predicted
    if found.accepted is not None:
        columns["answered"] = ["yes" if a else "no" for a in found.accepted]
    if not only and found.probability is not None:
        for k, label in enumerate(found.classes):
            columns[f"p({label})"] = found.probability[:, k].round(6)
    if not only and found.interval is not None:
        columns |= {"lower": found.interval[:, 0], "upper": found.interval[:, 1]}
    write_table(columns, output)
    for words in (*doubts(stored, model), *unfamiliar(stored, table)):
        echo(words, err=True)
    for row, reason in table.dropped[:20]:
        echo(f"row {row} was not predicted: {reason}", err=True)
    if len(table.dropped) > 20:
        echo(f"and {len(table.dropped) - 20} more rows", err=True)
    return 0
