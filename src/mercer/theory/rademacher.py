"""Rademacher complexities, and the risk bounds of the lecture notes that use them.

Everything here is about the class {f : ‖f‖ ≤ R} of a kernel space, or an explicit list of outputs.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from mercer.bounds.numerics.checks import log_level

_MOST_ROWS = 20


def exact_complexity(outputs: Any, *, absolute: bool = False) -> float:
    """E sup_f (1/n)Σ ε_i f(x_i) over all 2^n signs, for functions listed as rows of ``outputs``."""
    outputs = np.atleast_2d(np.asarray(outputs, dtype=float))
    n = outputs.shape[1]
    _check_rows(n)
    signs = np.array(list(product((-1.0, 1.0), repeat=n)))
    sums = outputs @ signs.T / n
    return float(np.mean((np.abs(sums) if absolute else sums).max(axis=0)))


def exact_ball_complexity(gram: Any, ball: float = 1.0) -> float:
    """(R/n)·E√(ε'Gε) over all 2^n signs: the ball of radius R in the kernel's own space."""
    gram = np.asarray(gram, dtype=float)
    n = len(gram)
    _check_rows(n)
    signs = np.array(list(product((-1.0, 1.0), repeat=n)))
    squares = np.einsum("si,ij,sj->s", signs, gram, signs)
    return ball / n * float(np.mean(np.sqrt(np.maximum(squares, 0.0))))


def simulated_ball_complexity(
    gram: Any, ball: float = 1.0, *, draws: int = 2000, random_state: int = 0
) -> tuple[float, float]:
    """The same by drawing signs; value and standard error."""
    gram = np.asarray(gram, dtype=float)
    n = len(gram)
    rng = np.random.default_rng(random_state)
    signs = rng.choice((-1.0, 1.0), size=(draws, n))
    squares = np.einsum("si,si->s", signs @ gram, signs)
    values = ball / n * np.sqrt(np.maximum(squares, 0.0))
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(draws))


def trace_limit(gram: Any, ball: float = 1.0) -> float:
    """R·√tr(G)/n, an upper limit of the complexity by Jensen's inequality."""
    gram = np.asarray(gram, dtype=float)
    return ball * math.sqrt(float(np.trace(gram))) / len(gram)


def dual_norm_complexity(
    features: Any,
    ball: float = 1.0,
    *,
    order: float = np.inf,
    draws: int = 2000,
    random_state: int = 0,
) -> tuple[float, float]:
    """(R/n)·E‖Σ ε_i φ(x_i)‖_q for the ball ‖w‖_p ≤ R, 1/p + 1/q = 1; value and standard error.

    ``order`` is q, that of the dual norm: infinity for sparse weights (p = 1), 2 for the kernel
    ball, 1 for weights bounded one by one (p = ∞). Rows of ``features`` are the φ(x_i).
    """
    features = np.asarray(features, dtype=float)
    if features.ndim != 2 or not len(features) or not order >= 1:
        raise ValueError("needs one row of features per point, and an order of at least 1")
    rng = np.random.default_rng(random_state)
    signs = rng.choice((-1.0, 1.0), size=(draws, len(features)))
    values = ball / len(features) * np.linalg.norm(signs @ features, ord=order, axis=1)
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(draws))


def norm_limit(n: int, ball: float, second_moment: float) -> float:
    """R·√(E‖φ(x)‖²)/√n, an upper limit before the sample is seen."""
    return ball * math.sqrt(second_moment / n)


def contraction(lipschitz: float, complexity: float) -> float:
    """At most Q times the complexity remains after a Q-Lipschitz loss (Talagrand's lemma)."""
    return lipschitz * complexity


def deviation(n: int, delta: float, *, largest: float = 1.0, signed: bool = True) -> float:
    """From expectation to probability: ℓ∞√(2 ln(1/δ)/n) for |ℓ| ≤ ℓ∞, half of it for ℓ ≥ 0."""
    return largest * math.sqrt(-log_level(delta) / n) * (math.sqrt(2.0) if signed else 0.5**0.5)


def excess_bound(
    n: int,
    delta: float,
    complexity: float,
    *,
    lipschitz: float = 1.0,
    largest: float = 1.0,
    approximation: float = 0.0,
) -> float:
    """2ℓ∞√(2 ln(1/δ)/n) + 4Q·R_n(F) + A(F): the minimiser's excess over the best function of all.

    Without ``approximation`` it is the excess over the best function of the class. R_n may be the
    one-sided complexity: sup(L − L̂) + L̂(best) − L(best) has mean at most 2Q·R_n and moves by at
    most 4ℓ∞/n with one row, so that even 2Q·R_n would do.
    """
    return 2.0 * deviation(n, delta, largest=largest) + 4.0 * lipschitz * complexity + approximation


def ball_approximation_error(
    ball: float, best_norm: float, *, lipschitz: float = 1.0, mean_length: float = 1.0
) -> float:
    """A(F) ≤ Q·E‖φ(x)‖·max(‖w*‖ − R, 0): what a ball too small for the best function costs."""
    return lipschitz * mean_length * max(best_norm - ball, 0.0)


def ball_bound(
    n: int,
    delta: float,
    ball: float,
    best_norm: float,
    *,
    lipschitz: float = 1.0,
    second_moment: float = 1.0,
    largest: float = 1.0,
) -> float:
    """Estimation plus approximation for the ball of radius R.

    ``lipschitz`` and ``largest`` are those of the loss, ``second_moment`` is E‖φ(x)‖².
    """
    approximation = ball_approximation_error(
        ball, best_norm, lipschitz=lipschitz, mean_length=math.sqrt(second_moment)
    )
    complexity = norm_limit(n, ball, second_moment)
    return excess_bound(
        n,
        delta,
        complexity,
        lipschitz=lipschitz,
        largest=largest,
        approximation=approximation,
    )


def best_ball(n: int, delta: float, best_norm: float, **facts: float) -> tuple[float, float]:
    """The radius that minimises :func:`ball_bound`, and the bound there.

    Both parts are straight lines in R up to ‖w*‖, so the best is nothing or all of it.
    """
    ends = ((ball_bound(n, delta, r, best_norm, **facts), r) for r in (0.0, best_norm))
    value, radius = min(ends)
    return radius, value


def ramp_bound(n: int, delta: float, margin: float, second_moment: float = 1.0) -> float:
    """2√(2 ln(1/δ)/n) + 4√(E‖φ‖²)/(ρ√n): excess of the ramp-loss machine over the best hinge risk.

    The minimiser it speaks of is that of the ramp loss over ‖w‖ ≤ 1/ρ, which is not convex; a
    hinge-loss machine replaces it in practice, and then this is a guide, not a guarantee.
    """
    return excess_bound(
        n, delta, norm_limit(n, 1.0 / margin, second_moment), lipschitz=1.0, largest=1.0
    )


def _check_rows(n: int) -> None:
    if n > _MOST_ROWS:
        raise ValueError(
            f"{n} rows have 2^{n} signs; up to {_MOST_ROWS} rows can be enumerated, "
            "use simulated_ball_complexity or trace_limit beyond"
        )
