"""The model of all rows by cross-validation: an estimate with a confidence level, not a guarantee.

Every row is counted once, by a model that did not see it, and the errors are treated as if they
were independent and all of one model. They are neither: for stable learners the interval is right
in the limit of many rows (Bayle, Bayle, Janson and Mackey 2020), for no fixed number is it proved.
What was measured instead stands in the certificate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils import _safe_indexing

from mercer._types import Estimator, Samples
from mercer.bounds import Certificate
from mercer.bounds.numerics import clopper_lower, clopper_upper
from mercer.bounds.numerics.checks import check_delta
from mercer.certification.checks.case import Case
from mercer.certification.checks.gate import grouped, look_at
from mercer.certification.core import arguments
from mercer.certification.core.order import one_of_each
from mercer.certification.core.rows import as_labels, one_per_row
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.statement import Statement, certificate
from mercer.learners.describe import is_pairwise, name_of

# how often the limit was below the error of the model of all rows, at 5 %: see the benchmarks
MEASURED = {
    "linear discriminant, 100 rows": 0.015,
    "linear discriminant, 400 rows": 0.035,
    "nearest neighbour, 200 rows": 0.04,
    "nearest neighbour, 400 rows": 0.07,
}


def cross_validation_estimate(
    estimator: Estimator, X: Samples, y: ArrayLike, delta: float = 0.05, *, folds: int = 10,
    random_state: int | None = None,
) -> Certificate:  # fmt: skip
    """Limits of the error rate of ``estimator`` trained on all rows, if 1 − δ were to be trusted.

    Parameters
    ----------
    estimator : classifier
        Trained ``folds`` times; it is not changed, and the model of all rows is yours to fit.
    X, y : array-like
        Independent rows with labels.
    delta : float, default=0.05
        One minus the level that is meant, for each of the two limits.
    folds : int, default=10
        Parts of the rows.
    random_state : int, default=None
        For the shuffling.

    Returns
    -------
    Certificate
        Of kind ``"estimate"``: it is never chosen before a bound and has no δ of its own.
    """
    delta, folds = check_delta(delta), arguments.whole(folds, "folds")
    truth = as_labels(y, warn=True)
    if is_pairwise(estimator):
        raise Refused("a precomputed kernel cannot be cut into folds here: give the rows.")
    if not 2 <= folds <= len(truth):
        raise Refused(f"{len(truth)} rows cannot be cut into {folds} folds.")
    # copies on both sides of a cut would be known by heart: they stay together, one is counted
    unit, looked = grouped(look_at(Case(X, truth)))
    kinds, unit = np.unique(np.arange(len(truth)) if unit is None else unit, return_inverse=True)
    if len(kinds) < folds:
        raise Refused(f"{len(kinds)} rows that differ cannot be cut into {folds} folds.")
    counted, errors = one_of_each(unit), 0
    cut = KFold(folds, shuffle=True, random_state=random_state)
    for rest, out in cut.split(kinds):
        train, test = np.flatnonzero(np.isin(unit, rest)), counted[np.isin(unit[counted], out)]
        if len(np.unique(truth[train])) < 2:
            raise Refused("a fold leaves rows of one class only: nothing can be learned from them.")
        model = clone(estimator).fit(_safe_indexing(X, train), truth[train])
        said = one_per_row(model.predict(_safe_indexing(X, test)), len(test))
        errors += int(np.sum(said != truth[test]))
    n = len(counted)
    high = clopper_upper(errors, n, delta)
    found = Statement(
        high,
        n,
        errors / n,
        f"{errors} errors on {n} rows, each by a model of the other folds",
        lower=clopper_lower(errors, n, delta),
        details={"level": 1 - delta, "folds": folds, "measured violations at 5 %": MEASURED},
    )
    made = certificate(
        found,
        code="cross-validation-asymptotic",
        title="errors of all folds, as if they were independent and of one model",
        reference="Bayle, Bayle, Janson and Mackey, NeurIPS 2020",
        quantity="error rate",
        phrase="asymptotic, not proved: error rate of {who} on all rows at most "
        f"{100 * high:.3g} % (meant with {100 * (1 - delta):.3g} %)",
        delta=None,
        kind="estimate",
        learner=name_of(estimator),
        assumed=(
            "asymptotic: right for many rows and a learner that one row hardly changes",
            "the rows are independent draws from the law of future data",
        ),
        spent="no row is kept from the model of all rows, which is not fitted here",
    )
    return looked.stamp(made)
