"""What learners at landmarks have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer._random import seed_of
from mercer._types import Samples
from mercer.bounds import Choice, Evidence
from mercer.learners._door import Kind
from mercer.learners._in_kernel_space import InKernelSpace, KernelFitted
from mercer.learners._parameters import Rule, positive_whole
from mercer.learners._passes import Passes
from mercer.learners.large.landmarks import Landmarks, choose_landmarks

Floats = NDArray[np.float64]
SPENT = (
    "the landmarks are drawn from the rows, and sums keep none of them: only rows kept from the "
    "training speak about the model (certified_fit keeps some)"
)


@dataclass(frozen=True, kw_only=True)
class LowRankFitted(KernelFitted):
    """Landmarks (``rows``; of a matrix of pairs its columns ``kept``) and weights.

    ``coef`` are the weights of the landmarks themselves, one column per output: the whitening is
    multiplied in once, so an answer costs one value per landmark.
    """

    whitening: Floats
    coef: Floats
    intercept: Floats

    @property
    def landmarks(self) -> Landmarks:
        """As training needs them."""
        places = self.kept if self.kind is Kind.GRAM else None
        return Landmarks(self.kernel, self.rows, self.whitening, places)


class AtLandmarks(InKernelSpace):
    """Mixin: ``n_landmarks`` and ``random_state``; outputs k(x, Z) c + b."""

    _size: ClassVar[str] = "n_landmarks"

    _rules: ClassVar[dict[str, Rule]] = {"n_landmarks": positive_whole}
    random_state: Any
    fitted_: LowRankFitted

    def _placed(self, given: Passes, whiten: bool = True) -> tuple[Landmarks, dict[str, Any]]:
        """Landmarks, and the facts of rows and kernel as arguments of a record."""
        sample = given.sample
        meant = self._meant(sample)
        seed = seed_of(self.random_state)
        many = getattr(self, self._size)
        found = choose_landmarks(meant.kernel, sample, many, seed, whiten)
        facts = self._in_space(sample, meant)
        facts |= {"n": given.n, "rows": found.rows, "whitening": found.whitening}
        if sample.kind is Kind.GRAM:
            facts["kept"] = found.places
        return found, facts

    def _publish(self, fitted: Any) -> None:
        super()._publish(fitted)
        self.rank_ = fitted.whitening.shape[1] or len(fitted.coef)
        if fitted.rows is not None:
            self.landmarks_ = fitted.rows

    def _outputs(self, X: Samples) -> Floats:
        fitted = self.fitted_
        return self._expand(X, fitted.coef) + fitted.intercept

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        drawn = Choice("the landmarks", f"{len(fitted.whitening)} of the rows")
        return Evidence(
            n=fitted.n,
            learner=f"this {type(self).__name__}",
            n_classes=2 if fitted.classes is None else len(fitted.classes),
            choices=(drawn, *replace(fitted, dropped=0).choices()),
        )
