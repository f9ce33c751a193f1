"""Measure certificates: ``python -m benchmarks.certificates [--quick] [--only ringnorm]``."""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

import mercer
from benchmarks.certificates.draws import Draws
from benchmarks.certificates.measure import DELTA, EASY, EVERYTHING, LOOSE, measure
from benchmarks.certificates.pictures import coverage
from benchmarks.certificates.rows import Row, all_rows
from benchmarks.certificates.table import bars, markdown, summary

RESULTS = Path(__file__).parent / "results"
FIRST_SEED = 1000  # smaller seeds were looked at while rules were made
LOOSE_DRAWS = 10
EASY_DRAWS = {300: 10, 1000: 6, 3000: 2}  # up to so many rows: draws of the ways that came later
TUBE_ROWS = 400  # more take minutes for a draw
NEEDED = {"80/20", "all rows"}  # a draw without these has nothing to be compared with
CHUNK = 5  # seeds of every row before the next seeds of the first: an early stop is a fair sample


def label(row: Row) -> str:
    return f"{row.name} {row.n}"


def write(draws: Draws, skipped: dict[str, str], folder: Path) -> None:
    """The tables of what has been drawn so far."""
    lines = []
    for row in all_rows():
        found = [ways for ways in draws.of(label(row)) if set(ways) >= NEEDED]
        if found and all(any(way in ways for ways in found) for way in EVERYTHING):
            facts = {"n": row.n, "known": row.known, "extra": row.extra}
            line = {"label": label(row), **facts, "ways": summary(found)}
            lines.append(line | {"easy": summary([d for d in found if "easy" in d])})
    result = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "delta": DELTA,
        "bars": bars(lines) if lines else [],
        "rows": lines,
        "skipped": skipped,
    }
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (folder / "latest.json").write_text(text + "\n", encoding="utf-8")
    (folder / "latest.md").write_text(markdown(result), encoding="utf-8")
    coverage(result, folder / "coverage.png")


def run(options: Any, draws: Draws) -> dict[str, str]:
    """Draw what is missing until done or out of time; rows that cannot be drawn, with reasons."""
    skipped: dict[str, str] = {}
    limit = time.monotonic() + 60 * options.minutes
    rows = [r for r in all_rows() if options.only in r.name and not (options.quick and r.n > 400)]
    wanted = {label(r): 2 if options.quick else r.seeds for r in rows}
    for start in range(0, max(wanted.values(), default=0), CHUNK):
        for row in rows:
            for seed in _seeds(start, wanted[label(row)]):
                missing = draws.missing(label(row), seed, _wanted(row, seed))
                if not missing or label(row) in skipped:
                    continue
                if time.monotonic() > limit:
                    return skipped
                try:
                    draws.add(label(row), seed, measure(row, seed, missing))
                except FileNotFoundError as problem:
                    skipped[label(row)] = str(problem)
    return skipped


def _wanted(row: Row, seed: int) -> tuple[str, ...]:
    wanted = [*EVERYTHING, *(LOOSE if seed < FIRST_SEED + LOOSE_DRAWS else ())]
    draws = next(count for rows, count in EASY_DRAWS.items() if row.n <= rows)
    if seed < FIRST_SEED + draws:
        wanted += [way for way in EASY if way != "tube" or row.n <= TUBE_ROWS]
    return tuple(wanted)


def _seeds(start: int, wanted: int) -> range:
    return range(FIRST_SEED + start, FIRST_SEED + min(start + CHUNK, wanted))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two draws of the rows up to n = 400")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--resume", action="store_true", help="keep the draws already on disk")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after so many minutes")
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder to write to")
    options = parser.parse_args()
    mercer.set_config(n_threads=1)  # one thread each, so that seconds can be compared
    threadpool_limits(1)
    measure(all_rows()[0], 10**6)  # load the code before the clock starts
    path = options.output / "draws.jsonl"
    options.output.mkdir(parents=True, exist_ok=True)
    if not options.resume:
        path.unlink(missing_ok=True)
    draws = Draws(path)
    write(draws, run(options, draws), options.output)


if __name__ == "__main__":
    main()
