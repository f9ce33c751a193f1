"""Which fresh rows are counted: those that are independent of each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _num_samples

from mercer._types import Samples
from mercer.certification.checks.case import Case
from mercer.certification.checks.finding import Verdict
from mercer.certification.checks.gate import grouped, look_at
from mercer.certification.core import arguments
from mercer.certification.core.order import group_codes, one_of_each
from mercer.learners.describe import is_pairwise


def rows_to_count(
    model: object, X: Samples, truth: NDArray[Any], groups: ArrayLike | None = None
) -> tuple[NDArray[np.intp], Case, Verdict]:
    """Fresh rows that are independent of each other: one of each group, and one of all copies."""
    unit = None
    if groups is not None:
        unit = group_codes(arguments.column(groups, _num_samples(X), "groups"))
    kind = "random" if unit is None else "groups"
    case = Case(X, truth, is_pairwise(model), unit, kind, fresh=True)
    looked = look_at(case)
    if unit is None:
        unit, looked = grouped(looked)
    return np.arange(len(truth)) if unit is None else one_of_each(unit), case, looked
