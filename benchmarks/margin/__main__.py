"""``python -m benchmarks.margin CASE``: one case, one line of JSON; without a case, all of them.

The naive loops are timed on a part of their work and extrapolated: each visit (or update) costs the
same. Results go to ``results/latest.json``, one entry per case, replaced when it is run again.
"""

from __future__ import annotations

import json
import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.margin.naive import perceptron_cached, perceptron_row_by_row

RESULTS = Path(__file__).parent / "results" / "latest.json"


def perceptron_data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(16, 50)) * 0.7
    which = rng.integers(0, 16, 20_000)
    X = centres[which] + rng.normal(size=(20_000, 50))
    y = np.where(which % 2 == 0, 1.0, -1.0) * np.where(rng.random(20_000) < 0.05, -1, 1)
    return X, y


def perceptron() -> dict[str, Any]:
    from mercer.learners.margin import KernelPerceptron

    X, y = perceptron_data()
    gamma, epochs = 0.02, 10
    model = KernelPerceptron(gamma=gamma, max_iter=epochs, combine="average", certify=None)
    began = time.perf_counter()
    model.fit(X, y)
    ours = time.perf_counter() - began
    updates = model.mistakes_.n_updates
    some = 300
    seconds, _ = perceptron_row_by_row(X, y, gamma, some)
    cached, _ = perceptron_cached(X, y, gamma, some)
    return {
        "title": "kernel perceptron, 10 epochs, n = 20,000, d = 50",
        "seconds": ours,
        "updates": updates,
        "naive_row_per_visit_seconds": seconds / some * epochs * len(y),
        "naive_row_per_update_seconds": cached / some * updates,
        "ratio_row_per_visit": seconds / some * epochs * len(y) / ours,
        "ratio_row_per_update": cached / some * updates / ours,
        "bar": "at least 10 times the row-by-row loop",
    }


def adaptive(n: int) -> dict[str, Any]:
    from mercer.datasets import make_ringnorm
    from mercer.kernels import Gaussian
    from mercer.learners.margin import AdaptiveMarginMachine

    X, y, _ = make_ringnorm(n, d=5, random_state=0)
    model = AdaptiveMarginMachine(0.5, kernel=Gaussian(1.5), certify=None)
    began = time.perf_counter()
    model.fit(X, y)
    found = model.programme_
    return {
        "title": f"adaptive margin machine, n = {n:,}, λ = 0.5",
        "seconds": time.perf_counter() - began,
        "steps": found.n_iter,
        "objective": found.objective,
        "gap": found.gap,
        "vertex": found.vertex,
        "support": int((found.alpha > 0).sum()),
        "bar": "60 s at n = 2,000; minutes at n = 5,000",
    }


def path() -> dict[str, Any]:
    from mercer.datasets import make_ringnorm
    from mercer.kernels import Gaussian
    from mercer.learners.margin import AdaptiveMarginMachine, amm_path

    X, y, _ = make_ringnorm(600, d=5, random_state=0)
    lambdas = np.linspace(0.2, 1.5, 14)
    machine = AdaptiveMarginMachine(kernel=Gaussian(1.5), certify=None)
    began = time.perf_counter()
    warm = amm_path(X, y, lambdas, machine)
    seconds = time.perf_counter() - began
    began = time.perf_counter()
    cold = [machine.set_params(reg_param=lam).fit(X, y).programme_ for lam in lambdas]
    return {
        "title": "adaptive margin machine, path of 14 values of λ, n = 600",
        "seconds": seconds,
        "seconds_cold": time.perf_counter() - began,
        "steps": int(warm.steps.sum()),
        "steps_cold": int(sum(one.n_iter for one in cold)),
        "largest_difference": float(
            np.max(np.abs(warm.objectives - [one.objective for one in cold]))
        ),
    }


CASES = {
    "perceptron": perceptron,
    "amm-2000": lambda: adaptive(2000),
    "amm-5000": lambda: adaptive(5000),
    "amm-path": path,
}


def main() -> int:
    names = sys.argv[1:] or list(CASES)
    RESULTS.parent.mkdir(exist_ok=True)
    table = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in names:
        if name not in CASES:
            sys.exit(f"unknown case {name!r}; the cases are {', '.join(CASES)}")
        entry = CASES[name]()
        entry["when"] = datetime.now(UTC).isoformat(timespec="seconds")
        entry["cores"] = len(os.sched_getaffinity(0))
        entry["load"] = os.getloadavg()[0]
        table[name] = entry
        print(name, json.dumps(entry), flush=True)
        RESULTS.write_text(json.dumps(table, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
