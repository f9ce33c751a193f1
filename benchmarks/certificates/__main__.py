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
from benchmarks.certificates.measure import DELTA, measure
from benchmarks.certificates.pictures import coverage
from benchmarks.certificates.rows import Row, all_rows
from benchmarks.certificates.table import bars, markdown, summary

RESULTS = Path(__file__).parent / "results"


def run(row: Row, seeds: int) -> dict[str, Any]:
    start = time.perf_counter()
    ways = summary([measure(row, seed) for seed in range(seeds)])
    seconds = time.perf_counter() - start
    print(f"{label(row):<26} {seeds:>3} draws {seconds:7.1f} s", flush=True)
    facts = {"n": row.n, "known": row.known, "extra": row.extra}
    return {"label": label(row), **facts, "ways": ways}


def label(row: Row) -> str:
    return f"{row.name} {row.n}"


def write(lines: list[dict[str, Any]], skipped: dict[str, str], folder: Path) -> None:
    """The results so far; written after every row, so that an interrupted run loses little."""
    order = [label(row) for row in all_rows()]
    lines = sorted(lines, key=lambda line: order.index(line["label"]))
    result = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "delta": DELTA,
        "bars": bars(lines),
        "rows": lines,
        "skipped": skipped,
    }
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (folder / "latest.json").write_text(text + "\n", encoding="utf-8")
    (folder / "latest.md").write_text(markdown(result), encoding="utf-8")
    coverage(result, folder / "coverage.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two draws of the rows up to n = 400")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--resume", action="store_true", help="keep the rows already written")
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder to write to")
    options = parser.parse_args()
    mercer.set_config(n_threads=1)  # one thread each, so that seconds can be compared
    threadpool_limits(1)
    measure(all_rows()[0], 10**6)  # load the code before the clock starts
    old, skipped = options.output / "latest.json", {}
    lines = json.loads(old.read_text())["rows"] if options.resume and old.exists() else []
    for row in all_rows():
        done = label(row) in {line["label"] for line in lines}
        if done or options.only not in row.name or (options.quick and row.n > 400):
            continue
        try:
            lines.append(run(row, 2 if options.quick else row.seeds))
        except FileNotFoundError as problem:
            skipped[label(row)] = str(problem)
        write(lines, skipped, options.output)


if __name__ == "__main__":
    main()
