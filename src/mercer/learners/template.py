"""What a learner is made of, in one place for those who write one: see docs/add-a-learner.md."""

from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._in_kernel_space import InKernelSpace, KernelFitted, KernelSpace
from mercer.learners._learner import Learner, Plain, Weighted
from mercer.learners._mixins import Classifies, Labels, Regresses
from mercer.learners._parameters import Rule, check_parameters, flag, none_or
from mercer.learners._publishes import DECLARED, Publishes

__all__ = [
    "DECLARED",
    "Classifies",
    "Door",
    "Fitted",
    "InKernelSpace",
    "KernelFitted",
    "KernelSpace",
    "Kind",
    "Labels",
    "Learner",
    "Plain",
    "Publishes",
    "Regresses",
    "Rule",
    "TrainingSample",
    "Weighted",
    "check_parameters",
    "flag",
    "none_or",
    "rows_of",
]
