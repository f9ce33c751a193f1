"""How probable the targets are under a Gaussian process with this kernel."""

from __future__ import annotations

from mercer.selection._case import Case
from mercer.selection.criteria._base import Criterion, NotForThis, Score


class LogMarginalLikelihood(Criterion):
    """Minus the log marginal likelihood per row; kernel ridge is the mean of such a process.

    Relevance vector machines have one of their own (several classes: the sum over the machines).
    """

    code = "marginal-likelihood"
    title = "marginal likelihood of a Gaussian process"
    reference = "MacKay 1992; Rasmussen and Williams 2006, section 5.4"
    kind = "heuristic"
    tasks = frozenset({"classification", "regression"})
    learners = frozenset({"ridge", "gp", "rvm"})

    def _score(self, case: Case) -> Score:
        """Of kernel ridge: the variance of the process at its best, the noise is alpha times it."""
        if "ridge" not in case.extra:
            raise NotForThis("the marginal likelihood was not computed for this learner")
        value = case.extra["ridge"].log_evidence
        return Score(-value, {"log marginal likelihood per row": value})
