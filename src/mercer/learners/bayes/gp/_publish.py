"""Fitted Gaussian processes as `Evidence`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mercer.bounds import Choice, Evidence, Posterior


def hyper_parameter_choices(estimator: Any) -> tuple[Choice, ...]:
    """What the training rows have chosen besides the coefficients."""
    if estimator.optimizer is not None and len(estimator.theta_):
        names = ", ".join(estimator.theta_names_)
        return (Choice("the hyper-parameters", f"largest evidence over {names}"),)
    kernels = estimator.kernel_ if isinstance(estimator.kernel_, list) else [estimator.kernel_]
    if estimator.kernel is None or any(kernel.data_dependent for kernel in kernels):
        return (Choice("the kernel's parameters", "read off the rows"),)
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
    return estimator._kept_columns is None


def classification_evidence(estimator: Any) -> Evidence:
    """Gaussian-process classification: the latent mean as a hyperplane, and the whole posterior.

    The prior is the process itself, so its hyper-parameters must not come from the rows that the
    bound counts. Where the evidence has chosen them, that choice is recorded; the posterior has no
    ``trained_on``, so no bound on the training rows covers it, and every certificate says so.
    """
    chosen = hyper_parameter_choices(estimator)
    if estimator._softmax:
        return _all_classes(estimator, chosen)
    machines = [_binary(estimator, process) for process in estimator.processes_]
    if len(machines) == 1:
        return replace(machines[0], choices=chosen)
    truth = np.column_stack([process.y for process in estimator.processes_]).argmax(axis=1)
    return Evidence(
        n=machines[0].n,
        learner="this GaussianProcessClassifier",
        formulation="gp-classification",
        n_classes=len(estimator.classes_),
        errors=None if estimator.inference == "mcmc" else _errors(estimator, truth),
        machines=tuple(machines),
        choices=chosen,
    )


def _all_classes(estimator: Any, chosen: Any) -> Evidence:
    """Training errors of the softmax; no bound here speaks of several latent functions at once."""
    process = estimator.processes_[0]
    guess = process.training_probability().argmax(axis=1)
    return Evidence(
        n=process.n,
        learner="this GaussianProcessClassifier",
        formulation="gp-classification",
        n_classes=len(estimator.classes_),
        errors=int(np.count_nonzero(guess != process.codes)),
        choices=chosen,
    )


def _errors(estimator: Any, truth: Any) -> int | None:
    """Training errors of the probabilities that ``predict`` compares."""
    columns = [
        process.link.probability(process.t, process.spread**2) for process in estimator.processes_
    ]
    return int(np.count_nonzero(np.column_stack(columns).argmax(axis=1) != truth))


def _binary(estimator: Any, process: Any) -> Evidence:
    if estimator.inference == "mcmc":  # predict averages over draws: Laplace's mode is another rule
        return Evidence(
            n=len(process.y),
            learner="this GaussianProcessClassifier",
            formulation="gp-classification",
        )
    plain = bool(np.all(process.weight == 1.0)) and process.kernel.psd is True
    geometric = plain and process.noise == 0.0
    return Evidence(
        n=len(process.y),
        learner="this GaussianProcessClassifier",
        formulation="gp-classification",
        loss="logistic" if process.link.kind == "logistic" else "probit",
        errors=int(np.count_nonzero(process.y * process.t <= 0)),
        margins=process.y * process.t,
        alphas=np.abs(process.a),
        point_norms=np.sqrt(np.maximum(process.diagonal, 0.0)) if geometric else None,
        norm=process.norm if geometric else None,
        posterior=_posterior(estimator, process) if geometric else None,
    )


def _posterior(estimator: Any, process: Any) -> Posterior:
    """Draw a latent function per row: its error is the Gibbs error, its vote is ``predict``."""
    return Posterior(
        len(process.y),
        process.gibbs_error,
        process.kl,
        vote_is_model=len(estimator.classes_) == 2,
    )
