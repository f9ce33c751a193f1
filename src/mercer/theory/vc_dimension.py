"""VC dimensions that are known, by the name of the class."""

from __future__ import annotations

import math
from collections.abc import Callable

VCDimension = Callable[..., float]

KNOWN: dict[str, VCDimension] = {
    "homogeneous": lambda d: d,
    "affine": lambda d: d + 1,
    "half-lines": lambda: 1,
    "intervals": lambda: 2,
    "circles": lambda: 1,
    "signed circles": lambda: 2,
    "boxes": lambda d: 2 * d,
    "polynomial": lambda d, degree: math.comb(d + degree, degree),
    "homogeneous polynomial": lambda d, degree: math.comb(d + degree - 1, degree),
    "gaussian": lambda: math.inf,
    "nearest neighbour": lambda: math.inf,
    "sine": lambda: math.inf,
    "odd monotone": lambda: 1,
    "finite": lambda size: math.floor(math.log2(size)),  # at most
    "vector space": lambda dimension: dimension,  # signs of a space of functions: at most
    "canonical": lambda radius, norm: (radius * norm) ** 2,  # at most; the class depends on x
}
MEANING = {
    "homogeneous": "hyperplanes through the origin of R^d",
    "affine": "hyperplanes of R^d with an offset",
    "half-lines": "half-lines (−∞, x]",
    "intervals": "intervals on the line",
    "circles": "sign(|x|² − b)",
    "signed circles": "sign(q|x|² − b)",
    "boxes": "axis-parallel boxes in R^d",
    "polynomial": "machines with the complete polynomial kernel (⟨x,y⟩ + c)^degree",
    "homogeneous polynomial": "machines with the kernel ⟨x,y⟩^degree",
    "gaussian": "machines with a Gaussian kernel",
    "nearest neighbour": "nearest-neighbour rules",
    "sine": "sign(sin(wx)), one parameter",
    "odd monotone": "sign(Σ|w_i x^i| sign(x) + w_0), any number of parameters",
    "finite": "at most this, for a finite class",
    "vector space": "at most this, for signs of functions of a vector space",
    "canonical": "at most this, for canonical hyperplanes with |w| ≤ norm on points in a ball",
}


def vc_dimension_of(name: str, *args: float) -> float:
    """The VC dimension of a named class, e.g. ``vc_dimension_of("affine", 2)`` is 3.

    ``vc_dimension_of("polynomial", d, degree)``, ``("boxes", d)``, ``("canonical", radius, norm)``;
    `KNOWN` lists the names, `MEANING` what they are.
    """
    if name not in KNOWN:
        raise ValueError(f"unknown class {name!r}; there are {sorted(KNOWN)}")
    if any(not number >= 0 for number in args) or (name == "finite" and args == (0,)):
        raise ValueError(f"{name!r} ({MEANING[name]}) needs sizes of at least zero, got {args}")
    try:
        return KNOWN[name](*args)
    except TypeError:
        wanted = KNOWN[name].__code__.co_varnames[: KNOWN[name].__code__.co_argcount]
        need = ", ".join(wanted) or "no further numbers"
        raise ValueError(f"{name!r} ({MEANING[name]}) needs {need}; got {args}") from None
