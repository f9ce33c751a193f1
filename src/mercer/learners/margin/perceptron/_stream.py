"""Perceptrons over streams: rows come in pieces, some are kept, none is stored otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer.bounds import Evidence
from mercer.learners._door import Kind, TrainingSample
from mercer.learners.margin.perceptron._base import progressive
from mercer.learners.margin.perceptron._budget import Kept, active_rows, sweep_with_budget
from mercer.learners.margin.perceptron._file_order import NOTHING, InputOrder
from mercer.learners.margin.perceptron._fitted import PerceptronFitted, StreamState
from mercer.learners.margin.perceptron._goals import Goal, after, columns, flat, goal_of
from mercer.learners.margin.perceptron.mistakes import BLOCK, Diary, MistakeLog

Floats = NDArray[np.float64]


def sweeps_with_budget(
    model: Any, gram: Any, goal: Goal, start: Floats, stop: Callable[..., Any] | None
) -> tuple[MistakeLog, Floats]:
    """Batch training that never keeps more rows than the budget; coefficients in columns."""
    rules = model._budget_rules()
    orders = model._orders(goal)
    if isinstance(model.order, str) and model.order == "greedy":
        raise ValueError("A budget goes with order 'cyclic', 'random' or a list, not 'greedy'.")
    rows = active_rows(start)
    kept = Kept(flat(start[rows]), np.zeros(len(rows), dtype=np.intp))
    diary, separated, epoch = Diary(goal.columns), False, 0
    for epoch in range(model.max_iter):
        order, before = next(orders), len(diary.when)
        for first in range(0, len(order), BLOCK):
            block = order[first : first + BLOCK]
            both = np.concatenate([rows, block])
            column = _first_place(both)[len(rows) :]
            kept, found = sweep_with_budget(
                kept,
                np.asarray(gram.tile(block, rows), dtype=np.float64),
                np.asarray(gram.tile(block, block), dtype=np.float64),
                column,
                goal.take(block),
                rules,
            )
            diary.block(block, epoch, found)
            active = active_rows(kept.coef)
            rows = both[active]
            kept = Kept(kept.coef[active], kept.arrival[active], kept.clock)
        made = len(diary.when) - before
        separated = made == 0
        report = {"n_iter": epoch + 1, "gap": float(made), "seconds": 0.0}
        if separated or (stop is not None and stop(report)):
            break
    coef = np.zeros(start.shape)
    coef[rows] = columns(kept.coef)
    return diary.log(epoch + 1, separated), coef


def _first_place(labels: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each entry, where its value occurs first."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return first[inverse]


def check_streams(kind: Kind) -> None:
    """Refuse rows that are no vectors."""
    if kind is not Kind.VECTORS:
        raise ValueError("partial_fit needs vectors: a kernel on objects has no stream here.")


def absorb(
    model: Any, before: PerceptronFitted | None, classes: Any, sample: TrainingSample
) -> PerceptronFitted:
    """One pass over a piece of a stream."""
    known = told_classes(None if before is None else before.classes, classes)
    X, goal = sample.X, goal_of(codes_of(sample.y, known), len(known), model._steps(sample.weight))
    if before is None:
        meant = model._meant(sample)
        facts = model._in_space(sample, meant) | {"gamma": meant.gamma}
        state = StreamState(Kept.nothing(goal.columns), X[:0], 0, MistakeLog.empty())
        run = {"one_pass": True, "runs": after(NOTHING, goal), "inputs": InputOrder().then(X)}
    else:
        facts = {name: getattr(before, name) for name in ("kernel", "read_off", "width", "gamma")}
        facts |= {"kind": before.kind}
        state = before.stream or _after_fit(before)
        X = _like(X, before)
        inputs = None if before.inputs is None else before.inputs.then(X)
        run = {"one_pass": before.one_pass, "runs": after(before.runs, goal), "inputs": inputs}
    weighted = bool(np.any(sample.weight != 1.0)) or (before is not None and before.weighted)
    state = _advance(model, facts["kernel"], state, X, goal)
    return _record(state, known, facts | run | {"weighted": weighted})


def _like(X: Any, before: PerceptronFitted) -> Any:
    """More rows in the form of the earlier ones."""
    thin = before.kind is Kind.SPARSE
    if sparse.issparse(X) != thin:
        X = sparse.csr_array(X) if thin else X.toarray()
    wanted = before.support_vectors.dtype
    return X if X.dtype == wanted else X.astype(wanted)


def told_classes(known: NDArray[Any] | None, classes: Any) -> NDArray[Any]:
    """The classes of a stream: told at its beginning, the same ever after."""
    if known is None:
        if classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        found: NDArray[Any] = np.unique(classes)
        if len(found) < 2:
            raise ValueError(f"there is nothing to separate: classes={classes!r}.")
        return found
    if classes is not None and not np.array_equal(np.unique(classes), known):
        raise ValueError(f"classes={classes!r} is not the same as before: {known}.")
    return known


def signed_classes(known: NDArray[Any] | None, classes: Any) -> NDArray[Any]:
    """The same for learners of two classes."""
    found = told_classes(known, classes)
    if len(found) != 2:
        raise ValueError(f"this learner separates two classes, got {len(found)}: {found}.")
    return found


def codes_of(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Labels as places among the classes."""
    unknown = ~np.isin(y, classes)
    if unknown.any():
        raise ValueError(f"unknown class {y[unknown][0]!r}; the classes are {classes}.")
    return np.searchsorted(classes, y)


def signs(y: NDArray[Any], classes: NDArray[Any]) -> Floats:
    """Labels of two classes as −1 and +1."""
    return np.where(codes_of(y, classes) > 0, 1.0, -1.0)


def _after_fit(before: PerceptronFitted) -> StreamState:
    """Go on from a batch fit: its rule is the start, its rows do not come again."""
    coef = before.dual_coef
    coef = coef.toarray() if sparse.issparse(coef) else coef
    coef = flat(np.ascontiguousarray(np.asarray(coef, dtype=np.float64).T))
    kept = Kept(coef, np.zeros(len(coef), dtype=np.intp))
    return StreamState(kept, before.support_vectors, before.n, before.log)


def _advance(model: Any, kernel: Any, state: StreamState, X: Any, goal: Goal) -> StreamState:
    rules = model._budget_rules()
    met = np.flatnonzero(goal.step > 0)
    for first in range(0, len(met), BLOCK):
        rows = met[first : first + BLOCK]
        block, labels = X[rows], goal.take(rows)
        old = len(state.kept.coef)
        against = np.zeros((len(rows), 0))
        if old:
            against = np.asarray(kernel.tile(block, state.vectors), dtype=np.float64)
        among = np.array(kernel.tile(block), dtype=np.float64)
        column = old + np.arange(len(rows))
        kept, found = sweep_with_budget(state.kept, against, among, column, labels, rules)
        stack: Any = sparse.vstack if sparse.issparse(block) else np.vstack
        both: Any = stack([state.vectors, block]) if old else block
        active = active_rows(kept.coef)
        diary = Diary(goal.columns)
        diary.block(np.arange(len(rows)), 0, found)
        state = StreamState(
            kept=Kept(kept.coef[active], kept.arrival[active], kept.clock),
            vectors=(both.tocsr() if sparse.issparse(both) else both)[active],
            n=state.n + len(rows),
            log=state.log.then(diary.log(1, False), state.n),
        )
    return state


def _record(state: StreamState, classes: NDArray[Any], facts: dict[str, Any]) -> PerceptronFitted:
    coef, nothing = columns(state.kept.coef), np.zeros(0)
    sides = (coef[:, 0] > 0).astype(np.intp) if len(classes) == 2 else coef.argmax(axis=1)
    return PerceptronFitted(
        **facts | {"n": state.n, "rows": None, "dropped": 0},
        classes=classes,
        radius=float("nan"),
        diagonal=nothing,
        support=np.arange(len(coef), dtype=np.int32),
        support_vectors=state.vectors,
        dual_coef=np.ascontiguousarray(coef.T),
        n_support=np.bincount(sides, minlength=len(classes)).astype(np.int32),
        intercept=np.zeros(coef.shape[1]),
        shape=(state.n, state.vectors.shape[1]),
        sign=nothing,
        used=np.zeros(0, dtype=bool),
        output=nothing,
        alpha=np.abs(coef).max(axis=1, initial=0.0),
        squared_norm=float("nan"),
        attributes={"mistakes_": state.log, "n_iter_": 1},
        log=state.log,
        stream=state,
    )


def evidence(model: Any) -> Evidence:
    """One pass over the stream tested every rule on rows that it had not seen."""
    fitted = model.fitted_
    found = Evidence(
        n=fitted.n,
        learner=f"this {type(model).__name__}",
        formulation="perceptron",
        n_classes=len(fitted.classes),
        choices=fitted.choices(),
    )
    if (
        not fitted.one_pass or fitted.weighted
    ):  # a batch fit came first that did not meet every row once, in turn
        return found
    run = progressive(fitted)
    return replace(found, progressive=run, lost=() if run else ("progressive",))
