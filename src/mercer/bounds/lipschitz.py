"""Bounds for Lipschitz functions on a metric space (von Luxburg's thesis, III.8).

The ramp loss min(1, max(0, 1 - y f)) only sees f clipped to [-1, 1], so the class that matters is
all |g| ≤ 1 with L(g) ≤ Λ: no diameter needs to be known. Λ is declared on a grid and paid for.
Several classes: one function each, and the ramp loss of half the lead of the right one.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Entry, Ledger
from mercer.bounds._lipschitz_record import Lipschitz
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds.numerics import integer_weights
from mercer.bounds.numerics.checks import log_level


def rademacher_risk(ramp: float, complexity: float, n: int, delta: float) -> float:
    """Ramp loss + 2 R̂ + 3 sqrt(ln(2/δ)/(2n)) for a class with conditional Rademacher value R̂."""
    return ramp + 2.0 * complexity + 3.0 * math.sqrt((math.log(2.0) - log_level(delta)) / (2.0 * n))


def theorem_iii_1(risk: float, complexity: float, n: int, delta: float) -> float:
    """R_emp + 2 R_n + sqrt(8 ln(2/δ)/n), with the expected Rademacher average, as in the thesis."""
    return risk + 2.0 * complexity + math.sqrt(8.0 * (math.log(2.0) - log_level(delta)) / n)


def sign_noise(n: int, draws: int, delta: float, classes: int = 2) -> float:
    """What the mean over ``draws`` sign vectors may lie below its expectation (McDiarmid).

    Another sign for one row moves the value of one function by at most 2/n, and that of the leads
    of several by at most classes/n.
    """
    return classes * math.sqrt(-log_level(delta) / (2.0 * n * draws))


def covering_complexity(radii: Any, constant: float, n: int) -> float:
    """Theorems 17, 21 and 22 on the sample: an upper limit on the conditional Rademacher value.

    inf over ε of 2ε + (4√2/√n) ∫_{ε/4}^{1} sqrt(N(u/(4Λ)) ln(2⌈2/u⌉ + 1)) du, where N counts balls
    that cover the rows; beyond u = 1 the zero function covers the class.
    """
    radii = np.sort(np.asarray(radii, dtype=np.float64))
    grid = np.geomspace(1e-4, 1.0, 400)
    # the integrand falls in u: its value at the left end of each cell bounds the cell
    counts = 1 + len(radii) - np.searchsorted(radii, grid / (4.0 * max(constant, 1e-300)), "right")
    return _chained(grid, np.sqrt(counts * np.log(2.0 * np.ceil(2.0 / grid) + 1.0)), n)


def _chained(grid: Any, height: Any, n: int) -> float:
    """Theorem 17 with a falling integrand given on a grid; no class of |g| ≤ 1 exceeds one."""
    cells = height[:-1] * np.diff(grid)
    tails = np.concatenate([np.cumsum(cells[::-1])[::-1], [0.0]])
    values = 8.0 * grid + 4.0 * math.sqrt(2.0 / n) * tails  # ε = 4u: 2ε = 8u
    return float(min(1.0, values.min()))


def centered_complexity(
    covering: Any, constant: float, n: int, *, as_printed: bool = False
) -> float:
    """Theorem 22 for a connected space, whose covering numbers are known.

    inf over ε of 2ε + (4√2/√n) ∫_{ε/4}^{1} sqrt(N(u/(2Λ)) ln 3 + ln(2⌈2/u⌉ + 1)) du. Centres of two
    balls that meet are within u/Λ, so a function rounded down to steps of u goes up one, stays or
    goes down one from ball to ball: three choices, and functions with equal choices differ by less
    than 2u. ``as_printed=True`` takes the thesis' two choices (Kolmogorov and Tihomirov, for spaces
    where any set of diameter 2r has a point within r of all of it), which we can show on the line
    only. ``covering(u)`` is N(X, u) of the whole space, e.g. 1/(2u) rounded up for [0, 1]; a finite
    sample is not connected, so that its own numbers will not do.
    """
    grid = np.geomspace(1e-4, 1.0, 400)
    counts = np.array([covering(u / (2.0 * max(constant, 1e-300))) for u in grid], dtype=float)
    choices = math.log(2.0 if as_printed else 3.0)
    height = np.sqrt(counts * choices + np.log(2.0 * np.ceil(2.0 / grid) + 1.0))
    return _chained(grid, height, n)


def rbf_complexity(covering: Any, profiles: Any, diameter: float, n: int) -> float:
    """Theorem 24: the unit ball of Σ |a_k| L(g_k), functions Σ a_k g_k(d(p_k, x)).

    ``covering(u)`` and ``profiles(u)`` are ln N(X, u) and ln N({g / L(g)}, u); the integral runs to
    2·diameter, where one ball covers for certain. The value is one-sided. The unit ball holds -h
    with every h = g(d(p, ·))/L(g), so let one of the two count both signs (ln 2 more), and the zero
    function where it alone covers, as :func:`mercer.bounds.lipschitz_sums.all_scales` does.
    """
    grid = np.geomspace(1e-5 * diameter, 2.0 * diameter, 600)
    height = np.sqrt([covering(u / 2.0) + profiles(u / 2.0) for u in grid])
    cells = height[:-1] * np.diff(grid)
    tails = np.concatenate([np.cumsum(cells[::-1])[::-1], [0.0]])
    return float((8.0 * grid + 4.0 * math.sqrt(2.0 / n) * tails).min())


def cube_rate(n: float, dimension: int) -> float:
    """How the Rademacher value of Lipschitz functions on [0, 1]^d falls with n (theorem 15).

    n^(-1/2) for d = 1, sqrt(ln n / n) for d = 2, n^(-1/d) beyond; without its constant. Functions
    of the LP machine fall like n^(-1/2) whatever d is.
    """
    if dimension < 1 or n < 1:
        raise ValueError(f"cube_rate needs n >= 1 and dimension >= 1, got {n} and {dimension}")
    if dimension == 1:
        return float(n) ** -0.5
    return math.sqrt(math.log(n) / n) if dimension == 2 else float(n) ** (-1.0 / dimension)


class _LipschitzBound(Bound):
    """Search over the declared constants 2^j; a subclass says what the class costs."""

    needs = ("lipschitz",)
    reads = ("margins", "errors")
    assumptions = (
        *Bound.assumptions,
        "the distance is a metric and was fixed before the data",
    )

    @abstractmethod
    def _complexity(self, record: Lipschitz, k: int, delta: float) -> tuple[float, float]:
        """The conditional Rademacher value at 2^exponents[k], and the δ that is left."""

    @staticmethod
    def _ramps(record: Lipschitz, margins: Any) -> list[float]:
        scales = [2.0**j / record.constant for j in record.exponents]
        return [float(np.mean(np.clip(1.0 - margins * s, 0.0, 1.0))) for s in scales]

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        record: Lipschitz = evidence.need("lipschitz")
        n = evidence.n
        if record.constant == 0.0:
            raise NotApplicable("the function is constant: it has no margin")
        losses = record.losses or self._ramps(record, evidence.need("margins"))
        best, which = math.inf, 0
        for k, (j, ramp) in enumerate(zip(record.exponents, losses, strict=True)):
            complexity, left = self._complexity(record, k, delta * integer_weights(j))
            value = rademacher_risk(ramp, complexity, n, left)
            best, which = min((best, which), (value, j))
        return Outcome(
            value=best,
            n=n,
            observed=None if evidence.errors is None else evidence.errors / n,
            ledger=Ledger((Entry(self.title, delta, "constants 2^j, weights ~1/(1+|j|)²"),)),
            counted=f"margins of {n} rows, Lipschitz constant 2^{which}",
            spent="all rows, for training and for the certificate",
            details={"constant": 2.0**which},
        )


class LipschitzRademacher(_LipschitzBound):
    """Theorem III.1 with the exact conditional Rademacher value of the class, by matching.

    R ≤ mean ramp loss + 2R̂ + 3√(ln(2/δ)/(2n)), R̂ that of all |g| ≤ 1 with constant at most Λ = 2^j.
    For each draw of signs the largest correlation of the class with noise is a matching problem;
    half of δ pays for drawing a few sign vectors instead of averaging over all.
    """

    code = "lipschitz-rademacher"
    title = "Lipschitz functions, exact complexity"
    reference = "von Luxburg 2004, theorem III.1; Bartlett and Mendelson 2002, theorem 8"
    provenance = "corrected"

    def _complexity(self, record: Lipschitz, k: int, delta: float) -> tuple[float, float]:
        if not record.complexity:
            raise NotApplicable("the complexity was too expensive for this many rows")
        noise = sign_noise(record.rows, record.draws, delta / 2.0, record.classes)
        return record.complexity[k] + noise, delta / 2.0

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Large margins and a simple space."""
        margins = np.linspace(0.2, 1.0, 100)
        record = Lipschitz(20000, 1.0, (-1, 0, 1), (0.02, 0.05, 0.1), 4)
        yield Evidence(20000, margins=margins, errors=0, lipschitz=record)


class LipschitzCovering(_LipschitzBound):
    """Theorem III.1 with the covering numbers of the rows (theorems 17, 21, 22).

    R ≤ mean ramp loss + 2R̂ + 3√(ln(2/δ)/(2n)), where R̂ is at most the smallest, over ε, of
    2ε + (4√2/√n) ∫_{ε/4}^{1} √(N(u/(4Λ))·ln(2⌈2/u⌉ + 1)) du; N counts balls that cover the rows.
    """

    code = "lipschitz-covering"
    title = "Lipschitz functions, covering numbers"
    reference = "von Luxburg 2004, theorems III.1, 17, 21 and 22"
    provenance = "corrected"

    def _complexity(self, record: Lipschitz, k: int, delta: float) -> tuple[float, float]:
        if record.radii is None:
            raise NotApplicable("needs the covering radii of the rows")
        constant = 2.0 ** record.exponents[k]
        functions = 1 if record.classes == 2 else record.classes  # the lead costs the sum of all
        return functions * covering_complexity(record.radii, constant, record.rows), delta

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Very many rows on few places."""
        margins = np.linspace(0.2, 1.0, 100)
        record = Lipschitz(10**6, 1.0, (-1, 0, 1), radii=np.array([1.0, 0.5, 0.01]))
        yield Evidence(10**6, margins=margins, errors=0, lipschitz=record)
