"""The adaptive margin machine at many λ, each solution starting from the last."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from mercer._types import Samples
from mercer.learners._brief import Brief
from mercer.learners.margin.adaptive.machine import AdaptiveMarginMachine

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class AMMPath(Brief):
    """Machines along a path of λ.

    Attributes
    ----------
    lambdas : ndarray of shape (m,)
        The values of λ, in the order given.
    objectives : ndarray of shape (m,)
        Σξ; grows with λ.
    n_support : ndarray of int of shape (m,)
        Rows with weight.
    training_errors : ndarray of shape (m,)
        Share of training rows that are wrong.
    steps : ndarray of int of shape (m,)
        Steps of the solver.
    coef : ndarray of shape (m, n)
        Signed coefficients of the training rows.
    """

    lambdas: Floats
    objectives: Floats
    n_support: NDArray[np.intp]
    training_errors: Floats
    steps: NDArray[np.intp]
    coef: Floats


def amm_path(
    X: Samples, y: ArrayLike, lambdas: ArrayLike, machine: AdaptiveMarginMachine | None = None
) -> AMMPath:
    """Fit adaptive margin machines over a range of λ with warm starts.

    Parameters
    ----------
    X, y : array-like
        Training rows and two class labels.
    lambdas : array-like
        Values of λ; neighbours should be close together.
    machine : AdaptiveMarginMachine, optional
        Its kernel and options are used; ``reg_param`` and ``warm_start`` are set.

    Returns
    -------
    AMMPath
        One entry per λ.
    """
    values = np.asarray(lambdas, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"lambdas must be a list of numbers, got shape {values.shape}.")
    model = clone(AdaptiveMarginMachine() if machine is None else machine)
    model.set_params(warm_start=True, certify=None)
    coef, found, wrong = [], [], []
    for lam in values:
        model.set_params(reg_param=float(lam)).fit(X, y)
        found.append(model.programme_)
        sign, output = model.fitted_.sign, model.fitted_.output
        full = np.zeros(len(sign))
        full[model.support_] = model.dual_coef_[0]
        coef.append(full)
        wrong.append(float(np.mean((output >= 0) != (sign > 0))))
    return AMMPath(
        lambdas=values,
        objectives=np.array([one.objective for one in found]),
        n_support=np.array([np.count_nonzero(row) for row in coef]),
        training_errors=np.array(wrong),
        steps=np.array([one.n_iter for one in found]),
        coef=np.array(coef),
    )
