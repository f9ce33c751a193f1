"""Hyper-parameters from a part of the rows, the posterior from all of them, by products."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._random import generator
from mercer.gram import NotPositiveDefiniteError
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import rows_of
from mercer.learners.bayes._space import subset
from mercer.learners.bayes.gp._base import AnyTheta
from mercer.learners.bayes.gp._by_products import ProductFactor, searched_rows
from mercer.learners.bayes.gp._evidence import Likelihood, RegressionEvidence
from mercer.learners.bayes.gp._fitted import RegressionFitted, Targets


def chosen_on_a_part(
    model: Any,
    sample: TrainingSample,
    X: Any,
    targets: Targets,
    theta: AnyTheta,
    likelihood: Likelihood,
) -> RegressionFitted:
    """What a fit without an n x n array leaves."""
    names, start, bounds = model._free(theta, likelihood, targets.spread)
    part = searched_rows(sample.n, model._matrices, generator(model.random_state))

    def evidence_of(rows: NDArray[np.intp] | None) -> RegressionEvidence:
        own = part if rows is None else part[rows]
        return RegressionEvidence(
            subset(theta.kernel, X, own),
            targets.unit[own],
            theta,
            likelihood.rows(own),
            model.dtype,
            model.relevance_rate,
            forgiving=likelihood.learn or model.dtype == "float32",
        )

    start = model._warm(start, bounds, names)
    search = model._optimise(evidence_of, len(part), start, bounds, names, "GP evidence")
    point = start if search.best is None else search.best.x
    kernel, noise = likelihood.split(theta, point)
    try:
        factor = ProductFactor(kernel, X, likelihood.variances(noise))
        coef, value, error = factor.fitted(targets.unit)
    except NotPositiveDefiniteError as failed:
        raise NotPositiveDefiniteError(
            f"{theta.public_at(point[: theta.size])}: {failed}"
        ) from None
    return RegressionFitted(
        **rows_of(sample),
        rows=X,
        dtype=model.dtype,
        names=names,
        point=point,
        log_evidence=value,
        log_evidence_error=error,
        n_evaluations=search.n_evaluations,
        timed_out=search.timed_out,
        kernel=kernel,
        noise=noise,
        theta=theta,
        likelihood=likelihood,
        targets=targets,
        coef=coef,
        jitter=0.0,
        converged=search.best is None or search.best.converged,
        solver="cg",
        n_searched=len(part) if search.best is not None else None,
    ).factored_as(factor)
