"""Watch the theorems: small simulations of the steps in their proofs.

Each function draws from a law it is given and returns numbers to plot or to check, so that a reader
can see a lemma hold (or see what it costs).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Estimator

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Symmetrization:
    """Both sides of a ghost-sample lemma, by simulation; the lemma says left ≤ right."""

    left: float  # probability over one sample
    right: float  # twice the probability over a double sample
    draws: int


def ghost_sample(
    probabilities: Any, m: int, epsilon: float, *, draws: int = 20000, random_state: int = 0
) -> Symmetrization:
    """sup_A |P(A) − ν(A)| > ε against twice sup_A |ν₁(A) − ν₂(A)| > ε/2, for disjoint events A.

    ``probabilities`` are the P(A) of finitely many disjoint events. Needs mε² > 2 (lemma C.1).
    """
    p = _law(probabilities)
    if m * epsilon**2 <= 2:
        raise ValueError(f"the lemma needs m·ε² > 2, got {m * epsilon**2:.3g}")
    rng = np.random.default_rng(random_state)
    first, second = (rng.multinomial(m, p, size=draws)[:, :-1] / m for _ in range(2))
    truth = p[:-1]
    left = np.mean(np.abs(first - truth).max(axis=1) > epsilon)
    right = np.mean(np.abs(first - second).max(axis=1) > epsilon / 2)
    return Symmetrization(float(left), 2.0 * float(right), draws)


def ghost_sample_zero_error(
    probabilities: Any, m: int, epsilon: float, *, draws: int = 20000, random_state: int = 0
) -> Symmetrization:
    """An unseen event with P(A) > ε against twice: unseen in one half, above ε/2 in the other.

    Needs mε > 2 (lemma C.2).
    """
    p = _law(probabilities)
    if m * epsilon <= 2:
        raise ValueError(f"the lemma needs m·ε > 2, got {m * epsilon:.3g}")
    rng = np.random.default_rng(random_state)
    first, second = (rng.multinomial(m, p, size=draws)[:, :-1] for _ in range(2))
    left = np.mean(((first == 0) & (p[:-1] > epsilon)).any(axis=1))
    right = np.mean(((first == 0) & (second > m * epsilon / 2)).any(axis=1))
    return Symmetrization(float(left), 2.0 * float(right), draws)


def swapping_probability(pattern: Any, *, draws: int = 20000, random_state: int = 0) -> float:
    """Chance that random swaps between halves leave the first half without the marked points.

    ``pattern`` has one row per pair (first half, second half) of marks. The proof uses that r
    marked points give at most 2^−r.
    """
    pattern = np.asarray(pattern, dtype=bool)
    if pattern.ndim != 2 or pattern.shape[1] != 2:
        raise ValueError("a pattern has two columns: marks of the first and of the second half")
    rng = np.random.default_rng(random_state)
    swap = rng.random((draws, len(pattern))) < 0.5
    first = np.where(swap, pattern[:, 1], pattern[:, 0])
    return float(np.mean(~first.any(axis=1)))


def no_free_lunch(
    domain: int, m: int, learner: Estimator, *, draws: int = 200, random_state: int = 0
) -> float:
    """Mean error off the sample over random labelings of a finite domain: 1/2 for every learner.

    ``learner`` is an estimator for rows of one number; the domain is 0 … domain−1.
    """
    from sklearn.base import clone

    if not 1 < m < domain:
        raise ValueError(f"needs 1 < m < domain, got m={m}, domain={domain}")
    rng = np.random.default_rng(random_state)
    points = np.arange(domain, dtype=float)[:, None]
    errors: list[float] = []
    while len(errors) < draws:
        labels = rng.choice((-1, 1), size=domain)
        seen = rng.permutation(domain)[:m]
        unseen = np.setdiff1d(np.arange(domain), seen)
        if len(np.unique(labels[seen])) < 2:
            continue
        model = clone(learner).fit(points[seen], labels[seen])
        errors.append(float(np.mean(model.predict(points[unseen]) != labels[unseen])))
    return float(np.mean(errors))


def plug_in_failure(
    m: int, *, tie: int = 2, draws: int = 20000, random_state: int = 0
) -> tuple[Floats, float]:
    """Parameters that converge while the plug-in rule stays bad (the book's example 4.2).

    Class 1 is uniform on [0, 1], class 2 on [−2, 0]; the model takes class y as uniform on [−θ, 0],
    except that θ = 1 means [0, 1]. θ is estimated by the largest |x|, which tends to (1, 2) but is
    never exactly 1, so class 1 is put on the wrong side. Returns the estimate and the risk: 3/4 if
    ties go to class 2, 1/4 if to class 1 (the text says 1/2). The Bayes risk is 0.
    """
    rng = np.random.default_rng(random_state)
    classes = rng.integers(1, 3, size=m)
    x = np.where(classes == 1, rng.random(m), -2.0 * rng.random(m))
    theta = np.array([np.abs(x[classes == c]).max(initial=0.5) for c in (1, 2)])
    truth = rng.integers(1, 3, size=draws)
    new = np.where(truth == 1, rng.random(draws), -2.0 * rng.random(draws))
    density = np.stack([((new <= 0) & (new >= -t)) / t for t in theta])
    says = np.where(density[0] > density[1], 1, 2)
    says = np.where(density[0] == density[1], tie, says)
    return theta, float(np.mean(says != truth))


def _law(probabilities: Any) -> Floats:
    p = np.asarray(probabilities, dtype=float)
    if p.ndim != 1 or p.min() < 0 or p.sum() > 1 + 1e-12:
        raise ValueError("probabilities of disjoint events: non-negative, summing to at most one")
    return np.append(p, max(0.0, 1.0 - p.sum()))
