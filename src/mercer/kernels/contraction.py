"""Sums of W over the derivatives of a kernel, without an array per parameter.

Gradients of an evidence need tr(W dK/dp) for every parameter p. `Kernel.gradient` would answer
with one matrix per parameter and column; here each family contributes what it can in closed form,
and only a kernel that offers nothing better is asked for its derivatives, a tile at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.algebra.arithmetic import Product, Scaled, Shifted, Sum
from mercer.kernels.algebra.constant import Constant
from mercer.kernels.algebra.on import On
from mercer.kernels.vectors.gaussian import Gaussian
from mercer.kernels.vectors.mahalanobis import Mahalanobis
from mercer.kernels.vectors.matern import Matern
from mercer.kernels.vectors.radial import RadialKernel
from mercer.kernels.vectors.rational_quadratic import RationalQuadratic

Slopes = dict[str, Any]
_DISTANCES = (Gaussian, Mahalanobis, Matern, RationalQuadratic)  # not subclasses: they may add


def contract(
    kernel: Kernel, X: Samples, Y: Samples, W: NDArray[Any], K: ArrayLike | None = None
) -> Slopes:
    """sum_ij W_ij dk(x_i, y_j)/dp for every parameter p, by name; X and Y are validated.

    ``K`` is the tile of the kernel if the caller has it already; it need not be right where W is 0.
    """
    return _contract(kernel, X, Y, W, K)


def contract_diagonal(kernel: Kernel, X: Samples, w: NDArray[Any]) -> Slopes:
    """sum_i w_i dk(x_i, x_i)/dp for every parameter p: the diagonal of a training Gram."""
    if isinstance(kernel, _DISTANCES) and type(kernel) in _DISTANCES:
        zero = np.zeros_like(np.atleast_1d(np.asarray(kernel.length_scale, dtype=np.float64)))
        slopes: Slopes = {"length_scale": zero if np.ndim(kernel.length_scale) else 0.0}
        if isinstance(kernel, RationalQuadratic):
            slopes["alpha"] = 0.0
        return slopes
    if isinstance(kernel, Scaled):
        inner = contract_diagonal(kernel.kernel, X, w)
        own = {"factor": float(w @ kernel.kernel._diag(X))}
        return own | {f"kernel__{k}": kernel.factor * v for k, v in inner.items()}
    if isinstance(kernel, Sum):
        left, right = (contract_diagonal(part, X, w) for part in kernel.parts().values())
        return _named(left, "left") | _named(right, "right")
    return {name: w @ slope for name, slope in kernel._diag_gradient(X).items()}


def _contract(kernel: Kernel, X: Any, Y: Any, W: Any, K: Any) -> Slopes:
    if isinstance(kernel, Sum):
        left = _contract(kernel.left, X, Y, W, None)
        return _named(left, "left") | _named(_contract(kernel.right, X, Y, W, None), "right")
    if isinstance(kernel, Product):
        K1, K2 = kernel.left._values(X, Y), kernel.right._values(X, Y)
        left = _contract(kernel.left, X, Y, W * K2, K1)
        return _named(left, "left") | _named(_contract(kernel.right, X, Y, W * K1, K2), "right")
    if isinstance(kernel, Scaled):
        known = K is not None and kernel.factor > 0
        inside = K / kernel.factor if known else kernel.kernel._values(X, Y)
        inner = _contract(kernel.kernel, X, Y, W, inside)
        own = {"factor": _dot(W, inside)}
        return own | {f"kernel__{k}": kernel.factor * v for k, v in inner.items()}
    if isinstance(kernel, Shifted):
        return {"constant": float(W.sum())} | _named(_contract(kernel.kernel, X, Y, W, K), "kernel")
    if isinstance(kernel, Constant):
        return {"value": float(W.sum())}
    if isinstance(kernel, On):
        return _named(_contract(kernel.kernel, kernel._view(X), kernel._view(Y), W, K), "kernel")
    if isinstance(kernel, _DISTANCES) and type(kernel) in _DISTANCES:
        return _radial(kernel, X, Y, W, K)
    return _by_tiles(kernel, X, Y, W)


def _radial(kernel: RadialKernel, X: Samples, Y: Samples, W: Any, K: ArrayLike | None) -> Slopes:
    """W against -2 g'(r^2) (x_c - y_c)^2 / l_c^3, all columns by one product with the data."""
    scale = kernel._scale()
    slopes: Slopes = {}
    if type(kernel) is Gaussian:  # g' = -g/2, and no distances are needed
        M = W * (kernel._values(X, Y) if K is None else K)
        M *= -0.5
    else:
        r2 = kernel._squares(X, Y)
        M = W * kernel._profile_slope(r2)
        if isinstance(kernel, RationalQuadratic):
            base = 1.0 + r2 / (2.0 * kernel.alpha)
            bend = kernel._profile(r2) * (r2 / (2.0 * kernel.alpha * base) - np.log(base))
            slopes["alpha"] = _dot(W, bend)
    squares = _weighted_squares(X, Y, M)
    each = -2.0 * squares / np.asarray(scale, dtype=np.float64) ** 3
    return {"length_scale": float(each.sum()) if np.ndim(scale) == 0 else each} | slopes


def _weighted_squares(X: Any, Y: Any, M: Any) -> NDArray[np.float64]:
    """sum_ij M_ij (x_ic - y_jc)^2 for every column c."""
    if sparse.issparse(X):
        X, Y = X.toarray(), Y.toarray()
    X, Y = X.astype(np.float64, copy=False), Y.astype(np.float64, copy=False)
    centre = Y.mean(axis=0)  # the three terms cancel less
    X, Y = X - centre, Y - centre
    rows, columns = M.sum(axis=1, dtype=np.float64), M.sum(axis=0, dtype=np.float64)
    mixed = np.einsum("ic,ic->c", X, M @ Y)
    return np.asarray(rows @ (X * X) + columns @ (Y * Y) - 2.0 * mixed)


def _by_tiles(kernel: Kernel, X: Samples, Y: Samples, W: Any) -> Slopes:
    slopes = kernel._dense_gradient(X, Y)
    return {name: np.tensordot(W, slope, axes=((0, 1), (0, 1))) for name, slope in slopes.items()}


def _dot(A: Any, B: Any) -> float:
    if A.dtype == B.dtype == np.float64:
        return float(np.vdot(A, B))
    return float(np.einsum("ij,ij->", A, B, dtype=np.float64))


def _named(slopes: Slopes, prefix: str) -> Slopes:
    return {f"{prefix}__{name}": value for name, value in slopes.items()}
