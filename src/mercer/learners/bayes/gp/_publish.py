"""Fitted Gaussian processes as `Evidence`."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from mercer.bounds import Choice, Evidence, Posterior
from mercer.learners._door import Kind


def hyper_parameter_choices(estimator: Any, kernels: list[Any]) -> tuple[Choice, ...]:
    """What the training rows have chosen besides the coefficients."""
    fitted = estimator.fitted_
    if estimator.optimizer is not None and len(fitted.point):
        names = ", ".join(fitted.names)
        found = [Choice("the hyper-parameters", f"largest evidence over {names}")]
    elif estimator.kernel == "auto" or any(kernel.data_dependent for kernel in kernels):
        found = [Choice("the kernel's parameters", "read off the rows")]
    else:
        found = []
    return (*found, *fitted.choices())


def regression_evidence(estimator: Any) -> Evidence:
    """Gaussian-process regression: risks on the training rows and left out in turn.

    No bound of the catalogue speaks about an unbounded loss without a range, so what is published
    are estimates; `mercer.certified_fit` gives limits.
    """
    fitted = estimator.fitted_
    target = fitted.targets.restored(fitted.targets.unit)
    guess = fitted.targets.restored(estimator._means(fitted.rows, None))
    risks = {"training mean squared error": float(np.mean((guess - target) ** 2))}
    loo = {}
    if not fitted.by_products:
        risk = float(np.mean(estimator.leave_one_out().residuals ** 2))
        risks, loo = {"leave-one-out mean squared error": risk} | risks, {"exact": risk}
    choices = list(hyper_parameter_choices(estimator, [fitted.kernel]))
    if estimator.normalize_y:
        choices.append(Choice("the scale of the targets", "their mean and standard deviation"))
    return Evidence(
        n=fitted.n,
        task="regression",
        learner=f"this {type(estimator).__name__}",
        formulation="gp-regression",
        risks=risks,
        loo=loo,
        choices=tuple(choices),
    )


def classification_evidence(estimator: Any) -> Evidence:
    """Gaussian-process classification: the latent mean as a hyperplane, and the whole posterior.

    The prior is the process itself, so its hyper-parameters must not come from the rows that the
    bound counts. Where the evidence has chosen them, that choice is recorded; the posterior has no
    ``trained_on``, so no bound on the training rows covers it, and every certificate says so.
    """
    fitted = estimator.fitted_
    processes = fitted.processes
    chosen = hyper_parameter_choices(estimator, [process.kernel for process in processes])
    if fitted.softmax:
        guess = processes[0].training_probability().argmax(axis=1)
        wrong = int(np.count_nonzero(guess != processes[0].codes))
        return _several(estimator, wrong, chosen)
    if fitted.members is not None:
        return _several(estimator, _pair_errors(estimator), chosen)
    machines = [_binary(estimator, process) for process in processes]
    if len(machines) == 1:
        return replace(machines[0], choices=chosen)
    errors = None if fitted.sampled else _errors(processes)
    return _several(estimator, errors, chosen, tuple(machines))


def _several(estimator: Any, errors: Any, chosen: Any, machines: Any = ()) -> Evidence:
    """More than two classes; no bound here speaks of several latent functions at once."""
    return Evidence(
        n=estimator.fitted_.n,
        learner=f"this {type(estimator).__name__}",
        formulation="gp-classification",
        n_classes=len(estimator.fitted_.classes),
        errors=errors,
        machines=machines,
        choices=chosen,
    )


def _errors(processes: list[Any]) -> int:
    """Training errors of the probabilities that ``predict`` compares."""
    truth = np.column_stack([process.y for process in processes]).argmax(axis=1)
    columns = [process.link.probability(process.t, process.spread**2) for process in processes]
    return int(np.count_nonzero(np.column_stack(columns).argmax(axis=1) != truth))


def _pair_errors(estimator: Any) -> int:
    """Rows of which another class gets more votes."""
    fitted = estimator.fitted_
    codes = np.empty(fitted.n, dtype=np.intp)
    pairs = combinations(range(len(fitted.classes)), 2)
    for own, process, (first, second) in zip(fitted.members, fitted.processes, pairs, strict=True):
        codes[own] = np.where(process.y > 0, first, second)
    rows = fitted.rows
    if fitted.kind is Kind.GRAM and fitted.kept is not None:  # columns as the user numbers them
        rows = np.zeros((fitted.n, fitted.kept[-1] + 1))
        rows[:, fitted.kept] = fitted.rows
    return int(np.count_nonzero(estimator._votes(rows).argmax(axis=1) != codes))


def _binary(estimator: Any, process: Any) -> Evidence:
    plain = Evidence(
        n=len(process.y),
        learner=f"this {type(estimator).__name__}",
        formulation="gp-classification",
    )
    if estimator.fitted_.sampled:  # predict averages over draws: Laplace's mode is another rule
        return plain
    unweighted = bool(np.all(process.weight == 1.0)) and process.kernel.psd is True
    geometric = unweighted and process.noise == 0.0
    return replace(
        plain,
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
        vote_is_model=len(estimator.fitted_.classes) == 2,
    )
