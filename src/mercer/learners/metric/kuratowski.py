"""The largest margin after x → d(x, ·): points become functions, compared by their largest gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog
from sklearn.utils.validation import check_is_fitted

from mercer._types import Samples
from mercer.kernels.validate import as_data, n_rows
from mercer.learners._door import Kind, TrainingSample
from mercer.learners.metric._extension import hard_margin
from mercer.learners.metric._in_metric_space import Floats, MetricSpace
from mercer.learners.metric._sums import Functions, SumFitted, SumMachine


@dataclass(frozen=True, kw_only=True)
class KuratowskiFitted(SumFitted):
    """Further objects of the domain, or their distances to the training objects."""

    far: Any


class KuratowskiMachine(SumMachine):
    """The large-margin hyperplane of the Kuratowski embedding (Hein and Bousquet 2003).

    An object x becomes the function d(x, ·) on a finite domain, the training objects and any
    further ones; two functions are as far apart as they differ at most, which keeps every distance.
    A hyperplane is a measure μ on the domain, f(x) = Σ_z μ_z d(x, z) + b, its norm Σ |μ_z|, and
    the margin 1 / Σ|μ_z| is half the distance between the convex hulls of the two classes. On the
    training objects alone this is the `LPMachine`; unlabelled objects in ``domain`` can separate
    what their distance functions cannot (example 2 of von Luxburg's thesis). More than two classes:
    one against the rest (``estimators_``).

    Parameters
    ----------
    metric : str, callable or Metric
    C : float
        Price of a unit of hinge loss; ``inf`` for the hard margin.
    domain : objects without labels, or None
        With ``metric="precomputed"`` the matrix of their distances to the training objects, one row
        each; new objects then come with their distances to the training objects, then to these.
    certify, delta : see `LipschitzClassifier`

    Attributes
    ----------
    coef_ : the measure μ, one weight per object of the domain, training objects first
    intercept_ : b
    penalty_ : Σ |μ_z|, the norm of the hyperplane; at least the Lipschitz constant
    margin_ : 1 / penalty_
    constant_ : the Lipschitz constant of f on the training objects
    """

    _record: ClassVar[type[SumFitted]] = KuratowskiFitted
    fitted_: KuratowskiFitted

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: float = 1.0,
        domain: Any = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.metric = metric
        self.C = C
        self.domain = domain
        self.certify = certify
        self.delta = delta

    def _functions(self, sample: TrainingSample, space: MetricSpace) -> Functions:
        if self.domain is None:
            return Functions(space.D, np.ones(sample.n), {"far": None})
        far = as_data(self.domain, space.metric.accepts, "domain")
        given = sample.kind is Kind.DISTANCES
        if given and sample.dropped:
            raise ValueError(
                "domain goes with distances to every training object: leave out those of weight "
                "zero, and their columns, before fit"
            )
        if given and far.shape[1] != sample.n:
            raise ValueError(
                f"domain: {far.shape[1]} distances for {sample.n} training objects; give one row "
                "per further object with its distance to every training object"
            )
        columns = np.hstack([space.D, (far if given else space.metric(far, sample.X)).T])
        return Functions(columns, np.ones(columns.shape[1]), {"far": far})

    @property
    def margin_(self) -> float:
        """Half the distance of the hulls if C is infinite; 1 / Σ|μ|."""
        check_is_fitted(self)
        return 1.0 / self.penalty_ if self.penalty_ > 0 else float("inf")

    @property
    def constant_(self) -> float:
        """Lipschitz constant on the training objects; at most ``penalty_`` in a metric space."""
        check_is_fitted(self)
        return self.fitted_.constant

    def _query(self, X: Any) -> Any:
        check_is_fitted(self)
        fitted = self.fitted_
        if fitted.far is None or fitted.objects is not None:
            return super()._query(X)
        wanted = fitted.n + n_rows(fitted.far)
        X = as_data(X, frozenset({"vectors"}))
        if X.shape[1] != wanted:
            raise ValueError(f"X has {X.shape[1]} distances per object, the domain has {wanted}")
        return X

    def _outputs(self, X: Any) -> Floats:
        fitted, parts = self.fitted_, []
        for part, D in self._blocks(X):
            if fitted.far is not None and fitted.objects is not None:
                D = np.hstack([D, fitted.metric(X[part], fitted.far)])
            parts.append(D @ fitted.coef + fitted.intercept)
        return np.concatenate(parts)


def hull_distance(columns: Any, y: ArrayLike) -> float:
    """The distance between the convex hulls of two classes of rows, by their largest coordinate.

    Half of it is the largest margin of the Kuratowski embedding, whose coordinates are distances.
    """
    columns, y = np.asarray(columns, dtype=np.float64), np.asarray(y)
    up, down = columns[y > 0], columns[y <= 0]
    if not len(up) or not len(down):
        raise ValueError("hull_distance needs objects of both classes")
    gap = np.hstack([up.T, -down.T])  # Σ λ_i up_i - Σ μ_j down_j, coordinate by coordinate
    ones = np.ones((len(gap), 1))
    found = linprog(
        np.append(np.zeros(len(columns)), 1.0),
        A_ub=np.vstack([np.hstack([gap, -ones]), np.hstack([-gap, -ones])]),
        b_ub=np.zeros(2 * len(gap)),
        A_eq=np.vstack(
            [
                np.r_[np.ones(len(up)), np.zeros(len(down)), 0.0],
                np.r_[np.zeros(len(up)), np.ones(len(down)), 0.0],
            ]
        ),
        b_eq=np.ones(2),
        bounds=(0, None),
        method="highs",
    )
    if not found.success:
        raise ValueError(f"hull_distance: the linear programme failed: {found.message}")
    return float(found.fun)


def embedding_margins(D: Samples, y: ArrayLike) -> dict[str, float]:
    """The largest margin of two classes in three embeddings of the same finite metric space.

    ``"arens-eells"`` (all Lipschitz functions; half the distance of the classes, the nearest
    neighbour's margin), ``"kuratowski"`` (sums of distance functions), and ``"euclidean"`` (the
    hard-margin SVM on points with these distances; NaN if there are none). Zero: not separable.
    Labels are any two values.
    """
    from mercer import metrics

    D = np.asarray(D, dtype=np.float64)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) != 2 or D.shape != (len(codes), len(codes)):
        raise ValueError(
            f"embedding_margins needs all distances of objects of two classes; got {len(classes)} "
            f"classes, {len(codes)} labels and distances of shape {D.shape}"
        )
    y = np.where(codes == 1, 1.0, -1.0)
    margins = {
        "arens-eells": 1.0 / hard_margin(D, y)[0],
        "kuratowski": hull_distance(D, y) / 2.0,
        "euclidean": float("nan"),
    }
    if metrics.report(D).euclidean:
        margins["euclidean"] = _euclidean_margin(metrics.kernel_from_distance(D), y)
    return margins


def _euclidean_margin(K: Floats, y: Floats) -> float:
    from mercer.learners.margin.svm._hard import NotSeparableError
    from mercer.learners.margin.svm.svc import SVC

    try:
        model = SVC(kernel="precomputed", C=np.inf, tol=1e-8, certify=None).fit(K, y)
    except NotSeparableError:
        return 0.0
    coef = np.zeros(len(y))
    coef[model.support_] = model.dual_coef_[0]
    return float(1.0 / np.sqrt(coef @ K @ coef))
