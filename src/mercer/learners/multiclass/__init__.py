"""Several classes: from any two-class learner, or in one programme."""

from mercer.learners.multiclass.crammer_singer import CrammerSingerSVC
from mercer.learners.multiclass.wrappers import DecisionDAG, OneVsOne, OneVsRest

__all__ = ["CrammerSingerSVC", "DecisionDAG", "OneVsOne", "OneVsRest"]
