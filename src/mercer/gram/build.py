"""Which Gram for which kernel, sample and memory limit."""

from __future__ import annotations

from typing import Any

from mercer import _config
from mercer.gram._base import Gram
from mercer.gram.cached import CachedGram
from mercer.gram.dense import DenseGram
from mercer.gram.kernel_gram import KernelGram
from mercer.kernels import Kernel
from mercer.kernels.structured.from_callable import FromCallable
from mercer.kernels.structured.precomputed import Precomputed

_SMALL = 5000


def build_gram(kernel: Any, X: Any, memory_limit: float | str | None = None) -> Gram:
    """The Gram matrix of a sample, in the form that suits it; nothing is allocated beforehand.

    - a precomputed kernel: a `DenseGram` of the checked matrix;
    - a kernel of the compiled core on vectors: a `KernelGram`, its tiles are cheap;
    - another kernel on up to 5000 objects, if the matrix takes less than a quarter of the memory
      limit: a `DenseGram`, computed once;
    - otherwise a `CachedGram` of streamed rows within a quarter of the limit.

    Parameters
    ----------
    kernel : Kernel, callable ``f(X, Y)``, or "precomputed"
    X : sample, or the matrix itself for a precomputed kernel
    memory_limit : bytes or "2GB", optional
        By default the limit of ``mercer.set_config``.
    """
    if isinstance(kernel, Precomputed) or (isinstance(kernel, str) and kernel == "precomputed"):
        return DenseGram(X, Precomputed(), memory_limit)
    if not isinstance(kernel, Kernel):
        if not callable(kernel):
            raise TypeError(
                f"{kernel!r} is not a kernel; pass a mercer Kernel, a function or 'precomputed' "
                "(mercer.kernels.from_sklearn translates scikit-learn's names)"
            )
        kernel = FromCallable(kernel)
    gram = KernelGram(kernel, X, memory_limit)
    row = gram.n * gram.dtype.itemsize
    _config.reserve(
        4 * row, "A few rows of the kernel matrix", "Use fewer objects or raise it.", memory_limit
    )
    if gram.fused is not None:
        return gram
    if gram.n <= _SMALL and 4 * gram.n * row <= _config.memory_limit(memory_limit):
        return DenseGram(gram.dense(), gram.kernel, memory_limit)
    return CachedGram(gram)
