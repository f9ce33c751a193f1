"""Perceptrons over streams: rows come in pieces, some are kept, none is stored otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from mercer.bounds import Evidence
from mercer.learners._door import Kind, TrainingSample
from mercer.learners.margin.perceptron._base import progressive
from mercer.learners.margin.perceptron._budget import Kept, sweep_with_budget
from mercer.learners.margin.perceptron._file_order import NOTHING, then
from mercer.learners.margin.perceptron._fitted import PerceptronFitted, StreamState
from mercer.learners.margin.perceptron.mistakes import BLOCK, MistakeLog, as_log, orders_of

Floats = NDArray[np.float64]


def sweeps_with_budget(
    model: Any, gram: Any, sign: Floats, start: Floats, stop: Callable[..., Any] | None
) -> tuple[MistakeLog, Floats]:
    """Batch training that never keeps more rows than the budget."""
    rules = model._budget_rules()
    orders = orders_of(model.order, gram.n, check_random_state(model.random_state))
    if isinstance(model.order, str) and model.order == "greedy":
        raise ValueError("A budget goes with order 'cyclic', 'random' or a list, not 'greedy'.")
    rows = np.flatnonzero(start)
    kept = Kept(start[rows], np.zeros(len(rows), dtype=np.intp))
    events: list[tuple[int, int, int, float]] = []
    visits, separated, epoch = 0, False, 0
    for epoch in range(model.max_iter):
        order, before = next(orders), len(events)
        for first in range(0, len(order), BLOCK):
            block = order[first : first + BLOCK]
            both = np.concatenate([rows, block])
            column = _first_place(both)[len(rows) :]
            kept, found = sweep_with_budget(
                kept,
                np.asarray(gram.tile(block, rows), dtype=np.float64),
                np.asarray(gram.tile(block, block), dtype=np.float64),
                column,
                sign[block],
                rules,
            )
            events += [(int(block[at]), visits + at + 1, epoch, value) for at, value in found]
            visits += len(block)
            active = np.flatnonzero(kept.coef)
            rows = both[active]
            kept = Kept(kept.coef[active], kept.arrival[active], kept.clock)
        separated = len(events) == before
        report = {"n_iter": epoch + 1, "gap": float(len(events) - before), "seconds": 0.0}
        if separated or (stop is not None and stop(report)):
            break
    coef = np.zeros(gram.n)
    coef[rows] = kept.coef
    return as_log(events, sign, rules.rate, visits, epoch + 1, separated), coef


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
    known = signed_classes(None if before is None else before.classes, classes)
    sign = signs(sample.y, known)
    X = sample.X
    if before is None:
        meant = model._meant(sample)
        facts = model._in_space(sample, meant) | {"gamma": meant.gamma}
        state = StreamState(Kept.nothing(), X[:0], 0, MistakeLog.empty())
        run = {"one_pass": True, "runs": then(NOTHING, sign)}
    else:
        facts = {name: getattr(before, name) for name in ("kernel", "read_off", "width", "gamma")}
        facts |= {"kind": before.kind}
        state = before.stream or _after_fit(before)
        run = {"one_pass": before.one_pass, "runs": then(before.runs, sign)}
        X = _like(X, before)
    return _record(_advance(model, facts["kernel"], state, X, sign), known, facts | run)


def _like(X: Any, before: PerceptronFitted) -> Any:
    """More rows in the form of the earlier ones."""
    thin = before.kind is Kind.SPARSE
    if sparse.issparse(X) != thin:
        X = sparse.csr_array(X) if thin else X.toarray()
    wanted = before.support_vectors.dtype
    return X if X.dtype == wanted else X.astype(wanted)


def signed_classes(known: NDArray[Any] | None, classes: Any) -> NDArray[Any]:
    """Both classes of a stream: told at its beginning, the same ever after."""
    if known is None:
        if classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        found: NDArray[Any] = np.unique(classes)
        if len(found) != 2:
            raise ValueError(f"a perceptron separates two classes, got {len(found)}: {found}.")
        return found
    if classes is not None and not np.array_equal(np.unique(classes), known):
        raise ValueError(f"classes={classes!r} is not the same as before: {known}.")
    return known


def signs(y: NDArray[Any], classes: NDArray[Any]) -> Floats:
    """Labels as −1 and +1."""
    unknown = ~np.isin(y, classes)
    if unknown.any():
        raise ValueError(f"unknown class {y[unknown][0]!r}; the classes are {classes}.")
    return np.where(y == classes[1], 1.0, -1.0)


def _after_fit(before: PerceptronFitted) -> StreamState:
    """Go on from a batch fit: its rule is the start, its rows do not come again."""
    coef = before.dual_coef
    coef = coef.toarray() if sparse.issparse(coef) else coef
    coef = np.asarray(coef[0], dtype=np.float64)
    kept = Kept(coef, np.zeros(len(coef), dtype=np.intp))
    return StreamState(kept, before.support_vectors, before.n, before.log)


def _advance(model: Any, kernel: Any, state: StreamState, X: Any, sign: Floats) -> StreamState:
    rules = model._budget_rules()
    for first in range(0, len(sign), BLOCK):
        block, labels = X[first : first + BLOCK], sign[first : first + BLOCK]
        old = len(state.kept.coef)
        against = np.zeros((len(labels), 0))
        if old:
            against = np.asarray(kernel.tile(block, state.vectors), dtype=np.float64)
        among = np.array(kernel.tile(block), dtype=np.float64)
        column = old + np.arange(len(labels))
        kept, found = sweep_with_budget(state.kept, against, among, column, labels, rules)
        stack: Any = sparse.vstack if sparse.issparse(block) else np.vstack
        both: Any = stack([state.vectors, block]) if old else block
        active = np.flatnonzero(kept.coef)
        events = [(at, at + 1, 0, value) for at, value in found]
        later = as_log(events, labels, rules.rate, len(labels), 1, False)
        state = StreamState(
            kept=Kept(kept.coef[active], kept.arrival[active], kept.clock),
            vectors=(both.tocsr() if sparse.issparse(both) else both)[active],
            n=state.n + len(labels),
            log=state.log.then(later, state.n),
        )
    return state


def _record(state: StreamState, classes: NDArray[Any], facts: dict[str, Any]) -> PerceptronFitted:
    coef, nothing = state.kept.coef, np.zeros(0)
    return PerceptronFitted(
        **facts | {"n": state.n, "rows": None, "dropped": 0},
        classes=classes,
        radius=float("nan"),
        diagonal=nothing,
        weighted=False,
        support=np.arange(len(coef), dtype=np.int32),
        support_vectors=state.vectors,
        dual_coef=coef[None],
        n_support=np.array([np.sum(coef < 0), np.sum(coef > 0)], dtype=np.int32),
        intercept=np.zeros(1),
        shape=(state.n, state.vectors.shape[1]),
        sign=nothing,
        used=np.zeros(0, dtype=bool),
        output=nothing,
        alpha=np.abs(coef),
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
        choices=fitted.choices(),
    )
    if not fitted.one_pass:  # a batch fit came first that did not meet every row once, in turn
        return found
    run = progressive(fitted)
    return replace(found, progressive=run, lost=() if run else ("progressive",))
