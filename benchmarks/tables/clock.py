"""The clock of ``mercer fit``: forecasts beside what was taken, and whether time limits are kept.

``python -m benchmarks.tables.clock`` runs the command in a process of its own on up to 600 rows of
each table (``--rows 2000``: so many), with its defaults (``--limit 10``: with that time limit),
one JSON file per run in
``benchmarks/data/clock``; ``--write`` makes ``results/clock.md`` of them. A forecast is for the
load of the moment, so beside the time by the clock stands what it says for a quiet machine, which
is compared with the processor seconds of the whole process, Python's own start included; one thread
for linear algebra, since a second one that waits uses the processor, too.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.tables.fetch import HERE, Entry, catalogue, take
from benchmarks.tables.frames import frame_of
from mercer._pace import alone
from mercer.app.roles import make_fit_data
from mercer.errors import UserError
from mercer.io.readers import Options, read

CACHE = HERE.parent / "data" / "clock"
RESULTS = HERE / "results" / "clock.md"
ROWS, SEED = 600, 0
COMMAND = "from mercer.cli import installed; installed()"


def run(entry: Entry, limit: float | None, most: int) -> dict[str, Any]:
    """One table."""
    raw = read(take(entry), Options(**entry.options))
    target = make_fit_data(raw, target=entry.target).target.name
    table = frame_of(raw)
    rows = np.sort(np.random.default_rng(SEED).permutation(len(table))[:most])
    words = ["--target", target, "--json"]
    words += ["--task", entry.options["task"]] if "task" in entry.options else []
    words += ["--time-limit", f"{limit:g}"] if limit else []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        table.iloc[rows].to_csv(path, index=False)
        slow, before, start = alone(), _processor(), time.monotonic()
        line = [sys.executable, "-c", COMMAND, "fit", path, *words, "-o", Path(folder) / "out"]
        done = subprocess.run([*map(str, line)], capture_output=True, text=True, check=False,
                              env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})  # fmt: skip
        wall, cpu = time.monotonic() - start, _processor() - before
    if done.returncode:
        raise RuntimeError(done.stderr.strip().split("\n")[-1])
    record = json.loads(done.stdout)
    return {"id": entry.id, "rows": record["data"]["rows_used"], "wall": wall, "cpu": cpu / slow,
            "forecast": record["plan"]["seconds"] / record["plan"]["pace"],
            "load": os.getloadavg()[0],
            "said": record["plan"]["seconds"], "told": sum(record["timings"].values()),
            "limit": limit, "learner": record["model"]["words"]}  # fmt: skip


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write() -> None:
    """The table for people."""
    rows = [json.loads(path.read_text()) for path in sorted(CACHE.glob("*.json"))]
    free = [row for row in rows if row["limit"] is None]
    bound = [row for row in rows if row["limit"] is not None]
    near = sum(0.5 <= row["cpu"] / row["forecast"] <= 2.0 for row in free)
    kept = sum(row["wall"] <= 1.2 * row["limit"] for row in bound)
    lines = [
        "# The clock",
        "",
        f"{len(free)} runs of `mercer fit` with its defaults, each in a process of its own that "
        "goes before all others, on a machine with an average load of "
        f"{np.mean([row['load'] for row in rows]):.1f} on {os.cpu_count()} cores. "
        f"{near} of {len(free)} forecasts for a quiet machine are within a factor of two of the "
        "processor seconds (in units of the machine that costs were measured on).",
        "",
        "| table | rows | chosen | forecast, s | processor, s | by the clock, s |",
        "|---" * 6 + "|",
    ]
    for row in free:
        lines.append(f"| {row['id']} | {row['rows']} | {row['learner']} | {row['forecast']:.1f} | "
                     f"{row['cpu']:.1f} | {row['wall']:.1f} |")  # fmt: skip
    lines += ["", f"With a time limit, {kept} of {len(bound)} ended within 1.2 times of it by the "
              "clock.", "", "| table | rows | chosen | limit, s | by the clock, s | load |",
              "|---" * 6 + "|"]  # fmt: skip
    for row in bound:
        lines.append(f"| {row['id']} | {row['rows']} | {row['learner']} | {row['limit']:g} | "
                     f"{row['wall']:.1f} | {row['load']:.1f} |")  # fmt: skip
    RESULTS.write_text("\n".join(lines) + "\n")


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing, or write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="0/1", help="every n-th table, from the k-th on")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--limit", type=float)
    parser.add_argument("--write", action="store_true")
    wish = parser.parse_args(arguments)
    if wish.write:
        write()
        return 0
    warnings.simplefilter("ignore")
    first, step = (int(v) for v in wish.part.split("/"))
    CACHE.mkdir(parents=True, exist_ok=True)
    for entry in catalogue()[first::step]:
        more = "" if wish.limit is None else f"-{wish.limit:g}"
        path = CACHE / f"{entry.id}-{wish.rows}{more}.json"
        if path.exists():
            continue
        try:
            found = run(entry, wish.limit, wish.rows)
        except (UserError, RuntimeError) as problem:
            print(f"{entry.id:20} not run: {problem}", flush=True)
            continue
        path.write_text(json.dumps(found, indent=1))
        print(f"{entry.id:20} forecast {found['forecast']:5.1f} processor {found['cpu']:5.1f} "
              f"clock {found['wall']:5.1f} told {found['told']:5.1f}", flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
