"""One run of ``mercer fit`` from the file to the record."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mercer.app.baselines import compare_baselines
from mercer.app.checks import Finding
from mercer.app.describe import (
    describe_certificate,
    describe_influential,
    describe_model,
    predict_counted,
    search_words,
)
from mercer.app.progress import Progress
from mercer.app.reading import reader_options
from mercer.app.roles import FitData, make_fit_data
from mercer.app.sequences import sequence_words
from mercer.app.train import Clock, Wishes, plan_fit, stages_of, train
from mercer.io.readers import read
from mercer.io.source import Source
from mercer.report.run_record import RunRecord
from mercer.tables.dataset import Column, Dataset

MIN_ORDERED = 20  # rows below which their order says nothing
SHARE = 0.75  # of the time limit for learning; the rest is for start-up, comparisons and the report


def run_fit(values: dict[str, Any]) -> tuple[RunRecord, FitData, Any]:
    """Read, check, plan, train, certify, compare."""
    begun = time.monotonic()
    record = RunRecord()
    laps = Clock(record)
    source = Source.of(values["data"])
    options = reader_options(values)
    raw = read(source, options)
    data = make_fit_data(
        raw,
        target=values["target"],
        labels=read_labels(values.get("labels")),
        group=values["group"],
        order=values["order"],
        ignore=values["ignore"],
        keep=values["keep"],
        task=values["task"],
        precomputed=values["precomputed"],
        strings=values["strings"],
    )
    describe_data(record, source, raw, data)
    laps.lap("reading")
    wishes = wishes_of(values)
    plan = plan_fit(data, wishes)
    record.plan = plan.to_dict()
    _announce(record, values)
    stages = stages_of(wishes.certify)
    deadline = None if wishes.time_limit is None else begun + SHARE * wishes.time_limit
    with Progress(values["quiet"] or values["as_json"], stages, deadline) as progress:
        model, said = train(data, wishes, plan, progress)
    laps.lap("learning")
    describe_model(record, data, model, said)
    record.model["interrupted"] = record.model["interrupted"] or progress.stopped
    describe_certificate(record, data, model)
    describe_split(record, model)
    record.search["words"] = search_words(record.search, record.timings["learning"])
    predict_counted(record, data, model)
    compare_baselines(record, data, model)
    describe_influential(record, data, model)
    laps.lap("comparing")
    describe_reproduction(record, values)
    record.objects = {"model": model, "X": data.X, "y": data.target.y, "feature_names": data.names,
                      "rows": data.rows}  # fmt: skip
    record.objects |= {"train_rows": model.certification_.train_rows,
                       "counted_rows": model.certification_.counted_rows}  # fmt: skip
    return record, data, model


def read_labels(path: str | None) -> Column | None:
    """Labels from a file of their own: one column."""
    if path is None:
        return None
    labels = read(path)
    if labels.columns:
        return labels.columns[-1]
    from mercer.errors import DataError

    raise DataError(f"{path} is not a column of labels.")


def wishes_of(values: dict[str, Any]) -> Wishes:
    """The options of the command as wishes."""
    from mercer.errors import UserError

    treat = []
    for text in values["treat"]:
        name, equals, kind = text.partition("=")
        if not equals:
            raise UserError(f"'{text}' is not NAME=KIND.", "For instance: --as size=ordinal")
        treat.append((name, kind))
    known = ("kernel", "combine", "learner", "certify", "delta", "seed", "time_limit",
             "memory_limit", "tolerance", "ledger")  # fmt: skip
    return Wishes(**{name: values[name] for name in known}, treat=tuple(treat))


def describe_data(record: RunRecord, source: Source, raw: Dataset, data: FitData) -> None:
    """What was read, and what became of every row."""
    kinds = [c["kind"] for c in data.described]
    gaps = sum(c["missing"] for c in data.described)
    parts = [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)]
    if gaps:
        parts.append(f"{gaps:,} gaps")
    shape: tuple[int, ...] = getattr(data.X, "shape", (len(data.rows),))
    width = len(raw.columns) or (int(shape[1]) if len(shape) > 1 else 1)
    if data.prepare == "objects":
        parts, width = [sequence_words(data.X)], 1
    record.title = source.name
    record.data = {
        "name": source.name,
        "path": None if source.path is None else str(source.path),
        "format": raw.format,
        "dialect": raw.dialect,
        "bytes": source.size,
        "sha256": source.sha256(),
        "rows_read": raw.rows_read,
        "rows_used": len(data.target.y),
        "dropped": [{"row": row, "reason": reason} for row, reason in data.dropped],
        "columns": data.described,
        "width": width,
        "width_of": "sequence" if data.prepare == "objects" else "columns",
        "words": ", ".join(parts),
    }
    record.target = data.target.summary()
    record.checks = [finding.to_dict() for finding in [*data.findings, *check_order(data)]]


def check_order(data: FitData) -> list[Finding]:
    """Say so if the target changes along the file: shuffling would hide that from a certificate."""
    from mercer.certification.checks import check_exchangeability

    y = data.target.y
    if data.order is not None or data.groups is not None or len(y) < MIN_ORDERED:
        return []
    found = check_exchangeability(y=y, level=0.01)
    if found.ok:
        return []
    message = (
        f"the target changes along the file ({found.message.split(';')[0]}); the rows were "
        "shuffled. If they were recorded one after another, use --order with the column that "
        "says when"
    )
    return [Finding("order", "warning", message)]


def describe_split(record: RunRecord, model: Any) -> None:
    """Which rows were for learning and which for the certificate."""
    done = model.certification_
    if model.certificate_ is None:
        record.split = {"words": "all rows to learn; none kept for a certificate"}
        return
    order = {"random": f"at random, seed {done.seed}", "groups": "whole groups, at random",
             "time": "the past to learn, what came later to count"}[done.order]  # fmt: skip
    words = f"{done.trained_on:,} rows to learn, {done.counted_on:,} to count errors on ({order})"
    if done.trained_on == done.n:
        words = f"all {done.n:,} rows to learn; the certificate comes from the same rows"
    record.split = {"train": done.trained_on, "counted": done.counted_on, "order": done.order,
                    "seed": done.seed, "words": words}  # fmt: skip


def describe_reproduction(record: RunRecord, values: dict[str, Any]) -> None:
    """All that is needed to do it again."""
    from mercer._versions import versions

    skip = {"config", "quiet", "as_json", "output"}
    run = {k.rstrip("_"): _plain(v) for k, v in values.items()
           if k not in skip and v is not None and v != ()}  # fmt: skip
    if values["data"] != "-":
        run["data"] = str(Path(values["data"]).resolve())
    if values.get("labels"):
        run["labels"] = str(Path(values["labels"]).resolve())
    about = {"mercer": versions()["mercer"], "data_sha256": record.data["sha256"]}
    record.reproduction = {
        "command": "mercer " + " ".join(_quoted(a) for a in sys.argv[1:]),
        "seed": values["seed"],
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "run": run | {"about": about},
    }


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)


def _announce(record: RunRecord, values: dict[str, Any]) -> None:
    """Say before the work what it will cost, if it is more than a moment."""
    if values["quiet"] or values["as_json"] or record.plan["seconds"] < 5:
        return
    words = f"plan: {record.plan['words']}; Ctrl-C stops with the best so far"
    sys.stderr.write(words + "\n")
    sys.stderr.flush()
