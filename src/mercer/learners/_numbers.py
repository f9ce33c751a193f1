"""Rules for numbers among the constructor arguments."""

from __future__ import annotations

import math
from numbers import Real

from mercer.learners.margin._parameters import Rule

non_negative: Rule = (
    lambda v: isinstance(v, Real) and not isinstance(v, bool) and 0 <= float(v) < math.inf,
    "a non-negative number",
)
positive: Rule = (
    lambda v: isinstance(v, Real) and not isinstance(v, bool) and 0 < float(v) < math.inf,
    "a positive number",
)
