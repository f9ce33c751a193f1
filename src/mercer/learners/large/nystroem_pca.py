"""Kernel components of very many rows: the principal directions of coordinates at landmarks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from mercer.learners._door import Door
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, positive_whole
from mercer.learners._passes import InPasses, Passes
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners._unlabelled import Embeds
from mercer.learners.large._adds_up import AddsUp
from mercer.learners.large._low_rank import AtLandmarks, LowRankFitted
from mercer.learners.large._moments import moments_of
from mercer.solvers.sums import Moments

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class NystroemPCAFitted(LowRankFitted):
    """The sums, from which more rows can go on, and the variances along the directions."""

    eigenvalues: Floats
    moments: Moments | None = None


class NystroemPCA(AddsUp, Embeds, InPasses, AtLandmarks, Learner):
    """Principal components in the span of landmarks: one pass, and memory that stays.

    With all rows as landmarks these are the components of :class:`KernelPCA`, up to signs.

    Parameters
    ----------
    n_components : int, default=2
        How many.
    kernel, gamma, degree, coef0 : …
    n_landmarks : int, default=500
        Rows drawn as landmarks; time grows with its square.
    random_state : int, generator or None, default=None
        Draws the landmarks.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Sums of squares along the components, falling.
    landmarks_; rank_ : …

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners import NystroemPCA
    >>> X = np.random.default_rng(0).normal(size=(3000, 4))
    >>> NystroemPCA(3, n_landmarks=100, random_state=0).fit_transform(X).shape
    (3000, 3)
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE | {
        "partial_fit": "",
        "weights": "components of rows, each of which is one",
        "copies": "components of rows, each of which is one",
    }
    _door: ClassVar[Door] = Door(asks="kernel")
    _rules: ClassVar[dict[str, Rule]] = {
        "n_components": positive_whole,
        "n_landmarks": positive_whole,
    }
    fitted_: NystroemPCAFitted

    def __init__(
        self,
        n_components: int = 2,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        n_landmarks: int = 500,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(), cls(2, gamma=0.5, n_landmarks=20, random_state=0)]

    def _train_in_passes(self, rows: Passes) -> NystroemPCAFitted:
        landmarks, facts = self._placed(rows)
        return self._turned(facts, moments_of(landmarks, rows))

    def _turned(self, facts: dict[str, Any], moments: Moments) -> NystroemPCAFitted:
        scatter = moments.centred()[0]
        many = min(self.n_components, len(scatter))
        last = len(scatter) - 1
        values, vectors = eigh(scatter, subset_by_index=(last - many + 1, last))
        values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
        signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(many)])
        vectors = vectors * np.where(signs == 0, 1.0, signs)
        return NystroemPCAFitted(
            **facts,
            coef=facts["whitening"] @ vectors,
            intercept=-(moments.sums / moments.mass) @ vectors,
            eigenvalues=values,
            moments=moments,
        )

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Go on with more rows; landmarks and kernel stay those of the first ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The next points.
        y : ignored
            There for pipelines.

        Returns
        -------
        self : object
            The estimator.
        """
        return self._go_on(X, None, None)

    def _rejoined(self, before: Any, moments: Moments, n: int) -> NystroemPCAFitted:
        facts = {f.name: getattr(before, f.name) for f in fields(LowRankFitted)}
        for name in ("coef", "intercept"):
            del facts[name]
        return self._turned(facts | {"n": n}, moments)

    def _publish(self, fitted: Any) -> None:
        super()._publish(fitted)
        self.eigenvalues_ = fitted.eigenvalues
        self._n_features_out = fitted.coef.shape[1]
