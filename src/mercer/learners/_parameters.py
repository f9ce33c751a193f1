"""Checks of constructor arguments, made at the start of ``fit`` as scikit-learn asks."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np

from mercer.kernels import SKLEARN_KERNELS
from mercer.learners._publishes import IN_SAMPLE

Rule = tuple[Callable[[Any], bool], str]


def number(test: Callable[[float], bool]) -> Callable[[Any], bool]:
    """Test: a real number, not a flag and not NaN, for which ``test`` holds."""

    def holds(value: object) -> bool:
        if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
            return False
        return not math.isnan(float(value)) and test(float(value))

    return holds


def whole(lowest: int) -> Callable[[Any], bool]:
    """Test: a whole number of at least ``lowest``."""

    def holds(value: object) -> bool:
        return (
            isinstance(value, Integral)
            and not isinstance(value, bool | np.bool_)
            and int(value) >= lowest
        )

    return holds


def _flag(value: object) -> bool:
    return isinstance(value, bool | np.bool_) or (isinstance(value, Integral) and int(value) >= 0)


def none_or(rule: Rule) -> Rule:
    """Rule: the value is None or keeps the other rule."""
    test, wanted = rule
    return (lambda value: value is None or test(value)), f"None or {wanted}"


def one_of(*options: str) -> Rule:
    """Rule: the value is one of these strings."""
    return (lambda value: isinstance(value, str) and value in options), f"one of {options}"


positive: Rule = (number(lambda v: 0 < v < math.inf), "a positive number")
non_negative: Rule = (number(lambda v: 0 <= v < math.inf), "a non-negative number")
flag: Rule = (_flag, "True or False")
positive_whole: Rule = (whole(1), "a positive whole number")

# What a name means wherever it is a constructor argument; a learner adds rules or replaces them.
RULES: dict[str, Rule] = {
    "kernel": (
        lambda value: callable(value) or (isinstance(value, str) and value in SKLEARN_KERNELS),
        f"one of {SKLEARN_KERNELS}, a mercer Kernel or a callable",
    ),
    "C": (number(lambda v: v > 0), "a positive number (inf for the hard margin)"),
    "nu": (number(lambda v: 0 < v <= 1), "a number in (0, 1]"),
    "epsilon": non_negative,
    "degree": (whole(0), "a non-negative whole number"),
    "gamma": (
        lambda value: (
            value in ("scale", "auto")
            if isinstance(value, str)
            else number(lambda v: 0 <= v < math.inf)(value)
        ),
        "'scale', 'auto' or a non-negative number",
    ),
    "coef0": (number(math.isfinite), "a finite number"),
    "tol": positive,
    "cache_size": (
        lambda value: value == "auto" if isinstance(value, str) else number(lambda v: v > 0)(value),
        "'auto' or a positive number of megabytes",
    ),
    "max_iter": (whole(-1), "-1 (no limit) or a non-negative whole number"),
    "time_limit": none_or((number(lambda v: v > 0), "a positive number of seconds")),
    "n_jobs": none_or(
        (
            lambda v: whole(-(10**6))(v) and v != 0,
            "-1 (all cores) or a positive number of threads",
        )
    ),
    "class_weight": (
        lambda value: value is None or isinstance(value, dict) or value == "balanced",
        "None, 'balanced' or a dict from class to weight",
    ),
    "delta": (number(lambda v: 0 < v < 1), "a number strictly between 0 and 1"),
    "decision_function_shape": one_of("ovr", "ovo"),
    "multi_class": one_of("ovo", "ovr", "dag"),
    **dict.fromkeys(
        ("shrinking", "verbose", "probability", "break_ties", "fit_intercept", "warm_start"),
        flag,
    ),
}


def check_certify(estimator: object, value: object) -> None:
    """Refuse what is neither ``"in-sample"`` nor None, and name what spends rows instead."""
    if value is None or value == IN_SAMPLE:
        return
    name = type(estimator).__name__
    wanted = f"The 'certify' parameter of {name} must be {IN_SAMPLE!r} or None; got {value!r}."
    if isinstance(value, str | list | tuple) and len(value):
        mode = f'"{value}"' if isinstance(value, str) else repr(value)
        raise ValueError(
            f"{wanted} A learner trains on all the rows it is given. To spend some, use "
            f"mercer.certified_fit({name}(...), X, y, mode={mode}), or, in scikit-learn code, "
            f"mercer.Certified({name}(...), mode={mode}) around the whole pipeline."
        )
    raise ValueError(wanted)


def check_parameters(estimator: object, extra: dict[str, Rule] | None = None) -> None:
    """Raise a ValueError that names the first constructor argument that makes no sense."""
    rules = RULES | (extra or {})
    for name, value in vars(estimator).items():
        if name == "certify" and name not in rules:
            check_certify(estimator, value)
        if name not in rules:
            continue
        holds, wanted = rules[name]
        if not holds(value):
            raise ValueError(
                f"The {name!r} parameter of {type(estimator).__name__} must be {wanted}; "
                f"got {value!r}."
            )
