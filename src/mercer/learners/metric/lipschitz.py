"""Large margins in a metric space: the Lipschitz classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path
from sklearn.utils.validation import check_is_fitted

from mercer._types import Samples
from mercer.bounds import Evidence, Lipschitz
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Classifies
from mercer.learners._parameters import Rule, number
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import NO_LAW, ONE_PROGRAMME
from mercer.learners.metric._capacity import many_class_record, two_class_record
from mercer.learners.metric._extension import extend, hard_margin
from mercer.learners.metric._in_metric_space import METRIC, Floats, InMetricSpace, MetricFitted
from mercer.learners.metric._weighted_matching import solve_weighted
from mercer.metrics import all_joined

_CLOSE = 3000  # up to so many objects a distance that is no metric is closed by shortest paths

LIPSCHITZ_RULES: dict[str, Rule] = {
    "metric": METRIC,
    "balance": (number(lambda v: 0 <= v <= 1), "a number in [0, 1]"),
}


@dataclass(frozen=True, kw_only=True)
class LipschitzFitted(MetricFitted):
    """One function, or one for each class: signs of the rows, values at them, constants."""

    signs: Floats
    constants: Floats
    values: Floats
    mass: Floats
    objective: float
    gap: float
    alpha: float

    @property
    def margins(self) -> Floats:
        """Margins y f(x) of the first function."""
        return self.signs[0] * self.values[0]

    def errors(self) -> int:
        """Training objects with a wrong answer."""
        if len(self.values) == 1:
            return int(np.count_nonzero((self.values[0] >= 0) != (self.signs[0] > 0)))
        return int(np.count_nonzero(self.values.argmax(axis=0) != self.signs.argmax(axis=0)))

    def capacity(self) -> Lipschitz:
        """What bounds ask about the functions."""
        if len(self.values) == 1:
            constant = float(self.constants[0])
            return two_class_record(self.distances, self.radii, self.margins, constant)
        codes = self.signs.argmax(axis=0)
        return many_class_record(self.distances, self.radii, self.values, self.constants, codes)


class LipschitzClassifier(Weighted, Publishes, InMetricSpace, Classifies, Learner):
    """min L(f) + C Σ w_i max(0, 1 - y_i f(x_i)) over all Lipschitz functions of a metric space.

    Sample weights w_i are prices of loss (weight k is k copies; whole ones are solved as copies).

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
    balance : float in [0, 1]
        Which extension; ½ is the middle one.
    certify : {"in-sample"} or None
        Whether the model publishes certificates.
    delta : float
        Failure probability of the certificates.

    Attributes
    ----------
    constant_ : float or array, the Lipschitz constant L (one per class if there are more than two)
    margin_ : 1 / constant_, the least distance of a confidently right training object to f = 0
    values_ : values a_i at the training objects
    dual_coef_ : mass that the transport dual takes from each object; support objects have some
    objective_, dual_gap_ : L + C Σ hinge, and its distance to the dual
    """

    lacks: ClassVar[Mapping[str, str]] = NO_LAW | ONE_PROGRAMME
    _declared = ("lipschitz-rademacher", "lipschitz-covering")
    _matrices: ClassVar[float] = 3.1
    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = LIPSCHITZ_RULES
    fitted_: LipschitzFitted

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: float = 1.0,
        balance: float = 0.5,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.metric = metric
        self.C = C
        self.balance = balance
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(), cls(C=0.05)]

    def _train(self, sample: TrainingSample) -> LipschitzFitted:
        labels = self._labels(sample)
        space = self._space(sample)
        if not space.holds and sample.n <= _CLOSE:
            # Lipschitz for a distance on these objects means Lipschitz for its shortest paths
            space = replace(space, D=_paths(space.D))
        count = len(labels.classes)
        wanted = range(1, 2) if count == 2 else range(count)
        signs = np.stack([np.where(labels.codes == k, 1.0, -1.0) for k in wanted])
        machines = [self._machine(space.D, y, sample.weight) for y in signs]
        return LipschitzFitted(
            **self._in_space(sample, space, count),
            classes=labels.classes,
            signs=signs,
            constants=np.array([m[0] for m in machines]),
            values=np.stack([m[1] for m in machines]),
            mass=np.stack([m[2] for m in machines]),
            objective=float(sum(m[3] for m in machines)),
            gap=float(sum(m[4] for m in machines)),
            alpha=float(self.balance),
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, LipschitzFitted)
        self.objective_, self.dual_gap_ = fitted.objective, fitted.gap

    def _machine(
        self, D: Floats, y: Floats, weight: Floats
    ) -> tuple[float, Floats, Floats, float, float]:
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
        found = solve_weighted(
            D[np.ix_(positive, negative)], float(self.C), weight[positive], weight[negative]
        )
        values, mass = np.empty(len(y)), np.empty(len(y))
        values[positive], values[negative] = found.positive, found.negative
        mass[positive], mass[negative] = found.mass_positive, found.mass_negative
        return found.constant, values, mass, found.objective, found.gap

    @property
    def constant_(self) -> Any:
        """Lipschitz constant; one per class if there are more than two."""
        check_is_fitted(self)
        return float(self.fitted_.constants[0]) if self._single else self.fitted_.constants

    @property
    def margin_(self) -> Any:
        """1 / L."""
        with np.errstate(divide="ignore"):
            return 1.0 / np.asarray(self.constant_)[()]

    @property
    def values_(self) -> Floats:
        """Values at the training objects."""
        check_is_fitted(self)
        return self.fitted_.values[0] if self._single else self.fitted_.values

    @property
    def dual_coef_(self) -> Floats:
        """Mass of the transport dual, by object."""
        check_is_fitted(self)
        return self.fitted_.mass[0] if self._single else self.fitted_.mass

    @property
    def support_(self) -> NDArray[np.intp]:
        """Objects whose mass is positive in some machine."""
        check_is_fitted(self)
        return np.flatnonzero(self.fitted_.mass.max(axis=0) > 0)

    @property
    def _single(self) -> bool:
        return len(self.fitted_.constants) == 1

    def _outputs(self, X: Samples) -> Floats:
        fitted, pieces = self.fitted_, []
        for _, D in self._blocks(X):
            pairs = zip(fitted.values, fitted.constants, strict=True)
            pieces.append(np.stack([extend(a, L, D, fitted.alpha) for a, L in pairs], axis=1))
        output = np.concatenate(pieces)
        return output[:, 0] if output.shape[1] == 1 else output

    def _publish_evidence(self) -> Evidence:
        fitted, single = self.fitted_, self._single
        return Evidence(
            fitted.n,
            learner=f"this {type(self).__name__}",
            formulation="lipschitz",
            loss="hinge",
            n_classes=len(self.classes_),
            errors=fitted.errors(),
            margins=fitted.margins if single else None,
            slacks=np.maximum(1.0 - fitted.margins, 0.0) if single else None,
            lipschitz=fitted.capacity() if fitted.verdict else None,
            choices=fitted.choices(),
        )


def _paths(D: Floats) -> Floats:
    """Shortest paths; pairs at distance zero stay connected."""
    return np.asarray(shortest_path(all_joined(D), method="FW", directed=False))
