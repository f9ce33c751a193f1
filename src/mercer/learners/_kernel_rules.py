"""Which constructor arguments of the kernel regressions make sense."""

from __future__ import annotations

import math
from numbers import Real

from mercer.learners._parameters import RULES, Rule

KERNEL_RULES: dict[str, Rule] = {
    "gamma": (lambda v: v is None or RULES["gamma"][0](v), f"None, {RULES['gamma'][1]}"),
    "degree": (
        lambda v: isinstance(v, Real) and 0 <= float(v) < math.inf,
        "a non-negative number",
    ),
    "kernel_params": (lambda v: v is None or isinstance(v, dict), "None or a dictionary"),
}
