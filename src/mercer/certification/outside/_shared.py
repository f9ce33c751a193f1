"""What the readers share: signs of labels, geometry of kernels, complaints about other rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Choice
from mercer.kernels import Kernel
from mercer.kernels.structured.precomputed import Precomputed

Floats = NDArray[np.float64]

MOST_EIGENVALUES = 3000  # rows up to which an unknown kernel is checked for being one


def other_rows(why: str) -> ValueError:
    """The model and the rows do not belong together."""
    return ValueError(
        f"this model was not trained on exactly these rows: {why}. Pass the training rows in the "
        "order of fit (models trained with sample weights cannot be checked)."
    )


def signs(model: Any, y: Any) -> Floats:
    """Labels of a two-class model as −1 and +1."""
    labels = np.asarray(y)
    unknown = ~np.isin(labels, model.classes_)
    if unknown.any():
        raise other_rows(f"it does not know the label {labels[unknown][0]!r}")
    return np.where(labels == model.classes_[1], 1.0, -1.0)


def geometry(kernel: Kernel | None, X: Any, gram: Floats | None = None) -> dict[str, Any]:
    """Norms, radius, trace and dimension; blank unless the kernel is an inner product."""
    if kernel is None or isinstance(kernel, Precomputed):
        if gram is None or not _is_gram(gram):
            return {}
        own = np.maximum(np.diagonal(gram), 0.0)
        return {"point_norms": np.sqrt(own), "trace": float(own.sum())}
    if kernel.psd is not True:
        return {}
    own = np.maximum(np.asarray(kernel.diag(X), dtype=np.float64), 0.0)
    size = kernel.dimension(X.shape[1])
    return {
        "point_norms": np.sqrt(own),
        "trace": float(own.sum()),
        "radius": kernel.known_radius(own),
        "kernel_range": kernel.spread,
        "dimension": size,
        "rank": None if size is None or math.isinf(size) else int(size),
    }


def _is_gram(gram: Floats) -> bool:
    """Whether the matrix can be one of inner products; too large ones are not believed."""
    if len(gram) > MOST_EIGENVALUES or not np.allclose(gram, gram.T):
        return False
    values = np.linalg.eigvalsh(0.5 * (gram + gram.T))
    return bool(values[0] >= -1e-8 * max(values[-1], 0.0))


def gamma_choice(model: Any) -> tuple[Choice, ...]:
    """``gamma="scale"`` reads the variance of the rows."""
    if model.kernel in ("rbf", "poly", "sigmoid") and model.gamma == "scale":
        return (Choice("gamma", "gamma='scale': 1/(columns · variance of X)"),)
    return ()
