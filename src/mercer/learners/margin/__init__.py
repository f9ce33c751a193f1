"""Margin machines: support vector classification, regression and novelty detection."""

from mercer._discover import rooms
from mercer.learners._kernel import IndefiniteKernelWarning
from mercer.learners.margin.adaptive.machine import AdaptiveMarginMachine, LeaveOneOutMachine
from mercer.learners.margin.adaptive.path import AMMPath, amm_path
from mercer.learners.margin.perceptron.dual import KernelPerceptron
from mercer.learners.margin.perceptron.mistakes import MistakeLog
from mercer.learners.margin.perceptron.novikoff import (
    NovikoffReport,
    novikoff_limit,
    novikoff_report,
    relative_limit,
)
from mercer.learners.margin.perceptron.primal import Perceptron
from mercer.learners.margin.svm._hard import NotSeparableError
from mercer.learners.margin.svm.diagnostics import Diagnostics
from mercer.learners.margin.svm.hulls import HullDistance, nearest_hull_points
from mercer.learners.margin.svm.nu_svc import NuSVC
from mercer.learners.margin.svm.nu_svr import NuSVR
from mercer.learners.margin.svm.one_class import OneClassSVM
from mercer.learners.margin.svm.support_sets import minimal_support, retrain_on_support
from mercer.learners.margin.svm.svc import SVC
from mercer.learners.margin.svm.svdd import SVDD, enclosing_ball
from mercer.learners.margin.svm.svr import SVR

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

__getattr__, __dir__ = rooms(__name__)
