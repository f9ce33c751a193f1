"""Margins of a fitted two-class machine: functional, geometrical, normalised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.learners.quantities.conventions import signs
from mercer.learners.quantities.rkhs import Expansion

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Margins:
    """Three margins of every row.

    Attributes
    ----------
    functional : ndarray
        y f(x), the offset included.
    geometrical : ndarray
        Divided by ‖w‖: distance to the hyperplane in feature space, whatever the scale of f.
    normalised : ndarray
        Divided by ‖w‖ √k(x, x) as well: the sine of the angle to the hyperplane if there is no
        offset. Rows at the origin of the feature space have 0.
    norm, radius : float
        ‖w‖ and the largest √k(x, x).
    """

    functional: Floats
    geometrical: Floats
    normalised: Floats
    norm: float
    radius: float

    @property
    def novikoff(self) -> float:
        """(radius / smallest geometrical margin)²; infinite if a row is wrong."""
        smallest = float(self.geometrical.min())
        return (self.radius / smallest) ** 2 if smallest > 0 else np.inf

    def __repr__(self) -> str:
        return (
            f"smallest of {len(self.functional)} margins: functional "
            f"{self.functional.min():.6g}, geometrical {self.geometrical.min():.6g}, normalised "
            f"{self.normalised.min():.6g}; |w| = {self.norm:.6g}, R = {self.radius:.6g}"
        )


def margins(model: Any, X: Any, y: Any) -> Margins:
    """Functional, geometrical and normalised margins of rows.

    Parameters
    ----------
    model : estimator or Expansion
        A fitted two-class kernel machine, a linear classifier with ``coef_``, or an element of a
        Hilbert space.
    X, y : array-like
        Rows and their labels.

    Returns
    -------
    Margins
        One entry per row.
    """
    if isinstance(model, Expansion):
        output, norm, own = model.outputs(X), model.norm, model.kernel.diag(X)
        sign = signs(y)
    else:
        sign = signs(y, model.classes_)
        output = np.asarray(model.decision_function(X), dtype=np.float64)
        if output.ndim != 1:
            raise ValueError("margins are those of a two-class machine.")
        norm, own = _geometry(model, X)
    length = np.sqrt(np.maximum(np.asarray(own, dtype=np.float64), 0.0))
    functional = sign * output
    geometrical = functional / norm if norm > 0 else np.zeros_like(functional)
    with np.errstate(divide="ignore", invalid="ignore"):
        normalised = np.where(length > 0, geometrical / length, 0.0)
    return Margins(functional, geometrical, normalised, norm, float(length.max(initial=0.0)))


def _geometry(model: Any, X: Samples) -> tuple[float, Floats]:
    """‖w‖ and k(x, x) of the rows."""
    if getattr(model, "kernel_", None) is not None:
        element = Expansion.from_model(model)
        return element.norm, element.kernel.diag(X)
    from sklearn.utils.extmath import row_norms

    rows = X if hasattr(X, "tocsr") else np.asarray(X, dtype=np.float64)
    return float(np.linalg.norm(np.asarray(model.coef_))), row_norms(rows, squared=True)
