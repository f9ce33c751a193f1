"""Which learner? The obvious strong ones, each prepared as it likes, compared on the same rows."""

from mercer.tables.contest.race import Contest, Entry, run_contest

__all__ = ["Contest", "Entry", "run_contest"]
