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
from mercer.learners._kernel_rules import KERNEL_RULES
from mercer.learners._learner import Learner
from mercer.learners._parameters import RULES, Rule, none_or, positive_whole
from mercer.learners._passes import InPasses, Passes, RowsInMemory
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners._unlabelled import Embeds
from mercer.learners.large._low_rank import AtLandmarks, LowRankFitted

Floats = NDArray[np.float64]
ONE_EACH = "coordinates of rows, each of which is one"


@dataclass(frozen=True, kw_only=True)
class FeaturesFitted(LowRankFitted):
    """And which rows became landmarks; None if they were read in parts."""

    drawn: NDArray[np.intp] | None


class Nystroem(Embeds, InPasses, AtLandmarks, Learner):
    """φ(x) = k(x, Z) B at landmarks Z drawn from the rows, with B'K(Z, Z)B = 1.

    In place of ``sklearn.kernel_approximation.Nystroem``; inner products of landmarks are exact.
    Directions in which the landmarks depend on each other to rounding are left out.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        As in :class:`mercer.KernelRidge`.
    gamma, coef0, degree : float or None, default=None
        Of the named kernels; None is one over the number of columns (1 for "chi2"), 1 and 3.
    kernel_params : dict or None, default=None
        Keyword arguments of a kernel that is a function.
    n_components : int, default=100
        Rows drawn as landmarks: coordinates, but for directions left out.
    random_state : int, generator or None, default=None
        Draws them.
    n_jobs : int or None, default=None
        Accepted for scikit-learn's sake: threads are ``mercer.set_config(n_threads=...)``.

    Attributes
    ----------
    landmarks_, components_ : ndarray
        The landmarks; `components_` is scikit-learn's word for them.
    component_indices_ : ndarray
        Which rows they were.
    rank_ : int
        Number of coordinates.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners import Nystroem
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> Nystroem(n_components=40, random_state=0).fit_transform(X).shape
    (500, 40)
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE | {"weights": ONE_EACH, "copies": ONE_EACH}
    _size: ClassVar[str] = "n_components"
    _state_version: ClassVar[int] = 1
    _door: ClassVar[Door] = Door(asks="kernel", functions="rows")
    _rules: ClassVar[dict[str, Rule]] = KERNEL_RULES | {
        "degree": none_or(KERNEL_RULES["degree"]),
        "coef0": none_or(RULES["coef0"]),
        "n_components": positive_whole,
    }
    fitted_: FeaturesFitted

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = None,
        coef0: Any = None,
        degree: Any = None,
        kernel_params: Any = None,
        n_components: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(random_state=0), cls(gamma=0.5, n_components=10, random_state=0)]

    def _train_in_passes(self, rows: Passes) -> FeaturesFitted:
        landmarks, facts = self._placed(rows)
        zero = np.zeros(landmarks.rank)
        drawn = landmarks.drawn if isinstance(rows, RowsInMemory) else None
        return FeaturesFitted(**facts, coef=landmarks.whitening, intercept=zero, drawn=drawn)

    def _publish(self, fitted: Any) -> None:
        super()._publish(fitted)
        self._n_features_out = fitted.coef.shape[1]
        if fitted.drawn is not None:
            self.component_indices_ = fitted.drawn
        if fitted.rows is not None:
            self.components_ = fitted.rows


@dataclass(frozen=True, kw_only=True)
class FourierFitted(KernelFitted):
    """The frequencies."""

    frequencies: Floats


class FourierFeatures(Embeds, InKernelSpace, Learner):
    """cos and sin of random frequencies, drawn from the spectral law of a stationary kernel.

    As ``sklearn.kernel_approximation.RBFSampler`` does for Gaussians, for every kernel whose law is
    known (Laplacian, Matérn …). Every row has length one; the error of an inner product shrinks
    like 1/√n_components (Rahimi and Recht 2007). At equal numbers :class:`Nystroem` is nearly
    always better, as its coordinates know the rows; these need not see any.

    Parameters
    ----------
    kernel, gamma, degree, coef0 : …
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
