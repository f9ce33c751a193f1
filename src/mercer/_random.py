"""What ``random_state`` means: None, a whole number, or one of NumPy's two kinds of generator."""

from __future__ import annotations

import numpy as np

from mercer._types import RandomState


def seed_of(random_state: RandomState) -> int:
    """A whole number to start a generator with.

    None draws it from NumPy's global state, as scikit-learn's None does: ``np.random.seed`` at the
    top of a program repeats all of it.
    """
    if random_state is None:
        return int(np.random.randint(2**31 - 1))  # noqa: NPY002
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if not whole or random_state < 0:
        raise ValueError(
            f"random_state must be None, a whole number >= 0 or a generator; got {random_state!r}"
        )
    return int(random_state)


def generator(random_state: RandomState) -> np.random.Generator:
    """A generator of its own, seeded the way scikit-learn draws seeds."""
    if not isinstance(random_state, np.random.RandomState):
        random_state = np.random.RandomState(seed_of(random_state))
    return np.random.default_rng(random_state.randint(2**31 - 1))
