"""What a Lipschitz machine publishes for bounds: how well its class follows random signs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Lipschitz
from mercer.learners.metric._matching import noise_fit
from mercer.metrics import farthest_first

Floats = NDArray[np.float64]

_DRAWS = 4  # of random signs, for the complexity of the class
_SIGNS = (20041124, 8)  # a seed that nobody draws data with: the signs must not know the rows
_LARGEST_NOISE = 6000  # objects times classes up to which matchings of random signs are affordable
_AROUND = range(-3, 3)  # powers of two around the function's own constant


def covering_radii(D: Floats) -> Floats:
    """Radii of a farthest-first traversal."""
    return farthest_first(D)[1][1:] if len(D) > 1 else np.zeros(0)


def kept_distances(D: Floats, classes: int) -> Floats | None:
    """The distances, if random signs on them will be affordable."""
    return D if len(D) * classes <= _LARGEST_NOISE else None


def two_class_record(
    D: Floats | None, radii: Floats, margins: Floats, constant: float
) -> Lipschitz:
    """One function with values in [-1, 1] or clipped there; margins are y f(x)."""
    n = len(margins)
    exponents = _exponents(constant)
    scales = [2.0**j / constant if constant > 0 else 1.0 for j in exponents]
    losses = tuple(float(np.mean(np.clip(1.0 - margins * s, 0.0, 1.0))) for s in scales)
    complexity: tuple[float, ...] = ()
    if D is not None:
        complexity = tuple(
            float(np.mean([noise_fit(D, s, 2.0**j) for s in _signs(n)])) for j in exponents
        )
    return Lipschitz(n, constant, exponents, complexity, _DRAWS, radii, losses)


def regression_record(
    D: Floats | None, radii: Floats, errors: Floats, constant: float, span: float
) -> Lipschitz:
    """A function with values in an interval of length ``span``: half of that is the unit.

    The function itself must be in the class, so only the next power of two will do.
    """
    n, scaled = len(errors), 2.0 * constant / span
    exponent = int(np.ceil(np.log2(scaled))) if scaled > 0 else -20
    complexity: tuple[float, ...] = ()
    if D is not None:
        complexity = (float(np.mean([noise_fit(D, s, 2.0**exponent) for s in _signs(n)])),)
    losses = (float(np.mean(errors)) / span,)
    return Lipschitz(n, scaled, (exponent,), complexity, _DRAWS, radii, losses)


def many_class_record(
    D: Floats | None, radii: Floats, values: Floats, constants: Floats, codes: NDArray[np.intp]
) -> Lipschitz:
    """One function per class, the largest wins: half the lead of the right one is the margin.

    The ramp loss of half the lead is a contraction of it, and the class of such leads follows
    signs at most as well as Σ_k ½ (class k on its own rows + class k on all other rows): the
    right function is looked at on its own rows, the largest of the others on the rest, and a
    maximum costs at most the sum.
    """
    n, classes = len(codes), len(values)
    constant = float(constants.max())
    exponents = _exponents(constant)
    own = np.arange(classes)[:, None] == codes[None, :]
    losses = []
    for j in exponents:
        clipped = np.clip(values * (2.0**j / constant if constant > 0 else 1.0), -1.0, 1.0)
        lead = clipped[codes, np.arange(n)] - np.where(own, -np.inf, clipped).max(axis=0)
        losses.append(float(np.mean(np.clip(1.0 - lead / 2.0, 0.0, 1.0))))
    complexity: tuple[float, ...] = ()
    if D is not None:
        complexity = tuple(
            float(np.mean([_lead_fit(D, s, 2.0**j, own) for s in _signs(n)])) for j in exponents
        )
    return Lipschitz(n, constant, exponents, complexity, _DRAWS, radii, tuple(losses), classes)


def _lead_fit(D: Floats, signs: Floats, constant: float, own: NDArray[np.bool_]) -> float:
    total = 0.0
    for mask in own:
        for part in (np.flatnonzero(mask), np.flatnonzero(~mask)):
            total += len(part) * noise_fit(D[np.ix_(part, part)], signs[part], constant)
    return total / (2.0 * len(signs))


def _exponents(constant: float) -> tuple[int, ...]:
    middle = round(float(np.log2(constant))) if constant > 0 else -20
    return tuple(middle + step for step in _AROUND)


def _signs(n: int) -> Floats:
    return np.random.default_rng(_SIGNS).choice([-1.0, 1.0], size=(_DRAWS, n))
