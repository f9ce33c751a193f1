"""Choosing kernels and parameters: criteria, and the search that uses them."""

from mercer.selection import criteria
from mercer.selection._outcome import EveryCandidateFailed, Outcome
from mercer.selection._search import KernelSearch
from mercer.selection.space import Candidate

__all__ = ["Candidate", "EveryCandidateFailed", "KernelSearch", "Outcome", "criteria"]
