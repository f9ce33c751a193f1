"""One measurement in a process of its own: ``python -m benchmarks.worker CASE LIBRARY``.

Writes one JSON object to standard output.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import CASES, Case
from benchmarks.data import Data, Unavailable
from benchmarks.libraries import LIBRARIES, Library
from benchmarks.objective import objective

STATUS = Path("/proc/self/status")
REPEAT_BELOW = 0.5  # seconds: shorter tasks are repeated and the best run counts
MOST_REPEATS = 200
TWICE_BELOW = 20.0  # seconds: a second run, because the first pays for fresh memory


def peak_mb(reset: bool = False) -> float:
    """Largest resident memory so far; ``reset`` starts counting anew where Linux allows it."""
    if reset:
        try:
            Path("/proc/self/clear_refs").write_text("5")
        except OSError:
            return float("nan")
    if STATUS.exists():
        line = next(line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def timed(task: Callable[[], Any]) -> tuple[Any, float, float, float]:
    """Result, wall and processor seconds (all threads) of the best run, wall of the first."""
    best_wall = best_cpu = float("inf")
    spent, first, runs, result = 0.0, 0.0, 0, None
    while (
        runs == 0
        or (runs == 1 and spent < TWICE_BELOW)
        or (spent < REPEAT_BELOW and runs < MOST_REPEATS)
    ):
        wall, cpu = time.perf_counter(), time.process_time()
        result = task()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        best_wall, best_cpu = min(best_wall, wall), min(best_cpu, cpu)
        first = first or wall
        spent, runs = spent + wall, runs + 1
    return result, best_wall, best_cpu, first


def warm_up(library: Library, case: Case, X: Any, y: np.ndarray) -> None:
    """Load code and start threads: a fit on a few rows of every class."""
    if case.task == "svr":
        rows = np.arange(100)
    else:
        rows = np.concatenate([np.flatnonzero(y == label)[:20] for label in np.unique(y)])
    model = library.fit(case, X[rows], y[rows])
    library.predict(model, X[rows])


def score(case: Case, predicted: np.ndarray, truth: np.ndarray) -> float:
    """Accuracy, or the share of variance explained."""
    if case.task == "svr":
        return float(1.0 - np.mean((truth - predicted) ** 2) / np.var(truth))
    return float(np.mean(predicted == truth))


def measure(case: Case, library: Library) -> dict[str, Any]:
    data: Data = case.build()
    X, X_test = library.prepare(data.X), library.prepare(data.X_test)
    warm_up(library, case, X, data.y)
    before = peak_mb(reset=True)
    load = os.getloadavg()[0]
    model, wall, cpu, first = timed(lambda: library.fit(case, X, data.y))
    peak = peak_mb()
    predicted, predict_wall, predict_cpu, _ = timed(lambda: library.predict(model, X_test))
    duals = library.duals(model)
    return {
        "version": library.version(),
        "train_wall": wall,
        "train_cpu": cpu,
        "train_first_wall": first,
        "predict_wall": predict_wall,
        "predict_cpu": predict_cpu,
        "predict_rows": int(X_test.shape[0]),
        "memory_before_mb": before,
        "memory_peak_mb": peak,
        "support_vectors": len(duals.support),
        "objective": objective(case, data.X, data.y, duals),
        "score": score(case, predicted, data.y_test),
        "load": load,
        "note": data.note,
    }


def main() -> int:
    case, name = CASES[sys.argv[1]], sys.argv[2]
    warnings.simplefilter("ignore")
    # Libraries print progress; keep standard output for the result alone.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        result = measure(case, LIBRARIES[name]())
    except (ImportError, OSError) as problem:
        result = {"skipped": f"not available: {problem}"}
    except Unavailable as problem:
        result = {"skipped": str(problem)}
    out.write(json.dumps(result))
    out.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
