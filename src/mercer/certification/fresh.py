"""``certify``: any fitted model and rows it has never seen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _num_samples, check_consistent_length

from mercer._types import Predictor, Samples
from mercer.bounds import Bound, Certificate, Choice, Evidence, HoldOut, get
from mercer.bounds.numerics.checks import check_delta
from mercer.bounds.quantile import HoldOutQuantile
from mercer.certification.checks.case import Case
from mercer.certification.checks.finding import Verdict
from mercer.certification.checks.gate import examine, grouped, look_at, warn
from mercer.certification.core import arguments, looks
from mercer.certification.core.classes import with_missing_mass
from mercer.certification.core.fingerprint import fit_name
from mercer.certification.core.loss import Loss, make_loss, task_of
from mercer.certification.core.order import group_codes, one_of_each, shuffled
from mercer.certification.core.rows import as_labels, one_per_row
from mercer.certification.guarantees.any_metric import check_metric, judged, metric_certificate
from mercer.certification.guarantees.metrics import CertifiedMetric, metric_meant
from mercer.learners.describe import check_model, classes_of, is_pairwise, name_of

GROUPS = {True: "holdout-groups", False: "holdout-groups-loss"}  # errors, losses
NEARNESS = "holdout-quantile"
ERRORS = {"overall": "holdout", "classes": "holdout-classes", "balanced": "holdout-balanced"}


def certify(
    model: Predictor,
    X: Samples,
    y: ArrayLike | None = None,
    delta: float = 0.05,
    *,
    error: str = "overall",
    loss: Any = None,
    loss_range: tuple[float, float] | None = None,
    clip: bool = False,
    tolerance: float | None = None,
    candidates: int = 1,
    training: Any = None,
    groups: ArrayLike | None = None,
    metric: Any = None,
    ledger: Any = None,
    budget: float | None = None,
) -> Certificate:
    """Certify a fitted model with rows it has never seen.

    The rows must be independent draws from the law of future data, and nothing about the model may
    have been decided by looking at them. Then the certificate holds with probability 1 − ``delta``.

    Parameters
    ----------
    model : object with ``predict``
        A fitted scikit-learn or Mercer classifier, regressor or outlier detector, a Pipeline, a
        finished search, or anything else that predicts.
    X : array-like
        Fresh inputs; for a precomputed kernel their values against the training rows.
    y : array-like
        Their labels or targets; None for an outlier detector.
    delta : float, default=0.05
        Probability with which the statement may be wrong.
    error : {"overall", "classes", "balanced"}, default="overall"
        Classifiers: the error rate, the largest error rate within a class, or the mean of the error
        rates within the classes.
    loss : {"absolute", "squared"} or callable, default="absolute"
        Regressors: a function ``(y, prediction)`` that returns one loss per row, for a certificate
        of its mean. Without it, and without ``tolerance``, the certificate says within which
        distance of the target 90 % of the predictions are, in the unit of the target.
    loss_range : (low, high)
        Regressors: limits that no loss can leave. Required for a mean, because otherwise one rare
        huge loss could be worth everything.
    clip : bool, default=False
        Certify the loss clipped to ``loss_range`` instead of refusing losses outside.
    tolerance : float
        Regressors: count targets further than this away, instead of a mean loss.
    candidates : int, default=1
        If ``model`` was picked among so many by its result on these very rows: delta is divided.
    training : array-like, default=None
        The training inputs, if at hand: fresh rows that occur among them are reported.
    groups : array-like, default=None
        Rows that hang together (of one patient, session, copied record): every group counts once,
        and the statement is about a random row of a new group.
    metric : str or CertifiedMetric, default=None
        What the certificate is about in place of the error: ``"f1"``, ``"precision"``,
        ``"recall"``, ``"auc"``, ``"f_beta:beta=2"``, ... (``guarantees.metrics.available()``). Of
        every group one row is counted.
    ledger : path, default=None
        A file in which looks at the same rows are counted across processes; within one they always
        are. Nothing is written to disk without it.
    budget : float, default=None
        Failure probability that all looks at these rows share, in place of ``delta``.

    Returns
    -------
    Certificate
        ``str()`` gives the statement, ``explain()`` everything behind it.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from mercer import certify
    >>> from mercer.datasets import make_twonorm
    >>> X, y, law = make_twonorm(1000, random_state=0)
    >>> model = DecisionTreeClassifier(random_state=0).fit(X[:600], y[:600])
    >>> certificate = certify(model, X[600:], y[600:])
    >>> certificate.observed < certificate.value < 1
    True
    """
    delta = check_delta(delta)
    check_model(model)
    task = task_of(model)
    judge = make_loss(task, loss, loss_range, clip, tolerance)
    judge = judge.nearness() if judge.open else judge
    wanted = _metric_asked(metric, task, error, loss, loss_range, tolerance)
    truth = _truth(X, y, task)
    _check_kernel_matrix(model, X)
    candidates = arguments.whole(candidates, "candidates")
    predicted = one_per_row(model.predict(X), len(truth))
    note = unseen_labels(model, truth) if task == "classification" else ""
    code = _code(task, judge, error)
    evidence = _evidence(model, task, judge, truth, predicted, error, candidates)
    if groups is not None and error != "overall":
        raise ValueError(f"error={error!r}: classes are counted by single rows, not by groups=")
    case, looked, unit = _look(model, X, None if y is None else truth, groups, error)
    if unit is not None:
        code = code if judge.within is not None else GROUPS[judge.counts]
        evidence = replace(evidence, holdout=group_means(judge, truth, predicted, unit))
    part = _in_random_order(evidence.need("holdout"))
    file, budget = looks.check_ledger(ledger, budget)
    answers = looks.key_of(predicted.tolist(), b"answers")
    what = ("certify", answers, code, judge.name, judge.limits, judge.tolerance, wanted)
    cost, pairwise = delta / candidates, is_pairwise(model)
    taking = looks.begin(X, truth, what, cost, pairwise=pairwise, ledger=file, budget=budget)
    delta = delta if budget is None else check_delta(taking.look.cost)
    share = delta / candidates
    if wanted is not None:
        rows = judged(model, X, truth, predicted)
        certificate = metric_certificate(wanted, rows, share, unit)
    else:
        bound = bound_for(code, judge, part, share)
        certificate = bound.evaluate(replace(evidence, holdout=part), share)
        certificate = judge.annotate(certificate)
    if error != "overall":
        certificate = _name_missing(certificate, model, truth, delta)
    certificate = _finish(certificate, delta, note)
    verdict = examine(certificate, rows=case, model=model, training=training, looked=looked)
    warn(verdict)
    return taking.done(verdict.about(fitted=fit_name(model)).stamp(certificate))


def _metric_asked(metric: Any, task: str, error: str, *others: Any) -> CertifiedMetric | None:
    if metric is None:
        return None
    if error != "overall" or any(other is not None for other in others):
        raise ValueError("metric= says what is counted: leave out error=, loss= and tolerance=")
    wanted = metric_meant(metric)
    check_metric(wanted, task)
    return wanted


def bound_for(code: str, judge: Loss, part: HoldOut, delta: float) -> Bound:
    """The bound; of few rows a smaller share is told, as many whole per cent as they can tell."""
    if judge.within is None:
        return get(code)()
    most = math.floor(100 * float(delta) ** (1.0 / part.rows) * (1 - 1e-12)) / 100
    return HoldOutQuantile(share=max(0.01, min(judge.within, most)))


def _look(
    model: object, X: Samples, y: NDArray[Any] | None, groups: ArrayLike | None, error: str
) -> tuple[Case, Verdict, NDArray[np.intp] | None]:
    """What is the matter with fresh rows, and their groups; copies make groups of their own."""
    unit = None
    if groups is not None:
        unit = group_codes(arguments.column(groups, _num_samples(X), "groups"))
    kind = "random" if unit is None else "groups"
    case = Case(X, y, is_pairwise(model), unit, kind, fresh=True)
    looked = look_at(case)
    if unit is None and error == "overall":
        unit, looked = grouped(looked)
    return case, looked, unit


def _name_missing(
    certificate: Certificate, model: object, truth: NDArray[Any], delta: float
) -> Certificate:
    """Rows of classes the model does not know, or (if it does not tell) the first half did not."""
    known = classes_of(model)
    half = 0 if known is not None else len(truth) // 2
    before = truth[:half].tolist() if known is None else known.tolist()
    return with_missing_mass(certificate, before, truth[half:], delta)


def _truth(X: Samples, y: ArrayLike | None, task: str) -> NDArray[Any]:
    n = _num_samples(X)
    if n == 0:
        raise ValueError("There are no fresh rows: a certificate needs at least one.")
    if y is None:
        if task != "novelty":
            raise ValueError("y is missing: fresh rows need their true labels to be counted.")
        return np.ones(n, dtype=np.intp)
    truth = as_labels(y, warn=True)
    check_consistent_length(X, truth)
    return truth


def _code(task: str, judge: Loss, error: str) -> str:
    if arguments.one_of(error, "error", ERRORS) != "overall" and task != "classification":
        raise ValueError(f"error={error!r} is for classifiers")
    if judge.within is not None:
        return NEARNESS
    return ERRORS[error] if judge.counts else "holdout-loss"


def _evidence(
    model: object,
    task: str,
    judge: Loss,
    truth: NDArray[Any],
    predicted: NDArray[Any],
    error: str,
    candidates: int,
) -> Evidence:
    more: dict[str, Any] = {}
    if task == "classification" and error != "overall":
        more["classes"] = class_table(model, truth, judge.wrong(truth, predicted))
    choices: tuple[Choice, ...] = ()
    if candidates > 1:
        choices = (Choice("the model", "best on these rows", "fresh", candidates, paid=True),)
    classes = classes_of(model) if task == "classification" else None
    return Evidence(
        len(truth),
        task=task,
        learner=name_of(model),
        n_classes=2 if classes is None else max(2, len(classes)),
        holdout=judge.holdout(truth, predicted, **more),
        loss_range=judge.limits,
        choices=choices,
    )


def _in_random_order(part: HoldOut) -> HoldOut:
    """Fresh rows may come sorted by their target, and names of groups may follow the losses."""
    return part if part.losses is None else replace(part, losses=shuffled(part.losses))


def group_means(
    judge: Loss, truth: NDArray[Any], predicted: NDArray[Any], groups: ArrayLike, **more: Any
) -> HoldOut:
    """Mean error or loss of every group: whole groups are what was drawn independently."""
    code = group_codes(arguments.column(groups, len(truth), "groups"))
    if judge.within is not None:  # a share of rows is no mean: one row stands for its group
        errors = judge.losses(truth, predicted)[one_of_each(code)]
        return HoldOut(len(errors), losses=errors, unit="group", **more)
    values = judge.scores if judge.counts else judge.losses
    means = np.bincount(code, values(truth, predicted)) / np.bincount(code)
    return HoldOut(len(means), losses=means, unit="group", **more)


def class_table(
    model: object, truth: NDArray[Any], wrong: NDArray[np.bool_]
) -> Mapping[str, tuple[int, int]]:
    """Rows and errors of each class: those of the model, and any other that turned up."""
    known = classes_of(model)
    labels = [] if known is None else known.tolist()
    labels += [label for label in np.unique(truth).tolist() if label not in labels]
    table = {}
    for label in labels:
        mine = truth == label
        table[str(label)] = (int(mine.sum()), int(wrong[mine].sum()))
    return table


def unseen_labels(model: object, truth: NDArray[Any]) -> str:
    """A sentence about labels the model does not know; they are errors whatever it says."""
    known = classes_of(model)
    if known is None:
        return ""
    strange = np.array([label not in set(known.tolist()) for label in truth.tolist()])
    if not strange.any():
        return ""
    names = ", ".join(repr(v) for v in list(dict.fromkeys(truth[strange].tolist()))[:5])
    if strange.all():
        raise ValueError(
            f"None of the labels ({names}, ...) is known to the model, whose classes are "
            f"{known.tolist()[:5]}: are the labels encoded in another way?"
        )
    return f"{int(strange.sum())} rows with labels the model never saw ({names}) count as errors"


def _check_kernel_matrix(model: Any, X: Any) -> None:
    """A precomputed kernel needs fresh rows against training rows, not the training matrix."""
    if not is_pairwise(model):
        return
    shape = np.shape(X)
    trained = getattr(model, "n_features_in_", None)
    if len(shape) != 2 or (trained is not None and shape[1] != trained):
        raise ValueError(
            f"The model has a precomputed kernel: X must hold the values of the fresh rows (one "
            f"each) against its {trained} training rows (one column each), got shape {shape}."
        )
    if shape[0] == shape[1] and np.allclose(X, np.transpose(X)):
        raise ValueError(
            "X is a symmetric square matrix, so its rows are the training rows themselves. A "
            "certificate needs fresh rows: pass their kernel values against the training rows."
        )


def _finish(certificate: Certificate, delta: float, note: str) -> Certificate:
    """The ledger of a choice among candidates, and the note."""
    if certificate.delta != delta:
        details = {**certificate.details, "own_delta": certificate.delta}
        rest = delta - certificate.ledger.total
        paid = replace(certificate.ledger.entries[0], what="the other candidates", delta=rest)
        ledger = replace(certificate.ledger, entries=(*certificate.ledger.entries, paid))
        certificate = replace(certificate, delta=delta, ledger=ledger, details=details)
    if note:
        certificate = replace(certificate, counted=f"{certificate.counted}; {note}")
    return certificate
