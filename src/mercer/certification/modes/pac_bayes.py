"""PAC-Bayes with a prior learned on other rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mercer.bounds import Posterior
from mercer.bounds.numerics import log_maurer
from mercer.certification.core.task import Result, Task
from mercer.certification.modes import _by_class as by_class
from mercer.certification.modes._base import CLASSIFIERS, Mode
from mercer.certification.modes._gaussian import Floats
from mercer.certification.modes._posterior import (
    Judged,
    best_mean,
    class_masks_of,
    directions_to,
    finished,
    first_family,
    half_distance,
)

START = 0.5
PRIORS = np.geomspace(1.0, 512.0, 10)  # declared scales of the prior; each is paid


class PacBayesMode(Mode):
    """Prior from the first half, posterior from all rows, Gibbs error counted on the second."""

    name = "pac-bayes"
    title = "a randomised classifier around machines on half and on all rows"
    tasks = CLASSIFIERS
    why_not = (
        "the mean error of weights drawn from a Gaussian is known in closed form for labels only. "
        "Regressions: 'auto', 'compress', 'transfer'."
    )
    needs = frozenset({"support vector classifier"})
    fits = 2

    def run(self, task: Task) -> Result:
        """The best Gaussian, by the bound that holds for all of them at once."""
        start = task.order.cut(START)
        first, others = task.first(start), task.first(task.n, start)
        family = first_family(task, first, self.name).add(np.sort(task.order.rows))
        rows, products = Judged.of(family, others), family.products()
        mean, kl = _best_posterior(rows, products, len(others), task.delta)
        gibbs = float(rows.wrong(mean).mean())
        record = Posterior(
            len(others),
            gibbs,
            kl,
            candidates=len(PRIORS),
            trained_on=len(first),
            vote_is_model=True,
        )
        split = {"prior_rows": len(first), "kl": kl, "gibbs": gibbs, "mean": mean.tolist()}
        by_label: dict[str, tuple[int, dict[str, Any]]] = {}
        if by_class.wanted(task):
            for label, mine in class_masks_of(task, family, others).items():
                part = replace(
                    record, rows=int(mine.sum()), gibbs=float(rows.wrong(mean)[mine].mean())
                )
                by_label[label] = part.rows, {"posterior": part}
        return finished(
            task, family, mean, "pac-bayes-prior", {"posterior": record}, split, by_label
        )


def _best_posterior(rows: Judged, products: Floats, m: int, delta: float) -> tuple[Floats, float]:
    """The mean with the smallest bound; it holds for all means and all declared priors at once."""
    prior = np.array([1.0, 0.0]) / np.sqrt(products[0, 0])

    def nearest(mean: Floats) -> float:
        return min(half_distance(mean, size * prior, products) for size in PRIORS)

    price = log_maurer(m) - np.log(delta / len(PRIORS))
    mean = best_mean(rows, directions_to(products, prior, 1), nearest, m, price)
    return mean, nearest(mean)
