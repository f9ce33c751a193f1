"""One run of ``mercer fit`` from the file to the record."""

from __future__ import annotations

import sys
import time
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from mercer._pace import pace
from mercer._stopping import stopping
from mercer.app.afterwards import Afterwards
from mercer.app.answers import answer_questions
from mercer.app.baselines import compare_baselines
from mercer.app.describe import (
    describe_certificate,
    describe_influential,
    describe_model,
    describe_stop,
    predict_counted,
    search_words,
)
from mercer.app.labels import Labels
from mercer.app.options import FitOptions
from mercer.app.progress import Progress, Watch
from mercer.app.rare import refuse_one_class, unlearned
from mercer.app.roles import FitData, make_fit_data
from mercer.app.sequences import sequence_words
from mercer.app.too_good import too_good
from mercer.app.train import Clock, mode_for, plan_fit, stages_of, train
from mercer.certification import Certified
from mercer.io.source import Source
from mercer.report.advice import at_a_terminal
from mercer.report.run_record import RunRecord
from mercer.tables.dataset import TEXT, Dataset

AFTER = 2.4  # seconds for comparisons, answers and the report of a usual table, at pace one
PER_LETTER = 1.3e-6  # seconds for each letter of the texts
LEAST_AFTER, MOST_AFTER = 0.2, 0.6  # of the time limit, for these and for the last training


@dataclass
class Run:
    """One fit: what was learned, from which data, and the record of it all."""

    record: RunRecord
    data: FitData
    model: Certified


def run_fit(
    raw: Dataset,
    options: FitOptions,
    *,
    source: Source | None = None,
    labels: Labels | None = None,
    quiet: bool = False,
    watch: Watch | None = None,
    typed: bool = False,
    reproduction: dict[str, Any] | None = None,
    begun: float | None = None,
) -> Run:
    """Check, plan, train, certify, compare; ``watch`` is told how far the search is.

    ``source`` is the file that ``raw`` was read from, if any. ``typed`` keeps labels as they are;
    otherwise they are text, as files have them. ``reproduction`` says how to do it again.
    ``begun`` is when somebody began to wait, on the monotonic clock.
    """
    now = time.monotonic()
    begun = now if begun is None else begun
    record = RunRecord()
    record.timings["starting"] = now - begun
    laps = Clock(record)
    data = make_fit_data(
        raw,
        target=options.target,
        labels=labels,
        group=options.group,
        order=options.order,
        ignore=options.ignore,
        keep=options.keep,
        task=options.task,
        precomputed=options.reading.precomputed,
        strings=options.strings,
        typed=typed,
    )
    describe_data(record, source, raw, data, labels)
    laps.lap("reading")
    refuse_one_class(data)
    plan = plan_fit(data, options)
    record.plan = plan.to_dict()
    if not quiet:
        _announce(record)
    deadline = _deadline(begun, options.time_limit, letters_of(data))
    with stopping() as state:
        stages = stages_of(mode_for(options, plan))
        with Progress(quiet, stages, deadline, watch, state) as progress:
            model, said = train(data, options, plan, progress)
        laps.lap("learning")
        state.found = True
        describe_model(record, data, model, said)
        record.checks += [finding.to_dict() for finding in unlearned(data, model)]
        describe_certificate(record, data, model)
        if reproduction:  # typed at a terminal: no advice in Python
            notes = record.certification.get("notes", ())
            record.certification["notes"] = [at_a_terminal(words) for words in notes]
        describe_split(record, model)
        record.search["words"] = search_words(record.search, record.timings["learning"])
        asked = time.monotonic()
        predict_counted(record, data, model)
        each = (time.monotonic() - asked) / max(1, len(record.predictions.get("row", ())))
        after = Afterwards(None if options.time_limit is None else begun + options.time_limit, each)
        kept = {name: copy(value) for name, value in vars(record).items()}  # as it is before
        if not state.unless_asked(partial(_compare, record, data, model, options.seed, after)):
            vars(record).update(kept)
        describe_stop(record, model, state.asked)
        laps.lap("comparing")
    record.reproduction = describe_reproduction(record, options, reproduction or {})
    record.objects = {"model": model, "X": data.X, "y": data.target.y, "feature_names": data.names,
                      "rows": data.rows}  # fmt: skip
    record.objects |= {"train_rows": model.certification_.train_rows,
                       "counted_rows": model.certification_.unseen_rows}  # fmt: skip
    return Run(record, data, model)


def letters_of(data: FitData) -> int:
    """Of all texts: those of the counted rows are cut into terms after learning."""
    if data.prepare != "table":
        return 0
    texts = [j for j, kind in enumerate(data.stored) if kind.partition(":")[0] == TEXT]
    return sum(len(v) for j in texts for v in data.X[:, j].tolist() if isinstance(v, str))


def _deadline(begun: float, limit: float | None, letters: int = 0) -> float | None:
    """When learning should end, so that what comes after it is done within the limit, too.

    What comes after takes the processor the same time on every machine, but longer by the clock on
    a slow or busy one.
    """
    if limit is None:
        return None
    after = max((AFTER + PER_LETTER * letters) * pace(), LEAST_AFTER * limit)
    return begun + limit - min(after, MOST_AFTER * limit)


def _compare(
    record: RunRecord, data: FitData, model: Certified, seed: int, after: Afterwards
) -> None:
    """What somebody who wants to stop can do without."""
    compare_baselines(record, data, model, after)
    record.checks += [finding.to_dict() for finding in too_good(record, data)]
    answer_questions(record, data, model, seed, after)
    describe_influential(record, data, model)


def describe_data(
    record: RunRecord, source: Source | None, raw: Dataset, data: FitData,
    labels: Labels | None = None,
) -> None:  # fmt: skip
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
    name = "data frame" if source is None else source.name
    record.title = name
    record.data = {
        "name": name,
        "path": str(source.path) if source is not None and source.path is not None else None,
        "format": raw.format,
        "dialect": raw.dialect,
        "bytes": None if source is None else source.size,
        "sha256": None if source is None else source.sha256(),
        "rows_read": raw.rows_read,
        "rows_used": len(data.target.y),
        "dropped": [{"row": row, "reason": reason} for row, reason in data.dropped],
        "columns": data.described,
        "width": width,
        "width_of": "sequence" if data.prepare == "objects" else "columns",
        "words": ", ".join(parts),
        "labels": None if labels is None else labels.about,
    }
    record.target = data.target.summary()
    record.checks = [finding.to_dict() for finding in data.findings]


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
        if model.certificate_.classifier == "mixture":
            words = (
                f"all {done.n:,} rows to learn, by models that are judged by rows they never saw"
            )
    record.split = {"train": done.trained_on, "counted": done.counted_on, "order": done.order,
                    "seed": done.seed, "words": words}  # fmt: skip


def describe_reproduction(
    record: RunRecord, options: FitOptions, said: dict[str, Any]
) -> dict[str, Any]:
    """All that is needed to do it again."""
    from mercer._versions import versions

    about = {"mercer": versions()["mercer"], "data_sha256": record.data["sha256"]}
    return {
        "command": said.get("command", ""),
        "seed": options.seed,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "run": said.get("run", options.to_dict()) | {"about": about},
    }


def _announce(record: RunRecord) -> None:
    """Say before the work what it will cost, if it is more than a moment."""
    if record.plan["seconds"] < 5:
        return
    words = f"plan: {record.plan['words']}; Ctrl-C stops with the best so far"
    sys.stderr.write(words + "\n")
    sys.stderr.flush()
