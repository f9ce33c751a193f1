"""One machine at landmarks over all rows that learn, by sums.

A pass costs the square of the number of landmarks for each row, so hours at ten million rows. But a
machine at m landmarks has little to learn from more than some tens of m rows: trained on those it
already shows how well it will do, and if that is worse than what cells do, nothing more is spent.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from mercer.app.plan import clock, rank_for
from mercer.app.streams.keep import kept
from mercer.app.streams.passes import few_of_part, losses_of_part, moments_of_part
from mercer.app.streams.reading import Reading
from mercer.engine.tree import in_turn
from mercer.learners.large.from_parts import classifier_from_state, ridge_from_moments
from mercer.learners.large.landmarks import Landmarks, gram_of, whitened
from mercer.learners.large.nystroem_classifier import signs_of
from mercer.losses import SquaredHinge
from mercer.rows.marks import CHOOSE, LEARN
from mercer.solvers.streamed_newton import LossSums, newton
from mercer.solvers.sums import Moments, merge

ENOUGH = 50  # rows for each landmark: with ten times as many it errs by some hundredths less
WIDEST = 1 << 26  # bytes of rows that are held for the first look
JUDGES = 10_000  # rows that choose, for the first look
WORSE = 1.1  # times the errors of the rival, at which more rows will not help
PASSES = 4  # that are likely, once a part of the rows has been learned from

Pass = Callable[[Any], LossSums]


def low_rank_of(
    stream: Any, machine: Any, Z: Any, reading: Reading, rival: Any = None
) -> Any | None:
    """The machine at landmarks, or None where a first look says that it is not worth its time.

    Parameters
    ----------
    machine : TableMachine
        What the pilot has found.
    Z : array
        Prepared rows of the pilot, of which landmarks are drawn.
    rival : learner, optional
        The best that is there already.
    """
    options = stream.options
    rng = np.random.default_rng(options.seed)
    rank = min(len(Z), options.rank or rank_for(stream.seen.rows.n))
    rows = np.ascontiguousarray(Z[np.sort(rng.choice(len(Z), rank, replace=False))])
    learner, kernel = stream.exact(machine)
    landmarks = Landmarks(kernel, rows, whitened(gram_of(kernel, rows)))
    price = float(learner.get_params(deep=False).get("C", 1.0))
    classes = machine.classes_ if reading.task == "classification" else None
    learn, choose, _ = stream.seen.rows.roles.tolist()
    few = min(ENOUGH * rank, WIDEST // (4 * Z.shape[1]))
    start = None
    if rival is not None and 4 * few < learn:
        shares = {LEARN: few / learn, CHOOSE: min(1.0, JUDGES / max(1, choose))}
        started = time.monotonic()
        begun = _first_look(stream, reading, shares, landmarks, classes, price, rival)
        if begun is None:
            return None
        model, start = begun
        a_pass = (time.monotonic() - started) / getattr(model, "n_iter_", 1)
        needed = a_pass * learn / few * (1 if classes is None else PASSES)
        left = stream.time_left()
        if left is not None and needed > left:
            stream.tell(f"landmarks would need about {clock(needed)} on all rows, more than is "
                        f"left: they learned from {few:,}")  # fmt: skip
            return model
    if classes is None:
        sums = partial(moments_of_part, reading=reading, landmarks=landmarks)
        keep = partial(kept, task=sums, kind=Moments, work=stream.keep)
        with stream.follow.a_pass("landmarks", stream.parts) as done:
            moments = stream.engine.reduce(keep, stream.parts, merge, done)
        return ridge_from_moments(landmarks, moments, 1.0 / (2.0 * price))
    number = count(1)

    def one_pass(state: Any) -> LossSums:
        losses = partial(
            losses_of_part, reading=reading, landmarks=landmarks, classes=classes,
            loss=SquaredHinge(), state=state,
        )  # fmt: skip
        keep = partial(kept, task=losses, kind=LossSums, work=stream.keep)
        with stream.follow.a_pass(f"landmarks, pass {next(number)}", stream.parts) as done:
            found: LossSums = stream.engine.reduce(keep, stream.parts, merge, done)
        return found

    return _classifier(one_pass, landmarks, classes, learn, price, start)[0]


def _classifier(
    one_pass: Pass, landmarks: Landmarks, classes: Any, n: int, price: float, start: Any = None
) -> tuple[Any, Any]:
    """The machine, and where Newton's method stopped."""
    many = 1 if len(classes) == 2 else len(classes)
    start = np.zeros((many, landmarks.rank + 1)) if start is None else start
    found = newton(one_pass, start, price, tol=1e-3)
    model = classifier_from_state(landmarks, found, classes, n, price, "squared_hinge")
    return model, found.state


def _first_look(
    stream: Any, reading: Reading, shares: dict[int, float], landmarks: Landmarks, classes: Any,
    price: float, rival: Any,
) -> tuple[Any, Any] | None:  # fmt: skip
    """The machine from some of the rows, with where Newton's method stopped; None if it is worse
    than the rival.
    """
    task = partial(few_of_part, reading=reading, shares=shares, classes=classes)
    with stream.follow.a_pass("landmarks: a first look", stream.parts) as done:
        found = stream.engine.map(task, stream.parts, done)
    (Z, y), (fresh, truth) = (
        [np.concatenate(arrays) for arrays in zip(*(part[role] for part in found), strict=True)]
        for role in (LEARN, CHOOSE)
    )
    blocks = landmarks.blocks(len(y))
    start = None
    if classes is None:
        sums = in_turn((Moments.of(landmarks.coordinates(Z[b]), y[b, None]) for b in blocks), merge)
        model = ridge_from_moments(landmarks, sums, 1.0 / (2.0 * price))
        errors = [float(np.mean((one.predict(fresh) - truth) ** 2)) for one in (model, rival)]
        words = [f"{one:.4g}" for one in errors]
    else:
        signs = signs_of(y, len(classes))

        def one_pass(state: Any) -> LossSums:
            each = (
                LossSums.of(landmarks.coordinates(Z[b]), signs[b], None, SquaredHinge(), state)
                for b in blocks
            )
            found: LossSums = in_turn(each, merge)
            return found

        model, start = _classifier(one_pass, landmarks, classes, len(y), price)
        errors = [float(np.mean(one.predict(fresh) != classes[truth])) for one in (model, rival)]
        words = [f"{one:.1%}" for one in errors]
    if errors[0] <= WORSE * errors[1]:
        return model, start
    stream.tell(f"landmarks err {words[0]} after {len(y):,} rows, cells {words[1]}: landmarks were "
                "not trained on all rows")  # fmt: skip
    return None
