"""Perceptrons over streams: rows come in pieces, some are kept, none is stored otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from mercer.bounds import Evidence
from mercer.learners import _data, _kernel
from mercer.learners._parameters import check_parameters
from mercer.learners.margin.perceptron._budget import Kept, sweep_with_budget
from mercer.learners.margin.perceptron._file_order import NOTHING, then
from mercer.learners.margin.perceptron.mistakes import BLOCK, MistakeLog, as_log, orders_of

Floats = NDArray[np.float64]


@dataclass
class StreamState:
    """What a stream leaves: the rows kept, and how many came by."""

    kept: Kept
    vectors: Any
    n: int
    log: MistakeLog


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
    for epoch in range(model.max_epochs):
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


def partial_fit(model: Any, X: Any, y: Any, classes: Any) -> Any:
    """One pass over a piece of a stream."""
    check_parameters(model, model._rules)
    fresh = not hasattr(model, "classes_")
    sample = _training_piece(model, X, y, fresh)
    sign = _signs(model, sample.y, classes, fresh)
    if fresh:
        meant = _kernel.meant_by(model, sample.X)
        model.kernel_, model._gamma = meant.kernel, meant.gamma
        model._stream = StreamState(Kept.nothing(), sample.X[:0], 0, MistakeLog.empty())
        model._sparse = sparse.issparse(sample.X)
        model._one_pass, model._runs = True, NOTHING
        model._X_fit, model._left_out, model._weighted, model._indefinite = None, 0, False, False
    elif model._stream is None:
        model._stream = _after_fit(model)
    _advance(model, sample.X, sign)
    model._runs = then(model._runs, sign)
    _publish(model)
    return model


def _training_piece(model: Any, X: Any, y: Any, fresh: bool) -> _data.Sample:
    if _data.takes_objects(model.kernel):
        raise ValueError("partial_fit needs vectors: a kernel on objects has no stream here.")
    from sklearn.utils.validation import validate_data

    X, y = validate_data(
        model, X, y, dtype=_data.DTYPES, order="C", accept_sparse="csr", reset=fresh
    )
    if not fresh and sparse.issparse(X) != model._sparse:
        X = sparse.csr_array(X) if model._sparse else X.toarray()
    if not fresh and X.dtype != model.support_vectors_.dtype:
        X = X.astype(model.support_vectors_.dtype)
    return _data.Sample(X, y, np.ones(X.shape[0]))


def _signs(model: Any, y: NDArray[Any], classes: Any, fresh: bool) -> Floats:
    if fresh:
        if classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        found = np.unique(classes)
        if len(found) != 2:
            raise ValueError(f"a perceptron separates two classes, got {len(found)}: {found}.")
        model.classes_ = found
    elif classes is not None and not np.array_equal(np.unique(classes), model.classes_):
        raise ValueError(f"classes={classes!r} is not the same as before: {model.classes_}.")
    unknown = ~np.isin(y, model.classes_)
    if unknown.any():
        raise ValueError(f"unknown class {y[unknown][0]!r}; the classes are {model.classes_}.")
    return np.where(y == model.classes_[1], 1.0, -1.0)


def _after_fit(model: Any) -> StreamState:
    """Go on from a batch fit: its rule is the start, its rows do not come again."""
    coef = np.asarray(model._dense_coef()[0], dtype=np.float64)
    kept = Kept(coef, np.zeros(len(coef), dtype=np.intp))
    return StreamState(kept, model.support_vectors_, len(model._sign), model.mistakes_)


def _advance(model: Any, X: Any, sign: Floats) -> None:
    state, rules = model._stream, model._budget_rules()
    for first in range(0, len(sign), BLOCK):
        block, labels = X[first : first + BLOCK], sign[first : first + BLOCK]
        old = len(state.kept.coef)
        against = np.zeros((len(labels), 0))
        if old:
            against = np.asarray(model.kernel_.tile(block, state.vectors), dtype=np.float64)
        among = np.array(model.kernel_.tile(block), dtype=np.float64)
        column = old + np.arange(len(labels))
        kept, found = sweep_with_budget(state.kept, against, among, column, labels, rules)
        stack: Any = sparse.vstack if sparse.issparse(block) else np.vstack
        both: Any = stack([state.vectors, block]) if old else block
        active = np.flatnonzero(kept.coef)
        events = [(at, at + 1, 0, value) for at, value in found]
        later = as_log(events, labels, rules.rate, len(labels), 1, False)
        model._stream = state = StreamState(
            kept=Kept(kept.coef[active], kept.arrival[active], kept.clock),
            vectors=(both.tocsr() if sparse.issparse(both) else both)[active],
            n=state.n + len(labels),
            log=state.log.then(later, state.n),
        )


def _publish(model: Any) -> None:
    state = model._stream
    model._forget_certificates()
    model.mistakes_, model.n_iter_ = state.log, 1
    model.support_vectors_ = state.vectors
    coef = state.kept.coef
    model.support_ = np.arange(len(coef), dtype=np.int32)
    model.dual_coef_ = coef[None]
    model.intercept_ = np.zeros(1)
    model._n_support = np.array([np.sum(coef < 0), np.sum(coef > 0)], dtype=np.int32)
    model.shape_fit_ = (state.n, model.n_features_in_)


def evidence(model: Any) -> Evidence:
    """One pass over the stream tested every rule on rows that it had not seen."""
    state = model._stream
    found = Evidence(
        n=state.n,
        learner=f"this {type(model).__name__}",
        formulation="perceptron",
        choices=model._choices(),
    )
    if not model._one_pass:  # a batch fit came first that did not meet every row once, in turn
        return found
    run = model._progressive(state.log)
    return replace(found, progressive=run, lost=() if run else ("progressive",))
