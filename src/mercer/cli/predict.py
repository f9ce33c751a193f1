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
  mercer predict model.mercer 'new/*.parquet' -o answers/     batches in, a file out per file in
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
@click.option(
    "--coverage",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="C",
    help="Sets of classes, or intervals, that hold so many new truths.  [intervals: 0.9]",
)
@click.option("--only", is_flag=True, help="Only the predictions, without probabilities.")
@click.option("--cluster", metavar="WHERE", help="Files in batches on a Dask cluster, see fit.")
@click.option("--skip-bad-files", is_flag=True, help="Leave out files that cannot be read.")
@reading
def command(
    model: str, data: str, output: Path | None, reject: float | None, only: bool,
    coverage: float | None, **values: Any
) -> int:  # fmt: skip
    """Predict every row of DATA with MODEL.

    The output has the number of the row in the file, its name if the model was trained on rows or
    sequences with names, the prediction, and the probability of every class or the interval around
    a number. Rows the model does not answer are marked ("answered"); what is promised about
    intervals and sets is told on standard error. DATA may be a folder or a pattern such as
    'new/*.parquet': the rows are then read in batches, and OUTPUT is a folder of Parquet files.
    """  # fmt: skip
    from mercer.app.apply import promise, unfamiliar
    from mercer.app.doubts import doubts
    from mercer.app.reading import reader_options
    from mercer.app.streams.apply import columns_of
    from mercer.app.write_table import write_table
    from mercer.io.model_file import open_model
    from mercer.io.readers import read
    from mercer.io.source import is_pattern

    if is_pattern(data) or values["cluster"]:
        return _in_batches(model, data, output, reject, only, coverage, values)
    stored = open_model(model)
    table = read(data, reader_options(values, stored.about))
    write_table(columns_of(stored, table, reject, only, coverage), output)
    held = "" if only and coverage is None else promise(stored, coverage)
    for words in (*doubts(stored, model), held, *unfamiliar(stored, table)):
        if words:
            echo(words, err=True)
    for row, reason in table.dropped[:20]:
        echo(f"row {row} was not predicted: {reason}", err=True)
    if len(table.dropped) > 20:
        echo(f"and {len(table.dropped) - 20} more rows", err=True)
    return 0


def _in_batches(
    model: str, data: str, output: Path | None, reject: float | None, only: bool,
    coverage: float | None, values: Any,
) -> int:  # fmt: skip
    from mercer.app.apply import promise
    from mercer.app.doubts import doubts
    from mercer.app.reading import reader_options
    from mercer.app.streams.apply import predict_stream
    from mercer.app.streams.lent import opened

    if output is None:
        raise click.UsageError("many files need --output FOLDER for the answers.")
    stored = opened(model)  # what the tasks in this process are lent, too
    rows, bad = predict_stream(
        model, [data], output, reader_options(values, stored.about), reject=reject, only=only,
        coverage=coverage, cluster=values["cluster"], skip_bad=values["skip_bad_files"],
        quiet=False,
    )  # fmt: skip
    held = "" if only and coverage is None else promise(stored, coverage)
    for words in (*doubts(stored, model), *([held] if held else [])):
        echo(words, err=True)
    for path, words in bad:
        echo(f"{path} was left out: {words}", err=True)
    echo(f"{rows:,} rows predicted; the answers are in {output}")
    return 0
