"""Run the cases, alternating between libraries, and write JSON and a Markdown table."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.cases import CASES, Case
from benchmarks.libraries import LIBRARIES
from mercer import _native

RESULTS = Path(__file__).resolve().parent / "results"
TOUCH = "import numpy as np; a = np.empty(int({gb} * 1e9), np.uint8); a[::4096] = 1"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the cases of a few seconds")
    parser.add_argument(
        "--case", action="append", metavar="NAME", help=f"one of {', '.join(CASES)}"
    )
    parser.add_argument("--library", action="append", choices=LIBRARIES, help="default: all")
    parser.add_argument("--repeats", type=int, default=2, help="processes per library (default 2)")
    parser.add_argument(
        "--level", metavar="NAME", help="instruction level of Mercer's core, e.g. avx2 or base"
    )
    parser.add_argument("--timeout", type=float, default=900, help="seconds per measurement")
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder for the results")
    return parser.parse_args()


def chosen_cases(options: argparse.Namespace) -> list[Case]:
    unknown = sorted(set(options.case or ()) - set(CASES))
    if unknown:
        sys.exit(f"unknown case {unknown[0]!r}; the cases are {', '.join(CASES)}")
    if options.case:
        return [CASES[name] for name in options.case]
    return [case for case in CASES.values() if case.quick or not options.quick]


def touch_memory(gigabytes: float) -> None:
    """Let another process touch memory first: a virtual machine may back it lazily."""
    subprocess.run([sys.executable, "-c", TOUCH.format(gb=gigabytes)], check=False)


def measure(case: Case, library: str, timeout: float) -> dict[str, Any]:
    touch_memory(case.touch_gb)
    command = [sys.executable, "-m", "benchmarks.worker", case.name, library]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return {"failed": f"stopped after {timeout:g} s"}
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["no message"])[-1][:300]}
    return json.loads(done.stdout)


def keep_best(old: dict[str, Any] | None, new: dict[str, Any]) -> dict[str, Any]:
    """Quickest of several processes for each time; the rest from the first."""
    if old is None or "train_wall" not in old or "train_wall" not in new:
        return new if old is None else old
    times = [key for key in old if key.endswith(("_wall", "_cpu"))]
    runs = {key: [*old.get("runs", {}).get(key, [old[key]]), new[key]] for key in times}
    return old | {key: min(runs[key]) for key in times} | {"runs": runs}


def run_case(case: Case, options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    names = [name for name in case.libraries if name in (options.library or case.libraries)]
    best: dict[str, dict[str, Any]] = {}
    for turn in range(options.repeats):
        # Alternate the order too, so that no library always runs after the same neighbour.
        for name in names if turn % 2 == 0 else names[::-1]:
            if turn and "train_wall" not in best[name]:
                continue
            result = measure(case, name, options.timeout)
            best[name] = keep_best(best.get(name), result)
            print(f"  {name:14s} {report.one_line(result)}", flush=True)
    return best


def machine() -> dict[str, Any]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    info = Path("/proc/cpuinfo")
    names = (
        [line for line in info.read_text().splitlines() if line.startswith("model name")]
        if info.exists()
        else []
    )
    model = names[0].split(":")[1].strip() if names else platform.processor()
    return {
        "processor": model,
        "cores": cores,
        "python": platform.python_version(),
        "level": _native.level(),
        "levels": _native.levels(),
    }


def main() -> int:
    options = arguments()
    if options.level:
        os.environ["MERCER_LEVEL"] = options.level  # of this process and of those that measure
    started = datetime.now(UTC)
    outcome: dict[str, Any] = {
        "started": started.isoformat(timespec="seconds"),
        "machine": machine(),
        "repeats": options.repeats,
        "cases": {},
    }
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / f"{started:%Y-%m-%d-%H%M}.json"
    for case in chosen_cases(options):
        print(f"{case.title}", flush=True)
        outcome["cases"][case.name] = {"title": case.title, "results": run_case(case, options)}
        path.write_text(json.dumps(outcome, indent=1) + "\n")
    (options.output / "latest.json").write_text(json.dumps(outcome, indent=1) + "\n")
    (options.output / "latest.md").write_text(report.markdown(outcome))
    print(f"\n{report.markdown(outcome)}\nwritten to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
