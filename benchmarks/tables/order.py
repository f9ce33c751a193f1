"""The alarm about the order of rows, on real tables as they stand and on the same ones shuffled.

``python -m benchmarks.tables.order`` writes ``results/order.md``. Rows that were shuffled have no
order, so each alarm about them is false. Of rows as they stand nobody knows for certain; beside
each alarm stands how often the target changes from one row to the next, divided by how often it
does in a random order (of numbers: their mean step, in the same way), and the same for the column
that changes least. 1 is what a random order gives.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np

from benchmarks.tables.fetch import HERE, Entry, catalogue, take
from mercer.app.roles import FitData, make_fit_data
from mercer.certification.checks.case import Case
from mercer.certification.checks.finding import FIRST_LINE
from mercer.certification.checks.gate import look_at
from mercer.errors import UserError
from mercer.io.readers import Options, read

RESULTS = HERE / "results" / "order.md"
ABOUT_ORDER = {"order", "row numbers", "trend"}
SHUFFLES = 2


def alarms(X: Any, y: Any) -> dict[str, str]:
    """What is said of the order, and in which place."""
    found = look_at(Case(X, y)).findings
    return {f.code: f.level for f in found if f.code in ABOUT_ORDER}


def ratio(values: Any, rng: np.random.Generator) -> float:
    """Changes from row to row beside those of a random order; above 1 counts as 1."""
    column = np.asarray(values)
    try:
        column = column.astype(float)
        column = column[np.isfinite(column)]
    except (TypeError, ValueError):
        column = np.unique(column.astype(str), return_inverse=True)[1]
    if len(np.unique(column)) < 2:
        return 1.0
    few = len(np.unique(column)) <= 20

    def moved(rows: Any) -> float:
        step = np.diff(rows)
        return float(np.mean(step != 0) if few else np.mean(np.minimum(np.abs(step), wide)))

    wide = np.ptp(np.quantile(column, [0.05, 0.95])) or 1.0
    random = np.mean([moved(rng.permutation(column)) for _ in range(5)])
    return min(1.0, moved(column) / random) if random else 1.0


def judge(entry: Entry) -> dict[str, Any]:
    """One table."""
    raw = read(take(entry), Options(**entry.options))
    drop = {*entry.leaks, *entry.outcomes} & {column.name for column in raw.columns}
    data: FitData = make_fit_data(raw, target=entry.target, ignore=tuple(sorted(drop)))
    X, y, rng = data.X, np.asarray(data.target.y), np.random.default_rng(0)
    shuffled = []
    for _ in range(SHUFFLES):
        rows = rng.permutation(len(y))
        shuffled.append(alarms(X[rows], y[rows]))
    least = min((ratio(X[:, j], rng), data.names[j]) for j in range(X.shape[1]))
    return {"rows": len(y), "here": alarms(X, y), "shuffled": shuffled,
            "target": ratio(y, rng), "least": least}  # fmt: skip


def write(found: dict[str, dict[str, Any]]) -> None:
    """The table for people."""
    first = [k for k, one in found.items() if FIRST_LINE in one["here"].values()]
    noted = [k for k, one in found.items() if one["here"] and k not in first]
    draws = sum(len(one["shuffled"]) for one in found.values())
    false = sum(bool(said) for one in found.values() for said in one["shuffled"])
    lines = [
        "# Alarms about the order of rows",
        "",
        f"{len(found)} real tables. Shuffled {SHUFFLES} times each, {false} of {draws} raise an "
        f"alarm (any would be false). As they stand, {len(first)} do in the first line of a "
        f"certificate and {len(noted)} in a note.",
        "",
        "How much less a column changes from row to row than in a random order: 1 is as much.",
        "",
        "| table | rows | first line | note | target | least of the columns | shuffled |",
        "|---" * 7 + "|",
    ]
    for name, one in found.items():
        loud = ", ".join(k for k, level in one["here"].items() if level == FIRST_LINE)
        quiet = ", ".join(k for k, level in one["here"].items() if level != FIRST_LINE)
        said = ", ".join(sorted({code for draw in one["shuffled"] for code in draw}))
        least = f"{one['least'][0]:.2f} {one['least'][1]}"
        lines.append(f"| {name} | {one['rows']:,} | {loud} | {quiet} | {one['target']:.2f} | "
                     f"{least} | {said} |")  # fmt: skip
    RESULTS.write_text("\n".join(lines) + "\n")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="one table, by its id")
    wish = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    found: dict[str, dict[str, Any]] = {}
    for entry in catalogue():
        if wish.only not in (None, entry.id):
            continue
        try:
            found[entry.id] = judge(entry)
        except UserError as problem:
            print(f"{entry.id:20} not read: {problem}", flush=True)
            continue
        print(f"{entry.id:20} {found[entry.id]}", flush=True)
    if wish.only is None:
        write(found)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
