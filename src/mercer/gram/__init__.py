"""Gram matrices: dense, streamed, cached and low-rank; the only place that builds n x n arrays."""

from mercer.gram._base import Gram
from mercer.gram._factor import Factor, NotPositiveDefiniteError
from mercer.gram.dense import DenseGram, check_precomputed
from mercer.gram.kernel_gram import KernelGram

__all__ = [
    "DenseGram",
    "Factor",
    "Gram",
    "KernelGram",
    "NotPositiveDefiniteError",
    "check_precomputed",
]
