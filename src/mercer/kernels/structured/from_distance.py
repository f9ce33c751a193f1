"""Kernels that fall with a distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.validate import VECTORS, real

FORMS: dict[str, Callable[[Any], Any]] = {
    "gaussian": lambda r: np.exp(-np.square(r)),
    "exponential": lambda r: np.exp(-r),
    "inverse": lambda r: 1.0 / (1.0 + r),
}


class FromDistance(Kernel):
    """exp(-(d/s)²), exp(-d/s) or 1/(1 + d/s) of a distance d.

    All three are positive semi-definite if d embeds in a Hilbert space, as the Euclidean distance
    does; the first is so for every s only then (Schoenberg). Edit distance, dynamic time warping
    and most others do not embed: ``psd`` is None, machines look at their support vectors and warn
    (`IndefiniteKernelWarning`), and bounds that need an inner product are left out.
    `mercer.metrics.report` tells beforehand, and `mercer.metrics.lingoes` repairs a matrix.

    Parameters
    ----------
    metric : callable
        A `mercer.metrics.Metric`, or a function ``f(X, Y)`` returning the matrix of distances.
    form : "gaussian", "exponential" or "inverse"
    scale : float
        s.
    objects : bool
        For a plain function: the data are not vectors.
    """

    choices = frozenset({"form"})

    def __init__(
        self,
        metric: Any,
        form: str = "gaussian",
        scale: float = 1.0,
        objects: bool = False,
    ) -> None:
        self.metric = metric
        self.form = form
        self.scale = scale
        self.objects = objects

    bounded = True

    @property
    def accepts(self) -> frozenset[str]:  # type: ignore[override]
        """What the metric accepts; for a plain function vectors, or anything with ``objects``."""
        known = getattr(self.metric, "accepts", None)
        if known is not None:
            return frozenset(known)
        return frozenset({"objects"}) if self.objects else VECTORS - {"sparse"}

    @property
    def psd(self) -> bool | None:
        """True for distances known to be Euclidean, else unknown."""
        return True if getattr(self.metric, "euclidean", None) is True else None

    @property
    def sup_norm(self) -> float:
        """Every value on the diagonal is one."""
        return 1.0

    def _check(self, X: Samples, name: str = "X") -> None:
        if self.form not in FORMS:
            raise ValueError(f"FromDistance: form={self.form!r} is not one of {sorted(FORMS)}")
        real(self.scale, "FromDistance: scale", low=0, closed=False)

    def _tile(self, X: Any, Y: Any) -> NDArray[Any]:
        same = X is Y and hasattr(self.metric, "is_metric")  # a plain function takes two samples
        D = np.asarray(self.metric(X, None if same else Y), dtype=np.float64)
        if D.shape != (len(X), len(Y)):
            raise ValueError(
                f"the distance returned shape {D.shape} for {len(X)} x {len(Y)} objects; a "
                "function of two single objects is mercer.metrics.FromFunction(f)"
            )
        return FORMS[self.form](D / self.scale)

    def _diag(self, X: Any) -> NDArray[Any]:
        return np.ones(len(X))

    @classmethod
    def examples(cls) -> list[FromDistance]:
        """All forms of a Euclidean distance."""
        return [cls(_Warped(), form, 1.3) for form in FORMS]


class _Warped:
    """The Euclidean distance of distorted coordinates, for the examples."""

    _tag = "record:warped"
    euclidean = True
    accepts = VECTORS - {"sparse"}

    def __call__(self, X: Any, Y: Any) -> Any:
        return cdist(np.arctan(X), np.arctan(Y))

    def __repr__(self) -> str:
        return "warped"
