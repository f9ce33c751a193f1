"""A picture of the decision in two dimensions: the plane itself, or a projection of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.report._source import Part, Source
from mercer.report._table import numbers

_POINTS = 500
_ACROSS, _UP = 110, 84


def score(model: object, X: Any) -> np.ndarray | None:
    """One decision value per row; None if the model has none, or several."""
    if not hasattr(model, "decision_function"):
        return None
    values = np.asarray(model.decision_function(X), dtype=float)
    return values if values.ndim == 1 else None


def plane(source: Source, table: np.ndarray) -> dict[str, Any]:
    """Two columns: the model's answer on a grid, and the rows."""
    low, high = table.min(axis=0), table.max(axis=0)
    room = 0.06 * np.where(high > low, high - low, 1.0)
    xs = np.linspace(low[0] - room[0], high[0] + room[0], _ACROSS)
    ys = np.linspace(low[1] - room[1], high[1] + room[1], _UP)
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    values = score(source.model, grid)
    lines: dict[str, list[list[float]]] = {}
    if values is not None:
        field = values.reshape(_UP, _ACROSS)
        levels = np.searchsorted([-1.0, 0.0, 1.0], field)
        lines = {str(v): contour(xs, ys, field, v) for v in (-1, 0, 1)}
    else:
        levels = source.class_index(source.model.predict(grid)).reshape(_UP, _ACROSS)
    return {
        "kind": "plane",
        "scored": values is not None,
        "x": [float(xs[0]), float(xs[-1])],
        "y": [float(ys[0]), float(ys[-1])],
        "levels": levels.tolist(),
        "lines": lines,
        "names": source.columns(2),
        "at": table.round(6).tolist(),
    }


def projection(source: Source, part: Part) -> dict[str, Any] | None:
    """The rows seen from where the decision is visible; None if no kernel fits the rows.

    Two classes: the model's own output to the right, and upwards the direction of largest spread
    in feature space among those that do not change the output (kernel principal components of
    what the output leaves over). Several classes: the first two kernel principal components.
    """
    gram = _gram(source, part)
    if gram is None:
        return None
    n = len(gram)
    values = score(source.model, part.X)
    fixed = np.ones((n, 1)) if values is None else np.column_stack([np.ones(n), values])
    basis = np.linalg.qr(fixed)[0]
    rest = gram - basis @ (basis.T @ gram)
    rest -= (rest @ basis) @ basis.T
    size, vectors = np.linalg.eigh((rest + rest.T) / 2.0)
    # a fixed sign, so that the same data give the same picture
    parts = [v * np.sign(v[np.argmax(np.abs(v))]) for v in vectors[:, ::-1].T[:2]]
    parts = [v * np.sqrt(max(s, 0.0)) for v, s in zip(parts, size[::-1], strict=False)]
    at = np.column_stack([values, parts[0]] if values is not None else parts)
    total = float(np.trace(rest))
    share = [float(max(s, 0.0) / total) if total > 0 else 0.0 for s in size[::-1][:2]]
    return {
        "kind": "projection",
        "scored": values is not None,
        "x": [float(at[:, 0].min()), float(at[:, 0].max())],
        "y": [float(at[:, 1].min()), float(at[:, 1].max())],
        "names": ["output of the model", "kernel component 1"]
        if values is not None
        else ["kernel component 1", "kernel component 2"],
        "share": share,
        "at": at.round(6).tolist(),
    }


def _gram(source: Source, part: Part) -> np.ndarray | None:
    """Kernel values between the rows: the machine's own kernel, else a Gaussian."""
    kernel = getattr(source.machine, "kernel_", None)
    if source.precomputed:
        return None
    inside = source.inside(part.X)
    if callable(kernel):
        try:
            return np.asarray(kernel(inside), dtype=float)
        except (TypeError, ValueError):
            return None
    table = numbers(inside)
    if table is None:
        return None
    from mercer.kernels import Gaussian

    return np.asarray(Gaussian(length_scale="median").resolve(table)(table))


def picture(source: Source) -> dict[str, Any] | None:
    """The decision picture of a classifier or detector as plain data."""
    if source.train is None:
        return None
    part = source.train.some(_POINTS)
    table = numbers(part.X)
    if table is not None and table.shape[1] == 2 and not source.precomputed:
        found: dict[str, Any] | None = plane(source, table)
    else:
        found = projection(source, part) if len(part) > 2 else None
    if found is None:
        return None
    classes = getattr(source.model, "classes_", None)
    known = part.y is not None and classes is not None
    predicted = source.model.predict(part.X)
    support = np.zeros(len(source.train), dtype=bool)
    index = getattr(source.machine, "support_", None)
    if index is not None and len(index) and np.max(index) < len(support):
        support[np.asarray(index, dtype=int)] = True
    place = np.searchsorted(source.train.index, part.index) if _sorted(source) else None
    if place is None:
        lookup = {int(row): i for i, row in enumerate(source.train.index)}
        place = np.array([lookup[int(row)] for row in part.index])
    return found | {
        "labels": source.labels(),
        "class": source.class_index(part.y).tolist() if known else [0] * len(part),
        "wrong": (np.asarray(predicted) != np.asarray(part.y)).tolist() if known else [],
        "support": support[place].tolist(),
        "row": (part.index + 1).tolist(),
        "shown": len(part),
        "of": len(source.train),
    }


def _sorted(source: Source) -> bool:
    index = source.train.index if source.train is not None else np.zeros(0)
    return bool(np.all(np.diff(index) > 0))


def contour(xs: np.ndarray, ys: np.ndarray, field: np.ndarray, level: float) -> list[list[float]]:
    """Line pieces where ``field`` passes ``level``, straight inside every cell."""
    above = field > level
    found: list[list[float]] = []
    mixed = above[:-1, :-1].astype(int) + above[1:, :-1] + above[:-1, 1:] + above[1:, 1:]
    for i, j in np.argwhere((mixed > 0) & (mixed < 4)):
        corners = ((i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j))
        ends = []
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            if above[a] != above[b]:
                t = (level - field[a]) / (field[b] - field[a])
                ends.append(
                    (
                        float(xs[a[1]] + t * (xs[b[1]] - xs[a[1]])),
                        float(ys[a[0]] + t * (ys[b[0]] - ys[a[0]])),
                    )
                )
        for start, stop in zip(ends[::2], ends[1::2], strict=True):
            found.append([*start, *stop])
    return [[round(v, 6) for v in piece] for piece in found]
