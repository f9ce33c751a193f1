"""Fitted Gaussian processes as `Evidence`."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.bounds import Choice, Evidence


def hyper_parameter_choices(estimator: Any, rows: str = "train") -> tuple[Choice, ...]:
    """What the training rows have chosen besides the coefficients."""
    if estimator.optimizer is not None and len(estimator.theta_):
        names = ", ".join(estimator.theta_names_)
        return (Choice("the hyper-parameters", f"largest evidence over {names}", rows=rows),)
    if estimator.kernel is None or estimator.kernel_.data_dependent:
        return (Choice("the kernel's parameters", "read off the rows", rows=rows),)
    return ()


def regression_evidence(estimator: Any) -> Evidence:
    """Gaussian-process regression: risks on the training rows and left out in turn.

    No bound of the catalogue speaks about an unbounded loss without a range, so what is published
    are estimates; ``certify="holdout"`` gives limits.
    """
    left_out = estimator.leave_one_out()
    mean = left_out.mean + left_out.residuals
    fitted = estimator.predict(estimator.X_train_) if _square(estimator) else None
    risks = {"leave-one-out mean squared error": float(np.mean(left_out.residuals**2))}
    if fitted is not None:
        risks["training mean squared error"] = float(np.mean((fitted - mean) ** 2))
    choices = list(hyper_parameter_choices(estimator))
    if estimator.normalize_y:
        choices.append(Choice("the scale of the targets", "their mean and standard deviation"))
    return Evidence(
        n=len(estimator.alpha_),
        task="regression",
        learner="this GaussianProcessRegressor",
        formulation="gp-regression",
        risks=risks,
        loo={"exact": float(np.mean(left_out.residuals**2))},
        choices=tuple(choices),
    )


def _square(estimator: Any) -> bool:
    return estimator._kept is None
