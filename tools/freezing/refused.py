"""What a model file does not take, with the words it says."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import mercer
from freezing import samples as s
from freezing.case import Case


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a @ b.T


def functions() -> Iterator[Case]:
    """Functions of the user, which no format will ever take."""
    yield Case(
        "functions/kernel",
        lambda: mercer.SVC(kernel=_product).fit(s.X, s.y),
        s.Q,
    )
    yield Case(
        "functions/transformer",
        lambda: make_pipeline(FunctionTransformer(np.cbrt), mercer.SVC()).fit(s.X, s.y),
        s.Q,
    )
