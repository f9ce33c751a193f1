"""Transfer by easy hold-outs: smaller models that keep every hard row, compared on the pool."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.bounds import EasyPool, assess, get
from mercer.bounds.numerics.easy_pool import holdout_shares
from mercer.certification.core.task import Result, Task
from mercer.certification.modes._easy_rows import STEEP, draw_models, rows_to_hold_out
from mercer.certification.modes._transfer_columns import columns

FEWEST = 30  # below, a plain hold-out says more
MODELS = 12


def transfer_easy(task: Task, pool: Any) -> Result:
    """The model of all rows, from models without easy rows and where they contradict it."""
    drawn = draw_models(task, MODELS, rows_to_hold_out(task.n, task.delta, MODELS))
    everyone = np.sort(task.order.rows)
    full = task.fit(everyone, "refit on all rows")
    sums = [round(float(scores.sum())) for scores in drawn.scores]
    shares = holdout_shares([0.0] * MODELS, sums, STEEP)
    with task.timed("counting"):
        final = np.asarray(full.predict(columns(task, pool, everyone)))
        moved = np.zeros(len(final))
        for share, model, trained in zip(shares, drawn.models, drawn.trained, strict=True):
            moved += share * (np.asarray(model.predict(columns(task, pool, trained))) != final)
    record = EasyPool(
        len(drawn.held[0]),
        total=task.n,
        easy=drawn.easy,
        sums=tuple(sums),
        c=STEEP,
        pool_rows=len(final),
        moved=float(moved.sum()),
        seed=task.order.seed,
    )
    own = task.evidence(full, task.n)
    evidence = task.evidence(full, task.n, easy_pool=record)
    certificate = get("transfer-easy")().evaluate(evidence, task.delta)
    certificate = drawn.judge.annotate(certificate, np.concatenate(drawn.scores))
    if record.pool_rows < task.n:
        task.notes.append(
            f"The pool is small: {record.pool_rows} rows alone cost about "
            f"{-np.log(task.delta) / record.pool_rows:.3g}."
        )
    task.notes.append(
        f"{MODELS} models, each without {record.rows} rows, err on <= "
        f"{certificate.details['certified']:.4g} in their weighted mean; the returned one, trained "
        f"on all {task.n}, contradicts them on {record.moved:.4g} of {record.pool_rows} pool rows "
        f"and has {certificate.quantity} <= {certificate.value:.4g}."
    )
    shown, reasons = assess(own, task.delta)
    shown[certificate.code] = certificate
    reasons.pop(certificate.code, None)
    held = np.unique(np.concatenate(drawn.held))
    split = {"models": MODELS, "held_out": record.rows, "easy": record.easy, "sums": sums}
    return Result(full, certificate, evidence, everyone, held, split, (shown, reasons))
