"""Learners that need nothing but distances: nearest neighbours."""

from mercer.learners.metric._votes import consistent_k
from mercer.learners.metric.condensed import CondensedNearestNeighbour
from mercer.learners.metric.k_nearest import KNNClassifier, KNNRegressor

__all__ = ["CondensedNearestNeighbour", "KNNClassifier", "KNNRegressor", "consistent_k"]
