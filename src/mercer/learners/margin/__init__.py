"""Margin machines: support vector classification, regression and novelty detection."""

from mercer.learners._kernel import IndefiniteKernelWarning
from mercer.learners.margin._hard import NotSeparableError
from mercer.learners.margin._mistakes import MistakeLog
from mercer.learners.margin.adaptive_margin import AdaptiveMarginMachine, LeaveOneOutMachine
from mercer.learners.margin.amm_path import AMMPath, amm_path
from mercer.learners.margin.diagnostics import Diagnostics
from mercer.learners.margin.hulls import HullDistance, nearest_hull_points
from mercer.learners.margin.kernel_perceptron import KernelPerceptron
from mercer.learners.margin.novikoff import (
    NovikoffReport,
    novikoff_limit,
    novikoff_report,
    relative_limit,
)
from mercer.learners.margin.nu_svc import NuSVC
from mercer.learners.margin.nu_svr import NuSVR
from mercer.learners.margin.one_class import OneClassSVM
from mercer.learners.margin.perceptron import Perceptron
from mercer.learners.margin.support_sets import minimal_support, retrain_on_support
from mercer.learners.margin.svc import SVC
from mercer.learners.margin.svdd import SVDD, enclosing_ball
from mercer.learners.margin.svr import SVR

__all__ = [
    "SVC",
    "SVDD",
    "SVR",
    "AMMPath",
    "AdaptiveMarginMachine",
    "Diagnostics",
    "HullDistance",
    "IndefiniteKernelWarning",
    "KernelPerceptron",
    "LeaveOneOutMachine",
    "MistakeLog",
    "NotSeparableError",
    "NovikoffReport",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Perceptron",
    "amm_path",
    "enclosing_ball",
    "minimal_support",
    "nearest_hull_points",
    "novikoff_limit",
    "novikoff_report",
    "relative_limit",
    "retrain_on_support",
]
