"""Learners that need nothing but distances: nearest neighbours and Lipschitz functions."""

from mercer._discover import rooms
from mercer.learners.metric._box import OutsideDomainWarning
from mercer.learners.metric._extension import extend, lipschitz_constant, nearest_difference
from mercer.learners.metric._in_metric_space import NotAMetricWarning
from mercer.learners.metric._matching import noise_fit
from mercer.learners.metric._subspace import subspace_condition
from mercer.learners.metric._sums import NoSeparatingSumError
from mercer.learners.metric._votes import consistent_k
from mercer.learners.metric.condensed import CondensedNearestNeighbor
from mercer.learners.metric.k_nearest import KNNClassifier, KNNRegressor
from mercer.learners.metric.kuratowski import (
    KuratowskiMachine,
    embedding_margins,
    hull_distance,
)
from mercer.learners.metric.lipschitz import LipschitzClassifier
from mercer.learners.metric.lipschitz_regressor import LipschitzRegressor
from mercer.learners.metric.lp_machine import LPMachine, subspace_function

__all__ = [
    "CondensedNearestNeighbor",
    "KNNClassifier",
    "KNNRegressor",
    "KuratowskiMachine",
    "LPMachine",
    "LipschitzClassifier",
    "LipschitzRegressor",
    "NoSeparatingSumError",
    "NotAMetricWarning",
    "OutsideDomainWarning",
    "consistent_k",
    "embedding_margins",
    "extend",
    "hull_distance",
    "lipschitz_constant",
    "nearest_difference",
    "noise_fit",
    "subspace_condition",
    "subspace_function",
]

__getattr__, __dir__ = rooms(__name__)
