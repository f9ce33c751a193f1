"""Kernel machines, whose kernel and cost a search chooses; columns at several scales."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler

from mercer._types import Samples
from mercer.tables.contest.entrant import Case, Entrant, cutting
from mercer.tables.forms import have_one_unit


class OwnScale(Entrant):
    """Every column at its own scale."""

    name, title, order = "kernel", "kernel machine", 10
    kernel = True

    def suits(self, case: Case) -> bool:
        """Always: kernels are for every kind of data."""
        return True

    def prepared(self, case: Case) -> tuple[Any, Any]:
        """Coordinates of a table; anything else as it is, sparse columns at length one."""
        if case.kind == "table":
            return case.form("coordinates")
        if case.kind in ("sparse", "distance"):
            return case.rows_as("scaled", MaxAbsScaler())
        return case.rows_as("given", FunctionTransformer(None))

    def settings(self, case: Case, Z: Samples) -> Iterator[tuple[str, Any]]:
        """The winner of a search."""
        blocks = case.looked_at.blocks_ if case.kind == "table" else None
        search = case.machine.search_kernels(Z, case.y, blocks)
        yield "", search


class CommonScale(Entrant):
    """Columns of numbers that share a unit, such as pixels, at one scale."""

    # first where it suits: of pixels at their own scales those that vary little are mostly noise,
    # and with little time there may be no second search
    name, title, order = "kernel", "kernel machine, common scale", 5
    kernel = True

    def suits(self, case: Case) -> bool:
        """Many columns of numbers, of like range."""
        if case.kind != "table":
            return False
        used = case.looked_at.used_
        numbers = [j for j, kind in zip(used, case.kinds(), strict=True) if kind == "number"]
        return have_one_unit(case.table, numbers)

    def prepared(self, case: Case) -> tuple[Any, Any]:
        """Coordinates at one scale."""
        return case.form("common")

    def settings(self, case: Case, Z: Samples) -> Iterator[tuple[str, Any]]:
        """The winner of a search over Gaussians; sums over columns have been tried already."""
        yield "", case.machine.search_kernels(Z, case.y, None)


class Terms(Entrant):
    """Texts in a table by words and letters in a row: string kernels as inner products."""

    name, title, order = "kernel", "kernel machine on words and letters", 40
    kernel = True

    def suits(self, case: Case) -> bool:
        """A column of texts."""
        return case.kind == "table" and "text" in case.kinds() and not case.trial

    def preparing(self, case: Case) -> float:
        """Texts take the time."""
        return cutting(case)

    def prepared(self, case: Case) -> tuple[Any, Any]:
        """Indicators and counts of words."""
        return case.form("sparse")

    def settings(self, case: Case, Z: Samples) -> Iterator[tuple[str, Any]]:
        """The winner of a search over the linear and the Gaussian kernel of the counts."""
        yield "", case.machine.search_kernels(Z, case.y, None, kernels=["linear", "gaussian"])
