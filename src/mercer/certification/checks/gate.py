"""Run the assumption checks that fit what a certified fit did with its rows."""

from __future__ import annotations

import numpy as np

from mercer.certification.checks.check import Check
from mercer.certification.checks.drift import check_drift
from mercer.certification.checks.duplicates import check_duplicates
from mercer.certification.checks.exchangeability import check_exchangeability
from mercer.certification.core.task import Result, Task


def run_checks(task: Task, result: Result) -> tuple[Check, ...]:
    """Row order (unless time order was declared), rows on both sides of the split, the pool."""
    if task.rows.pairwise:
        task.notes.append("Checks were left out: a kernel matrix has no columns to look at.")
        return ()
    found = []
    with task.timed("checks"):
        try:
            if task.order.kind == "random":
                found.append(check_exchangeability(task.rows.X, task.rows.y))
            unseen = np.setdiff1d(result.counted, result.train)
            if unseen.size:
                train = np.asarray(result.train)
                sides = (task.rows.take(train), task.rows.take(unseen))
                found.append(check_duplicates(*sides))
            if task.options["pool"] is not None:
                found.append(check_drift(task.rows.X, task.options["pool"]))
        except (TypeError, ValueError) as problem:  # objects, gaps
            task.notes.append(f"A check could not be made: {problem}.")
    return tuple(found)
