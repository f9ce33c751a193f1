"""Facts about the rows: columns, classes, a fingerprint, and simple signs of trouble."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

MANY_COLUMNS = 200
_EXAMPLES = 3


def describe_columns(X: Any, names: Sequence[str] | None) -> dict[str, Any]:
    """The ``data`` of a run record, as far as an array tells."""
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    found: dict[str, Any] = {"rows_read": rows, "rows_used": rows, "dropped": []}
    table = numbers(X)
    if table is None:
        return found | {"columns": [], "format": type(X).__name__}
    given = list(names) if names is not None and len(names) == table.shape[1] else None
    columns = []
    for j in range(min(table.shape[1], MANY_COLUMNS)):
        column = table[:, j]
        known = column[np.isfinite(column)]
        columns.append(
            {
                "name": str(given[j]) if given else f"column {j + 1}",
                "kind": "number",
                "missing": int(len(column) - len(known)),
                "distinct": len(np.unique(known)),
                "examples": [float(v) for v in known[:_EXAMPLES]],
            }
        )
    return found | {"columns": columns, "n_columns": table.shape[1], "format": "array"}


def numbers(X: Any) -> np.ndarray | None:
    """The rows as a dense table of numbers; None if they are something else."""
    if sparse.issparse(X):
        return None
    try:
        table = np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        return None
    return table if table.ndim == 2 else None


def target_of(task: str, y: Any, class_names: Any) -> dict[str, Any]:
    """What is predicted."""
    found: dict[str, Any] = {"task": task, "name": "target"}
    if y is None:
        return found
    values = np.asarray(y)
    if task == "regression":
        numeric = values.astype(float)
        found["summary"] = {
            name: float(getattr(np, name)(numeric)) for name in ("min", "median", "max", "mean")
        } | {"std": float(numeric.std())}
    else:
        labels, counts = np.unique(values, return_counts=True)
        named = class_names is not None and len(class_names) == len(labels)
        shown = class_names if named else labels
        found["classes"] = {str(k): int(c) for k, c in zip(shown, counts, strict=True)}
    return found


def fingerprint(X: Any, y: Any) -> str:
    """SHA-256 over the contents of the rows and targets."""
    digest = hashlib.sha256()
    for part in (X, y):
        if part is None:
            continue
        if sparse.issparse(part):
            matrix = part.tocsr()
            pieces = [matrix.data, matrix.indices, matrix.indptr]
        else:
            pieces = [np.asarray(part)]
        for piece in pieces:
            if piece.dtype == object:
                digest.update("\x1f".join(map(str, piece.ravel())).encode())
            else:
                digest.update(np.ascontiguousarray(piece).tobytes())
    return digest.hexdigest()


def checks_of(X: Any, y: Any) -> list[dict[str, Any]]:
    """Constant columns, repeated rows, a column that gives the target away, rare classes."""
    table = numbers(X)
    found: list[dict[str, Any]] = []
    if table is None or not len(table):
        return found
    constant = [j for j in range(table.shape[1]) if np.ptp(table[:, j]) == 0]
    if constant:
        found.append(_note("constant", f"{len(constant)} columns hold one value only", constant))
    repeated = len(table) - len(np.unique(table, axis=0))
    if repeated:
        found.append(_note("duplicates", f"{repeated} rows repeat an earlier row", []))
    if y is not None:
        found += _target_checks(table, np.asarray(y))
    return found


def _target_checks(table: np.ndarray, y: np.ndarray) -> list[dict[str, Any]]:
    found = []
    labels, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    if len(labels) < len(y) / 2 and counts.min() < 5:
        rare = int(np.sum(counts < 5))
        found.append(_note("rare class", f"{rare} classes have fewer than 5 rows", []))
    leaks = [j for j in range(table.shape[1]) if _gives_away(table[:, j], codes)]
    if leaks and len(labels) > 1:
        text = f"{len(leaks)} columns determine the target by themselves: is that allowed?"
        found.append(_note("leak", text, leaks))
    return found


def _gives_away(column: np.ndarray, codes: np.ndarray) -> bool:
    """Whether the column's values are, up to their names, the target's."""
    values, inverse = np.unique(column, return_inverse=True)
    if len(values) != codes.max() + 1:
        return False
    return len(np.unique(inverse * (codes.max() + 1) + codes)) == len(values)


def _note(code: str, message: str, columns: list[int]) -> dict[str, Any]:
    level = "warning" if code == "leak" else "note"
    return {"code": code, "level": level, "message": message, "columns": columns}
