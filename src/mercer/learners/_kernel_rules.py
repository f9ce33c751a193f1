"""Which constructor arguments of the kernel regressions make sense."""

from __future__ import annotations

import math
from numbers import Real

from mercer.kernels._sklearn import SKLEARN_KERNELS
from mercer.learners._parameters import RULES, Rule

KERNEL_RULES: dict[str, Rule] = {
    "kernel": (
        lambda v: callable(v) or (isinstance(v, str) and v in SKLEARN_KERNELS),
        f"one of {SKLEARN_KERNELS}, a mercer Kernel or a callable",
    ),
    "gamma": (lambda v: v is None or RULES["gamma"][0](v), f"None, {RULES['gamma'][1]}"),
    "degree": (
        lambda v: isinstance(v, Real) and 0 <= float(v) < math.inf,
        "a non-negative number",
    ),
}
