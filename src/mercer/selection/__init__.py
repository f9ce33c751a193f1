"""Choosing kernels and parameters: criteria, and the search that uses them."""

from mercer._discover import rooms
from mercer.selection import criteria
from mercer.selection._outcome import EveryCandidateFailed, Outcome
from mercer.selection._search import KernelSearch
from mercer.selection.machines import Case, cases_of
from mercer.selection.space import Candidate

__all__ = [
    "Candidate",
    "Case",
    "EveryCandidateFailed",
    "KernelSearch",
    "Outcome",
    "cases_of",
    "criteria",
]

__getattr__, __dir__ = rooms(__name__)
