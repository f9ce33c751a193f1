"""Time limits and progress of learners whose steps are Python's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mercer.learners._progress import ProgressLine
from mercer.solvers.watch import Watch

TOL = 1e-3  # of those that have no ``tol``


@contextmanager
def watched(estimator: object) -> Iterator[Watch]:
    """By ``time_limit`` and ``verbose`` of the estimator."""
    limit = getattr(estimator, "time_limit", None)
    if not getattr(estimator, "verbose", False):
        yield Watch(limit)
        return
    with ProgressLine(type(estimator).__name__, getattr(estimator, "tol", TOL)) as line:
        yield Watch(limit, line)
