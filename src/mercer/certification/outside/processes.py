"""scikit-learn's Gaussian processes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.special import ndtr

from mercer.bounds import Choice, Evidence, Posterior, ridge_loo_residuals
from mercer.certification.outside._shared import other_rows, signs


def classifier(model: Any, X: Any, y: Any) -> Evidence:
    """Two classes by Laplace's approximation: the latent mean, and the whole posterior.

    With W the curvature at the mode f and B = I + √W K √W, the posterior N(f, (K⁻¹ + W)⁻¹) has
    KL = ½(ln|B| + tr B⁻¹ − n + f'K⁻¹f) to the prior N(0, K).
    """
    wrong = int(np.count_nonzero(np.asarray(model.predict(X)) != np.asarray(y)))
    if len(model.classes_) > 2:
        return Evidence(len(y), errors=wrong, n_classes=len(model.classes_), choices=_chosen(model))
    target, base = signs(model, y), model.base_estimator_
    _same_rows(base.X_train_, X)
    if not np.array_equal(2.0 * base.y_train_ - 1.0, target):
        raise other_rows("it remembers other labels")
    gram = np.asarray(base.kernel_(base.X_train_), dtype=np.float64)
    pull = base.y_train_ - base.pi_
    latent = gram @ pull
    root = np.sqrt(np.maximum(base.pi_ * (1.0 - base.pi_), 0.0))
    factor = cholesky(np.eye(len(gram)) + root[:, None] * gram * root, lower=True)
    trace = float(np.sum(solve_triangular(factor, np.eye(len(gram)), lower=True) ** 2))
    kl = float(np.log(np.diagonal(factor)).sum()) + 0.5 * (trace - len(gram) + latent @ pull)
    shrunk = solve_triangular(factor, root[:, None] * gram, lower=True)
    spread = np.maximum(np.diagonal(gram) - np.sum(shrunk**2, axis=0), 1e-300)
    return Evidence(
        len(target),
        formulation="gp-classification",
        loss="logistic",
        errors=int(np.count_nonzero(target * latent <= 0)),
        margins=target * latent,
        alphas=np.abs(pull),
        point_norms=np.sqrt(np.diagonal(gram)),
        norm=math.sqrt(max(0.0, float(latent @ pull))),
        posterior=Posterior(
            len(target),
            float(np.mean(ndtr(-target * latent / np.sqrt(spread)))),
            max(0.0, kl),
            vote_is_model=True,
        ),
        choices=_chosen(model),
    )


def regressor(model: Any, X: Any, y: Any) -> Evidence:
    """Risks on the training rows and left out in turn: estimates, for the loss has no range."""
    target = np.asarray(y, dtype=float)
    if target.ndim > 1:
        raise other_rows("it has several targets, one is expected")
    _same_rows(model.X_train_, X)
    scale, shift = (float(np.ravel(v)[0]) for v in (model._y_train_std, model._y_train_mean))
    if not np.allclose(scale * model.y_train_ + shift, target):
        raise other_rows("it remembers other targets")
    gram = np.asarray(model.kernel_(model.X_train_), dtype=np.float64)
    noise = gram + np.diag(np.broadcast_to(model.alpha, len(gram)))
    left_out = scale * ridge_loo_residuals(noise, model.y_train_, 0.0)
    choices = _chosen(model)
    if model.normalize_y:
        choices += (Choice("the scale of the targets", "their mean and standard deviation"),)
    return Evidence(
        len(target),
        task="regression",
        formulation="gp-regression",
        risks={"training mean squared error": float(np.mean((model.predict(X) - target) ** 2))},
        loo={"exact": float(np.mean(left_out**2))},
        choices=choices,
    )


def _same_rows(trained: Any, X: Any) -> None:
    if np.shape(trained) != X.shape or not np.array_equal(trained, np.asarray(X)):
        raise other_rows("it remembers other ones")


def _chosen(model: Any) -> tuple[Choice, ...]:
    if model.optimizer is None:
        return ()
    return (Choice("the hyper-parameters", "largest evidence on the training rows"),)
