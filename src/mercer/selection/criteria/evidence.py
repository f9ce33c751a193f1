"""The evidence: how probable the targets are under a Gaussian process with this kernel."""

from __future__ import annotations

from mercer.selection._case import Case
from mercer.selection.criteria._base import Criterion, NotForThis, Score


class LogEvidence(Criterion):
    """Minus the log evidence per row; kernel ridge is the mean of such a process.

    Relevance vector machines have one of their own (several classes: the sum over the machines).
    """

    code = "evidence"
    title = "evidence of a Gaussian process"
    reference = "MacKay 1992; Rasmussen and Williams 2006, section 5.4"
    kind = "heuristic"
    tasks = frozenset({"classification", "regression"})
    learners = frozenset({"ridge", "gp", "rvm"})

    def _score(self, case: Case) -> Score:
        """Of kernel ridge: the variance of the process at its best, the noise is alpha times it."""
        if "ridge" not in case.extra:
            raise NotForThis("the evidence was not computed for this learner")
        value = case.extra["ridge"].log_evidence
        return Score(-value, {"log evidence per row": value})
