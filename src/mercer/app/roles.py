"""From a file to what the estimator takes: roles of the columns, target, groups, checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.app.checks import FEW_LETTERS, Finding, check_columns
from mercer.app.keys import identifiers
from mercer.app.labels import Labels
from mercer.app.leaks import check_target
from mercer.app.target import Target, make_target, said_about
from mercer.errors import DataError
from mercer.tables.columns import shown, table_array
from mercer.tables.dataset import TEXT, Column, Dataset

LETTERS = ("fasta", "fastq")  # formats of sequences that may be related to each other
RELATED = "related"  # what --group calls families of such sequences
MANY_ROWS = 200_000  # of which a column is described; enough for people


@dataclass
class FitData:
    """Everything about the data that a fit needs."""

    X: Any
    target: Target
    prepare: str
    rows: NDArray[np.intp]
    names: list[str] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)
    groups: NDArray[Any] | None = None
    order: NDArray[Any] | None = None
    findings: list[Finding] = field(default_factory=list)
    dropped: list[tuple[int, str]] = field(default_factory=list)
    described: list[dict[str, Any]] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    beside: list[Column] = field(default_factory=list)  # of the file of labels
    strings: str | None = None  # the column of a table whose strings are compared


def make_fit_data(
    data: Dataset,
    *,
    target: str | None,
    labels: Labels | None = None,
    group: str | None = None,
    order: str | None = None,
    ignore: Sequence[str] = (),
    keep: Sequence[str] = (),
    task: str | None = None,
    precomputed: str | None = None,
    strings: str | None = None,
    typed: bool = False,
) -> FitData:
    """Give every column its role and check the whole."""
    column = _target_column(data, target, labels)
    keys = identifiers([c for c in data.columns if c.name != column.name])  # of all rows read
    lost = column.missing
    if lost.any():
        data = data.drop(lost, "no value in the target")
        column = Column(column.name, column.kind, column.values[~lost])
        labels = None if labels is None else labels.without(lost)
    if data.n == 0:
        raise DataError(f"the target '{column.name}' has no value in any row.")
    aim = make_target(column, task, typed)
    if strings is not None:
        return _from_strings(data, aim, strings, group, order, keys)
    if data.kind == "table" and precomputed is None:
        said = said_about(column, aim.task, task)
        return _from_table(
            data, aim, group, order, ignore, keep, keys, said=(said,) if said else ()
        )
    prepare = {"sparse": "sparse", "objects": "objects"}.get(data.kind, str(precomputed))
    X = data.objects if data.kind == "objects" else data.matrix
    if prepare in ("kernel", "distance"):
        X = square_matrix(data, prepare)
    found = FitData(X, aim, prepare, data.rows, dropped=data.dropped)
    found.findings = [Finding("reader", "note", note) for note in data.notes]
    beside = None if labels is None else labels.beside
    if beside is not None and beside.columns:
        _beside(found, beside, group, order)
        group, order = (name if name == RELATED else None for name in (group, order))
    _refuse_columns(data, group, order, [*ignore, *keep])
    if prepare == "objects" and data.format in LETTERS:
        _look_for_relatives(found, group)
    return found


def _beside(found: FitData, beside: Dataset, group: str | None, order: str | None) -> None:
    """Columns of the file of labels may group and order rows that have none, and slice them."""
    if group is not None and group != RELATED:
        found.groups = _codes(beside.column(group))
    if order is not None:
        found.order = _moments(beside.column(order))
    keys = identifiers(beside.columns)
    found.beside = [column for column in beside.columns if column.name not in keys]


def _look_for_relatives(found: FitData, group: str | None) -> None:
    from mercer.app.sequences import check_sequences
    from mercer.tables.relatives import find_relatives

    if group == RELATED:
        found.groups = find_relatives(found.X).groups
    found.findings += check_sequences(found.X, found.rows, group is not None)


def _from_strings(
    data: Dataset, aim: Target, name: str, group: str | None, order: str | None,
    keys: dict[str, str],
) -> FitData:  # fmt: skip
    """One column of a table as the objects to compare; the others may group or order the rows."""
    if data.kind != "table":
        raise DataError("--strings names a column, but these data have none.")
    name = data.column(name).name
    if name == aim.name:
        raise DataError(f"column '{name}' is the target: --strings must name another one.")
    roles = {aim.name: "target", name: "strings"}
    roles |= {key: "identifier" for key in keys if key not in roles}
    found = FitData(string_values(data, name), aim, "objects", data.rows, dropped=data.dropped,
                    roles=roles, strings=name)  # fmt: skip
    found.findings = [Finding("reader", "note", note) for note in data.notes]
    if few_letters(found.X):
        _look_for_relatives(found, group)
    elif group == RELATED:
        raise DataError(
            f"--group {RELATED} looks for related sequences of at most {FEW_LETTERS} letters; "
            f"column '{name}' has more.",
            "Name a column that says which rows belong together.",
        )
    if group is not None and group != RELATED:
        found.groups = _codes(data.column(group))
    found.order = None if order is None else _moments(data.column(order))
    return found


def few_letters(sequences: Any) -> bool:
    """Whether these are words of an alphabet such as that of DNA or of proteins."""
    return len(set().union(*sequences)) <= FEW_LETTERS


def string_values(data: Dataset, name: str) -> NDArray[Any]:
    """The strings of a column; a row without one is an error that names it."""
    column = data.columns[data.names.index(name)]
    if column.kind != TEXT:
        raise DataError(f"column '{name}' holds no text, so there are no strings to compare.")
    gaps = np.flatnonzero(column.missing)
    if len(gaps):
        raise DataError(
            f"column '{name}' has no value in {len(gaps)} rows (first: row {data.rows[gaps[0]]}).",
            "Strings cannot be compared with nothing: leave these rows out.",
        )
    return column.values


def _refuse_columns(
    data: Dataset, group: str | None, order: str | None, others: Sequence[str]
) -> None:
    """An option that names a column must not be ignored where there are none."""
    if group == RELATED and data.format in LETTERS:
        group = None
    for option, name in (("--group", group), ("--order", order), ("--ignore/--keep", others)):
        if name:
            hint = f"For sequences there is --group {RELATED}." if data.format in LETTERS else ""
            raise DataError(f"{option} names a column, but these data have none.", hint)


def _target_column(data: Dataset, target: str | None, labels: Labels | None) -> Column:
    if labels is not None:
        if len(labels.column.values) != data.n:
            raise DataError(f"there are {len(labels.column.values)} labels for {data.n} rows.")
        return labels.column
    target = target or data.target
    if target is not None and data.columns:
        return data.column(target)
    if data.labels is not None:
        from mercer.io.readers.numpy_arrays import label_column

        return label_column(target or "label", data.labels)
    if data.columns:
        shown = ", ".join(data.names[:12]) + (", ..." if len(data.names) > 12 else "")
        raise DataError(
            "which column is to be predicted?", f"Say --target NAME; there are: {shown}"
        )
    hint = "Give them with --labels FILE"
    if data.format in LETTERS:
        hint += ", or in the headers: '>name label' or '>name label=...'"
    elif data.format == "lines":
        hint += ", or before a tab at the start of each line"
    raise DataError("these data have no labels.", f"{hint}.")


def number_matrix(data: Dataset, kind: str) -> NDArray[np.float64]:
    """A square matrix of finite numbers, whatever they are."""
    if data.matrix is None:
        wrong = next((c for c in data.columns if c.kind == TEXT), None)
        if wrong is not None:
            place = int(np.flatnonzero(~wrong.missing)[0])
            raise DataError(
                f"a {kind} matrix holds numbers, but column '{wrong.name}' holds "
                f"'{wrong.values[place]}' (row {data.rows[place]})."
            )
        matrix = np.column_stack([c.values for c in data.columns])
    else:
        matrix = np.asarray(data.matrix)
    if matrix.dtype.kind not in "fiub":
        raise DataError(f"a {kind} matrix holds numbers, this one holds {matrix.dtype}.")
    matrix = matrix.astype(np.float64)
    if matrix.shape[0] != matrix.shape[1]:
        raise DataError(
            f"a {kind} matrix is square, this one is {matrix.shape[0]} x {matrix.shape[1]}."
        )
    bad = np.argwhere(~np.isfinite(matrix))
    if len(bad):
        raise DataError(
            f"the {kind} matrix has no finite value at row {bad[0][0] + 1}, column {bad[0][1] + 1}"
            + (f" and {len(bad) - 1} more places." if len(bad) > 1 else "."),
            "Leave out the objects concerned, or compute what is missing.",
        )
    return matrix


def square_matrix(data: Dataset, kind: str) -> NDArray[np.float64]:
    """A kernel or distance matrix that can be learned from."""
    matrix = number_matrix(data, kind)
    gap = float(np.max(np.abs(matrix - matrix.T)))
    if gap > 1e-8 * max(1.0, float(np.max(np.abs(matrix)))):
        i, j = np.unravel_index(int(np.abs(matrix - matrix.T).argmax()), matrix.shape)
        raise DataError(
            f"the {kind} matrix is not symmetric: rows {i + 1} and {j + 1} differ by {gap:.3g}.",
            f"mercer inspect FILE --precomputed {kind} tells more.",
        )
    if kind == "distance" and float(matrix.min()) < 0:
        i, j = np.unravel_index(int(matrix.argmin()), matrix.shape)
        raise DataError(
            f"a distance is never negative, but row {i + 1}, column {j + 1} is {matrix[i, j]:.4g}."
        )
    return (matrix + matrix.T) / 2.0


def _from_table(
    data: Dataset, aim: Target, group: str | None, order: str | None,
    ignore: Sequence[str], keep: Sequence[str], keys: dict[str, str],
    said: tuple[str, ...] = (),
) -> FitData:  # fmt: skip
    roles = {aim.name: "target"} if aim.name in data.names else {}
    for name, role in ((group, "group"), (order, "order"), *((n, "ignored") for n in ignore)):
        if name is not None:
            roles.setdefault(data.column(name).name, role)
    kept = {data.column(name).name for name in keep}
    features = [c for c in data.columns if c.name not in roles or roles[c.name] == "order"]
    keys = {n: why for n, why in keys.items() if n not in kept and n not in roles}
    roles |= dict.fromkeys(keys, "identifier")
    # nothing was learned from them, so new rows may hold anything there
    roles |= {c.name: "empty" for c in features if c.name not in roles and c.missing.all()}
    columns = [c for c in features if roles.get(c.name, "order") == "order"]
    if not columns:
        raise DataError("no column is left to learn from.")
    findings = [Finding("reader", "note", note) for note in (*data.notes, *said)]
    findings += check_columns(features, data.rows, keys)
    findings += check_target(columns, aim.y, aim.task, aim.name, keys)
    findings += _looks_like_pairs(columns)
    asked = {"time": order, "groups": group}
    return FitData(
        table_array(columns),
        aim,
        "table",
        data.rows,
        names=[c.name for c in columns],
        stored=[c.stored for c in columns],
        groups=None if group is None else _codes(data.column(group)),
        order=None if order is None else _moments(data.column(order)),
        findings=[f for f in findings if asked.get(f.code) is None],
        dropped=data.dropped,
        described=[describe(c, roles.get(c.name, "feature")) for c in data.columns],
        roles=roles,
    )


def _looks_like_pairs(columns: list[Column]) -> list[Finding]:
    """A matrix of pairs that was taken for a table: its columns are the rows that are kept."""
    from mercer.app.inspect_matrix import guess_kind

    kind = guess_kind(Dataset("table", "", columns=columns))
    if kind is None:
        return []
    words = (
        f"this is square and symmetric and looks like a matrix of {kind} values: if it is one, say "
        f"--precomputed {kind}. As a table its columns are the very rows kept for the certificate"
    )
    return [Finding("pairs", "warning", words)]


def _codes(column: Column) -> NDArray[Any]:
    if column.missing.any():
        count = int(column.missing.sum())
        raise DataError(f"the group column '{column.name}' has no value in {count} rows.")
    groups = column.values.astype(str) if column.kind == TEXT else column.values
    if len(np.unique(groups)) == 1:
        raise DataError(
            f"the group column '{column.name}' has one value in all rows.",
            "A certificate needs groups that were not trained on.",
        )
    return groups


def _moments(column: Column) -> NDArray[Any]:
    if column.kind == TEXT:
        raise DataError(
            f"the order column '{column.name}' holds text such as '{column.values[0]}'.",
            "Order needs numbers or dates.",
        )
    if column.missing.any():
        count = int(column.missing.sum())
        raise DataError(f"the order column '{column.name}' has no value in {count} rows.")
    return column.values


def describe(column: Column, role: str) -> dict[str, Any]:
    """One column for the record and for ``inspect``."""
    present = column.values[:MANY_ROWS]
    present = present[~column.missing[:MANY_ROWS]]
    distinct = len(set(present.tolist())) if column.kind == TEXT else len(np.unique(present))
    found: dict[str, Any] = {
        "name": column.name,
        "kind": column.kind,
        "role": role,
        "missing": int(column.missing.sum()),
        "distinct": distinct,
        "examples": [shown(v, column.kind) for v in list(dict.fromkeys(present.tolist()))[:3]],
    }
    if column.kind != TEXT and len(present):
        found |= {
            "min": shown(present.min(), column.kind),
            "max": shown(present.max(), column.kind),
        }
    return found
