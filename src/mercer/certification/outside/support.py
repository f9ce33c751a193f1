"""scikit-learn's support vector machines.

A machine is believed to come from these rows if its support vectors are among them and the
optimality conditions hold at every row: an outsider row without a dual coefficient must be handled
with margin one, a support vector below its upper limit must lie on the margin, and so on. With
these conditions the rows on or inside the margin rebuild the machine, which compression needs.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

from mercer._types import Samples
from mercer.bounds import Choice, Compression, Evidence
from mercer.certification.outside._shared import (
    Floats,
    gamma_choice,
    geometry,
    other_rows,
    signs,
)
from mercer.kernels import Kernel, from_sklearn


def classifier(model: Any, X: Any, y: Any) -> Evidence:
    """``SVC`` and ``NuSVC``, two classes or a vote of pairs."""
    kernel, gram, columns = _kernel(model, X)
    exact = type(model).__name__ != "NuSVC"
    facts = _facts(model, kernel, gram, X) | {"formulation": "c-svc" if exact else "nu-svc"}
    if len(model.classes_) == 2:
        coef = _dense(model.dual_coef_)[0]
        target = signs(model, y)
        return _binary(model, columns, model.support_, coef, target, facts, exact)
    return _pairs(model, columns, np.asarray(y), facts, exact)


def regressor(model: Any, X: Any, y: Any) -> Evidence:
    """``SVR``."""
    kernel, gram, columns = _kernel(model, X)
    facts = _facts(model, kernel, gram, X)
    coef = np.zeros(len(columns))
    coef[model.support_] = _dense(model.dual_coef_)[0]
    target, near = np.asarray(y, dtype=float), 10.0 * model.tol
    distance = np.abs(target - columns @ coef[model.support_] - model.intercept_[0])
    free, full = _parts(coef, np.full(len(coef), model.C))
    _check(distance[coef == 0] <= model.epsilon + near, coef == 0, "a row outside the tube is free")
    _check(np.abs(distance[free] - model.epsilon) <= near, free, "a support vector is off the tube")
    _check(distance[full] >= model.epsilon - near, full, "a row inside the tube has the full price")
    kept = (distance >= model.epsilon - near) | (coef != 0)
    outside = distance > model.epsilon + near
    return Evidence(
        len(target),
        task="regression",
        formulation="svr",
        loss="epsilon-insensitive",
        errors=int(outside.sum()),
        slacks=np.maximum(distance - model.epsilon, 0.0),
        alphas=np.abs(coef),
        risks={"outside the tube": float(outside.mean())},
        offset=float(model.intercept_[0]),
        tube=float(model.epsilon),
        C=float(model.C),
        gap=near,
        compression=Compression(len(kept), int(kept.sum())),
        norm=_norm(columns, model.support_, coef[model.support_], facts),
        **facts,
    )


def _kernel(model: Any, X: Any) -> tuple[Kernel | None, Floats | None, Floats]:
    """The kernel, the Gram matrix if that is all there is, and K(rows, support vectors)."""
    if callable(model.kernel):
        gram = np.asarray(model.kernel(X, X), dtype=np.float64)
        return None, gram, gram[:, model.support_]
    if model.kernel == "precomputed":
        gram = np.asarray(X, dtype=np.float64)
        if gram.ndim != 2 or gram.shape[0] != gram.shape[1]:
            raise ValueError("a precomputed kernel needs the square matrix of the training rows")
        return None, gram, gram[:, model.support_]
    vectors = _dense(model.support_vectors_)
    rows = X[model.support_] if max(model.support_) < X.shape[0] else None
    if rows is None or X.shape[1] != vectors.shape[1]:
        raise other_rows("its support vectors have other numbers or columns")
    same = np.all(_dense(rows) == vectors, axis=1)
    if not same.all():
        place = int(model.support_[np.flatnonzero(~same)[0]])
        raise other_rows(f"row {place} is not the support vector it should be")
    kernel = from_sklearn(model.kernel, model._gamma, model.degree, model.coef0)
    return kernel, None, np.asarray(kernel(X, rows), dtype=np.float64)


def _facts(model: object, kernel: Kernel | None, gram: Floats | None, X: Samples) -> dict[str, Any]:
    """What every machine of the model shares."""
    facts = geometry(kernel, X, gram) | {"choices": gamma_choice(model)}
    if isinstance(getattr(model, "class_weight", None), str):
        note = "'balanced' reads the class frequencies"
        facts["choices"] += (Choice("class_weight", note),)
    return facts


def _binary(
    model: Any,
    columns: Floats,
    support: Any,
    support_coef: Floats,
    target: Floats,
    facts: dict[str, Any],
    exact: bool,
    offset: float | None = None,
) -> Evidence:
    """One machine with two classes; ``columns`` are K(rows, its support vectors)."""
    shift = float(model.intercept_[0]) if offset is None else offset
    margins = target * (columns @ support_coef + shift)
    coef = np.zeros(len(target))
    coef[support] = support_coef
    near, compression = 10.0 * model.tol, None
    if exact:
        _conditions(margins, coef * target, _limits(model, target), near)
        balanced = isinstance(model.class_weight, str)
        kept = (margins <= 1.0 + near) | (coef != 0)
        compression = None if balanced else Compression(len(kept), int(kept.sum()))
    low, high = model.class_weight_[0], model.class_weight_[-1]
    equal = exact and low == high and not isinstance(model.class_weight, str)
    return Evidence(
        len(target),
        loss="hinge" if exact else "",
        errors=int(np.count_nonzero(margins <= 0)),
        margins=margins,
        slacks=np.maximum(1.0 - margins, 0.0),
        alphas=np.abs(coef),
        offset=shift,
        C=float(model.C * low) if equal else None,
        gap=near,
        compression=compression,
        norm=_norm(columns, support, support_coef, facts),
        **facts,
    )


def _limits(model: Any, target: Floats) -> Floats:
    """The upper limit of every dual coefficient; weights are per class, in the order of labels."""
    low, high = model.class_weight_[0], model.class_weight_[-1]
    return model.C * np.where(target > 0, high, low)


def _conditions(margins: Floats, alpha: Floats, limit: Floats, near: float) -> None:
    """Complementary slackness, up to ten times the solver's tolerance."""
    free, full = _parts(alpha, limit)
    none = alpha == 0
    _check(alpha >= -1e-12, np.ones_like(none), "a dual coefficient has the wrong sign")
    _check(alpha <= limit * (1 + 1e-9), np.ones_like(none), "a dual coefficient exceeds C")
    _check(margins[none] >= 1.0 - near, none, "a row inside the margin is no support vector")
    _check(np.abs(margins[free] - 1.0) <= near, free, "a support vector is off the margin")
    _check(margins[full] <= 1.0 + near, full, "a row beyond the margin has the full price")


def _parts(alpha: Floats, limit: Floats) -> tuple[Any, Any]:
    full = np.abs(alpha) >= limit * (1 - 1e-9)
    return (alpha != 0) & ~full, full


def _check(holds: Any, where: Any, what: str) -> None:
    if not np.all(holds):
        row = int(np.flatnonzero(where)[np.flatnonzero(~np.asarray(holds))[0]])
        raise other_rows(f"{what} (row {row})")


def _norm(columns: Floats, support: Any, coef: Floats, facts: dict[str, Any]) -> float | None:
    """√(a'Ga), where the kernel has a geometry."""
    if "point_norms" not in facts:
        return None
    return math.sqrt(max(0.0, float(coef @ columns[support] @ coef)))


def _pairs(model: Any, columns: Floats, y: Any, facts: dict[str, Any], exact: bool) -> Evidence:
    """A vote of pairs: each machine by itself, counted over all rows, and the union of kept rows.

    A row that every machine of its class handles with margin one wins the vote, so rows outside
    the union are no errors.
    """
    coef = _dense(model.dual_coef_)
    which = np.repeat(np.arange(len(model.classes_)), model.n_support_)
    labels = np.searchsorted(model.classes_, y)
    machines, kept = [], np.zeros(len(y), dtype=bool)
    for number, (i, j) in enumerate(combinations(range(len(model.classes_)), 2)):
        rows = np.flatnonzero((labels == i) | (labels == j))
        used = np.flatnonzero((which == i) | (which == j))
        own = np.where(which[used] == i, coef[j - 1, used], coef[i, used])
        target = np.where(labels[rows] == i, 1.0, -1.0)
        place = np.searchsorted(rows, model.support_[used])
        nonzero = own != 0
        part = _binary(
            _Pair(model, i, j),
            columns[np.ix_(rows, used[nonzero])],
            place[nonzero],
            own[nonzero],
            target,
            _restricted(facts, rows),
            exact,
            offset=float(model.intercept_[number]),
        )
        inside = (part.margins <= 1.0 + (part.gap or 0.0)) | (part.alphas > 0)  # type: ignore[operator]
        kept[rows[inside]] = True
        machines.append(_over_all(part, rows, len(y), facts))
    balanced = isinstance(model.class_weight, str)
    return Evidence(
        len(y),
        n_classes=len(model.classes_),
        formulation=facts["formulation"],
        loss="hinge" if exact else "",
        offset=0.0,
        compression=Compression(len(y), int(kept.sum())) if exact and not balanced else None,
        machines=tuple(machines),
        choices=facts["choices"],
        dimension=facts.get("dimension"),
        rank=facts.get("rank"),
    )


class _Pair:
    """A pair of classes as a two-class model; class ``i`` is the positive one, as in LIBSVM."""

    def __init__(self, model: Any, i: int, j: int) -> None:
        self.C = getattr(model, "C", None)
        self.tol, self.class_weight = model.tol, model.class_weight
        self.class_weight_ = np.array([model.class_weight_[j], model.class_weight_[i]])


def _restricted(facts: dict[str, Any], rows: Any) -> dict[str, Any]:
    found = dict(facts)
    if "point_norms" in found:
        found["point_norms"] = found["point_norms"][rows]
    return found | {"choices": ()}


def _over_all(part: Evidence, rows: Any, n: int, facts: dict[str, Any]) -> Evidence:
    """One pair counted over all rows: it is not asked about the other classes."""
    margins = np.full(n, np.inf)
    margins[rows] = part.margins
    return Evidence(
        n,
        formulation=part.formulation,
        loss=part.loss,
        errors=part.errors,
        margins=margins,
        norm=part.norm,
        offset=part.offset,
        point_norms=facts.get("point_norms"),
        trace=facts.get("trace"),
        radius=facts.get("radius"),
        dimension=facts.get("dimension"),
        rank=facts.get("rank"),
        gap=part.gap,
    )


def _dense(values: Any) -> Floats:
    return np.asarray(values.toarray() if sparse.issparse(values) else values, dtype=np.float64)
