"""Limits for every group of rows, and the largest gap between groups, all at once."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length

from mercer._types import Predictor, Samples
from mercer.bounds import Certificate
from mercer.bounds.numerics import clopper_lower, clopper_upper
from mercer.bounds.numerics.checks import check_delta
from mercer.certification.checks.gate import examine, warn
from mercer.certification.core import arguments, looks
from mercer.certification.core.loss import make_loss, task_of
from mercer.certification.core.rows import as_labels, one_per_row
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.independent import rows_to_count
from mercer.certification.guarantees.statement import Statement, certificate
from mercer.learners.describe import check_model, is_pairwise, name_of


def certify_groups(
    model: Predictor,
    X: Samples,
    y: ArrayLike,
    by: Any,
    delta: float = 0.05,
    *,
    tolerance: float | None = None,
    expected: Any = None,
    ledger: Any = None,
    budget: float | None = None,
) -> Certificate:
    """The largest gap between the error rates of groups, and limits for every group.

    Parameters
    ----------
    model, X, y
        A fitted model and fresh rows, as for :func:`mercer.certify`.
    by : array-like
        The group of every row.
    delta : float, default=0.05
        Probability with which any of the statements may be wrong.
    tolerance : float, default=None
        Regressions: a prediction further away is wrong.
    expected : sequence, default=None
        Groups that must be there: one without a row is refused, not passed over.
    ledger, budget
        Looks at these rows in a file, and a failure probability that all of them share, as for
        :func:`mercer.certify`.

    Returns
    -------
    Certificate
        Its value limits the largest gap; ``details["groups"]`` has rows, errors and both limits of
        every group. All hold together: each limit is exact at δ/(2K), K groups.
    """
    delta = check_delta(delta)
    check_model(model)
    truth = as_labels(y, warn=True)
    check_consistent_length(X, truth)
    kinds = arguments.column(by, len(truth), "by")
    if not len(truth):
        raise Refused("there are no fresh rows, so nothing is known about any group.")
    some, case, looked = rows_to_count(model, X, truth)
    names = np.unique(kinds[some]).tolist()
    empty = [name for name in (expected or ()) if name not in names]
    if empty:
        raise Refused(f"group {empty[0]!r} has no counted row: nothing is known about it.")
    if len(names) < 2:
        raise Refused(f"by= names a single group ({names[0]!r}): there is no other to compare.")
    task = task_of(model)
    judge = make_loss(task, tolerance=tolerance)
    if judge.open:
        raise ValueError("a regression needs tolerance=: how far off a prediction counts as wrong")
    predicted = one_per_row(model.predict(X), len(truth))
    wrong = judge.wrong(truth, predicted)
    taking, delta = looks.begin_counting(
        "groups", X, truth, (predicted, kinds), tolerance, delta,
        pairwise=is_pairwise(model), ledger=ledger, budget=budget,
    )  # fmt: skip
    kinds, wrong = kinds[some], wrong[some]
    share, table = delta / (2 * len(names)), {}
    for name in names:
        mine = kinds == name
        rows, errors = int(mine.sum()), int(wrong[mine].sum())
        low, high = clopper_lower(errors, rows, share), clopper_upper(errors, rows, share)
        table[str(name)] = {"rows": rows, "errors": errors, "lower": low, "upper": high}
    gaps = {(a, b): table[a]["upper"] - table[b]["lower"] for a, b in permutations(table, 2)}
    worst = max(gaps, key=lambda pair: gaps[pair])
    rates = [part["errors"] / part["rows"] for part in table.values()]
    found = Statement(
        max(gaps.values()),
        len(some),
        max(rates) - min(rates),
        ", ".join(f"{t['errors']} errors on {t['rows']} rows of {g}" for g, t in table.items()),
        paid={f"group {name}": 1 / len(table) for name in table},
        details={"groups": table, "between": list(worst)},
    )
    made = certificate(
        found,
        code="group-gap",
        title="exact binomial limits of every group, union bound",
        reference="Clopper and Pearson 1934",
        quantity=f"largest gap of error rates between {len(table)} groups",
        delta=delta,
        learner=name_of(model),
    )
    verdict = examine(made, rows=case, model=model, looked=looked)
    warn(verdict)
    made = replace(made, assumptions=(*made.assumptions, "groups are as given"))
    return taking.done(verdict.stamp(made))
