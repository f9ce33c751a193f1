"""Optima that say nothing: a fit that ends in the zero function says so."""

from __future__ import annotations

import warnings


class NothingLearnedWarning(UserWarning):
    """The optimum is the zero function, so that every row gets the same answer."""


def warn_of_nothing(model: object, advice: str) -> None:
    """Tell whoever called ``fit`` that no row got a coefficient."""
    warnings.warn(
        f"{type(model).__name__}: the optimum is the function that is zero everywhere, and every "
        f"row gets the same answer. {advice}",
        NothingLearnedWarning,
        stacklevel=7,
    )
