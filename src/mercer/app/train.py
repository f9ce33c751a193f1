"""Train, certify, compare: one run, as a record."""

from __future__ import annotations

import time
import warnings
from functools import partial
from typing import Any

import numpy as np

from mercer._pace import pace
from mercer.app.forecast import look_ahead
from mercer.app.kernel_cost import search_seconds
from mercer.app.options import FitOptions
from mercer.app.plan import TRAIN_SHARE, Plan, make_plan
from mercer.app.progress import Progress
from mercer.app.roles import FitData
from mercer.errors import DataError
from mercer.learners.describe import answering
from mercer.report.run_record import RunRecord
from mercer.selection.space import read_kernels
from mercer.tables import TableMachine, TablePreparation
from mercer.tables.learners import kernels_for_strings

COSTS_TRIED = 4  # about as many for each kernel of strings
SAMPLE = 2000
FEW = 10
MANY_FITS = 5  # models of one certificate beyond which a contest for each takes too long


def plan_fit(data: FitData, wishes: FitOptions) -> Plan:
    """Forecast before anything is trained."""
    rows = len(data.target.y)
    if rows < FEW:
        raise DataError(
            f"{rows} rows are too few to learn from and to certify.", f"At least {FEW} are needed."
        )
    width = prepared_width(data, wishes)
    train_rows = round(TRAIN_SHARE * rows)
    ahead = look_ahead(data, wishes, learner_for(wishes), train_rows, aim_of(wishes))
    settings, measured = ahead.settings * searches_of(wishes.certify), None
    if data.prepare == "objects":
        asked = kernels_for_strings(wishes.kernel, data.X)
        kernels = [kernel for _, kernel, _ in read_kernels(asked, data.X)]
        settings = COSTS_TRIED * len(kernels)
        measured = partial(search_seconds, kernels, data.X)
    exact = data.prepare in ("kernel", "distance") or wishes.learner not in (
        "auto",
        "kernel",
        "svm",
    )
    return make_plan(
        rows,
        width,
        settings,
        table_bytes(data.X),
        memory_limit=wishes.memory_limit,
        time_limit=wishes.time_limit,
        exact=exact,
        cells=data.prepare != "objects",
        kernel_seconds=measured,
        route=wishes.route,
        rank=wishes.rank,
        cell_size=wishes.cells,
        others=ahead.others,
        pace=pace(),
    )


def prepared_width(data: FitData, wishes: FitOptions) -> int:
    """Coordinates after preparation, from a sample of the rows and without their labels."""
    if data.prepare != "table":
        shape: tuple[int, ...] = getattr(data.X, "shape", (0,))
        return min(int(shape[1]), 1000) if len(shape) > 1 else 50
    pick = np.linspace(0, len(data.X) - 1, min(SAMPLE, len(data.X))).astype(np.intp)
    looked = TablePreparation(data.names, data.stored, dict(wishes.treat))
    return int(looked.fit(data.X[pick]).n_features_out_)


def table_bytes(X: Any) -> int:
    """Memory of the raw data; an object costs about 60 bytes."""
    if hasattr(X, "indptr"):
        return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
    return int(X.size * 60 if X.dtype.hasobject else X.nbytes)


def train(
    data: FitData, wishes: FitOptions, plan: Plan, progress: Progress
) -> tuple[Any, list[str]]:
    """The certified model, and what was warned about on the way."""
    from mercer import _config
    from mercer.certification import certified_fit

    machine = TableMachine(
        data.target.task,
        prepare=data.prepare,
        names=data.names or None,
        stored=data.stored or None,
        treat=dict(wishes.treat) or None,
        kernel=wishes.kernel,
        combine=wishes.combine,
        learner=learner_for(wishes),
        route=plan.kind,
        rank=plan.rank,
        cell_size=plan.cell_size,
        search_rows=plan.search_rows,
        aim=aim_of(wishes),
        random_state=wishes.seed % (2**31),
        progress=progress,
    )
    with warnings.catch_warnings(record=True) as caught, _config.config(
        memory_limit=wishes.memory_limit
    ):  # fmt: skip
        warnings.simplefilter("always")
        model = certified_fit(
            machine,
            data.X,
            data.target.y,
            mode=mode_for(wishes, plan),
            delta=wishes.delta,
            random_state=wishes.seed,
            groups=data.groups,
            order=data.order,
            tolerance=wishes.tolerance,
            error=wishes.error,
            metric=wishes.metric,
            ledger=wishes.ledger,
            budget=wishes.budget,
        )
    said = [str(w.message).split("\n")[0] for w in caught if not _routine(w.category)]
    return model, list(dict.fromkeys(said))


def aim_of(wishes: FitOptions) -> str:
    """What learners are chosen by: what is going to be certified, where that is possible."""
    if wishes.error != "overall":
        return "balanced"
    name, _, options = str(wishes.metric or "").partition(":")
    if name in ("balanced_accuracy", "mcc"):
        return "balanced"
    if name not in ("f1", "f_beta"):
        return "overall"
    said = dict(part.partition("=")[::2] for part in options.split(","))
    return f"f1:{said['positive']}" if "positive" in said else "f1"


def learner_for(wishes: FitOptions) -> str:
    """Kernel machines alone where a certificate reads them, or is made of many models."""
    from mercer.certification import modes

    if wishes.learner != "auto" or wishes.certify is None:
        return wishes.learner
    mode = modes.get(wishes.certify)
    reads = "in-sample" in mode.name or "support vector classifier" in mode.needs
    return "kernel" if reads or mode.fits > MANY_FITS else "auto"


def _routine(category: type[Warning]) -> bool:
    return issubclass(category, DeprecationWarning | PendingDeprecationWarning | FutureWarning)


def table_machine(model: Any) -> TableMachine:
    """The estimator inside a certified model, a mixture or a model that may abstain."""
    model = answering(model)
    if hasattr(model, "models"):
        return table_machine(model.models[-1])
    if hasattr(model, "model"):
        return table_machine(model.model)
    return model


def mode_for(wishes: FitOptions, plan: Plan) -> str | None:
    """A fixed share counts of many rows, and of any if there is little time.

    Two more fits to choose the share would take most of the time.
    """
    short = wishes.time_limit is not None and wishes.time_limit < plan.seconds
    if wishes.certify == "auto" and (plan.kind != "exact" or short):
        return "holdout"
    return wishes.certify


def searches_of(certify: str | None) -> int:
    """How often a mode searches with all settings: not in fits that only choose the split."""
    return 1 if certify == "auto" else stages_of(certify)


def stages_of(certify: str | None) -> int:
    """How many searches a mode runs."""
    from mercer.certification import modes

    return 1 if certify is None else modes.get(certify).fits


class Clock:
    """Seconds by phase."""

    def __init__(self, record: RunRecord) -> None:
        self.record = record
        self._start = time.perf_counter()

    def lap(self, phase: str) -> None:
        """Close a phase."""
        now = time.perf_counter()
        self.record.timings[phase] = self.record.timings.get(phase, 0.0) + now - self._start
        self._start = now
