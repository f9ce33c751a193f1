"""`Kernel`: write ``_tile(X, Y)``, inherit the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone

from mercer import _config
from mercer._types import RandomState, Samples
from mercer.kernels._facts import Facts
from mercer.kernels._numeric import numeric_gradient
from mercer.kernels._sample import Sample
from mercer.kernels.algebra._operators import Operators
from mercer.kernels.bandwidth import DATA_DEPENDENT, Resolved
from mercer.kernels.fused import Fused, native
from mercer.kernels.validate import VECTORS, apart, as_data, as_pair, n_rows, take

Array = NDArray[Any]


class Kernel(Facts, Operators, BaseEstimator):
    """A similarity ``k(x, y)``, ideally an inner product in some feature space.

    A new kernel is a class with an ``__init__`` that only stores its parameters, and a ``_tile``:

    >>> class Cauchy(Kernel):
    ...     def __init__(self, width=1.0):
    ...         self.width = width
    ...     def _tile(self, X, Y):
    ...         from scipy.spatial.distance import cdist
    ...         return 1.0 / (1.0 + cdist(X, Y, "sqeuclidean") / self.width**2)

    ``_tile`` receives two validated samples (float arrays of equal width and dtype) and returns
    the matrix of values; ``X is Y`` there means that one triangle is enough. Optional
    extras: ``_diag`` (k(x, x) without a matrix), ``_tile_gradient`` (else derivatives are
    numerical), ``fused`` (a compiled equivalent), ``_check`` (domain of data and parameters), and
    ``sparse_tiles = True`` if ``_tile`` copes with CSR input (else blocks of rows are made dense
    for it).

    Facts
    -----
    accepts : which data: "vectors" and "sparse", or "objects", "strings", "precomputed".
    bounded : k(x, x) stays below a constant on the whole input space.
    stationary : k(x, y) depends on x - y only.
    universal : known to approximate every continuous function on a compact set.
    psd : positive semi-definite for these parameters; None if nobody knows (a user's function).
    radial : the distance of which k is a decreasing function, "euclidean" or "cityblock".
    sup_norm, value_range, dimension(n_features) : what bounds ask; None while nobody knows.
    """

    _stored_as = "kernel"
    accepts: frozenset[str] = VECTORS
    sparse_tiles: bool = False
    choices: frozenset[str] = frozenset()  # parameters that take a few values only: no derivative

    @property
    def data_dependent(self) -> bool:
        """Whether some parameter is, or was, chosen by looking at data."""
        return any(
            value.data_dependent
            if isinstance(value, Kernel)
            else isinstance(value, Resolved) or (isinstance(value, str) and value in DATA_DEPENDENT)
            for value in self.get_params(deep=False).values()
        )

    # -- what an author writes -------------------------------------------------------------------

    def _tile(self, X: Samples, Y: Samples) -> Array:
        raise TypeError(f"{type(self).__name__} does not define _tile(X, Y)")

    def _diag(self, X: Samples) -> Array:
        blocks = [np.diagonal(self.tile(part)) for _, part in _parts(X, 64)]
        return np.concatenate(blocks)

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, Array]:
        return numeric_gradient(self, X, Y)

    def _diag_gradient(self, X: Samples) -> dict[str, Array]:
        blocks = [self._dense_gradient(part, part) for _, part in _parts(X, 64)]
        return {
            name: np.concatenate([np.moveaxis(block[name].diagonal(), -1, 0) for block in blocks])
            for name in blocks[0]
        }

    def _check(self, X: Samples, name: str = "X") -> None:
        """Raise if the parameters are impossible or the data outside the kernel's domain."""

    def fused(self) -> Fused | None:
        """The compiled equivalent of a kernel that the core knows by name, or None."""
        return None

    def fused_for(self, X: Samples) -> Fused | None:
        """The compiled equivalent on such data, kernels made of kernels included, or None."""
        return self.fused()

    def _frequencies(self, n_features: int, rank: int, rng: np.random.Generator) -> Array | None:
        """Draw from the spectral law, shape (n_features, rank); None if it is not known."""
        return None

    @classmethod
    def examples(cls) -> list[Self]:
        """Small instances for the contract tests."""
        return [cls()]

    @classmethod
    def example_data(cls, n: int, rng: np.random.Generator) -> Any:
        """Draw data that the examples accept."""
        return rng.normal(size=(n, 3))

    # -- what everybody inherits -----------------------------------------------------------------

    def validate(self, X: Samples, Y: Samples | None = None) -> tuple[Any, Any]:
        """Check both samples against the kernel; Y is X when it is not given."""
        if not self.accepts:
            raise ValueError(f"the parts of {self} accept different kinds of data")
        X, other = as_pair(X, Y, self.accepts)
        self._check(X, "X")
        if other is not X:
            self._check(other, "Y")
        return X, other

    def __call__(self, X: Any, Y: Any = None) -> Array:
        """The matrix of k(x, y); without Y the training Gram, whose diagonal is `diag`."""
        X, other = self.validate(X, Y)
        _config.reserve(
            n_rows(X) * n_rows(other) * _dtype(X).itemsize,
            f"A kernel matrix of {n_rows(X)} x {n_rows(other)}",
            "Use kernel.matmul, kernel.features or mercer.gram.build_gram instead.",
        )
        K = self._matrix(X, other)
        if Y is None:
            K = np.require(K, requirements="W")
            np.fill_diagonal(K, self._diag(X))
        return K

    def _matrix(self, X: Samples, Y: Samples) -> Array:
        """K(X, Y) by groups of rows, so that temporary arrays stay small beside the result."""
        size = self._block(Y)
        if size >= n_rows(X) or self._compiled(X):
            return self._values(X, Y)
        K, against = np.empty((n_rows(X), n_rows(Y)), dtype=_dtype(X)), self._against(Y)
        for rows, part in _parts(X, size):
            K[rows] = against(part)
        return K

    def _block(self, Y: Samples) -> int:
        """Rows of K(X, Y) to work on at a time."""
        return _config.block_rows(_config.TEMPORARIES * n_rows(Y) * 8)

    def _compiled(self, X: Samples) -> bool:
        return not sparse.issparse(X) and self.fused_for(X) is not None and native() is not None

    def tile(self, X: Any, Y: Any = None) -> Array:
        """K(X, Y) for data that `validate` has already accepted; ``Y=None`` is X itself."""
        return self._values(X, X if Y is None else apart(Y, X))

    def _values(self, X: Any, Y: Any) -> Array:
        """The same, compiled where possible; here and in `_tile` Y is X if a caller said so."""
        if sparse.issparse(X):
            return self._sparse_tile(X, Y)
        fused, core = self.fused_for(X), native()
        if fused is not None and core is not None:
            return fused.tile(X, Y, core)
        return np.asarray(self._tile(X, Y), dtype=_dtype(X))

    def _sparse_tile(self, X: Any, Y: Any) -> Array:
        if self.sparse_tiles:
            return np.asarray(self._tile(X, Y), dtype=X.dtype)
        size = _config.block_rows(2 * X.shape[1] * X.dtype.itemsize)
        K = np.empty((X.shape[0], Y.shape[0]), dtype=X.dtype)
        for columns, right in _parts(Y, size):
            dense_right = right.toarray()
            for rows, left in _parts(X, size):
                K[rows, columns] = self.tile(left.toarray(), dense_right)
        return K

    def diag(self, X: Samples) -> Array:
        """k(x, x) for every row."""
        X, _ = self.validate(X)
        return np.asarray(self._diag(X), dtype=_dtype(X))

    def matmul(self, X: Any, Y: Any, V: Any) -> NDArray[np.float64]:
        """K(X, Y) @ V in blocks, never holding K; ``Y=None`` is the training Gram of X."""
        X, other = self.validate(X, Y)
        V = np.asarray(V, dtype=np.float64)
        if V.ndim not in (1, 2) or V.shape[0] != n_rows(other):
            raise ValueError(
                f"V has shape {V.shape}; its first axis must be the {n_rows(other)} columns of K"
            )
        return self._matmul(X, other, V, same=Y is None)

    def _matmul(self, X: Any, Y: Any, V: NDArray[np.float64], same: bool) -> NDArray[np.float64]:
        fused, core = self.fused_for(X), native()
        if fused is not None and core is not None and not sparse.issparse(X):
            columns = np.ascontiguousarray(V.reshape(V.shape[0], -1))
            product = fused.matmul(X, Y, columns, core, same)
            return product.reshape((n_rows(X), *V.shape[1:]))
        result = np.empty((n_rows(X), *V.shape[1:]))
        diagonal, against = self._diag(X) if same else None, self._against(Y)
        for rows, part in _parts(X, self._block(Y)):
            K = against(part)
            if diagonal is not None:
                K = np.require(K, requirements="W")
                K[np.arange(K.shape[0]), np.arange(rows.start, rows.stop)] = diagonal[rows]
            result[rows] = K @ V
        return result

    def _against(self, Y: Samples) -> Callable[[Any], Array]:
        """Tiles of anything against a fixed sample; what depends on it alone is done once."""
        return lambda part: self.tile(part, Y)

    def gradient(self, X: Samples, Y: Samples | None = None) -> dict[str, Array]:
        """Derivatives of K(X, Y), one array per parameter name as `set_params` spells it.

        A vector of length scales gives an array with a trailing axis.
        """
        X, other = self.validate(X, Y)
        gradients = self._dense_gradient(X, other)
        if Y is None:
            index = np.arange(n_rows(X))
            for name, value in self._diag_gradient(X).items():
                gradients[name] = np.require(gradients[name], requirements="W")
                gradients[name][index, index] = value
        return {name: np.asarray(value, dtype=_dtype(X)) for name, value in gradients.items()}

    def _dense_gradient(self, X: Any, Y: Any) -> dict[str, Array]:
        if sparse.issparse(X) and not self.sparse_tiles:
            X, Y = X.toarray(), Y.toarray()
        return self._tile_gradient(X, Y)

    def radius(self, X: Samples) -> float:
        """sqrt(max k(x, x)): a ball around the origin that holds the images of all rows."""
        return float(np.sqrt(max(0.0, np.max(self.diag(X)))))

    def distance(self, X: Samples, Y: Samples | None = None) -> Array:
        """Distances of the images, sqrt(k(x,x) - 2 k(x,y) + k(y,y))."""
        K = self(X, Y)
        right = self.diag(X if Y is None else Y)
        squares = self.diag(X)[:, None] - 2 * K + right[None, :]
        return np.sqrt(np.maximum(squares, 0.0))

    def features(self, rank: int = 100, random_state: RandomState = None) -> Any:
        """A transformer to ``rank`` coordinates whose inner products approximate the kernel.

        Random Fourier features where the spectral law is known, otherwise Nyström's landmarks.
        """
        from mercer.kernels.features import NystroemFeatures, RandomFourierFeatures

        known = self.stationary and self._frequencies(1, 1, np.random.default_rng(0)) is not None
        transformer = RandomFourierFeatures if known else NystroemFeatures
        return transformer(self, rank=rank, random_state=random_state)

    def resolve(self, X: Samples) -> Self:
        """The same kernel with plain numbers where a heuristic such as "median" was asked for."""
        X = as_data(X, self.accepts)
        resolved: Self = clone(self)
        changes: dict[str, Any] = {
            name: value.resolve(self._view(X))
            for name, value in resolved.get_params(deep=False).items()
            if isinstance(value, Kernel)
        }
        return resolved.set_params(**{**changes, **resolved._resolved(X)})

    def _view(self, X: Samples) -> Any:
        """What the kernels inside this one see of a sample."""
        return X

    def _resolved(self, X: Samples) -> dict[str, Any]:
        """New values of the parameters that are heuristics."""
        return {}

    def bind(self, X: Samples) -> Any:
        """Tiles of one validated sample by index, see `Sample`."""
        return Sample(self, X)


def _dtype(X: Samples) -> np.dtype[Any]:
    """float32 data give float32 values; objects give float64."""
    kind = getattr(X, "dtype", None)
    return np.dtype(np.float32 if kind == np.float32 else np.float64)


def _parts(X: Samples, size: int) -> Iterator[tuple[slice, Any]]:
    n = n_rows(X)
    for start in range(0, n, size):
        rows = slice(start, min(n, start + size))
        yield rows, take(X, rows) if size < n else X
