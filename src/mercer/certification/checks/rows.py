"""Look at rows before they are spent: copies become groups, the rest is told with the number."""

from __future__ import annotations

import numpy as np

from mercer.certification.checks.case import Case
from mercer.certification.checks.finding import Verdict
from mercer.certification.checks.gate import grouped, look_at
from mercer.certification.core.order import Order, make_order
from mercer.certification.core.rows import Rows

_FEWEST = 10  # groups below which a limit over groups says nothing


def look_before_spending(rows: Rows, order: Order, whole: bool) -> tuple[Order, Verdict]:
    """The order of spending, copies kept together if whole groups can be, and what was found."""
    unit = None
    if order.kind == "groups":  # copies inside one group stay on one side
        unit = np.empty(rows.n, dtype=np.intp)
        unit[order.rows] = order.unit_of(0)
    case = Case(rows.X, rows.y, rows.pairwise, unit, order.kind)
    verdict = look_at(case)
    units, mended = grouped(verdict)
    if units is None or not whole or order.kind != "random" or units.max() + 1 < _FEWEST:
        return order, verdict
    return make_order(rows.n, order.seed, groups=units), mended
