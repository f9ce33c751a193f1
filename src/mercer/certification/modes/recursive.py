"""Recursive PAC-Bayes: in stages, each of which is the prior of the next."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from mercer.bounds import Stage
from mercer.bounds.numerics import log_maurer
from mercer.certification.core.task import Refused, Result, Task
from mercer.certification.modes import _by_class as by_class
from mercer.certification.modes._base import CLASSIFIERS, Mode
from mercer.certification.modes._gaussian import Family, Floats
from mercer.certification.modes._posterior import (
    SCALES,
    Judged,
    best_mean,
    class_masks_of,
    directions_to,
    finished,
    first_family,
    half_distance,
)

STAGES = (0.3, 0.5, 0.75, 1.0)  # prior, then three stages of recursive PAC-Bayes
GAMMA = 0.5


class RecursiveMode(Mode):
    """Every stage's posterior is the next one's prior; only excess losses are bounded."""

    name = "recursive"
    title = "a randomised classifier, in stages each of which is the prior of the next"
    tasks = CLASSIFIERS
    why_not = (
        "the mean error of weights drawn from a Gaussian is known in closed form for labels only. "
        "Regressions: 'auto', 'compress', 'transfer'."
    )
    needs = frozenset({"support vector classifier"})
    fits = 5

    def run(self, task: Task) -> Result:
        """The sum over the stages of what each loses to the one before."""
        cuts = [task.order.cut(share) for share in STAGES[:-1]] + [task.n]
        if len(set(cuts)) < len(cuts):
            raise Refused("mode='recursive' needs more rows: its stages would be empty")
        family = first_family(task, task.first(cuts[0]), self.name)
        mean = _start(task, family)
        stages: list[Stage] = []
        by_label: dict[str, list[Stage]] = {}
        for t, (begin, end) in enumerate(pairwise(cuts)):
            family.add(np.sort(task.first(end)))
            products = family.products()
            previous = np.append(mean, 0.0)
            mean = _next(Judged.of(family, task.first(end, begin)), products, previous, task, begin)
            counted = Judged.of(family, task.first(task.n, begin))
            now, before = counted.wrong(mean), counted.wrong(previous)
            exceed = _exceed(now, before if t else None)
            kl = half_distance(mean, previous, products)
            stages.append(Stage(task.n - begin, kl, GAMMA, exceed))
            if by_class.wanted(task):
                for label, mine in class_masks_of(task, family, task.first(task.n, begin)).items():
                    exceed = _exceed(now[mine], before[mine] if t else None)
                    by_label.setdefault(label, []).append(Stage(int(mine.sum()), kl, GAMMA, exceed))
        split = {"prior_rows": cuts[0], "stages": [s.rows for s in stages], "mean": mean.tolist()}
        parts = {k: (s[-1].rows, {"stages": tuple(s)}) for k, s in by_label.items()}
        code = "recursive-pac-bayes"
        return finished(task, family, mean, code, {"stages": tuple(stages)}, split, parts)


def _exceed(now: Floats, before: Floats | None) -> tuple[float, float, float]:
    """Shares of rows whose excess l(h) − γ·l(h') is at least 0, 1 − γ and 1."""
    wrong = float(now.mean())
    if before is None:
        return 1.0, wrong, wrong
    repaired = float(np.mean((1.0 - now) * before))
    return 1.0 - repaired, wrong, float(np.mean(now * (1.0 - before)))


def _start(task: Task, family: Family) -> Floats:
    """The first prior: the direction of the first machine, no sharper than its rows ask for.

    A smaller machine, tested on the rest of the first part, shows how blurred it may be.
    """
    first = family.trained[0]
    cut = max(1, round(0.6 * len(first)))
    pilot = Family(family.space, task).add(first[:cut])
    rows = Judged.of(pilot, first[cut:])
    unit = 1.0 / np.sqrt(pilot.products()[0, 0])
    errors = np.array([float(rows.wrong(np.array([scale * unit])).mean()) for scale in SCALES])
    enough = np.flatnonzero(errors <= 1.05 * errors.min() + 0.002)[0]
    return np.array([SCALES[enough] / np.sqrt(family.products()[0, 0])])


def _next(rows: Judged, products: Floats, previous: Floats, task: Task, begin: int) -> Floats:
    """The next posterior, from rows that no later stage's prior is forbidden to have seen."""
    m = task.n - begin
    price = log_maurer(m) - np.log(task.delta / (len(STAGES) - 1))
    directions = directions_to(products, previous, len(previous) - 1)
    return best_mean(
        rows, directions, lambda mean: half_distance(mean, previous, products), m, price
    )
