"""Kernels from generative models: Fisher scores, and shared hidden causes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.structured._exponential_mixture import ExponentialMixture
from mercer.kernels.structured._gaussian_mixture import GaussianMixture
from mercer.kernels.structured._markov_chain import MarkovChain
from mercer.kernels.structured.unfitted import (
    UnfittedChain,
    UnfittedMixture,
    fitted_to,
    is_unfitted,
)
from mercer.kernels.validate import real

Floats = NDArray[np.float64]
INFORMATION = ("identity", "model")


class _FromModel(Kernel):
    """A kernel with a ``model``, fitted in advance or, if it is unfitted, by ``resolve``."""

    model: Any

    @property
    def accepts(self) -> frozenset[str]:  # type: ignore[override]
        """What the model accepts."""
        return frozenset(getattr(self.model, "accepts", {"vectors"}))

    @property
    def data_dependent(self) -> bool:
        """Whether the model is, or was, fitted to the rows at hand."""
        read = is_unfitted(self.model) or getattr(self.model, "data_dependent", False)
        return bool(read) or super().data_dependent

    def _resolved(self, X: Samples) -> dict[str, Any]:
        return {"model": fitted_to(self.model, X)} if is_unfitted(self.model) else {}

    def _check(self, X: Samples, name: str = "X") -> None:
        owner = type(self).__name__
        if is_unfitted(self.model):
            raise ValueError(
                f"{owner}: the model is not fitted; call kernel.resolve(X_train) first; learners "
                "and Gram objects do"
            )
        if hasattr(self.model, "check"):
            self.model.check(X)


class Fisher(_FromModel):
    """k(x, y) = f(x)' I⁻¹ f(y) with the score f(x) = ∇ ln P(x) of a fitted model.

    Herbrich, Learning Kernel Classifiers, definitions 2.26 and 2.27 (Jaakkola and Haussler 1999).
    A model fitted to the training rows is something chosen by looking at them: fit it to other
    rows if certificates in-sample matter. An unfitted model is fitted to the rows that a learner
    trains on, in every fold anew, and certificates know.

    Parameters
    ----------
    model : GaussianMixture, ExponentialMixture, MarkovChain, or any object with ``scores(X)``
        From ``mercer.kernels.structured.fisher``; ``GaussianMixture.from_sklearn`` takes
        scikit-learn's. For ``information="model"`` also ``sample(n, rng)``. Or to be fitted:
        `UnfittedMixture`, `UnfittedChain`, scikit-learn's ``GaussianMixture``.
    information : "identity", "model", or array
        The naive kernel; the model's own information matrix, estimated from ``n_draws`` draws
        with a small ridge; or a matrix.
    n_draws : int
    ridge : float
        Added to the diagonal of the information, as a share of its mean.
    """

    def __init__(
        self, model: object, information: Any = "identity", n_draws: int = 5000, ridge: float = 1e-6
    ) -> None:
        self.model = model
        self.information = information
        self.n_draws = n_draws
        self.ridge = ridge

    choices = frozenset({"ridge"})

    def _check(self, X: Samples, name: str = "X") -> None:
        if not (hasattr(self.model, "scores") or is_unfitted(self.model)):
            raise TypeError(
                f"Fisher: {type(self.model).__name__} has no scores(X); wrap a fitted scikit-learn "
                "mixture as mercer.kernels.fisher.GaussianMixture.from_sklearn(model)"
            )
        super()._check(X, name)
        real(self.ridge, "Fisher: ridge", low=0)
        if isinstance(self.information, str) and self.information not in INFORMATION:
            raise ValueError(f"Fisher: information={self.information!r} is not {INFORMATION}")

    def information_matrix(self) -> Floats:
        """E f f' under the model, from draws of a fixed seed."""
        draws = self.model.sample(int(self.n_draws), np.random.default_rng(20021))
        scores = self.model.scores(draws)
        return np.asarray(scores.T @ scores / len(scores), dtype=np.float64)

    def _features(self, X: Samples) -> Floats:
        """Scores, rotated so that plain inner products are the kernel."""
        scores = np.asarray(self.model.scores(X), dtype=np.float64)
        if isinstance(self.information, str) and self.information == "identity":
            return scores
        given = not isinstance(self.information, str)
        matrix = np.asarray(self.information if given else self.information_matrix())
        matrix = matrix + (0.0 if given else self.ridge * np.trace(matrix) / len(matrix)) * np.eye(
            len(matrix)
        )
        return np.asarray(np.linalg.solve(np.linalg.cholesky(matrix), scores.T).T, dtype=float)

    def _tile(self, X: Samples, Y: Samples) -> Floats:
        left = self._features(X)
        return left @ (left if X is Y else self._features(Y)).T

    def _diag(self, X: Samples) -> Floats:
        return (self._features(X) ** 2).sum(axis=1)

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[Any]]:
        return {}

    @classmethod
    def examples(cls) -> list[Fisher]:
        """Naive, and with the information matrix."""
        return [cls(_example_mixture()), cls(_example_mixture(), "model", n_draws=300)]


class Marginalized(_FromModel):
    """k(x, y) = k₀(x, y) Σ_j P(j | x) P(j | y): alike if probably from the same component.

    (Tsuda, Kin and Asai 2002, for the components of a mixture as hidden variable.)

    Parameters
    ----------
    model : object with ``posterior(X)``, or an unfitted one as in `Fisher`
    kernel : Kernel, or None for k₀ = 1
    """

    _tag = "kernel:marginalised"

    def __init__(self, model: object, kernel: Kernel | None = None) -> None:
        self.model = model
        self.kernel = kernel

    @property
    def psd(self) -> bool | None:
        """As the kernel inside."""
        return True if self.kernel is None else self.kernel.psd

    @property
    def bounded(self) -> bool:
        """As the kernel inside."""
        return self.kernel is None or self.kernel.bounded

    def _tile(self, X: Samples, Y: Samples) -> Floats:
        shared = self.model.posterior(X) @ self.model.posterior(Y).T
        return shared if self.kernel is None else shared * self.kernel._values(X, Y)

    def _diag(self, X: Samples) -> Floats:
        own = (self.model.posterior(X) ** 2).sum(axis=1)
        return own if self.kernel is None else own * self.kernel._diag(X)

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[Any]]:
        if self.kernel is None:
            return {}
        shared = self.model.posterior(X) @ self.model.posterior(Y).T
        inner = self.kernel._dense_gradient(X, Y)
        return {
            f"kernel__{name}": shared.reshape(shared.shape + (1,) * (slope.ndim - 2)) * slope
            for name, slope in inner.items()
        }

    @classmethod
    def examples(cls) -> list[Marginalized]:
        """Alone, and with a Gaussian inside."""
        from mercer.kernels.vectors.gaussian import Gaussian

        return [cls(_example_mixture()), cls(_example_mixture(), Gaussian(1.2))]


def _example_mixture() -> GaussianMixture:
    means = np.array([[-1.0, 0.0, 0.5], [1.0, 0.5, -0.5]])
    return GaussianMixture(np.array([0.4, 0.6]), means, np.stack([np.eye(3), 1.5 * np.eye(3)]))


__all__ = [
    "ExponentialMixture",
    "Fisher",
    "GaussianMixture",
    "Marginalized",
    "MarkovChain",
    "UnfittedChain",
    "UnfittedMixture",
]
