"""Distances: what they are, whether they are what they claim, repairs, conversions, embeddings."""

import sys
from typing import Any

from mercer._discover import discover, names_of, snake_case
from mercer.metrics._axioms import (
    EXACT,
    Axiom,
    MetricReport,
    SimilarityReport,
    all_joined,
    report,
    similarity_report,
)
from mercer.metrics._base import Metric
from mercer.metrics._conversions import (
    NotEuclideanWarning,
    distance_from_kernel,
    distance_from_similarity,
    kernel_from_distance,
    shift_to_nonnegative,
    similarity_from_distance,
)
from mercer.metrics._covering import (
    center_defect,
    chain_step,
    covering_number,
    discrepancy,
    farthest_first,
    packing_number,
)
from mercer.metrics._embeddings import (
    arens_eells_norm,
    classical_mds,
    kuratowski,
    kuratowski_dual_norm,
    pseudo_euclidean,
    stress,
    stress_mds,
)
from mercer.metrics._repairs import (
    Repaired,
    additive_constant,
    cailliez,
    landmark,
    lingoes,
    merge_zero_distances,
    metric_transform,
    shortest_paths,
    symmetrise,
)
from mercer.metrics._resolve import as_metric

_classes = discover(sys.modules[__name__], Metric)
globals().update(_classes)

__all__ = [
    "EXACT",
    "Axiom",
    "Metric",
    "MetricReport",
    "NotEuclideanWarning",
    "Repaired",
    "SimilarityReport",
    "additive_constant",
    "all_joined",
    "arens_eells_norm",
    "as_metric",
    "available",
    "cailliez",
    "center_defect",
    "chain_step",
    "classical_mds",
    "covering_number",
    "discrepancy",
    "distance_from_kernel",
    "distance_from_similarity",
    "farthest_first",
    "kernel_from_distance",
    "kuratowski",
    "kuratowski_dual_norm",
    "landmark",
    "lingoes",
    "merge_zero_distances",
    "metric_transform",
    "packing_number",
    "pseudo_euclidean",
    "report",
    "shift_to_nonnegative",
    "shortest_paths",
    "similarity_from_distance",
    "similarity_report",
    "stress",
    "stress_mds",
    "symmetrise",
    *_classes,
]


def available() -> dict[str, type[Metric]]:
    """Every metric class by its command-line name, e.g. ``"edit"``."""
    return {snake_case(name): metric for name, metric in _classes.items()}


__dir__ = names_of(__name__)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"mercer.metrics has no metric {name!r}; there are {sorted(_classes)}")
