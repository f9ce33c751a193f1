"""A saved model over files that need not fit into memory: answers, or counted errors."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mercer.app.apply import answer, new_rows, row_names
from mercer.app.labels import labels_of
from mercer.app.streams.follow import Follow
from mercer.app.streams.lent import forget, opened
from mercer.app.streams.survey import without_bad
from mercer.app.streams.workers import check_workers
from mercer.app.write_table import open_table
from mercer.certification.counts import certify_counts
from mercer.engine import open_engine
from mercer.errors import DataError
from mercer.io.atomic import together
from mercer.io.model_file import ModelFile
from mercer.io.readers import Options
from mercer.io.streams import batches, partitions_of
from mercer.rows import Partition
from mercer.tables.dataset import Column, Dataset

AT_ONCE = 1 << 16  # rows: machines in cells each get some of them


def columns_of(
    stored: ModelFile, data: Dataset, reject: float | None, only: bool,
    coverage: float | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Numbers of rows, their names, answers, and how sure they are."""
    found = answer(stored, new_rows(stored, data), reject, coverage)
    columns: dict[str, Any] = {"row": data.rows} | row_names(stored.about, data)
    columns["predicted"] = found.predicted
    if found.accepted is not None:
        columns["answered"] = ["yes" if a else "no" for a in found.accepted]
    if found.sets is not None:
        columns["set"] = found.sets
    if not only and found.probability is not None:
        for k, label in enumerate(found.classes):
            columns[f"p({label})"] = found.probability[:, k].round(6)
    if (coverage is not None or not only) and found.interval is not None:
        columns |= {"lower": found.interval[:, 0], "upper": found.interval[:, 1]}
    return columns


def predict_stream(
    model: str,
    patterns: list[str],
    folder: str | Path,
    options: Options,
    *,
    reject: float | None = None,
    only: bool = False,
    coverage: float | None = None,
    cluster: Any = None,
    skip_bad: bool = False,
    quiet: bool = True,
) -> tuple[int, list[tuple[str, str]]]:
    """Batches in, one file of answers out for each partition; how many rows, and files left out."""
    parts, bad = without_bad(*partitions_of(patterns, options), skip_bad)
    with together(folder) as aside:
        task = partial(
            predict_part, model=model, folder=str(aside), options=options, reject=reject, only=only,
            coverage=coverage,
        )  # fmt: skip
        seen = [model, str(folder)]
        return sum(_one_pass("predicting", task, parts, cluster, seen, quiet)), bad


def _one_pass(
    words: str, task: Any, parts: list[Partition], cluster: Any, seen: list[str], quiet: bool
) -> list[Any]:
    """The answers of all partitions, followed; every worker must see the files."""
    with open_engine(cluster) as engine, Follow(quiet) as follow:
        check_workers(engine, [*seen, *(part.path for part in parts)])
        if cluster is not None:
            follow.say(engine.words)
        if all(part.rows is not None for part in parts):
            follow.rows = sum(part.rows or 0 for part in parts)
        try:
            with follow.a_pass(words, parts) as done:
                found: list[Any] = engine.map(task, parts, done)
        finally:
            forget()
    return found


def predict_part(
    part: Partition, model: str, folder: str, options: Options, reject: float | None, only: bool,
    coverage: float | None = None,
) -> int:  # fmt: skip
    """Answers for one partition; the model is read where the task runs."""
    stored, rows = opened(model), 0
    with open_table(Path(folder) / answers_name(part)) as write:
        for data in batches(part, options, size=AT_ONCE):
            write(columns_of(stored, data, reject, only, coverage))
            rows += data.n
    return rows


def answers_name(part: Partition) -> str:
    """``year-part-3.parquet`` for ``year/part-3.csv``, numbered where a file has several groups."""
    plain = part.name.split(".")[0].replace("/", "-")
    return f"{plain}{'' if part.piece < 0 else f'-{part.piece}'}.parquet"


def certify_stream(
    stored: ModelFile,
    model: str,
    patterns: list[str],
    options: Options,
    delta: float,
    *,
    target: str | None = None,
    tolerance: float | None = None,
    cluster: Any = None,
    skip_bad: bool = False,
    quiet: bool = True,
) -> Any:
    """A certificate from the labelled rows of many files, none of which the model has seen."""
    parts, bad = without_bad(*partitions_of(patterns, options), skip_bad)
    task_name = stored.about.get("task", "classification")
    if task_name == "regression" and tolerance is None:
        tolerance = float(stored.model.tolerance_)
    name = target or stored.about.get("target")
    if not name:
        raise DataError("the fresh rows have no labels.", "Name the column with --target.")
    known = {tuple(p) for p in (stored.about.get("data") or {}).get("partitions") or ()}
    for part in parts:
        if (part.name, part.piece, part.rows, part.size) in known:
            raise DataError(
                f"{part.path} looks like a file that the model was trained on.",
                "A certificate needs rows it has never seen.",
            )
    task = partial(
        certify_part, model=model, options=options, target=str(name), tolerance=tolerance
    )
    counts = _one_pass("counting errors", task, parts, cluster, [model], quiet)
    rows, errors = np.sum(counts, axis=0).tolist()
    if not rows:
        raise DataError("no fresh row has a label.")
    return certify_counts(
        int(errors),
        int(rows),
        delta,
        task=task_name,
        learner=type(stored.model).__name__,
        n_classes=len(stored.about.get("classes") or (0, 1)),
        tolerance=tolerance if task_name == "regression" else None,
        found=tuple(f"does not cover {path}, which was left out ({w})" for path, w in bad),
    )


def certify_part(
    part: Partition, model: str, options: Options, target: str, tolerance: float | None
) -> tuple[int, int]:
    """Rows with a label, and errors among them."""
    stored, rows, errors = opened(model), 0, 0
    for data in batches(part, options, size=AT_ONCE):
        column = data.column(target)
        there = ~column.missing
        data = replace(data.drop(~there, "no label"))
        truth = Column(column.name, column.kind, column.values[there])
        if not data.n:
            continue
        found = np.asarray(stored.model.predict(new_rows(stored, data)))
        if tolerance is not None:
            wrong = np.abs(found - truth.values.astype(float)) > tolerance
        else:
            wrong = found != labels_of(stored.model, truth)
        rows, errors = rows + data.n, errors + int(wrong.sum())
    return rows, errors
