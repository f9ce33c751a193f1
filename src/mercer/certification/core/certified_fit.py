"""``certified_fit``: train a model and leave with a number about that very model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mercer.bounds import Certificate, Entry, Ledger, assess
from mercer.bounds.numerics.checks import check_delta
from mercer.certification.checks.copies import copies_among
from mercer.certification.checks.gate import run_checks
from mercer.certification.core import arguments
from mercer.certification.core.loss import UNBOUNDED, Loss, has_tube, make_loss, task_of
from mercer.certification.core.order import make_order
from mercer.certification.core.record import Certification
from mercer.certification.core.rows import Rows
from mercer.certification.core.task import Result, Task
from mercer.certification.fresh import ERRORS
from mercer.certification.modes.compress import compress
from mercer.certification.modes.holdout import auto, holdout, measured_bar, projected_bar
from mercer.certification.modes.in_sample import in_sample
from mercer.certification.modes.pac_bayes import pac_bayes, recursive
from mercer.certification.modes.progressive import progressive
from mercer.certification.modes.selective import selective
from mercer.certification.modes.transfer import transfer
from mercer.certification.modes.vote import vote
from mercer.learners.describe import check_trainable, frozen_parts

OBJECTIVES = ("accurate", "tight")
MODES: dict[str, Callable[[Task], Result]] = {
    "auto": auto,
    "compress": compress,
    "holdout": holdout,
    "in-sample": in_sample,
    "pac-bayes": pac_bayes,
    "progressive": progressive,
    "recursive": recursive,
    "selective": selective,
    "transfer": transfer,
    "vote": vote,
}


def certified_fit(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    mode: str | Sequence[str] = "auto",
    delta: float = 0.05,
    random_state: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    order: Any = None,
    pool: Any = None,
    coverage: float = 0.9,
    train_fraction: float = 0.8,
    objective: str = "accurate",
    blocks: int = 20,
    members: int = 15,
    error: str = "overall",
    loss: Any = None,
    loss_range: tuple[float, float] | None = None,
    clip: bool = False,
    tolerance: float | None = None,
    compare: bool = False,
    checks: bool = False,
) -> Any:
    """Fit a clone of ``estimator`` and certify the model that is returned.

    Everything inside the estimator (scalers of a Pipeline, a whole GridSearchCV) is trained on the
    training part only, so its choices are covered and cost nothing.

    Parameters
    ----------
    estimator : estimator
        Any scikit-learn or Mercer classifier, regressor or outlier detector; it is not changed.
    X, y : array-like
        The labelled rows, independent draws from the law of future data. For a precomputed kernel
        the square matrix.
    mode : str or list of str, default="auto"
        - ``"auto"``: exact binomial on held-out rows, their share chosen from the first half only;
        - ``"holdout"``: the same with a share fixed in advance (``train_fraction``);
        - ``"compress"``: Pick-to-Learn where the first half says that it pays, else the hold-out;
        - ``"progressive"``: a mixture of ``blocks`` models, each tested on the rows it learns next;
        - ``"transfer"``: the model trained on all rows, certified through an unlabelled ``pool``;
        - ``"selective"``: a model that may abstain, certified on what it accepts;
        - ``"in-sample"``: the model trained on all rows, bounds that need no other rows;
        - ``"pac-bayes"``: a randomised classifier around machines on half and on all rows;
        - ``"recursive"``: the same in stages, each of which is the prior of the next;
        - ``"vote"``: a weighted majority vote of ``members`` models;
        - ``"none"``: only fit;
        - a list: every mode gets its share of ``delta``, the smallest certificate wins.
    delta : float, default=0.05
        Probability with which the statement may be wrong.
    random_state : int, generator or None, default=None
        Shuffles the rows; the seed is recorded.
    sample_weight : array-like, default=None
        Passed on to ``fit``; the certificate counts every row once.
    groups : array-like, default=None
        Rows of one group stay together, and the statement is about new groups.
    order : array-like, default=None
        Times: train on the past, count on what came later.
    pool : array-like, default=None
        Unlabelled inputs for ``"transfer"``, and for ``"vote"``, which counts there how often its
        members differ; used for nothing else. For a precomputed kernel their values against all
        labelled rows.
    coverage : float, default=0.9
        ``"selective"``: share of rows that should be accepted.
    train_fraction : float, default=0.8
        ``"holdout"``: share of rows to train on.
    objective : {"accurate", "tight"}, default="accurate"
        ``"auto"``: train on at least 60 % or on at least 50 % of the rows.
    blocks : int, default=20
        ``"progressive"``: number of models.
    members : int, default=15
        ``"vote"``: number of models.
    error : {"overall", "classes", "balanced"}, default="overall"
        Classifiers, in every mode but ``"in-sample"``: the error rate, the largest error rate
        within a class, or the mean of the error rates within the classes.
    loss, loss_range, clip, tolerance
        Regressions: what counts as wrong, see :func:`mercer.certify`. By default a support vector
        regression counts targets outside its own tube.
    compare : bool, default=False
        Also fit the usual 80/20 split, to show its limit beside the certificate (it costs one more
        fit and is no part of ``delta``). Without it the record has a projection of that limit.
    checks : bool, default=False
        Also test the row order for patterns, the two sides of the split for equal rows, and a
        ``pool`` for drift; the results, with p-values, are in ``certification_.checks``. Takes
        seconds for large tables.

    Returns
    -------
    fitted estimator
        The certified model itself, never a silent refit, with ``certificate_``, ``certificates_``,
        ``not_applicable_`` and ``certification_`` (what was spent, on what, and what it cost).

    Examples
    --------
    >>> from mercer import SVC, certified_fit
    >>> from mercer.datasets import make_twonorm
    >>> X, y, law = make_twonorm(400, random_state=0)
    >>> model = certified_fit(SVC(gamma=0.02), X, y, random_state=0)
    >>> law.risk(model.predict, n=20_000) <= model.certificate_.value < 0.2
    True
    """
    delta = check_delta(delta)
    names = _check_modes(mode)
    compare, checks = arguments.flag(compare, "compare"), arguments.flag(checks, "checks")
    check_trainable(estimator)
    if names != ("none",):
        frozen_parts(estimator)
    judge = make_loss(task_of(estimator), loss, loss_range, clip, tolerance)
    _check_targets(estimator, judge, y, names)
    rows = Rows.of(estimator, X, y, sample_weight)
    if names == ("none",):
        return rows.fit(estimator, np.arange(rows.n))
    options = {
        "pool": pool,
        "coverage": arguments.share(coverage, "coverage"),
        "train_fraction": arguments.share(train_fraction, "train_fraction"),
        "objective": arguments.one_of(objective, "objective", OBJECTIVES),
        "blocks": arguments.whole(blocks, "blocks"),
        "members": arguments.whole(members, "members"),
        "error": _which_error(error, judge, names, groups),
    }
    spending = make_order(rows.n, random_state, groups, order)
    tasks = [Task(estimator, rows, spending, judge, delta / len(names), options) for _ in names]
    told = copies_among(rows, spending, tasks[0].notes)
    tasks = [replace(task, copies=told) for task in tasks]
    results = [MODES[name](task) for name, task in zip(names, tasks, strict=True)]
    best = min(range(len(names)), key=lambda i: results[i].certificate.unclipped)
    return _hand_over(names, tasks, results, best, delta, compare, checks)


def _hand_over(
    names: tuple[str, ...],
    tasks: list[Task],
    results: list[Result],
    best: int,
    delta: float,
    compare: bool,
    checks: bool,
) -> Any:
    """The winner's model with its certificate, the ledger of all modes, and the record."""
    result, task = results[best], tasks[best]
    certificate = result.certificate
    if len(names) > 1:
        certificate = _paid_by_all(certificate, names, best, delta)
    whole = replace(task, delta=delta)  # the comparison gets all of delta, as it would have alone
    comparison = measured_bar(whole) if compare else projected_bar(result.evidence, task.n, delta)
    tested = run_checks(task, result) if checks else ()
    record = Certification(
        mode=names[0] if len(names) == 1 else names,
        delta=delta,
        n=task.n,
        train_rows=result.train,
        counted_rows=result.counted,
        order=task.order.kind,
        seed=task.order.seed,
        split=dict(result.split),
        comparison=comparison,
        ledger=certificate.ledger,
        seconds=_total([t.seconds for t in tasks]),
        notes=tuple(note for t in tasks for note in t.notes),
        tried={name: r.certificate for name, r in zip(names, results, strict=True)},
        checks=tested,
        other_model=result.other_model,
    )
    return attach(replace(result, certificate=certificate), record)


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


def attach(result: Result, record: Certification) -> Any:
    """Leave certificate and record on the model, as ``fit`` of a Mercer learner would."""
    model = result.model
    if hasattr(model, "_issue"):
        model._issue(result.certificate, result.evidence, record, result.everything)
        return model
    everything = result.everything or assess(result.evidence, record.delta)
    model.certificate_ = result.certificate
    model.certificates_, model.not_applicable_ = everything
    model.evidence_ = result.evidence
    model.certification_ = record
    return model


def _total(parts: list[dict[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for part in parts:
        for what, seconds in part.items():
            total[what] = total.get(what, 0.0) + seconds
    return total


def _check_modes(mode: Any) -> tuple[str, ...]:
    if not isinstance(mode, str | list | tuple):
        raise ValueError(f"mode must be a name or a list of names, got {mode!r}")
    names = (mode,) if isinstance(mode, str) else tuple(mode)
    if names == ("none",):
        return names
    for name in names:
        if name not in MODES:
            raise ValueError(f"mode must be one of {[*sorted(MODES), 'none']}, got {name!r}")
    if not names or len(set(names)) < len(names):
        raise ValueError(f"mode needs one or several different names, got {mode!r}")
    if len(names) > 1 and "selective" in names:
        raise ValueError(
            "mode='selective' speaks about accepted rows only, so its number cannot be compared "
            "with those of other modes; ask for it by itself"
        )
    return names


def _check_targets(estimator: Any, judge: Loss, y: Any, names: tuple[str, ...]) -> None:
    if y is None and judge.task != "novelty":
        raise ValueError("y is missing: only an outlier detector is fitted without labels")
    undefined = judge.task == "regression" and judge.counts and judge.tolerance is None
    if undefined and not has_tube(estimator) and names != ("none",):
        raise ValueError(UNBOUNDED)


def _which_error(error: str, judge: Loss, names: tuple[str, ...], groups: Any) -> str:
    if arguments.one_of(error, "error", ERRORS) == "overall":
        return error
    if judge.task != "classification" or groups is not None:
        raise ValueError(f"error={error!r} is for classifiers of independent rows")
    if "in-sample" in names:
        raise ValueError(
            f"error={error!r} and mode='in-sample': no in-sample bound here speaks about single "
            "classes. Every other mode counts by class."
        )
    return error
