"""How much of a sphere a cap covers, in logarithms."""

from __future__ import annotations

import math

from scipy.special import betainc

from mercer.bounds.numerics.binomial import _continued_fraction
from mercer.bounds.numerics.checks import as_count
from mercer.bounds.numerics.combinatorics import stirling_error


def log_cap_fraction(dimension: int, margin: float) -> float:
    """Ln of the share of the unit sphere of R^d within angle arcsin(margin) of a pole.

    The share is ½·I_{margin²}((d−1)/2, ½). A cap of this size around w lies inside the version
    space when w separates the sample with normalised margin ``margin``.
    """
    d = _dimension(dimension, margin)
    if d == 1 or margin == 1.0:
        return -math.log(2.0)  # one of the two points of S^0; half of the sphere
    a, x = 0.5 * (d - 1), margin * margin
    direct = float(betainc(a, 0.5, x))
    if direct > 1e-280:
        return math.log(direct) - math.log(2.0)
    log_lead = a * math.log(x) + 0.5 * math.log1p(-x) - math.log(a) - _log_beta_half(a)
    return log_lead - math.log(_continued_fraction(a, 0.5, x)) - math.log(2.0)


def log_cap_bound(dimension: int, margin: float, *, sharp: bool = False) -> float:
    """The book's lower bound −d·ln(1/(1−√(1−margin²))) − ln 2 on :func:`log_cap_fraction`.

    ``sharp=True`` takes the exponent that the book's proof gives (Herbrich C.15): d − 2 for odd
    d ≥ 3, else d − 1, which follows from the next odd dimension because caps shrink with d.
    """
    d = _dimension(dimension, margin)
    x = margin * margin / (1.0 + math.sqrt((1.0 - margin) * (1.0 + margin)))
    exponent = d if not sharp else d - 2 if d % 2 and d > 1 else d - 1
    return exponent * math.log(x) - math.log(2.0)


def _dimension(dimension: int, margin: float) -> int:
    d = as_count(dimension, "dimension")
    if d < 1:
        raise ValueError("the dimension must be at least 1")
    if not 0.0 < margin <= 1.0:
        raise ValueError(f"the normalised margin must lie in (0, 1], got {margin!r}")
    return d


def _log_beta_half(a: float) -> float:
    """Ln B(a, ½), without subtracting two large log-gammas."""
    if a < 20:
        return math.lgamma(a) + 0.5 * math.log(math.pi) - math.lgamma(a + 0.5)
    b = a - 0.5  # Γ(a) = Γ((a-1)+1) and Γ(a+1/2) = Γ(b+1)
    ratio = (a - 0.5) * math.log(a - 1.0) - (a - 1.0) + stirling_error(a - 1.0)
    ratio -= (b + 0.5) * math.log(b) - b + stirling_error(b)
    return ratio + 0.5 * math.log(math.pi)
