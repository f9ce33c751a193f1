"""A 10 x 10 grid with 5 folds: Mercer beside its peers, on the data of the main benchmark.

At n = 10,000 scikit-learn would take the better part of an hour. There the first fold is trained at
every second value of both parameters, and the processor seconds are integrated over the grid by the
trapezoidal rule (the sampled values end one step before the largest, dearest ones, which are taken
to cost what their neighbours do), times five folds, divided by two workers that never wait for each
other: an estimate in scikit-learn's favour, marked as such.
"""

from __future__ import annotations

import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC as SklearnSVC

from benchmarks.data import blobs
from mercer import SVC, KernelSearch

COSTS = np.logspace(-2, 3, 10)
GAMMAS = np.logspace(-4, 1, 10)


def _data(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    data = blobs(n, 20)
    return data.X, data.y, data.X_test, data.y_test


def mercer_grid(n: int) -> dict:
    """The whole grid; of small ones the better of two runs."""
    X, y, X_test, y_test = _data(n)
    times = []
    for _ in range(2 if n <= 4000 else 1):
        start = time.perf_counter()
        search = KernelSearch(
            SVC(certify=None),
            kernels="rbf",
            param_grid={"C": COSTS, "gamma": GAMMAS},
            criterion="cv",
            cv=StratifiedKFold(5),
        ).fit(X, y)
        times.append(time.perf_counter() - start)
    return {
        "seconds": min(times),
        "C": float(search.best_params_["C"]),
        "gamma": float(0.5 / search.best_kernel_.length_scale**2),
        "cv": search.best_score_,
        "test": search.score(X_test, y_test),
        "pruned": int(np.sum(search.results_["status"] == "pruned")),
    }


def mercer_default(n: int) -> dict:
    """KernelSearch() as it comes; of small ones the better of two runs."""
    X, y, X_test, y_test = _data(n)
    times = []
    for _ in range(2 if n <= 4000 else 1):
        start = time.perf_counter()
        search = KernelSearch().fit(X, y)
        times.append(time.perf_counter() - start)
    return {"seconds": min(times), "test": search.score(X_test, y_test)}


def liquid_grid(n: int, same: bool) -> dict:
    """liquidSVM's own 10 x 10 grid, or ours: its kernel is exp(-|x - y|^2 / gamma^2)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is from 2017
        from liquidSVM import mcSVM
    X, y, X_test, y_test = _data(n)
    own = {"grid_choice": 0}
    ours = {"gammas": (1.0 / np.sqrt(GAMMAS)).tolist(), "c_values": COSTS.tolist()}
    times = []
    for _ in range(2 if n <= 4000 else 1):
        start = time.perf_counter()
        model = mcSVM(X, y.astype(float), display=0, threads=2, folds=5, **(ours if same else own))
        times.append(time.perf_counter() - start)
    wrong = model.test(X_test, y_test.astype(float))[1][0, 0]
    return {"seconds": min(times), "test": 1.0 - float(wrong)}


def sklearn_grid(n: int) -> dict:
    """GridSearchCV with two workers."""
    X, y, X_test, y_test = _data(n)
    start = time.perf_counter()
    grid = {"C": COSTS, "gamma": GAMMAS}
    search = GridSearchCV(SklearnSVC(), grid, cv=StratifiedKFold(5), n_jobs=2).fit(X, y)
    return {
        "seconds": time.perf_counter() - start,
        "C": float(search.best_params_["C"]),
        "gamma": float(search.best_params_["gamma"]),
        "cv": float(search.best_score_),
        "test": float(search.score(X_test, y_test)),
    }


def sklearn_estimate(n: int, file: Path, budget: float) -> dict:
    """One fold of every second value of both parameters, resumable."""
    X, y, _, _ = _data(n)
    train, test = next(StratifiedKFold(5).split(X, y))
    known = json.loads(file.read_text()) if file.exists() else {}
    start = time.perf_counter()
    for cost in COSTS[::2]:
        for gamma in GAMMAS[::2]:
            key = f"{cost:.6g} {gamma:.6g}"
            if key in known or time.perf_counter() - start > budget:
                continue
            begun = time.process_time()
            SklearnSVC(C=cost, gamma=gamma).fit(X[train], y[train]).score(X[test], y[test])
            known[key] = time.process_time() - begun
            file.write_text(json.dumps(known))
    done = len(known)
    cells = np.array([known.get(f"{c:.6g} {g:.6g}", 0) for c in COSTS[::2] for g in GAMMAS[::2]])
    line = np.concatenate([np.arange(0, 10, 2), [9]])  # the last value costs at least its neighbour
    weight = np.diff(np.concatenate([[-0.5], (line[1:] + line[:-1]) / 2, [9.5]]))
    weight = np.append(weight[:-2], weight[-2] + weight[-1])
    total = float(weight @ cells.reshape(5, 5) @ weight) * 5 / 2
    return {"cells": done, "seconds": total if done == 25 else None, "estimated": True}


def main(what: str, n: int, out: Path, raw: Path) -> None:
    """Add one measurement to the file of results."""
    known = json.loads(out.read_text()) if out.exists() else {}
    doing = {
        "mercer": mercer_grid,
        "default": mercer_default,
        "sklearn": sklearn_grid,
        "liquidSVM (its grid)": lambda n: liquid_grid(n, same=False),
        "liquidSVM (our grid)": lambda n: liquid_grid(n, same=True),
        "sklearn-estimate": lambda n: sklearn_estimate(n, raw / f"sklearn-{n}.json", 400.0),
    }
    known.setdefault(str(n), {})[what] = doing[what](n) | {"load": os.getloadavg()[0]}
    out.write_text(json.dumps(known, indent=1) + "\n")
    print(json.dumps(known[str(n)], indent=1))
