"""The experiment of von Luxburg 2004, chapter IV: choose sigma and C at n = 100.

Every training set has all criteria at all settings, and the test error at all settings, in one
file; tables and figures are made from these files by ``thesis_tables``.
"""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

import numpy as np

from benchmarks.model_selection import sets
from mercer import SVC, KernelSearch
from mercer.gram import DenseGram
from mercer.kernels import Gaussian
from mercer.selection import criteria
from mercer.selection._case import Case, GramView
from mercer.selection._paths import Job, Limits, solve_paths
from mercer.selection.criteria.smooth_kfold import soft_errors
from mercer.solvers import problems

COSTS = 10.0 ** np.arange(0.0, 6.0)
SIGMAS = 10.0 ** np.arange(-2.0, 3.01, 0.25)
CODES = (
    "C1", "C2", "C3", "C4", "C5", "span", "span-bound", "rm", "rrm", "trace", "sm", "cs",
    "xi-alpha", "loo", "gacv", "srm", "pac-bayes", "rademacher", "scenario",
)  # fmt: skip
FOLDS = ("cv", "cv-smooth")
READINGS = ("C2-slab", "C3-slab", "C2-with-offset", "C3-with-offset")
PARTS = ("support vectors", "position", "inside", "outside")
MOST_TEST_ROWS = 4000


def run(name: str, n: int, number: int, offset: bool = True, exact_loo: bool = True) -> dict:
    """One training set: values of all criteria and the test error over the grid."""
    X, y, train, rest = _cut(name, n, number)
    target = y[train].astype(float)
    fold = folds(target, 5, np.random.default_rng(1000 + number))
    shape = (len(SIGMAS), len(COSTS))
    names = [c for c in CODES if exact_loo or c != "loo"]
    values = {code: np.full(shape, np.nan) for code in (*names, *READINGS, *FOLDS, "test")}
    parts = np.full((len(PARTS), *shape), np.nan)
    for i, sigma in enumerate(SIGMAS):
        kernel = Gaussian(sigma / math.sqrt(2.0))
        K, T = kernel(X[train]), kernel(X[rest], X[train])
        if not offset:  # as the thesis: centred in feature space before training
            T = T - T.mean(axis=1, keepdims=True) - K.mean(axis=0)[None, :] + K.mean()
            K = GramView(K).centred.array
        gram = DenseGram(np.ascontiguousarray(K), validate=False)
        view = GramView(K)
        cases = _train(gram, view, target, offset, kernel)
        values["cv"][i], _, values["cv-smooth"][i] = cross_validated(
            gram, target, fold, COSTS, offset
        )
        for j, case in enumerate(cases):
            decision = T @ case.coef + case.intercept
            values["test"][i, j] = np.mean(np.where(decision >= 0, 1, -1) != y[rest])
            for code in names:
                values[code][i, j] = value(code, case)
            _readings(case, values, i, j)
            _parts(case, parts, i, j)
    kept = {k: np.where(np.isfinite(v), v, 1e300).tolist() for k, v in values.items()}
    return {"set": name, "n": n, "run": number, "offset": offset, "values": kept,
            "search": searched(name, n, number), "parts": np.nan_to_num(parts, nan=-1.0).tolist(),
            "minority": float(min(np.mean(y == 1), np.mean(y == -1)))}  # fmt: skip


def _cut(name: str, n: int, number: int) -> tuple:
    X, y = sets.load(name)
    order = np.random.default_rng(0).permutation(len(y))  # the same cut of the set for every run
    train = order[number * n : (number + 1) * n]
    rng = np.random.default_rng(number)
    return X, y, train, rng.permutation(np.setdiff1d(order, train))[:MOST_TEST_ROWS]


def searched(name: str, n: int, number: int) -> float:
    """Test error of the default search on the same rows; it has bandwidths and costs of its own."""
    X, y, train, rest = _cut(name, n, number)
    model = KernelSearch(SVC(certify=None), random_state=number).fit(X[train], y[train])
    return float(np.mean(model.predict(X[rest]) != y[rest]))


def _train(gram, view, target, offset, kernel) -> list[Case]:
    n = len(target)
    everyone = np.arange(n)
    job = Job(lambda c: problems.c_svc(target, c, n=n, fit_intercept=offset), everyone)
    found = solve_paths(gram, [job], list(COSTS), list(COSTS), Limits(1e-3, 200_000))[0]
    cases = []
    for cost, solution in zip(COSTS, found, strict=True):
        intercept = -solution.offsets[0] if offset else 0.0
        cases.append(
            Case(
                view,
                target,
                solution.coef,
                solution.decision + intercept,
                intercept,
                upper=np.full(n, cost),
                C=float(cost),
                offset=offset,
                kernel=kernel,
                dimension=math.inf,
            )
        )
    return cases


def cross_validated(gram, target, fold, costs, offset=True) -> np.ndarray:
    """Share of errors, how wrong the outputs are (0 to 1), and the share with a soft boundary."""
    n, jobs = len(target), []
    for k in range(fold.max() + 1):
        rows, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)

        def make(c, rows=rows):
            return problems.c_svc(target[rows], c, rows=rows, n=n, fit_intercept=offset)

        jobs.append(Job(make, test))
    found = solve_paths(gram, jobs, list(costs), list(costs), Limits(1e-3, 500_000))
    sums = np.zeros((3, len(costs)))
    for job, path in zip(jobs, found, strict=True):
        for j, s in enumerate(path):
            signs, output = target[job.test], s.decision[job.test]
            if offset:
                output = output - s.offsets[0]
            sums[0, j] += np.count_nonzero(np.where(output >= 0, 1, -1) != signs)
            sums[1, j] += np.clip(0.5 - 0.5 * signs * output, 0, 1).sum()
            sums[2, j] += soft_errors(signs, output, None, n) * len(signs)
    return sums / n


def folds(target: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    fold = np.empty(len(target), dtype=int)
    for label in (-1, 1):
        rows = rng.permutation(np.flatnonzero(target == label))
        fold[rows] = np.arange(len(rows)) % k
    return fold


def value(code: str | criteria.Criterion, case: Case) -> float:
    try:
        criterion = criteria.get(code) if isinstance(code, str) else code
        return criterion.score(case).value
    except criteria.NotForThis:
        return math.inf


def _readings(case: Case, values: dict, i: int, j: int) -> None:
    """Other readings of what the thesis leaves open: the region, and the offset."""
    for name in READINGS:
        code, _, suffix = name.partition("-")
        options = {"region": "slab"} if suffix == "slab" else {"offset": True}
        values[name][i, j] = value(criteria.available()[code](**options), case)


def _parts(case: Case, parts: np.ndarray, i: int, j: int) -> None:
    try:
        found = criteria.get("C3").score(case).components
    except criteria.NotForThis:
        return
    for k, name in enumerate(PARTS):
        parts[k, i, j] = found[name]


def main(folder: Path, names: list[str], n: int, runs: int, offset: bool, seconds: float) -> None:
    """Do what is missing, for at most so many seconds."""
    start = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(runs):
        for name in names:
            _, y = sets.load(name)
            most = max(1, (len(y) - 50) // n)
            file = folder / f"{name}-{n}-{number}{'' if offset else '-no-offset'}.json"
            if number >= most or file.exists():
                continue
            if time.monotonic() - start > seconds:
                return
            save(file, run(name, n, number, offset, exact_loo=n <= 100 and number < 3))
            print(name, n, number, f"{time.monotonic() - start:.0f} s", flush=True)
    print("complete", flush=True)


def save(file: Path, found: dict) -> None:
    """A file that is whole or not there at all."""
    partial = file.with_suffix(".part")
    partial.write_text(json.dumps(found))
    partial.rename(file)
