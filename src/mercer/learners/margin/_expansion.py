"""Two-class machines that are kernel expansions but no quadratic programme."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer import _compat
from mercer._types import Samples
from mercer.bounds import Evidence
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._mixins import Classifies
from mercer.learners.margin._support import SupportFitted, SupportLearner

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Learned:
    """What a learner found: signed coefficients, outputs at the rows, and what is its own."""

    coef: Floats
    output: Floats
    attributes: dict[str, Any] = field(default_factory=dict)  # published
    record: dict[str, Any] = field(default_factory=dict)  # further fields of its record


@dataclass(frozen=True, kw_only=True)
class ExpansionFitted(SupportFitted):
    """The training rows as evidence sees them."""

    sign: Floats
    used: NDArray[np.bool_]
    output: Floats
    alpha: Floats
    squared_norm: float
    attributes: dict[str, Any]


class TwoClassExpansion(_compat.CallbackSupportMixin, Classifies, SupportLearner):
    """``f(x) = Σ_i β_i k(x_i, x)``: prediction and the common evidence.

    A learner writes ``_learn(gram, sign, weight)``, and may add to ``_publish_evidence``.
    """

    _calms_blas: ClassVar[bool] = True  # trained by factors and products, not by compiled steps
    _two_only: ClassVar[bool] = True
    _against_rest: ClassVar[bool] = True
    _door: ClassVar[Door] = Door(asks="kernel", targets="labels")
    _record: ClassVar[type[ExpansionFitted]] = ExpansionFitted
    fitted_: ExpansionFitted
    cache_size = "auto"

    # -- fit ---------------------------------------------------------------------------------------

    def _train(self, sample: TrainingSample) -> ExpansionFitted:
        labels = self._labels(sample)
        space = self._space(sample, use="rows")
        found = self._learn(space.gram, labels.signs, sample.weight)
        support = np.flatnonzero(found.coef)
        support = support[np.argsort(labels.codes[support], kind="stable")]  # by class, as LIBSVM
        fitted = self._record(
            **self._supported(sample, space, support, found.coef[None, support]),
            classes=labels.classes,
            n_support=np.bincount(labels.codes[support], minlength=2).astype(np.int32),
            intercept=np.zeros(1),
            sign=labels.signs,
            used=sample.weight > 0,
            output=found.output,
            alpha=np.abs(found.coef),
            squared_norm=float(found.coef @ found.output),
            attributes=found.attributes,
            **found.record,
        )
        probed: ExpansionFitted = self._probed(fitted, space)
        return probed

    def _learn(self, gram: Any, sign: Floats, weight: Floats) -> Learned:
        raise TypeError(f"{type(self).__name__} does not say how it learns")

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, ExpansionFitted)
        for name, value in fitted.attributes.items():
            setattr(self, name, value)

    def _outputs(self, X: Samples) -> Floats:
        return self._machine_outputs(X)[:, 0]

    # -- evidence ----------------------------------------------------------------------------------

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        used, sign, output = fitted.used, fitted.sign, fitted.output
        geometric = fitted.geometric and fitted.squared_norm >= 0
        own = np.maximum(fitted.own(used), 0.0)
        facts = fitted.facts(own) | {
            "point_norms": np.sqrt(own) if geometric else None,
            "trace": float(np.sum(own)) if geometric else None,
        }
        return Evidence(
            n=int(used.sum()),
            learner=f"this {type(self).__name__}",
            formulation=self.known_as,
            errors=int(np.count_nonzero((output >= 0)[used] != (sign > 0)[used])),
            margins=(sign * output)[used],
            alphas=fitted.alpha[used],
            norm=math.sqrt(max(fitted.squared_norm, 0.0)) if geometric else None,
            **facts,
        )
