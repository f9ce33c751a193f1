"""Certificates by counting: two integers are all that is needed of rows that are gone.

Which rows count was decided by a hash of their place, or of their group, before anything was read
(:mod:`mercer.rows.marks`), so the integers are the same whoever counted, in whatever order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mercer.bounds import Certificate, Evidence, HoldOut, get
from mercer.bounds.numerics.checks import check_delta
from mercer.certification.checks.gate import examine
from mercer.certification.core.loss import make_loss

COPIES = 0.001  # share of counted rows with a copy among the others, above which it is said first


def certify_counts(
    errors: int,
    rows: int,
    delta: float = 0.05,
    *,
    task: str = "classification",
    learner: str = "the model",
    n_classes: int = 2,
    tolerance: float | None = None,
    trained_on: int | None = None,
    group_means: Any = None,
    copies: float = 0.0,
    found: tuple[str, ...] = (),
) -> Certificate:
    """The hold-out certificate of a model that erred on ``errors`` of ``rows`` rows.

    Parameters
    ----------
    errors, rows : int
        Of rows that had no part in training or choosing the model.
    delta : float
        Probability with which the statement may be wrong.
    tolerance : float or None
        Regression: an error is a target further away than that.
    group_means : array-like or None
        Mean error of each counted group, where whole groups were drawn; the statement is then about
        a random row of a new group.
    copies : float
        Share of the counted rows that have a copy among the rows of training.
    found : tuple of str
        What must stand before the number.
    """
    delta = check_delta(delta)
    if group_means is None:
        part, code = HoldOut(rows, errors=errors, trained_on=trained_on), "holdout"
    else:
        means = np.random.default_rng(0).permutation(np.asarray(group_means, dtype=np.float64))
        part = HoldOut(len(means), losses=means, unit="group", trained_on=trained_on)
        code = "holdout-groups"
    evidence = Evidence(
        rows if group_means is None else part.rows,
        task=task,
        learner=learner,
        n_classes=max(2, n_classes),
        holdout=part,
    )
    certificate = get(code)().evaluate(evidence, delta)
    judge = make_loss(task, None, None, False, tolerance)
    certificate = judge.annotate(certificate)
    if copies > COPIES:
        words = f"{copies:.1%} of the counted rows have a copy among those of training"
        found = (words, *found)
    certificate = replace(certificate, found=(*found, *certificate.found))
    return examine(certificate).about(rows={"n": rows, "errors": errors}).stamp(certificate)
