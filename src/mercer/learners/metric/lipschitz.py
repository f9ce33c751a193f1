"""Large margins in a metric space: the Lipschitz classifier."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer.bounds import Choice, Evidence, Lipschitz
from mercer.learners._parameters import Rule, check_parameters, number
from mercer.learners.metric._capacity import (
    covering_radii,
    kept_distances,
    many_class_record,
    two_class_record,
)
from mercer.learners.metric._extension import extend, hard_margin
from mercer.learners.metric._matching import solve_soft
from mercer.learners.metric._space import Floats, MetricLearner

_CLOSE = 3000  # up to so many objects a distance that is no metric is closed by shortest paths

LIPSCHITZ_RULES: dict[str, Rule] = {
    "alpha": (number(lambda v: 0 <= v <= 1), "a number in [0, 1]"),
}


class LipschitzClassifier(ClassifierMixin, MetricLearner):
    """min L(f) + C Σ max(0, 1 - y_i f(x_i)) over all Lipschitz functions of a metric space.

    Nothing but distances is needed. Hard (C = ∞): closed form, L* = 2 / d(X+, X-), and the sign is
    the label of the nearest neighbour. Soft: solved exactly through matchings of positive with
    negative points, no quadratic programme and no linear one. New objects get
    f_α(x) = α min_i(a_i + L d(x, x_i)) + (1-α) max_i(a_i - L d(x, x_i)). (von Luxburg's thesis,
    chapter III; von Luxburg and Bousquet 2004.) More than two classes: one against the rest.

    Parameters
    ----------
    metric : str, callable or Metric
        A name (``mercer.metrics.available()``, SciPy's names, "precomputed"), a function of two
        objects, or a `mercer.metrics.Metric`.
    C : float
        Price of a unit of hinge loss; ``inf`` for the hard margin.
    alpha : float in [0, 1]
        Which extension; ½ is the middle one.
    certify : {"in-sample", "none"}
        Whether the model publishes certificates.
    delta : float
        Failure probability of the certificates.

    Attributes
    ----------
    constant_ : float or array, the Lipschitz constant L (one per class if there are more than two)
    margin_ : 1 / constant_, the least distance of a confidently right training object to f = 0
    values_ : values a_i at the training objects
    dual_coef_ : mass that the transport dual takes from each object; support objects have some
    objective_, gap_ : L + C Σ hinge, and its distance to the dual
    """

    _declared = ("lipschitz-rademacher", "lipschitz-covering")

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: float = 1.0,
        alpha: float = 0.5,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.metric = metric
        self.C = C
        self.alpha = alpha
        self.certify = certify
        self.delta = delta

    def fit(self, X: Any, y: Any) -> Self:
        """Train on objects (or their square matrix of distances) and labels."""
        check_parameters(self, LIPSCHITZ_RULES)
        self._forget_certificates()
        D, y = self._training_distances(X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"LipschitzClassifier needs at least two classes; the data has one class, "
                f"{self.classes_.tolist()[0]!r}"
            )
        if not self.metric_holds_ and len(D) <= _CLOSE:
            # Lipschitz for a distance on these objects means Lipschitz for its shortest paths
            D = _paths(D)
        labels = [codes == k for k in range(len(self.classes_))]
        labels = labels[1:] if len(labels) == 2 else labels
        machines = [self._machine(D, np.where(mask, 1.0, -1.0)) for mask in labels]
        self._labels = np.stack([np.where(mask, 1.0, -1.0) for mask in labels])
        self._constants = np.array([m[0] for m in machines])
        self._values = np.stack([m[1] for m in machines])
        self._mass = np.stack([m[2] for m in machines])
        self.objective_ = float(sum(m[3] for m in machines))
        self.gap_ = float(sum(m[4] for m in machines))
        self._D = kept_distances(D, len(self.classes_))
        self._radii = covering_radii(D)
        return self

    def _machine(self, D: Floats, y: Floats) -> tuple[float, Floats, Floats, float, float]:
        if np.isinf(self.C):
            constant, pair = hard_margin(D, y)
            if np.isinf(constant):
                raise ValueError(
                    f"objects {pair[0]} and {pair[1]} have different labels at distance zero: no "
                    "function separates them. Merge or relabel them, or use a finite C."
                )
            mass = np.zeros(len(y))
            mass[list(pair)] = constant / 2.0
            return constant, y.copy(), mass, constant, 0.0
        positive, negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
        found = solve_soft(D[np.ix_(positive, negative)], float(self.C))
        values, mass = np.empty(len(y)), np.empty(len(y))
        values[positive], values[negative] = found.positive, found.negative
        mass[positive], mass[negative] = found.mass_positive, found.mass_negative
        return found.constant, values, mass, found.objective, found.gap

    @property
    def constant_(self) -> Any:
        """Lipschitz constant; one per class if there are more than two."""
        check_is_fitted(self, "_constants")
        return float(self._constants[0]) if len(self._constants) == 1 else self._constants

    @property
    def margin_(self) -> Any:
        """1 / L."""
        with np.errstate(divide="ignore"):
            return 1.0 / np.asarray(self.constant_)[()]

    @property
    def values_(self) -> Floats:
        """Values at the training objects."""
        return self._values[0] if len(self._values) == 1 else self._values

    @property
    def dual_coef_(self) -> Floats:
        """Mass of the transport dual, by object."""
        return self._mass[0] if len(self._mass) == 1 else self._mass

    @property
    def support_(self) -> NDArray[np.intp]:
        """Objects whose mass is positive in some machine."""
        return np.flatnonzero(self._mass.max(axis=0) > 0)

    def decision_function(self, X: Any) -> Floats:
        """f(x); with more than two classes one column each."""
        check_is_fitted(self, "_constants")
        pieces = []
        for _, D in self._blocks(X):
            pairs = zip(self._values, self._constants, strict=True)
            pieces.append(np.stack([extend(a, L, D, self.alpha) for a, L in pairs], axis=1))
        output = np.concatenate(pieces)
        return output[:, 0] if output.shape[1] == 1 else output

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each object."""
        output = self.decision_function(X)
        if output.ndim == 1:
            return self.classes_[(output >= 0).astype(int)]
        return self.classes_[output.argmax(axis=1)]

    def _publish_evidence(self) -> Evidence:
        several = len(self._constants) > 1
        record = None
        if self.metric_holds_:
            record = self._several_record() if several else self._single_record()
        return Evidence(
            self._n,
            learner=f"this {type(self).__name__}",
            formulation="lipschitz",
            loss="hinge",
            n_classes=len(self.classes_),
            errors=self._training_errors(),
            margins=None if several else self._margins,
            slacks=None if several else np.maximum(1.0 - self._margins, 0.0),
            lipschitz=record,
            choices=() if self.metric_holds_ else (Choice("the metric", "repaired on the rows"),),
        )

    @property
    def _margins(self) -> Floats:
        return self._labels[0] * self._values[0]

    def _training_errors(self) -> int:
        if len(self._values) == 1:
            return int(np.count_nonzero((self._values[0] >= 0) != (self._labels[0] > 0)))
        right = self._labels.argmax(axis=0)
        return int(np.count_nonzero(self._values.argmax(axis=0) != right))

    def _single_record(self) -> Lipschitz:
        return two_class_record(self._D, self._radii, self._margins, float(self._constants[0]))

    def _several_record(self) -> Lipschitz:
        codes = self._labels.argmax(axis=0)
        return many_class_record(self._D, self._radii, self._values, self._constants, codes)


def _paths(D: Floats) -> Floats:
    """Shortest paths; pairs at distance zero stay connected."""
    tiny = np.finfo(float).tiny
    return np.asarray(shortest_path(np.maximum(D, tiny), method="FW", directed=False))
