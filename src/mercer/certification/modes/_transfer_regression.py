"""Transfer for regressions: bounded losses, and targets further away than a tolerance."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Predictor
from mercer.bounds import Certificate, Evidence, HoldOut, Pool, assess, get
from mercer.bounds.numerics import kl_upper
from mercer.certification.core.loss import NAMED, Loss
from mercer.certification.core.order import shuffled
from mercer.certification.core.task import Index, Refused, Result, Task
from mercer.certification.modes._transfer_columns import columns
from mercer.learners.describe import name_of

Floats = NDArray[np.float64]

FRACTIONS = tuple(0.5 + 0.05 * i for i in range(9))
STEPS = tuple(i / 20 for i in range(1, 20))  # of the tolerance
SMALL_MOVED = 0.005  # never predict that two models agree everywhere


@dataclass(frozen=True)
class _Plan:
    """From the first half and the tuning pool: share to train on, and step as a share of t."""

    fraction: float = 0.6
    step: float = 0.25
    expected: tuple[float, float] | None = None
    rule: str = "60 %, because there was nothing to choose by"


def transfer_regression(task: Task, tuning: Any, pool: Any) -> Result:
    """The model on all rows, from the loss of a smaller one and their distance on the pool."""
    _check_loss(task.judge)
    plan = _plan(task, tuning)
    position = task.order.cut(plan.fraction)
    train, test = task.first(position), task.first(task.n, position)
    everyone = np.sort(task.order.rows)
    small = task.fit(train)
    judge = task.judge.for_model(
        small
    )  # a tube is that of the smaller model: fixed before counting
    truth, told = task.rows.labels(test), task.predict(small, test, train)
    full = task.fit(everyone, "refit on all rows")  # only now are the counted rows learned
    with task.timed("counting"):
        distances = np.abs(
            _outputs(task, small, pool, train) - _outputs(task, full, pool, everyone)
        )
    distances = shuffled(distances)  # a pool may come sorted
    part, moved, judge = _records(judge, plan, truth, told, distances, len(train))
    evidence = task.evidence(full, task.n, holdout=part, pool=moved)
    certificate = _state(task, judge, plan, evidence)
    shown, reasons = assess(task.evidence(full, task.n), task.delta)
    other = task.evidence(small, len(train), holdout=part)
    about = f"{name_of(small)} trained on {len(train)} rows (not the returned one)"
    code = "holdout" if judge.counts else "holdout-loss"
    certified = get(code)().evaluate(replace(other, learner=about), task.delta)
    shown[f"{code} of the smaller model"] = judge.annotate(certified)
    shown[certificate.code] = certificate
    reasons.pop(certificate.code, None)
    task.notes.append(
        f"The model trained on {len(train)} rows was counted; the returned one, trained on all "
        f"{task.n}, is {float(distances.mean()):.4g} away from it on average over the pool."
    )
    split = {"fraction": plan.fraction, "rule": plan.rule, "step": plan.step}
    return Result(full, certificate, evidence, everyone, test, split, (shown, reasons), small)


def _check_loss(judge: Loss) -> None:
    if not judge.counts and judge.name not in NAMED:
        raise Refused(
            "mode='transfer' needs loss='absolute' or 'squared', or tolerance=: of another loss it "
            "is not known how much it grows when the prediction moves."
        )
    if judge.name == "squared" and judge.limits is not None and judge.limits[0] < 0:
        raise Refused("mode='transfer': a squared loss is never negative; loss_range starts below")


def _records(
    judge: Loss,
    plan: _Plan,
    truth: NDArray[Any],
    told: NDArray[Any],
    distances: Floats,
    trained: int,
) -> tuple[HoldOut, Pool, Loss]:
    """What is counted; with a tolerance t, errors against t − s and disagreements against s."""
    if not judge.counts:
        part = judge.holdout(truth, told, trained_on=trained)
        squared = judge.name == "squared"
        return part, Pool(len(distances), distances=distances, squared=squared), judge
    tolerance = float(judge.tolerance or 0.0)
    step = plan.step * tolerance
    closer = replace(judge, tolerance=tolerance - step)
    part = closer.holdout(truth, told, trained_on=trained)
    far = int(np.count_nonzero(~(distances <= step)))  # not a number: as far as can be
    return part, Pool(len(distances), far, expected=plan.expected), closer


def _state(task: Task, judge: Loss, plan: _Plan, evidence: Evidence) -> Certificate:
    if not judge.counts:
        return judge.annotate(get("transfer-loss")().evaluate(evidence, task.delta))
    certificate = get("transfer")().evaluate(evidence, task.delta)
    tolerance = float(judge.tolerance or 0.0) / (1.0 - plan.step)
    what = f"rate of targets further than {tolerance:.4g} away"
    return replace(certificate, quantity=what)


def _plan(task: Task, tuning: Any) -> _Plan:
    """Two small fits inside the first half; the counted rows have no say in it."""
    at_20, at_40, half = (task.order.cut(f) for f in (0.2, 0.4, 0.5))
    if not 0 < at_20 < at_40 < half:
        return _Plan()
    small, large = task.first(at_20), task.first(at_40)
    last = task.first(half, at_40)
    first, second = (task.fit(rows, "split rule") for rows in (small, large))
    early, late = (task.predict(m, last, rows) for m, rows in ((first, small), (second, large)))
    gaps = np.abs(early - late)
    if tuning is not None:
        with task.timed("split rule"):
            two = [_outputs(task, m, tuning, r) for m, r in ((first, small), (second, large))]
        gaps = np.concatenate([gaps, np.abs(two[0] - two[1])])
    judge = task.judge.for_model(second)
    truth = task.rows.labels(last)
    if judge.counts:
        misses = np.abs(np.asarray(truth, float) - late)
        return _plan_step(task, float(judge.tolerance or 0.0), misses, gaps)
    low, high = judge.limits or (0.0, 1.0)
    return _plan_loss(task, judge.scores(truth, late), gaps / (high - low))


def _shrunk(fraction: float) -> float:
    """Distance of models on this share and on all rows, against those on 20 % and on 40 %.

    One pair of models is a poor sample of distances: twice what it suggests is allowed for.
    """
    return 2.0 * math.sqrt((1.0 / fraction - 1.0) / 2.5)


def _plan_step(task: Task, tolerance: float, misses: Floats, gaps: Floats) -> _Plan:
    """The share and the step with the smallest predicted sum."""
    found = []
    for fraction in FRACTIONS:
        price = math.log(1.0 / task.delta) / max(1, task.n - round(fraction * task.n))
        for share in STEPS:
            wrong = (int(np.sum(misses > tolerance * (1 - share))) + 0.5) / (len(misses) + 1)
            far = float(np.mean(gaps * _shrunk(fraction) > share * tolerance))
            far = max(far, SMALL_MOVED)
            found.append((kl_upper(wrong, price) + far, fraction, share, wrong, far))
    _, fraction, share, wrong, far = min(found)
    rule = "limit plus distant pool rows, predicted by two small fits inside the first half"
    return _Plan(fraction, share, (wrong, far), rule)


def _plan_loss(task: Task, scores: Floats, gaps: Floats) -> _Plan:
    mean, spread = float(scores.mean()), float(scores.var())

    def predicted(fraction: float) -> float:
        price = math.log(1.0 / task.delta) / max(1, task.n - round(fraction * task.n))
        limit = mean + math.sqrt(2.0 * spread * price) + price / 3.0
        return limit + float(np.mean(np.minimum(gaps * _shrunk(fraction), 1.0)))

    rule = "limit plus distance, predicted by two small fits inside the first half"
    return _Plan(min(FRACTIONS, key=predicted), rule=rule)


def _outputs(task: Task, model: Predictor, inputs: Any, trained: Index) -> Floats:
    return np.asarray(model.predict(columns(task, inputs, trained)), dtype=np.float64).ravel()
