"""What else the counted rows can promise: sets, errors by class, a threshold, F1, a watch.

The questions are fixed by the task before a row is counted, and the failure probability of the fit
is divided over them: all answers of this list hold together. The certificate at the top of the
report is a statement of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.app.describe import fresh_rows
from mercer.app.roles import FitData
from mercer.bounds import Certificate
from mercer.bounds.numerics import clopper_lower, clopper_upper
from mercer.bounds.words import names_a_rate
from mercer.certification import Refused, keep_recall
from mercer.certification.core import looks
from mercer.certification.guarantees.any_metric import judged, metric_certificate
from mercer.certification.guarantees.metrics import metric_meant
from mercer.certification.guarantees.sample_size import labels_until_alarm

COVERAGE, HALF, RECALL = 0.9, 0.5, 0.95
NAMED = 4  # classes in a sentence
ALARM = 0.01  # of the watch: probability of ever raising a false alarm
Answer = dict[str, Any]


def more_guarantees(data: FitData, model: Any) -> Answer | None:
    """Statements that hold together at the δ of the fit; None if no rows were kept apart."""
    fresh, made = fresh_rows(model), model.certificate_
    if made is None or not made.delta or not len(fresh) or vars(model).get("_calibration") is None:
        return None
    truth = data.target.y[fresh]
    predicted = np.asarray(model.predict(data.X[fresh]))
    questions = list(_questions(data, model, fresh, truth, predicted))
    delta = float(made.delta) / len(questions)
    rows = []
    for what, ask in questions:
        try:
            rows.append({"question": what} | ask(delta))
        except (Refused, ValueError) as problem:
            rows.append({"question": what, "refused": str(problem)})
    return {
        "rows": rows,
        "delta": float(made.delta),
        "each": delta,
        "counted": len(fresh),
        "watch": _watch(model),
    }


def _questions(
    data: FitData, model: Any, fresh: NDArray[np.intp], truth: NDArray[Any],
    predicted: NDArray[Any],
) -> Iterator[tuple[str, Callable[[float], Answer]]]:  # fmt: skip
    X = data.X[fresh]
    if data.target.task == "regression":
        for share in (COVERAGE, HALF):
            yield f"intervals for {100 * share:g} %", partial(_intervals, model, X, share)
        return
    yield f"sets for {100 * COVERAGE:g} %", lambda d: _sets(model, X, d)
    if model.certification_.order != "random":  # the others count single, independent rows
        return
    yield "errors of every class", lambda d: _by_class(truth, predicted, model, d)
    if len(model.classes_) == 2:
        positive = model.classes_.tolist()[1]
        yield f"find {100 * RECALL:g} % of {positive}", lambda d: _recall(model, X, truth, d)
        yield f"F1 of {positive}", lambda d: _metric("f1", model, X, truth, predicted, d)


def _stated(model: Any, made: Certificate, words: str, **more: Any) -> Answer:
    """Plain words, what was found in the rows in front of them, and the certificate behind."""
    whole = model._as_it_is(made)
    words = "; ".join((*whole.found, words))
    return {"statement": words, "certificate": whole.to_dict(), **more}


def _sets(model: Any, X: Any, delta: float) -> Answer:
    made = model.coverage_certificate(COVERAGE, delta=delta)
    sizes = model.predict_set(X, COVERAGE, delta=delta).sum(axis=1)
    counts = {str(k): int((sizes == k).sum()) for k in np.unique(sizes).tolist()}
    words = f"sets of classes that hold the true one in at least {100 * COVERAGE:g} % of new cases"
    return _stated(model, made, words, sizes=counts, mean=float(sizes.mean()))


def _intervals(model: Any, X: Any, share: float, delta: float) -> Answer:
    made = model.coverage_certificate(share, delta=delta)
    ends = model.predict_interval(X, share, delta=delta)
    wide = np.quantile(ends[:, 1] - ends[:, 0], [0.1, 0.5, 0.9]).tolist()
    words = f"intervals that hold at least {100 * share:g} % of new values, half of them at most "
    return _stated(model, made, f"{words}{wide[1]:.4g} wide", widths=wide)


def _by_class(truth: NDArray[Any], predicted: NDArray[Any], model: Any, delta: float) -> Answer:
    """Exact limits of the error rate of every class, δ divided over both ends of all of them."""
    known = model.classes_.tolist()
    names = known + [label for label in np.unique(truth).tolist() if label not in known]
    wrong, each = truth != predicted, delta / (2 * len(names))
    lines: list[Answer] = []
    for name in names:
        mine = truth == name
        rows, errors = int(mine.sum()), int(wrong[mine].sum())
        low = clopper_lower(errors, rows, each) if rows else 0.0
        high = clopper_upper(errors, rows, each) if rows else 1.0
        lines.append({"class": str(name), "rows": rows, "errors": errors, "low": low, "high": high})
    worst = sorted(lines, key=lambda line: -line["high"])[:NAMED]
    told = ", ".join(f"{100 * line['high']:.3g} % of {line['class']}" for line in worst)
    more = " and less of every other class" if len(lines) > NAMED else ""
    seen = "; ".join(model._as_it_is(model.certificate_).found)
    words = f"wrong on at most {told}{more}"
    return {"statement": f"{seen}; {words}" if seen else words, "classes": lines}


def _recall(model: object, X: Any, truth: NDArray[Any], delta: float) -> Answer:
    # δ of the section is divided over its questions; what is found in the rows is said by the fit
    with looks.paid_together(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        cut = keep_recall(model, X, truth, RECALL, delta)
    called = cut.predict(X) == cut.positive
    mine = truth == cut.positive
    words = f"calling {cut.positive} what scores {cut.threshold:.4g} or more finds at least "
    return _stated(
        model,
        cut.certificate_,
        f"{words}{100 * RECALL:g} % of them",
        threshold=float(cut.threshold),
        positive=str(cut.positive),
        called=int(called.sum()),
        right=int((called & mine).sum()),
    )


def _metric(
    name: str, model: object, X: Any, truth: NDArray[Any], predicted: NDArray[Any], delta: float
) -> Answer:
    seen = judged(model, X, truth, predicted)
    made = metric_certificate(metric_meant(name), seen, delta)
    return _stated(model, made, f"{made.quantity} of at least {made.value:.3g}")


def _watch(model: Any) -> Answer | None:
    """What ``mercer monitor`` would watch, and how soon it would notice twice the rate."""
    found = model.certificate_
    if found.side == "lower" or found.vacuous:
        return None
    if found.code == "holdout-quantile":
        rate = 1.0 - float(found.details["share"])
    elif names_a_rate(found.quantity):
        rate = float(found.value)
    else:
        return None
    if not 0.0 < 2.0 * rate < 1.0:
        return None
    return {"limit": rate, "alarm": ALARM, "labels": labels_until_alarm(rate, 2 * rate, ALARM)}
