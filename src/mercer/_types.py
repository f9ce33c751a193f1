"""Words for types that everybody uses: what samples are, what draws, what is trained and asked.

They say what a caller may hand in. Doors (`learners/_door.py`, `Kernel._check`) turn it into
arrays; whoever reads attributes of it before that says `Any`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike


class SparseMatrix(Protocol):
    """Any of SciPy's sparse matrices and arrays, which have no types of their own."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""

    def tocsr(self, copy: bool = ...) -> Any:
        """Give it in the form that Mercer computes with."""


# Arrays and frames, sparse matrices, lists of strings or of any objects that a kernel accepts
Samples: TypeAlias = ArrayLike | SparseMatrix | Sequence[object]

# None is NumPy's global generator, as in scikit-learn
RandomState: TypeAlias = int | np.integer[Any] | np.random.RandomState | np.random.Generator | None


@runtime_checkable
class Predictor(Protocol):
    """A fitted model of anybody's: it answers for new samples."""

    def predict(self, X: Any) -> Any:
        """Answer for new samples."""


@runtime_checkable
class Estimator(Protocol):
    """What scikit-learn calls an estimator: parameters that can be read and set, and ``fit``."""

    def get_params(self, deep: bool = ...) -> dict[str, Any]:
        """Name every argument of the constructor."""

    def set_params(self, **params: Any) -> Any:
        """Change some of them."""

    @property
    def fit(self) -> Callable[..., Any]:
        """A method, whose arguments besides X and y differ."""
