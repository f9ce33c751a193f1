"""A check that the gate makes before a number about some rows is printed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from mercer.certification.checks.case import Case
from mercer.certification.checks.finding import Finding


class Inspection(ABC):
    """One kind of trouble that rows can be in; found by discovery, one per file.

    ``name`` is the code of its findings. ``exact``: what it finds is so; otherwise its findings
    carry a p-value, and the gate divides its level over all such checks.
    """

    name: ClassVar[str]
    exact: ClassVar[bool] = False

    @abstractmethod
    def look(self, case: Case) -> list[Finding]:
        """What is the matter with the rows; empty if nothing was found."""
