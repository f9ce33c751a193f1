"""Another population: other shares of the classes, or other inputs with bounded weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from mercer.bounds import Certificate
from mercer.bounds.numerics import clopper_upper
from mercer.bounds.numerics.checks import check_delta
from mercer.bounds.numerics.mixed_bets import mean_lower, mean_upper
from mercer.certification.checks.gate import examine, warn
from mercer.certification.core import arguments, looks
from mercer.certification.core.loss import make_loss, task_of
from mercer.certification.core.rows import as_labels, one_per_row
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.density_ratio import (
    LARGEST,
    EstimatedWeights,
    estimate_weights,
)
from mercer.certification.guarantees.independent import rows_to_count
from mercer.certification.guarantees.statement import Statement, certificate
from mercer.learners.describe import check_model, is_pairwise, name_of

_CUT = 0.2  # of δ, for what is lost where estimated weights are cut
_SURE = 1e-4  # chance of a false refusal, on either side
ESTIMATED = "the weights were estimated, DOES NOT COVER their error"


def certify_shifted(
    model: Any,
    X: Any,
    y: Any,
    delta: float = 0.05,
    *,
    shares: Mapping[Any, float] | None = None,
    weights: Any = None,
    population: Any = None,
    largest: float | None = None,
    estimated: bool = False,
    tolerance: float | None = None,
    ledger: Any = None,
    budget: float | None = None,
) -> Certificate:
    """The error rate in a population that the fresh rows were not drawn from.

    Give one of ``shares``, ``weights`` and ``population``.

    Parameters
    ----------
    model, X, y, delta, tolerance
        A fitted model and fresh rows, as for :func:`mercer.certify`.
    shares : mapping, default=None
        Label shift: the share of every class in the new population, where rows of a class are as
        here. The certificate adds up share times the exact limit of the class at δ/K.
    weights : array-like, default=None
        Covariate shift: w(x) = new density/old density of every row;
        bets on w·error in [0, largest].
    population : array-like, default=None
        Covariate shift: rows of the other population, without labels, from which weights are
        estimated (`mercer.certification.guarantees.density_ratio`); the first words say so.
    largest : float
        What no weight can exceed in either population; without it one rare row could be worth
        everything, and nothing can be certified. With ``population`` weights are cut there (5),
        and what is lost is added.
    estimated : bool, default=False
        The weights come from a model of their own: the first words say so.
    ledger, budget
        Looks at these rows in a file, and a failure probability that all of them share, as for
        :func:`mercer.certify`.

    Returns
    -------
    Certificate
        ``details`` has the effective number of rows, (Σw)²/Σw².
    """
    delta = check_delta(delta)
    check_model(model)
    if sum(way is not None for way in (shares, weights, population)) != 1:
        raise ValueError(
            "give either shares= (label shift) or weights= or population= (covariate shift)"
        )
    if population is not None:
        weights = estimate_weights(X, population, LARGEST if largest is None else largest)
    learned = weights if isinstance(weights, EstimatedWeights) else None
    if learned is not None:
        weights, largest, estimated = learned.values, learned.largest, True
    truth = as_labels(y, warn=True)
    check_consistent_length(X, truth)
    task = task_of(model)
    judge = make_loss(task, tolerance=tolerance)
    if judge.open:
        raise ValueError("a regression needs tolerance=: how far off a prediction counts as wrong")
    predicted = one_per_row(model.predict(X), len(truth))
    wrong = judge.wrong(truth, predicted)
    some, case, looked = rows_to_count(model, X, truth)
    if weights is not None:
        weights = arguments.column(weights, len(wrong), "weights")
    asked = (sorted(shares.items(), key=repr) if shares is not None else (), largest, tolerance)
    weighed = () if weights is None else (weights,)
    taking, delta = looks.begin_counting(
        "shift", X, truth, (predicted, *weighed), asked, delta,
        pairwise=is_pairwise(model), ledger=ledger, budget=budget,
    )  # fmt: skip
    if shares is not None:
        found, told = _label_shift(truth[some], wrong[some], shares, delta), "label"
        title, reference = "exact limits of the classes, added up", "Clopper and Pearson 1934"
    else:
        cut = None if learned is None else learned.cut
        found, told = _weighted(wrong[some], weights[some], largest, delta, cut), "covariate"
        title = "mixture of bets on weighted errors"
        reference = "Waudby-Smith and Ramdas, JRSS-B 86, 2024; fixed stakes, averaged"
    made = certificate(
        found,
        code=f"{told}-shift",
        title=title,
        reference=reference,
        quantity="error rate in the other population",
        delta=delta,
        learner=name_of(model),
    )
    if estimated:
        made = replace(made, found=(ESTIMATED, *made.found))
    verdict = examine(made, rows=case, model=model, looked=looked)
    warn(verdict)
    return taking.done(verdict.stamp(made))


def _label_shift(truth: Any, wrong: Any, shares: Mapping[Any, float], delta: float) -> Statement:
    given = {label: float(share) for label, share in shares.items()}
    # "not": a share that is no number would pass every other comparison and drop its class
    if not (min(given.values(), default=-1.0) >= 0 and abs(sum(given.values()) - 1) <= 1e-6):
        raise ValueError(f"shares must be at least 0 and add up to 1, got {dict(shares)!r}")
    limits, seen = {}, 0.0
    counted = [label for label, share in given.items() if share > 0]
    for label in counted:
        mine = truth.astype(object) == label
        if not mine.any():
            raise Refused(f"class {label!r} never occurred among the fresh rows, but makes up "
                          f"{100 * given[label]:.3g} % of the other population.")  # fmt: skip
        rows, errors = int(mine.sum()), int(wrong[mine].sum())
        limits[str(label)] = clopper_upper(errors, rows, delta / len(counted))
        seen += given[label] * errors / rows
    value = sum(given[label] * limits[str(label)] for label in counted)
    return Statement(
        value,
        len(truth),
        seen,
        f"{int(wrong.sum())} errors on {len(truth)} fresh rows, by class",
        paid={f"class {label}": 1 / len(counted) for label in limits},
        assumptions=("within a class the other population has the law of the fresh rows",),
        details={"classes": limits},
    )


def _weighted(
    wrong: Any, weights: Any, largest: float | None, delta: float, cut: Any = None
) -> Statement:
    """Bets on weighted errors; where weights were cut, what that took away is added."""
    values = weights.astype(np.float64)
    if not np.isfinite(values).all() or values.min() < 0:
        raise ValueError("weights must be finite numbers of at least 0")
    if largest is None or not np.isfinite(largest):
        raise Refused(
            "largest= is missing: without a number that no weight can exceed their variance may be "
            "infinite, and nothing can be certified."
        )
    if values.max() > largest:
        raise Refused(f"a weight of {values.max():.4g} exceeds largest={largest:g}.")
    share, lost = (1.0, 0.0) if cut is None else (1.0 - _CUT, mean_upper(cut, _CUT * delta))
    if cut is None:
        _check_mean(values, float(largest))
    effective = float(values.sum() ** 2 / max(np.square(values).sum(), np.finfo(float).tiny))
    value = mean_upper(values * wrong, share * delta, low=0.0, high=float(largest)) + lost
    told = f"{int(wrong.sum())} errors on {len(wrong)} fresh rows, which count as {effective:.0f}"
    paid = {"weighted errors": share}
    if cut is not None:
        told += f"; weights above {largest:g} are cut, at most {100 * lost:.3g} % of the rows"
        paid["weights that were cut"] = _CUT
    return Statement(
        value,
        len(wrong),
        float(np.mean(values * wrong)) + (0.0 if cut is None else float(np.mean(cut))),
        told,
        paid=paid,
        assumptions=(
            f"the weights are the ratio of the two densities{_bounded(cut, float(largest))}",
            "given the input, labels of the other population are as those of the fresh rows",
        ),
        details={"effective_rows": effective, "mean_weight": float(values.mean()), "cut": lost},
    )


def _bounded(cut: Any, largest: float) -> str:
    return f" and never exceed {largest:g}" if cut is None else ""


def _check_mean(weights: Any, largest: float) -> None:
    """A ratio of densities has mean 1 under the law of the fresh rows."""
    low = mean_lower(weights, _SURE, low=0.0, high=largest)
    high = mean_upper(weights, _SURE, low=0.0, high=largest)
    if not low <= 1.0 <= high:
        raise Refused(
            f"the weights have mean {weights.mean():.4g}, but a ratio of the new density to the "
            "old one has mean 1: divide them by their mean in the old population."
        )
