"""Read every table of the catalogue as the product does, and compare with what is expected.

``python -m benchmarks.tables.battery`` writes ``results/battery.md``; ``--fit`` also fits small
tables from Python and from the command line and compares the two runs.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.tables.fetch import HERE, Entry, catalogue, take
from mercer.app.roles import FitData, make_fit_data
from mercer.errors import UserError
from mercer.io.readers import Options, read
from mercer.tables.dataset import Dataset
from mercer.tables.frames import dataset_of

RESULTS = HERE / "results" / "battery.md"


@dataclass
class Seen:
    """What the checks said about one table."""

    rows: int = 0
    columns: int = 0
    task: str = ""
    keys: set[str] = field(default_factory=set)
    leaks: set[str] = field(default_factory=set)
    telling: set[str] = field(default_factory=set)
    groups: set[str] = field(default_factory=set)
    seconds: float = 0.0


def look(entry: Entry, path: Path) -> tuple[Seen, Dataset, FitData]:
    """Read a table and give its columns their roles."""
    start = time.perf_counter()
    data = read(path, Options(**entry.options))
    fit = make_fit_data(data, target=entry.target)
    named: dict[str, set[str]] = {}
    for finding in fit.findings:
        named.setdefault(finding.code, set()).update(finding.columns)
    keys = {name for name, role in fit.roles.items() if role == "identifier"}
    found = Seen(len(fit.target.y), len(data.columns), fit.target.task, keys,
                 named.get("leak", set()), named.get("telling", set()), named.get("groups", set()),
                 time.perf_counter() - start)  # fmt: skip
    return found, data, fit


def problems(entry: Entry, seen: Seen) -> list[str]:
    """Where the checks differ from what a careful reader expects."""
    told = []
    if seen.task != entry.task and entry.options.get("task") is None:
        told.append(f"task {seen.task}")
    told += [f"key '{name}' not seen" for name in sorted(set(entry.keys) - seen.keys)]
    known = {*entry.keys, *entry.outcomes, *entry.groups}
    told += [f"'{name}' wrongly taken for a key" for name in sorted(seen.keys - known)]
    told += [f"leak '{n}' not told" for n in sorted(set(entry.leaks) - seen.leaks - seen.telling)]
    right = {*entry.leaks, *entry.outcomes}
    told += [f"false alarm about '{name}'" for name in sorted(seen.leaks - right)]
    if entry.groups and not seen.groups & set(entry.groups):
        told.append(f"groups by {' or '.join(entry.groups)} not told")
    return told


def differences(entry: Entry, path: Path, data: Dataset, fit: FitData) -> list[str]:
    """Whether a frame with the same cells gets the same kinds, roles and findings."""
    from benchmarks.tables.frames import frame_of

    if data.format == "arff":  # declares digits to be names, which a frame of texts does not
        return []
    other = make_fit_data(dataset_of(frame_of(data)), target=entry.target)
    told = []
    if other.roles != fit.roles:
        told.append("roles differ from Python's")
    kinds = [(c["name"], c["kind"], c["missing"]) for c in fit.described]
    if kinds != [(c["name"], c["kind"], c["missing"]) for c in other.described]:
        told.append("kinds differ from Python's")
    ours, theirs = ({f.message for f in d.findings if f.code != "reader"} for d in (fit, other))
    if ours != theirs:
        told.append("findings differ from Python's")
    return told


def fits_differ(entry: Entry, data: Dataset) -> list[str]:
    """Whether a fit from the file and one from a frame end with the same certificate."""
    from benchmarks.tables.frames import frame_of
    from mercer.app.options import FitOptions
    from mercer.app.run import run_fit

    wish = FitOptions(target=entry.target, kernel="gaussian", combine="product")
    found = [run_fit(some, wish, quiet=True, typed=typed).record.certificate["value"]
             for some, typed in ((data, False), (dataset_of(frame_of(data)), True))]  # fmt: skip
    return [] if found[0] == found[1] else [f"certificates {found[0]:.6g} and {found[1]:.6g}"]


def judge(entry: Entry, fit_rows: int = 0) -> tuple[Seen | None, list[str]]:
    """One table from its package to the list of problems."""
    try:
        path = take(entry)
        seen, data, fit = look(entry, path)
        told = problems(entry, seen) + differences(entry, path, data, fit)
        if len(fit.target.y) <= fit_rows and data.format != "arff":
            told += fits_differ(entry, data)
        return seen, told
    except UserError as problem:
        return None, [f"not read: {problem}"]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="one table, by its id")
    parser.add_argument("--fit", type=int, default=0, metavar="ROWS",
                        help="also fit tables of at most so many rows, twice")  # fmt: skip
    wish = parser.parse_args(arguments)
    lines = ["| table | rows | columns | task | keys | leaks told | noted | groups told | seconds "
             "| differs from what is expected |", "|---" * 10 + "|"]  # fmt: skip
    good = total = 0
    for entry in catalogue():
        if wish.only not in (None, entry.id):
            continue
        seen, told = judge(entry, wish.fit)
        total += 1
        good += not told
        lines.append(_line(entry, seen, told))
        print(lines[-1], flush=True)
    if wish.only is None:
        words = f"{good} of {total} tables are seen as expected.\n\n"
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text("# The battery of real tables\n\n" + words + "\n".join(lines) + "\n")
    return 0


def _line(entry: Entry, seen: Any, told: list[str]) -> str:
    if seen is None:
        return f"| {entry.id} | | | | | | | | | {'; '.join(told)} |"
    sets = " | ".join(
        ", ".join(sorted(s)[:8]) for s in (seen.keys, seen.leaks, seen.telling, seen.groups)
    )
    return (f"| {entry.id} | {seen.rows:,} | {seen.columns} | {seen.task} | {sets} | "
            f"{seen.seconds:.1f} | {'; '.join(told)} |")  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
