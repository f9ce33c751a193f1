"""Several classes: from any two-class learner, or in one programme."""

from mercer._discover import rooms
from mercer.learners.multiclass.crammer_singer import CrammerSingerSVC
from mercer.learners.multiclass.wrappers import DecisionDAG, OneVsOne, OneVsRest

__all__ = ["CrammerSingerSVC", "DecisionDAG", "OneVsOne", "OneVsRest"]

__getattr__, __dir__ = rooms(__name__)
