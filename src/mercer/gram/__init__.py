"""Gram matrices: dense, streamed, cached and low-rank; the only place that builds n x n arrays."""

from mercer.gram._base import Gram
from mercer.gram._factor import Factor, NotPositiveDefiniteError
from mercer.gram.build import build_gram
from mercer.gram.cached import CachedGram
from mercer.gram.dense import DenseGram, check_precomputed
from mercer.gram.kernel_gram import KernelGram
from mercer.gram.low_rank import LowRankGram
from mercer.gram.report import DiagonalDominanceWarning, GramReport, embed_gram, gram_report
from mercer.gram.shared import SharedGrams

__all__ = [
    "CachedGram",
    "DenseGram",
    "DiagonalDominanceWarning",
    "Factor",
    "Gram",
    "GramReport",
    "KernelGram",
    "LowRankGram",
    "NotPositiveDefiniteError",
    "SharedGrams",
    "build_gram",
    "check_precomputed",
    "embed_gram",
    "gram_report",
]
