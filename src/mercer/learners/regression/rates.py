"""How fast ridge regression learns under a source condition: predicted, and measured.

Let C be the covariance of the inputs and β̄ = C^γ z with ‖z‖ ≤ ρ, 0 < γ ≤ 1. The penalty costs at
most λ^{2γ}ρ² and the noise at most σ² tr(C)/(nλ²), so λ_n = (n^{−1/2}/ρ)^{1/(γ+1)} makes
E‖β̂ − β̄‖² fall at least as fast as n^{−γ/(γ+1)}, whatever the dimension. (Peyré, theorem 22; of
the two readings of its range of γ this is the one that needs nothing but a finite trace.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.learners.regression.ridge import RidgeRegression

Floats = NDArray[np.float64]


def ridge_rate(gamma: float) -> float:
    """The exponent γ/(γ+1) of the guaranteed rate; ridge makes no use of γ beyond 1."""
    if not gamma > 0:
        raise ValueError(f"gamma must be positive, got {gamma!r}")
    gamma = min(gamma, 1.0)
    return gamma / (gamma + 1.0)


def ridge_penalty(n: int, gamma: float, rho: float = 1.0) -> float:
    """The λ_n that balances bias and noise; ``RidgeRegression`` takes alpha = n·λ_n."""
    ridge_rate(gamma)
    return float((n**-0.5 / rho) ** (1.0 / (min(gamma, 1.0) + 1.0)))


@dataclass(frozen=True)
class RateExperiment:
    """Mean squared distances at several sample sizes, and the rates."""

    sizes: NDArray[np.int64]
    errors: Floats
    predicted: float  # guaranteed exponent

    @property
    def fitted(self) -> float:
        """Exponent of the straight line through the logarithms."""
        return -float(np.polyfit(np.log(self.sizes), np.log(self.errors), 1)[0])


def source_condition_experiment(
    sizes: Sequence[int] = (100, 400, 1600, 6400),
    *,
    gamma: float = 1.0,
    decay: float = 2.0,
    columns: int = 100,
    noise: float = 1.0,
    repeats: int = 5,
    random_state: int = 0,
) -> RateExperiment:
    """Draw Gaussian inputs with covariance eigenvalues j^{−decay} and fit ridge at λ_n.

    Parameters
    ----------
    sizes
        Sample sizes.
    gamma
        Smoothness of the truth: β̄ = C^γ z for a z of length one with equal entries.
    decay
        Of the eigenvalues of C; above 1, so that their sum is finite.
    columns
        Dimension; the rate does not depend on it.
    noise
        Standard deviation of the targets.
    repeats
        Samples per size.
    random_state
        Seed.
    """
    rng = np.random.default_rng(random_state)
    root = np.arange(1, columns + 1) ** (-decay / 2.0)
    truth = root ** (2.0 * gamma) / np.sqrt(columns)
    errors = []
    for n in sizes:
        distances = []
        for _ in range(repeats):
            X = rng.normal(size=(n, columns)) * root
            y = X @ truth + noise * rng.normal(size=n)
            model = RidgeRegression(n * ridge_penalty(n, gamma), fit_intercept=False)
            distances.append(np.sum((model.fit(X, y).coef_ - truth) ** 2))
        errors.append(np.mean(distances))
    return RateExperiment(np.array(sizes), np.array(errors), ridge_rate(gamma))
