"""Transfer: the model trained on all rows, through an unlabelled pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from mercer.bounds import HalfStudy, Pool, assess, get, transfer_fraction
from mercer.certification.checks.copies import pool_copies
from mercer.certification.checks.seen import pool_seen
from mercer.certification.core import arguments
from mercer.certification.core.task import Refused, Result, Task
from mercer.certification.modes import _by_class as by_class
from mercer.certification.modes._base import Mode, Option
from mercer.certification.modes._held_out import count, studied
from mercer.certification.modes._transfer_columns import columns
from mercer.certification.modes._transfer_easy import FEWEST, transfer_easy
from mercer.certification.modes._transfer_regression import transfer_regression
from mercer.learners.describe import name_of

TUNING = 10  # one pool row of so many is spent on predictions
SMALL_POOL = 100  # in rows; smaller ones are needed whole


class TransferMode(Mode):
    """R(f) ≤ R(h) + P(f ≠ h): h by hold-outs, the disagreement counted on the pool.

    Error rates of classifiers take twelve models with easy hold-outs in place of h. Limits by
    class, regressions and fewer than 30 rows, or ``hold_out="plain"``, take one hold-out.
    """

    name = "transfer"
    title = "the model trained on all rows, through unlabelled inputs"
    tasks = frozenset({"classification", "regression"})
    why_not = (
        "a one-class machine on all rows is certified by mode='in-sample' (its scenario interval) "
        "or mode='compress'."
    )
    needs = frozenset({"pool"})
    fits = 25
    options: ClassVar[Mapping[str, Option]] = {
        "hold_out": Option(
            "easy",
            lambda value, name: arguments.one_of(value, name, ("easy", "plain")),
            "'easy': twelve smaller models that keep every hard row; 'plain': one hold-out, 4 fits",
        )
    }

    def run(self, task: Task) -> Result:
        """One joint limit of the errors of h and of where the two models differ."""
        whole = _required(task)
        overall = task.judge.task == "classification" and not by_class.wanted(task)
        if overall and task.options["hold_out"] == "easy" and task.n >= FEWEST:
            return transfer_easy(task, whole)
        tuning, pool = _parts(task, whole)
        if task.judge.task == "regression":
            return transfer_regression(task, tuning, pool)
        few = None if tuning is None else lambda trained: columns(task, tuning, trained)
        study, position, split = studied(task, few)
        expected = None
        if study is not None:
            fraction = transfer_fraction(study, task.n, task.delta)
            position, expected = task.order.cut(fraction), _rates(study, fraction)
            rule = "limit plus disagreement, predicted by two small fits inside the first half"
            split = {"rule": rule, "fraction": fraction, "expected": expected, **vars(study)}
        train, test, everyone = task.first(position), task.first(task.n, position), task.order.rows
        small = task.fit(train)
        part = count(task, small, task.judge, test, task.predict(small, test, train), position)
        full = task.fit(
            np.sort(everyone), "refit on all rows"
        )  # only now are the counted rows learned
        with task.timed("counting"):
            before = np.asarray(small.predict(columns(task, pool, train)))
            after = np.asarray(full.predict(columns(task, pool, np.sort(everyone))))
        lost = _lost(before, after) if by_class.wanted(task) else {}
        moved = Pool(
            len(after), int(np.count_nonzero(before != after)), expected=expected, lost=lost
        )
        full_facts = task.evidence(full, task.n)
        evidence = task.evidence(full, task.n, holdout=part, pool=moved)
        certificate = get("transfer")().evaluate(evidence, task.delta)
        bar = certificate.details["certified"]
        if by_class.wanted(task):
            certificate = by_class.certificate(task, evidence, "transfer-classes")
        if moved.rows < 20 / max(bar, 1e-12):
            task.notes.append(
                f"The pool is small: {moved.rows} rows alone cost about "
                f"{np.log(5 / task.delta) / moved.rows:.3g}."
            )
        task.notes.append(
            f"Two models, two statements that hold one by one: the model trained on {len(train)} "
            f"rows has error <= {bar:.4g}; the returned one, trained on all {task.n}, differs from "
            f"it on {moved.disagreements} of {moved.rows} pool rows and has {certificate.quantity} "
            f"<= {certificate.value:.4g}."
        )
        # the hold-out record is about the smaller model, so it must not appear as the full one's
        shown, reasons = assess(full_facts, task.delta)
        other = task.evidence(small, len(train), holdout=part)
        about = f"{name_of(small)} trained on {len(train)} rows (not the returned one)"
        shown["holdout of the smaller model"] = get("holdout")().evaluate(
            replace(other, learner=about), task.delta
        )
        shown[certificate.code] = certificate
        reasons.pop(certificate.code, None)
        return Result(
            full, certificate, evidence, np.sort(everyone), test, split, (shown, reasons), small
        )


def _lost(before: NDArray[Any], after: NDArray[Any]) -> dict[str, int]:
    """For every class, rows that the smaller model puts there and the full one does not."""
    return {
        str(c): int(np.count_nonzero((before == c) & (after != c)))
        for c in np.unique(before).tolist()
    }


def _parts(task: Task, pool: Any) -> tuple[Any, Any]:
    """A random tenth of a large pool to predict the disagreement with, the rest to count it on."""
    rows = _num_samples(pool)
    if rows < SMALL_POOL:
        return None, pool
    order = np.random.default_rng([task.order.seed or 0, 0x706F6F6C]).permutation(rows)
    cut = rows // TUNING
    return _safe_indexing(pool, np.sort(order[:cut])), _safe_indexing(pool, np.sort(order[cut:]))


def _rates(study: HalfStudy, fraction: float) -> tuple[float, float]:
    """Predicted error rate of the smaller model, and disagreement with the full one."""
    return study.risk_at(fraction), study.disagreement_at(fraction)


def _required(task: Task) -> Any:
    if task.options["pool"] is None:
        raise Refused(
            "mode='transfer' needs pool=, unlabelled inputs that no model is trained on; pass them "
            "to mercer.certified_fit. Without a pool use mode='auto'."
        )
    return unlabeled(task)


def unlabeled(task: Task) -> Any:
    """The pool, checked."""
    pool = task.options["pool"]
    if arguments.pool_rows(pool) == 0:
        raise Refused("The pool has no rows.")
    if task.rows.pairwise and np.shape(pool)[1:] != (task.n,):
        raise Refused(
            f"The kernel is precomputed: the pool needs one column per labelled row ({task.n}), it "
            f"has shape {np.shape(pool)}."
        )
    if not task.rows.pairwise:
        task.found += pool_copies(pool, task.rows.X)
    task.found += pool_seen(pool, task.rows.X, pairwise=task.rows.pairwise)
    return pool
