"""Centring in feature space."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.algebra._composite import Array, Composite, Vectors
from mercer.kernels.validate import as_pair, n_rows
from mercer.kernels.vectors.gaussian import Gaussian


class Centered(Composite):
    """<phi(x) - m, phi(y) - m> for the mean m of the images of a reference sample.

    Parameters
    ----------
    kernel : Kernel
    reference : sample, optional
        The objects whose mean becomes the origin. `resolve` (and with it every Gram object and
        learner) fills it with the training sample, so that new objects are centred by the same
        mean.
    """

    _tag = "kernel:centred"

    stationary = False

    def __init__(self, kernel: Kernel, reference: Any = None) -> None:
        self.kernel = kernel
        self.reference = reference

    @property
    def data_dependent(self) -> bool:
        """The mean is read off the data."""
        return True

    def fit(self, X: Samples, y: ArrayLike | None = None) -> Centered:
        """Take X as the reference, in place; `resolve` does the same and returns a new kernel."""
        self.reference = X
        return self

    def _resolved(self, X: Samples) -> dict[str, Any]:
        return {} if self.reference is not None else {"reference": X}

    def _check(self, X: Samples, name: str = "X") -> None:
        if self.reference is None:
            raise ValueError(
                "Centered has no reference sample yet: call kernel.resolve(X_train) first; "
                "learners and Gram objects do"
            )
        super()._check(X, name)

    def _statistics(self, X: Samples) -> Vectors:
        # Half of the mean of the whole reference goes to each side, so that sides just add up.
        X, reference = as_pair(X, self.reference, self.kernel.accepts)
        weights = np.full(n_rows(reference), 1.0 / n_rows(reference))
        means = self.kernel._matmul(X, reference, weights, same=False)
        return (means - 0.5 * self._grand_mean(reference, weights),)

    def _grand_mean(self, reference: Any, weights: Array) -> float:
        """<m, m>, remembered until a parameter changes."""
        key = _fingerprint(self.kernel)
        known = getattr(self, "_remembered", None)
        if known is None or known[0] is not self.reference or known[1] != key:
            image = self.kernel._matmul(reference, reference, weights, same=False)
            known = self._remembered = (self.reference, key, float(weights @ image))
        return known[2]

    def __getstate__(self) -> dict[str, Any]:
        """Without the remembered value: functions have another identity elsewhere."""
        state = dict(super().__getstate__())
        state.pop("_remembered", None)
        return state

    def _statistics_gradient(self, X: Samples) -> dict[str, Vectors]:
        X, reference = as_pair(X, self.reference, self.kernel.accepts)
        rows = self.kernel._dense_gradient(X, reference)
        grand = self.kernel._dense_gradient(reference, reference)
        return {
            f"kernel__{name}": (rows[name].mean(axis=1) - 0.5 * grand[name].mean(axis=(0, 1)),)
            for name in rows
        }

    def _combine(self, values: list[Array], left: Vectors, right: Vectors) -> Array:
        return (values[0] - left[0] - right[0]).astype(values[0].dtype, copy=False)

    def _tangent(
        self,
        values: ArrayLike,
        left: Any,
        right: Any,
        moved: Any,
        moved_left: Any,
        moved_right: Any,
    ) -> Array:
        return moved[0] - moved_left[0] - moved_right[0]

    @classmethod
    def examples(cls) -> list[Centered]:
        """Centered by a few fixed objects."""
        reference = np.random.default_rng(5).normal(size=(7, 3))
        return [cls(Gaussian(np.array([0.5, 1.0, 2.0])), reference)]


def _fingerprint(kernel: Kernel) -> tuple[Any, ...]:
    """What identifies a kernel's values: class and parameters, arrays by content."""
    found: list[Any] = [type(kernel)]
    for name, value in sorted(kernel.get_params(deep=False).items()):
        if isinstance(value, Kernel):
            found.append((name, _fingerprint(value)))
        elif isinstance(value, np.ndarray):
            found.append((name, value.shape, value.tobytes()))
        else:
            found.append((name, repr(value)))
    return tuple(found)
