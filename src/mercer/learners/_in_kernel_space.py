"""Learners of functions f(x) = Σ c_i k(x_i, x) + b: their kernel, their Gram, values anywhere."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mercer._cached import cached_property
from mercer.bounds import Choice
from mercer.gram import Gram, build_gram
from mercer.kernels import Kernel
from mercer.kernels.resolve import Meant, kernel_meant
from mercer.kernels.structured.from_callable import UserFunction
from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._fitted import Fitted, rows_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class KernelFitted(Fitted):
    """The kernel with numbers, and the rows that new ones are compared with, if they are kept."""

    kernel: Kernel
    rows: Any
    read_off: tuple[tuple[str, str], ...] = ()
    width: int | None = None

    def choices(self) -> tuple[Choice, ...]:
        """What was read off the rows: parameters of the kernel, rows of weight zero."""
        return (*(Choice(what, how) for what, how in self.read_off), *super().choices())

    def facts(self, diagonal: Floats) -> dict[str, Any]:
        """The part of `Evidence` that depends on the kernel and k(x, x) of the rows alone.

        Blank where the kernel is not known to be an inner product.
        """
        geometric = self.kernel.psd is True
        size = self.kernel.dimension(self.width)
        return {
            "point_norms": np.sqrt(np.maximum(diagonal, 0.0)) if geometric else None,
            "radius": self.kernel.known_radius(diagonal),
            "kernel_range": self.kernel.spread,
            "trace": float(np.sum(diagonal)) if geometric else None,
            "dimension": size,
            "rank": None if size is None or math.isinf(size) else int(size),
            "choices": self.choices(),
        }


@dataclass(frozen=True)
class KernelSpace:
    """Where a learner works: what its kernel means on these rows, and their Gram."""

    meant: Meant
    gram: Gram

    @property
    def kernel(self) -> Kernel:
        """The kernel with numbers."""
        return self.meant.kernel

    @cached_property
    def diagonal(self) -> Floats:
        """k(x, x) of every row."""
        return np.asarray(self.gram.diag(), dtype=np.float64)


class InKernelSpace:
    """Mixin: ``kernel``, ``gamma``, ``degree``, ``coef0``; publishes ``kernel_`` and ``X_fit_``."""

    _door: ClassVar[Door] = Door(asks="kernel")
    kernel: Any
    gamma: Any
    degree: Any
    coef0: Any
    kernel_: Kernel
    X_fit_: Any

    def _meant(self, sample: TrainingSample) -> Meant:
        """The kernel that the arguments mean on these rows."""
        given, params = self.kernel, getattr(self, "kernel_params", None)
        if params and callable(given) and not isinstance(given, Kernel):
            given = partial(given, **params)
        return kernel_meant(
            given,
            sample.X,
            gamma=self.gamma,
            degree=3 if self.degree is None else self.degree,
            coef0=1.0 if self.coef0 is None else self.coef0,
            functions=self._door.functions,
        )

    def _space(
        self, sample: TrainingSample, use: Literal["rows", "products"] = "products"
    ) -> KernelSpace:
        """Kernel and Gram; ``use`` says what the Gram will be asked for."""
        meant = self._meant(sample)
        gram = build_gram(meant.kernel, sample.X, use=use, checked=meant.checked)
        return KernelSpace(meant, gram)

    def _in_space(self, sample: TrainingSample, meant: Meant) -> dict[str, Any]:
        """Facts of sample and kernel, as arguments of a `KernelFitted`."""
        return rows_of(sample) | {
            "kernel": meant.kernel,
            "rows": sample.X,
            "read_off": meant.read_off,
            "width": getattr(self, "n_features_in_", None),
        }

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)  # type: ignore[misc]
        assert isinstance(fitted, KernelFitted)
        self.kernel_ = fitted.kernel
        if fitted.rows is not None:
            self.X_fit_ = fitted.rows

    def _expand(self, X: Any, columns: Floats) -> Floats:
        """Σ c_i k(x_i, x) at checked rows, one column each; the kernel is never held whole."""
        fitted: KernelFitted = self.fitted_  # type: ignore[attr-defined]
        if isinstance(fitted.kernel, UserFunction):
            return fitted.kernel.values(X, fitted.rows) @ columns
        if fitted.kind is Kind.GRAM:
            X = X if fitted.kept is None else X[:, fitted.kept]
            return np.asarray(X @ columns, dtype=np.float64)
        dtype = getattr(fitted.rows, "dtype", None)
        if getattr(X, "dtype", None) != dtype:
            X = X.astype(dtype)
        return fitted.kernel._matmul(X, fitted.rows, np.ascontiguousarray(columns), same=False)
