"""``mercer.fit``: a model and its certificate in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import type_of_target

from mercer.certification.certified import Certified
from mercer.certification.core.certified_fit import certified_fit
from mercer.certification.core.rows import as_labels
from mercer.learners.margin import SVC, SVR


def fit(
    X: Any,
    y: Any,
    estimator: Any = None,
    *,
    certify: str | Sequence[str] | None = "auto",
    delta: float = 0.05,
    random_state: Any = 0,
    **options: Any,
) -> Certified:
    """Fit a model and certify it.

    Parameters
    ----------
    X, y : array-like
        Labelled rows.
    estimator : estimator, default=None
        None: scaled columns and a support vector machine, for labels or for numbers.
    certify : str, list of str or None, default="auto"
        The mode of :func:`mercer.certified_fit`; None only fits.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.
    random_state : int, generator or None, default=0
        Shuffles the rows.
    **options
        Further arguments of :func:`mercer.certified_fit`: ``groups``, ``order``, ``pool``, ...

    Returns
    -------
    Certified
        Fitted, with ``certificate_`` and ``certification_``; ``model_`` is the certified model
        itself, not a refit.

    Examples
    --------
    >>> import mercer
    >>> data = mercer.datasets.load_breast_cancer()
    >>> model = mercer.fit(data.X, data.y)
    >>> model.certificate_.value < 0.1
    True
    """
    if estimator is None:
        numbers = type_of_target(as_labels(y), input_name="y") == "continuous"
        estimator = make_pipeline(StandardScaler(), SVR() if numbers else SVC())
    return certified_fit(
        estimator, X, y, mode=certify, delta=delta, random_state=random_state, **options
    )
