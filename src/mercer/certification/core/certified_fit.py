"""``certified_fit``: train a model and leave with a number about that very model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from mercer._types import Estimator, RandomState, Samples
from mercer.certification.certified import Certified


def certified_fit(
    estimator: Estimator,
    X: Samples,
    y: ArrayLike | None = None,
    *,
    mode: str | Sequence[str] | None = "auto",
    delta: float = 0.05,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    order: ArrayLike | None = None,
    pool: Any = None,
    error: str = "overall",
    loss: Any = None,
    loss_range: tuple[float, float] | None = None,
    clip: bool = False,
    tolerance: float | None = None,
    compare: bool = False,
    checks: bool = False,
    ledger: Any = None,
    budget: float | None = None,
    metric: Any = None,
    spread: Any = "auto",
    by: Any = None,
    **options: Any,
) -> Certified:
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
        How rows are spent: :func:`mercer.certification.modes.describe` lists the modes with what
        each certifies, docs/certificates.md compares them. ``"auto"`` counts on held-out rows,
        whose share is chosen from the first half only. None only fits. A list: every mode
        gets its share of ``delta``, and the smallest certificate wins.
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
    error : {"overall", "classes", "balanced"}, default="overall"
        Classifiers, in every mode but ``"in-sample"``: the error rate, the largest error rate
        within a class, or the mean of the error rates within the classes.
    loss, loss_range, clip, tolerance
        Regressions: what counts as wrong, see :func:`mercer.certify`. By default the certificate
        says within which distance 90 % of the predictions are; in modes that hold out no rows, a
        support vector regression counts targets outside its own tube.
    compare : bool, default=False
        Also fit the usual 80/20 split, to show its limit beside the certificate (it costs one more
        fit and is no part of ``delta``). Without it the record has a projection of that limit.
    checks : bool, default=False
        Also test the row order for patterns, the two sides of the split for equal rows, and a
        ``pool`` for drift; the results, with p-values, are in ``certification_.checks``. Takes
        seconds for large tables.
    ledger : path, default=None
        A file in which looks at the same rows are counted across processes; within one they always
        are. Nothing is written to disk without it.
    budget : float, default=None
        Failure probability that all looks at these rows share, in place of ``delta``: nine tenths
        for the first, the rest for all others.
    metric : str or CertifiedMetric, default=None
        What the certificate is about in place of the error, see :func:`mercer.certify`; in modes
        that hold out rows.
    spread : "auto", "constant", "local" or two estimators, default="auto"
        What shapes the intervals of a regression, see :class:`mercer.Certified`.
    by : array-like, default=None
        The kind of every row, for sets and intervals with coverage within each kind.
    **options
        Options of the mode, such as ``blocks=10`` for ``mode="progressive"``; those of other modes
        are refused. :func:`mercer.certification.modes.describe` lists them.

    Returns
    -------
    Certified
        Fitted: ``model_`` is the certified model itself, never a silent refit, and answers
        ``predict``; with ``certificate_``, ``certificates_``, ``not_applicable_`` and
        ``certification_`` (what was spent, on what, and what it cost). The same as
        ``Certified(estimator, mode=...).fit(X, y)``.

    Examples
    --------
    >>> from mercer import SVC, certified_fit
    >>> from mercer.datasets import make_twonorm
    >>> X, y, law = make_twonorm(400, random_state=0)
    >>> model = certified_fit(SVC(gamma=0.02), X, y, random_state=0)
    >>> law.risk(model.predict, n=20_000) <= model.certificate_.value < 0.2
    True
    """
    certified = Certified(
        estimator,
        mode=mode,
        delta=delta,
        random_state=random_state,
        error=error,
        loss=loss,
        loss_range=loss_range,
        clip=clip,
        tolerance=tolerance,
        compare=compare,
        checks=checks,
        options=options or None,
        ledger=ledger,
        budget=budget,
        metric=metric,
        spread=spread,
    )
    return certified.fit(X, y, sample_weight, groups, order, pool, by)
