"""Saying no with a reason."""

from __future__ import annotations


class NotApplicable(Exception):
    """A bound has nothing to say about this evidence.

    Parameters
    ----------
    reason
        One sentence for the user.
    structural
        True if the reason follows from the learner and its settings alone, so that it was known
        before the data were seen. Only then may the bound's share of δ go to the others.
    """

    def __init__(self, reason: str, *, structural: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.structural = structural
