"""Coordinates whose inner products are nearly a kernel's, as a step of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer._random import seed_of
from mercer.learners._door import Door, TrainingSample
from mercer.learners._in_kernel_space import InKernelSpace, KernelFitted
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, positive_whole
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners._unlabelled import Embeds
from mercer.learners.large._low_rank import AtLandmarks, LowRankFitted

Floats = NDArray[np.float64]
ONE_EACH = "coordinates of rows, each of which is one"


class Nystroem(Embeds, AtLandmarks, Learner):
    """φ(x) = k(x, Z) B at landmarks Z drawn from the rows, with B'K(Z, Z)B = 1.

    In place of ``sklearn.kernel_approximation.Nystroem``; inner products of landmarks are exact.
    Directions in which the landmarks depend on each other to rounding are left out.

    Parameters
    ----------
    kernel, gamma, degree, coef0
        As in :class:`mercer.SVC`.
    n_landmarks : int, default=100
        Rows drawn as landmarks.
    random_state : int, generator or None, default=None
        Draws them.

    Attributes
    ----------
    landmarks_ : ndarray
        The landmarks.
    rank_ : int
        Number of coordinates.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners import Nystroem
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> Nystroem(n_landmarks=40, random_state=0).fit_transform(X).shape
    (500, 40)
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE | {"weights": ONE_EACH, "copies": ONE_EACH}
    _door: ClassVar[Door] = Door(asks="kernel")
    fitted_: LowRankFitted

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        n_landmarks: int = 100,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(random_state=0), cls(gamma=0.5, n_landmarks=10, random_state=0)]

    def _train(self, sample: TrainingSample) -> LowRankFitted:
        landmarks, facts = self._placed(sample)
        zero = np.zeros(landmarks.rank)
        return LowRankFitted(**facts, coef=landmarks.whitening, intercept=zero)

    def _publish(self, fitted: Any) -> None:
        super()._publish(fitted)
        self._n_features_out = fitted.coef.shape[1]


@dataclass(frozen=True, kw_only=True)
class FourierFitted(KernelFitted):
    """The frequencies."""

    frequencies: Floats


class FourierFeatures(Embeds, InKernelSpace, Learner):
    """cos and sin of random frequencies, drawn from the spectral law of a stationary kernel.

    In place of ``sklearn.kernel_approximation.RBFSampler``, for every kernel whose law is known
    (Gaussian, Laplacian, Matérn …). Every row has length one; the error of an inner product shrinks
    like 1/√n_components (Rahimi and Recht 2007). At equal numbers :class:`Nystroem` is nearly
    always better, as its coordinates know the rows; these need not see any.

    Parameters
    ----------
    kernel, gamma, degree, coef0
        As in :class:`mercer.SVC`.
    n_components : int, default=100
        Number of coordinates, rounded up to an even one.
    random_state : int, generator or None, default=None
        Draws the frequencies.

    Attributes
    ----------
    frequencies_ : ndarray of shape (n_features, n_components / 2)
        The frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners import FourierFeatures
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> phi = FourierFeatures(n_components=200, random_state=0).fit_transform(X)
    >>> phi.shape, bool(np.allclose((phi**2).sum(axis=1), 1.0))
    ((500, 200), True)
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE | {
        "weights": ONE_EACH,
        "copies": ONE_EACH,
        "objects": "frequencies are those of coordinates, which objects do not have",
        "precomputed": "frequencies are those of coordinates, which a matrix of all pairs hides",
    }
    _door: ClassVar[Door] = Door(asks="kernel", functions="pairs")
    _rules: ClassVar[dict[str, Rule]] = {"n_components": positive_whole}
    fitted_: FourierFitted

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        n_components: int = 100,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(random_state=0)]

    def _train(self, sample: TrainingSample) -> FourierFitted:
        from mercer.kernels.features import RandomFourierFeatures

        meant = self._meant(sample)
        drawn = RandomFourierFeatures(
            meant.kernel, self.n_components, np.random.default_rng(seed_of(self.random_state))
        )
        if not getattr(sample.X, "ndim", 0) == 2 or sample.kind.square:
            raise ValueError("random frequencies need rows with coordinates")
        drawn.fit(sample.X[:1])
        facts = self._in_space(sample, meant) | {"rows": None}
        return FourierFitted(**facts, frequencies=drawn.frequencies_)

    def _publish(self, fitted: Any) -> None:
        super()._publish(fitted)
        self.frequencies_ = fitted.frequencies
        self._n_features_out = 2 * fitted.frequencies.shape[1]

    def _outputs(self, X: Any) -> Floats:
        frequencies = self.fitted_.frequencies
        angle = np.asarray(X @ frequencies.astype(X.dtype))
        scale = 1.0 / np.sqrt(frequencies.shape[1])
        return scale * np.hstack([np.cos(angle), np.sin(angle)])
