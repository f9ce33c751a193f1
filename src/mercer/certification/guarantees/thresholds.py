"""Thresholds chosen on counted rows: fixed-sequence testing.

A list of thresholds is fixed before the counted rows, from the safest on. Each is tested with the
exact binomial test of "its risk is above the target"; the first that is not rejected ends the walk,
and the last one rejected is taken. If it were bad, the first bad one of the list would have been
rejected too, which happens with probability at most δ: the choice along a list is free
(Angelopoulos et al. 2021; for abstention Geifman and El-Yaniv 2017).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer._storable import record
from mercer.bounds import Certificate, HoldOut
from mercer.bounds.numerics import log_cdf
from mercer.bounds.numerics.checks import log_level
from mercer.certification.guarantees.statement import ASSUMED, Statement, certificate

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
STEPS = 40
# where walks begin, in units of the rows without an error that would do, and their shares of δ
STARTS = {2.5: 0.6, 1.2: 0.2, 6.0: 0.2}


@record("chosen-threshold")  # a plan chooses, too
@dataclass(frozen=True)
class Chosen:
    """The last threshold that passed, and what was counted there."""

    threshold: float
    rows: int
    errors: int
    tested: int


def first_rows(target: float, delta: float) -> int:
    """Fewest counted rows, none of them wrong, that can show a risk of at most ``target``."""
    return math.ceil(log_level(delta) / math.log1p(-target))


def walk(
    thresholds: Floats, scores: Floats, wrong: Flags, target: float, delta: float
) -> Chosen | None:
    """Test "the risk of rows that score at least t is above ``target``" along ``thresholds``.

    The list goes from the safest on and was fixed without these rows. None: not one passed.
    """
    level, passed = log_level(delta), None
    for i, threshold in enumerate(thresholds.tolist()):
        among = scores >= threshold
        rows, errors = int(among.sum()), int(wrong[among].sum())
        if rows == 0 or log_cdf(errors, rows, target) > level:
            break
        passed = Chosen(threshold, rows, errors, i + 1)
    return passed


def grid_of(earlier: Floats, least: float) -> Floats:
    """Thresholds at rising coverages of scores seen earlier, from a share of the rows to all."""
    shares = np.linspace(min(1.0, least), 1.0, STEPS)
    found = np.quantile(earlier, 1.0 - shares, method="lower").astype(np.float64)
    found[-1] = -np.inf
    return found


def best_walk(
    earlier: Floats, scores: Floats, wrong: Flags, target: float, delta: float
) -> Chosen | None:
    """The walk that reaches furthest, of several that begin at different coverages.

    A walk that begins too strictly has too few rows to show anything, one that begins too late is
    already above the target; how soon the errors come is not known beforehand. So several begin,
    each with its share of δ, and the one that gets furthest is taken: the union bound pays for it.
    """
    found = []
    for rows, share in STARTS.items():
        least = rows * first_rows(target, share * delta) / len(scores)
        found.append(walk(grid_of(earlier, least), scores, wrong, target, share * delta))
    passed = [chosen for chosen in found if chosen is not None]
    return min(passed, key=lambda chosen: chosen.threshold, default=None)


def target_certificate(part: HoldOut, target: float, delta: float, learner: str) -> Certificate:
    """What is promised where rows are accepted down to the threshold that the walk found."""
    accepted, errors = part.accepted or 0, part.accepted_errors or 0
    found = Statement(
        target,
        accepted,
        errors / accepted,
        f"{errors} errors on the {accepted} of {part.rows} unseen rows that are accepted "
        f"({100 * accepted / part.rows:.3g} %)",
        assumptions=("the list of thresholds was fixed before the counted rows",),
        paid={f"walk from {rows:g} times the fewest rows": share for rows, share in STARTS.items()},
        details={"coverage": accepted / part.rows},
    )
    return certificate(
        found,
        code="target-error",
        title="fixed-sequence tests of thresholds",
        reference="Angelopoulos et al. 2021; Geifman and El-Yaniv 2017; exact binomial tests",
        quantity="error rate among accepted rows",
        delta=delta,
        learner=learner,
        assumed=ASSUMED,
    )
