"""How much weight each class has, and how probable it is taken to be."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.learners._parameters import Rule

Floats = NDArray[np.float64]


def check_every_class(classes: NDArray[Any], mass: NDArray[np.float64]) -> None:
    """Refuse a class without weight, for learners that estimate something in every class."""
    if np.any(mass == 0):
        missing = classes[mass == 0].tolist()
        raise ValueError(f"Classes {missing} have no sample with positive weight.")


def _is_prior(value: object) -> bool:
    if isinstance(value, str):
        return value in ("estimated", "equal")
    try:
        shares = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return bool(shares.ndim == 1 and np.all(shares > 0) and np.isclose(shares.sum(), 1.0))


PRIOR: Rule = (_is_prior, "'estimated', 'equal' or positive numbers that sum to 1")


def class_shares(prior: ArrayLike, mass: Floats) -> Floats:
    """Probability of every class: its share of the weight, the same for all, or as given."""
    if isinstance(prior, str):
        return mass / mass.sum() if prior == "estimated" else np.full(len(mass), 1.0 / len(mass))
    given = np.asarray(prior, dtype=np.float64)
    if len(given) != len(mass):
        raise ValueError(f"prior has {len(given)} numbers; there are {len(mass)} classes")
    return given / given.sum()
