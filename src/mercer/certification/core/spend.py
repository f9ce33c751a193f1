"""Spend rows: choose the mode, run it, and write down what was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer.bounds import Certificate, Choice, Entry, Evidence, Ledger
from mercer.bounds.numerics.checks import check_delta
from mercer.certification import modes
from mercer.certification.checks.assumptions import run_checks
from mercer.certification.checks.finding import Verdict
from mercer.certification.checks.frozen import frozen_parts
from mercer.certification.checks.gate import examine, warn
from mercer.certification.checks.rows import look_before_spending
from mercer.certification.core import arguments, looks
from mercer.certification.core.fingerprint import fingerprint, short_name, training_marks
from mercer.certification.core.loss import UNBOUNDED, Loss, has_tube, make_loss, task_of
from mercer.certification.core.order import Order, make_order
from mercer.certification.core.record import Certification
from mercer.certification.core.rows import Rows
from mercer.certification.core.task import Index, Refused, Result, Task
from mercer.certification.fresh import ERRORS
from mercer.certification.guarantees.any_metric import check_metric
from mercer.certification.guarantees.metrics import CertifiedMetric, metric_meant
from mercer.certification.modes._usual_split import (
    BAR_BY_CLASS,
    NO_BAR,
    measured_bar,
    projected_bar,
)
from mercer.learners.describe import (
    AROUND,
    check_not_frozen,
    check_trainable,
    note_choice,
    own_evidence,
)

NONE = "none"  # what the record says where mode=None was asked for


@dataclass(frozen=True)
class Asked:
    """What a user may ask of a certified fit, beside the rows."""

    mode: Any
    delta: float
    random_state: Any
    error: str
    loss: Any
    loss_range: tuple[float, float] | None
    clip: bool
    tolerance: float | None
    compare: bool
    checks: bool
    options: Mapping[str, Any] | None
    ledger: Any = None
    budget: float | None = None
    metric: Any = None
    spread: Any = "auto"


@dataclass(frozen=True)
class Given:
    """The rows, and what is known about them; ``around``: estimators that called ``fit``."""

    X: Any
    y: Any
    sample_weight: Any
    groups: Any
    order: Any
    pool: Any
    around: tuple[str, ...] = ()
    by: Any = None


@dataclass(frozen=True)
class Spent:
    """The model, what is said about it, and the record. Without a mode there is no certificate."""

    model: Any
    certificate: Certificate | None
    evidence: Evidence | None
    record: Certification
    everything: tuple[dict[str, Certificate], dict[str, str]] | None = None
    calibration: Any = None


def spend(estimator: Any, asked: Asked, given: Given) -> Spent:
    """Fit clones of ``estimator`` as the mode says; everything is checked before anything runs."""
    delta, names = check_delta(asked.delta), check_modes(asked.mode)
    arguments.flag(asked.compare, "compare")
    arguments.flag(asked.checks, "checks")
    check_trainable(estimator)
    if names != (NONE,):
        check_not_frozen(estimator)
    _check_spread(asked.spread)
    judge = make_loss(task_of(estimator), asked.loss, asked.loss_range, asked.clip, asked.tolerance)
    metric = _metric_asked(asked, judge, names)
    if judge.open and _any_metric(names):
        judge = judge.nearness()
    _check_targets(estimator, judge, given.y, names)
    rows = Rows.of(estimator, given.X, given.y, given.sample_weight)
    chosen = _options(asked.options, names)
    if names == (NONE,):
        return _only_fit(rows, estimator, delta)
    common = {"pool": given.pool, "error": _which_error(asked.error, judge, names, given.groups)}
    common |= {"metric": metric, "spread": asked.spread}
    by = None if given.by is None else arguments.column(given.by, rows.n, "by")
    order = make_order(rows.n, asked.random_state, given.groups, given.order)
    taking = _look(estimator, asked, given, rows, order)
    delta = delta if taking is None else check_delta(taking.look.cost)
    asked = replace(asked, delta=delta)
    used = [modes.get(name)() for name in names]
    whole = common["error"] == "overall" and all("groups" in mode.orders for mode in used)
    order, looked = look_before_spending(rows, order, whole)
    tasks = [
        Task(estimator, rows, order, judge, delta / len(names), chosen[name] | common)
        for name in names
    ]
    tasks = [replace(task, uncovered=_outside(given.around), by=by) for task in tasks]
    tasks[0].notes.extend(looked.notes)
    for mode, task in zip(used, tasks, strict=True):
        mode.check(task)
    results = [mode.run(task) for mode, task in zip(used, tasks, strict=True)]
    spent = _hand_over(names, tasks, results, asked, looked)
    if spent.certificate is None:
        return spent
    if taking is None:
        if not given.around and asked.mode != "in-sample" and looks.inside_cross_validation():
            return replace(spent, certificate=looks.one_of_folds(spent.certificate))
        return spent
    return replace(spent, certificate=taking.done(spent.certificate))


def _look(
    estimator: Any, asked: Asked, given: Given, rows: Rows, order: Order
) -> looks.Taking | None:
    """A look at these rows; none if no rows are set aside, or if somebody tries something out."""
    ledger, budget = looks.check_ledger(asked.ledger, asked.budget)
    if asked.mode == "in-sample" or given.around or looks.inside_cross_validation():
        return None
    params = sorted(estimator.get_params().items(), key=lambda item: item[0])
    asks: tuple[Any, ...] = (
        asked.mode,
        asked.error,
        asked.loss,
        asked.loss_range,
        asked.clip,
        asked.tolerance,
    )
    asks += () if asked.metric is None else (asked.metric,)
    what = (type(estimator).__name__, params, asks, asked.options, order.kind, order.seed)
    return looks.begin(
        rows.X, rows.y, what, asked.delta, pairwise=rows.pairwise, ledger=ledger, budget=budget
    )


def _outside(around: tuple[str, ...]) -> tuple[Choice, ...]:
    """What was fitted on the counted rows before they came here; a pipeline could be turned."""
    if "Pipeline" in around:
        raise Refused(
            "Certified is a later step of a Pipeline: the steps before it were fitted on the rows "
            "that it counts. Put it outside, Certified(make_pipeline(...)), where they are covered."
        )
    return tuple(Choice(AROUND, f"fitted by {name}", rows="fresh") for name in around)


def _options(given: Mapping[str, Any] | None, names: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """The options of every mode asked for, checked; one of another mode is a misunderstanding."""
    given = {} if given is None else dict(given)
    own = {name: modes.get(name).options for name in names if name != NONE}
    for option in given:
        if any(option in options for options in own.values()):
            continue
        owners = [name for name, mode in modes.available().items() if option in mode.options]
        if not owners:
            raise TypeError(f"there is no option {option!r}; {_words(own)}")
        raise ValueError(
            f"{option}= is an option of mode={' or '.join(map(repr, owners))}, not of "
            f"mode={', '.join(map(repr, names)) if own else None}; {_words(own)}"
        )
    return {
        name: {k: made.rule(given.get(k, made.default), k) for k, made in options.items()}
        for name, options in own.items()
    }


def _words(own: Mapping[str, Mapping[str, Any]]) -> str:
    known = sorted({option for options in own.values() for option in options})
    return f"here one may give {', '.join(known)}" if known else "it has none"


def _only_fit(rows: Rows, estimator: Any, delta: float) -> Spent:
    everyone = np.arange(rows.n)
    model = rows.fit(estimator, everyone)
    nobody = np.empty(0, dtype=np.intp)
    marks = training_marks(rows, everyone)
    record = Certification(NONE, delta, rows.n, everyone, nobody, marks=marks)
    return Spent(model, None, own_evidence(model), record, ({}, {}))


def _hand_over(
    names: tuple[str, ...],
    tasks: list[Task],
    results: list[Result],
    asked: Asked,
    looked: Verdict,
) -> Spent:
    """The winner's model with its certificate, the ledger of all modes, and the record."""
    best = min(range(len(names)), key=lambda i: results[i].certificate.unclipped)
    result, task, delta = results[best], tasks[best], float(asked.delta)
    certificate = result.certificate
    if len(names) > 1:
        certificate = _paid_by_all(certificate, names, best, delta)
    own = Verdict(tuple(finding for one in tasks for finding in one.found))
    verdict = examine(certificate, estimator=task.estimator, looked=looked + own)
    probe = fingerprint(result.model, task.rows, result.train)
    marks = training_marks(task.rows, result.train)
    counted = {"n": len(result.counted), "digest": task.rows.digest(result.counted)}
    certificate = verdict.about(model=short_name(probe), rows=counted).stamp(certificate)
    warn(verdict, stacklevel=5)
    whole = replace(task, delta=delta)  # the comparison gets all of delta, as it would have alone
    bar = measured_bar(whole) if asked.compare else projected_bar(result.evidence, task.n, delta)
    if asked.metric is not None and not asked.compare:
        bar = NO_BAR  # the projection is about errors
    elif asked.error != "overall" and not asked.compare:
        bar = BAR_BY_CLASS
    tested = run_checks(task, result) if asked.checks else ()
    record = Certification(
        mode=names[0] if len(names) == 1 else names,
        delta=delta,
        n=task.n,
        train_rows=result.train,
        counted_rows=result.counted,
        order=task.order.kind,
        seed=task.order.seed,
        split=dict(result.split),
        comparison=bar,
        ledger=certificate.ledger,
        seconds=_total([t.seconds for t in tasks]),
        notes=(*(note for t in tasks for note in t.notes), *own.notes),
        tried={name: r.certificate for name, r in zip(names, results, strict=True)},
        checks=tested,
        other_model=result.other_model,
        marks=marks,
        probe=probe,
        units=_units(task.order, result.counted),
    )
    if task.order.kind != "random":
        note_choice(result.model, Choice("training rows", "not independent of each other"))
    everything, scores = result.everything, result.calibration
    return Spent(result.model, certificate, result.evidence, record, everything, scores)


def _units(order: Order, counted: Index) -> Index | None:
    """The group of every counted row; nothing where single rows were counted."""
    if order.kind != "groups":
        return None
    unit = np.empty(order.n, dtype=np.intp)
    unit[order.rows] = order.unit_of(0)
    return np.asarray(unit[counted])


def _paid_by_all(
    certificate: Certificate, names: tuple[str, ...], best: int, delta: float
) -> Certificate:
    """The best of several modes has spent the shares of all of them."""
    share = delta / len(names)
    others = tuple(
        Entry(f"mode {name}", share, "one of the modes asked for")
        for i, name in enumerate(names)
        if i != best
    )
    details = {**certificate.details, "compared": list(names)}
    details.setdefault("own_delta", certificate.delta)
    ledger = certificate.ledger + Ledger(others)
    return replace(certificate, delta=delta, ledger=ledger, details=details)


def _total(parts: list[dict[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for part in parts:
        for what, seconds in part.items():
            total[what] = total.get(what, 0.0) + seconds
    return total


def check_modes(mode: Any) -> tuple[str, ...]:
    """The names in ``mode``, all of them known."""
    if mode is None:
        return (NONE,)
    if not isinstance(mode, str | list | tuple):
        raise ValueError(f"mode must be None, a name or a list of names, got {mode!r}")
    names = (mode,) if isinstance(mode, str) else tuple(mode)
    if not names or len(set(names)) < len(names):
        raise ValueError(f"mode needs one or several different names, got {mode!r}")
    alone = [name for name in names if not modes.get(name).comparable]
    if len(names) > 1 and alone:
        raise ValueError(
            f"mode={alone[0]!r} is about {modes.get(alone[0]).title}, so its number cannot be "
            "compared with those of other modes; ask for it by itself"
        )
    return names


def _metric_asked(asked: Asked, judge: Loss, names: tuple[str, ...]) -> CertifiedMetric | None:
    """The metric in place of errors and losses, if one was asked for."""
    if asked.metric is None:
        return None
    others = (asked.loss, asked.loss_range, asked.tolerance)
    if asked.error != "overall" or any(other is not None for other in others):
        raise ValueError("metric= says what is counted: leave out error=, loss= and tolerance=")
    if len(names) > 1 or not _any_metric(names):
        able = [name for name, mode in modes.available().items() if mode.any_metric]
        raise ValueError(
            f"metric= needs rows that the returned model never saw: mode={' or '.join(able)}, "
            f"not {asked.mode!r}"
        )
    metric = metric_meant(asked.metric)
    check_metric(metric, judge.task)
    return metric


def _any_metric(names: tuple[str, ...]) -> bool:
    """Whether all modes count rows that their model never saw, one by one."""
    return names != (NONE,) and all(modes.get(name).any_metric for name in names)


def _check_spread(spread: Any) -> None:
    """Quantile machines learn here: one that came fitted may have seen the rows that are counted,
    and intervals would follow these closely and no others.
    """
    for machine in spread if isinstance(spread, tuple | list) else ():
        check_not_frozen(machine)
        for finding in frozen_parts(machine):
            raise Refused(f"spread=: {finding.words}. Give machines that are fitted here.")


def _check_targets(
    estimator: object, judge: Loss, y: ArrayLike | None, names: tuple[str, ...]
) -> None:
    if y is None and judge.task != "novelty":
        raise ValueError(
            f"y is missing: {type(estimator).__name__} requires y to be passed, but the target y "
            "is None. Only an outlier detector is fitted without labels."
        )
    if judge.open and not has_tube(estimator) and names != (NONE,):
        raise ValueError(UNBOUNDED)


def _which_error(error: str, judge: Loss, names: tuple[str, ...], groups: ArrayLike | None) -> str:
    if arguments.one_of(error, "error", ERRORS) == "overall":
        return error
    if judge.task != "classification" or groups is not None:
        raise ValueError(f"error={error!r} is for classifiers of independent rows")
    unable = [name for name in names if not modes.get(name).by_class]
    if unable:
        raise ValueError(
            f"error={error!r} and mode={unable[0]!r}: nothing that this mode can say is about "
            "single classes. mode='auto' counts by class."
        )
    return error
