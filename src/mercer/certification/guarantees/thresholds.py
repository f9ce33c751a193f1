"""Thresholds chosen on counted rows: fixed-sequence testing along a list planned without them.

The list is fixed before the counted rows. Each threshold is tested with the exact binomial test of
"its risk is above the target"; the first that is not rejected ends the walk, and the last one
rejected is taken. If it were bad, the first bad one of the list would have been rejected too, which
happens with probability at most δ: the choice along a list is free (Angelopoulos et al. 2021; for
abstention Geifman and El-Yaniv 2017).

All of δ is spent at the first step, so the walk begins where it is most likely to pass. A strict
threshold has too few rows to show anything, a mild one is above the target: scores and errors of
left-out training rows say what lies between. They may be as wrong as they like, validity does not
rest on them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, bdtrik
from sklearn.isotonic import IsotonicRegression

from mercer._storable import record
from mercer.bounds import Certificate, HoldOut
from mercer.bounds.numerics import log_cdf
from mercer.bounds.numerics.checks import log_level
from mercer.certification.guarantees.statement import ASSUMED, Statement, certificate

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
STEPS = 40
_PLACES = 100  # coverages at which a walk may begin
_DOUBT = 0.5  # an error more among twice as many rows, at every threshold of the plan
_LIKELY = 0.8


@record("chosen-threshold")  # a plan chooses, too
@dataclass(frozen=True)
class Chosen:
    """The last threshold that passed, and what was counted there."""

    threshold: float
    rows: int
    errors: int
    tested: int


@dataclass(frozen=True)
class Plan:
    """Thresholds in the order of their tests, and the chance that the first one passes."""

    thresholds: Floats
    chance: float
    coverage: Floats  # at every place where the walk might have begun
    risk: Floats

    def enough(self, rows: int, target: float, delta: float) -> int | None:
        """Counted rows, ``rows`` or more, at which some threshold would pass in 80 of 100 cases."""
        more = max(rows, first_rows(target, delta))
        for _ in range(20):
            if _chances(self.coverage, self.risk, more, target, delta).max() >= _LIKELY:
                return more
            more = math.ceil(1.25 * more)
        return None


def first_rows(target: float, delta: float) -> int:
    """Fewest counted rows, none of them wrong, that can show a risk of at most ``target``."""
    return math.ceil(log_level(delta) / math.log1p(-target))


def walk(
    thresholds: ArrayLike, scores: Floats, wrong: Flags, target: float, delta: float
) -> Chosen | None:
    """Test "the risk of rows that score at least t is above ``target``" along ``thresholds``.

    The list was fixed without these rows. None: the first one did not pass.
    """
    level, passed = log_level(delta), None
    for i, threshold in enumerate(np.asarray(thresholds, dtype=np.float64).tolist()):
        among = scores >= threshold
        rows, errors = int(among.sum()), int(wrong[among].sum())
        if rows == 0 or log_cdf(errors, rows, target) > level:
            break
        passed = Chosen(threshold, rows, errors, i + 1)
    return passed


def plan(scores: Floats, wrong: Flags, rows: int, target: float, delta: float) -> Plan:
    """Where to begin with ``rows`` counted ones, and on from there to all rows.

    Parameters
    ----------
    scores, wrong
        Of rows that will not be counted, from models that did not see them.
    rows : int
        How many rows will be counted.
    """
    shares = np.linspace(1.0 / _PLACES, 1.0, _PLACES)
    places = np.unique(np.quantile(scores, 1.0 - shares, method="lower"))[::-1].copy()
    places[-1] = -np.inf
    coverage, risk = _expected(places, scores, wrong)
    chances = _chances(coverage, risk, rows, target, delta)
    begin = int(np.argmax(chances))
    some = np.linspace(begin, len(places) - 1, min(STEPS, len(places) - begin))
    places = places[np.unique(some.round().astype(int))]
    return Plan(places, float(chances[begin]), coverage, risk)


def _expected(places: Floats, scores: Floats, wrong: Flags) -> tuple[Floats, Floats]:
    """Share of rows from each threshold on, and their risk: errors by score, smoothed to fall."""
    errors = IsotonicRegression(increasing=False).fit_transform(scores, wrong.astype(np.float64))
    among = scores[None, :] >= places[:, None]
    count = among.sum(axis=1)
    risk = (among @ errors + _DOUBT) / (count + 2.0 * _DOUBT)
    return count / len(scores), risk


def _chances(coverage: Floats, risk: Floats, rows: int, target: float, delta: float) -> Floats:
    """Chance that the test at each threshold passes, if the risks are as expected."""
    accepted = np.maximum(np.round(coverage * rows), 1.0).astype(np.intp)
    possible = bdtr(0.0, accepted, target) <= delta  # with no error at all
    allowed = np.where(possible, np.floor(bdtrik(delta, accepted, target)), 0.0)
    allowed -= possible & (bdtr(allowed, accepted, target) > delta)
    return np.where(possible, bdtr(allowed, accepted, risk), 0.0)


def target_certificate(part: HoldOut, target: float, delta: float, learner: str) -> Certificate:
    """What is promised where rows are accepted down to the threshold that the walk found."""
    accepted, errors = part.accepted or 0, part.accepted_errors or 0
    found = Statement(
        target,
        accepted,
        errors / accepted,
        f"{errors} errors on the {accepted} of {part.rows} unseen rows that are accepted "
        f"({100 * accepted / part.rows:.3g} %)",
        assumptions=("the list of thresholds was fixed by training rows, before the counted ones",),
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
