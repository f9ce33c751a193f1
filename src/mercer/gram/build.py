"""Which Gram for which kernel, sample and memory limit."""

from __future__ import annotations

from typing import Any, Literal

from mercer import _config
from mercer._types import Samples
from mercer.gram._base import Gram
from mercer.gram.cached import CachedGram
from mercer.gram.dense import DenseGram
from mercer.gram.kernel_gram import KernelGram
from mercer.kernels import Kernel
from mercer.kernels.structured.from_callable import FromCallable, UserFunction
from mercer.kernels.structured.precomputed import Precomputed

_SMALL = 5000


def build_gram(
    kernel: Any,
    X: Samples,
    *,
    use: Literal["rows", "products"] = "products",
    checked: bool = False,
    memory_limit: float | str | None = None,
) -> Gram:
    """The Gram matrix of a sample, in the form that suits it; nothing is allocated beforehand.

    - a precomputed kernel: a `DenseGram` of the checked matrix;
    - a function of whole samples (`UserFunction`): a `DenseGram` of its values;
    - a kernel of the compiled core on vectors: a `KernelGram`, its tiles are cheap;
    - another kernel, for ``use="rows"``: a `KernelGram`, whose rows the solver caches;
    - another kernel on up to 5000 objects, if the matrix takes less than a quarter of the memory
      limit: a `DenseGram`, computed once;
    - otherwise a `CachedGram` of streamed rows within a quarter of the limit.

    Parameters
    ----------
    kernel : Kernel, callable ``f(X, Y)``, or "precomputed"
    X : sample, or the matrix itself for a precomputed kernel
    use : {"products", "rows"}
        What the matrix will be asked for: products with vectors again and again, or some rows, as
        decomposition solvers do, which keep the ones they need.
    checked : bool
        The caller vouches that the kernel is resolved and the data are what it accepts, as
        `mercer.kernels.resolve.kernel_meant` says of its answer.
    memory_limit : bytes or "2GB", optional
        By default the limit of ``mercer.set_config``.
    """
    if isinstance(kernel, Precomputed) or (isinstance(kernel, str) and kernel == "precomputed"):
        return DenseGram(X, Precomputed(), memory_limit, validate=not checked)
    if isinstance(kernel, UserFunction):
        return DenseGram(kernel.square(X, memory_limit), kernel, memory_limit, validate=False)
    gram = KernelGram(_as_kernel(kernel), X, memory_limit, validate=not checked)
    return gram if use == "rows" else _for_products(gram)


def _as_kernel(kernel: Any) -> Kernel:
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):
        return FromCallable(kernel)
    raise TypeError(
        f"{kernel!r} is not a kernel; pass a mercer Kernel, a function or 'precomputed' "
        "(mercer.kernels.from_sklearn translates scikit-learn's names)"
    )


def _for_products(gram: KernelGram) -> Gram:
    """Streamed where tiles are cheap, else kept as far as the memory limit allows."""
    limit, row = gram.memory_limit, gram.n * gram.dtype.itemsize
    _config.reserve(
        4 * row, "A few rows of the kernel matrix", "Use fewer objects or raise it.", limit
    )
    if gram.fused is not None:
        return gram
    if gram.n <= _SMALL and 4 * gram.n * row <= _config.memory_limit(limit):
        return DenseGram(gram.dense(), gram.kernel, limit)
    return CachedGram(gram)
