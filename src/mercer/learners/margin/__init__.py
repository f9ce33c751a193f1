"""Margin machines: support vector classification, regression and novelty detection."""

from mercer.learners.margin._hard import NotSeparableError
from mercer.learners.margin._kernel import IndefiniteKernelWarning
from mercer.learners.margin._mistakes import MistakeLog
from mercer.learners.margin.adaptive_margin import AdaptiveMarginMachine, LeaveOneOutMachine
from mercer.learners.margin.diagnostics import Diagnostics
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
from mercer.learners.margin.svc import SVC
from mercer.learners.margin.svr import SVR

__all__ = [
    "SVC",
    "SVR",
    "AdaptiveMarginMachine",
    "Diagnostics",
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
    "novikoff_limit",
    "novikoff_report",
    "relative_limit",
]
