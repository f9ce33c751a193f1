"""The contest of ``mercer fit`` against single learners with their defaults, on real tables.

``python -m benchmarks.tables.contest`` runs what is missing, one JSON file per table in
``benchmarks/data/contest`` (``--part 0/2`` takes every second table), and ``--write`` makes
``results/contest.md`` and ``results/contest.json`` of them. ``--whole`` takes all rows of every
table instead of 1,000, smallest tables first, and has files of its own (``contest-whole``). Columns
that a careful statistician drops (keys, leaks, outcomes, groups) are dropped for everybody.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.tables.fetch import HERE, Entry, catalogue, take
from mercer.app.roles import FitData, make_fit_data
from mercer.errors import UserError
from mercer.io.readers import Options, read
from mercer.tables import TableMachine, TablePreparation
from mercer.tables.trees.light import installed

DATA = HERE.parent / "data"
ROWS, TRAIN, SEED = 1000, 0.65, 0
MERCER = "mercer"


def name_of(whole: bool) -> str:
    """Of the folder that keeps single tables, and of the results."""
    return "contest-whole" if whole else "contest"


def rivals(task: str) -> dict[str, tuple[str, Any]]:
    """Form of the table and estimator, all with their defaults."""
    return _scikit_learns(task) | (_lightgbms(task) if installed() else {})


def _lightgbms(task: str) -> dict[str, tuple[str, Any]]:
    import lightgbm

    kind = lightgbm.LGBMClassifier if task == "classification" else lightgbm.LGBMRegressor
    return {"lightgbm": ("trees", kind(random_state=SEED, n_jobs=1, verbosity=-1))}


def _scikit_learns(task: str) -> dict[str, tuple[str, Any]]:
    if task == "classification":
        linear: Any = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        return {
            "boosting": ("trees", HistGradientBoostingClassifier(random_state=SEED)),
            "forest": ("trees", RandomForestClassifier(random_state=SEED)),
            "linear": ("coordinates", linear),
        }
    return {
        "boosting": ("trees", HistGradientBoostingRegressor(random_state=SEED)),
        "forest": ("trees", RandomForestRegressor(random_state=SEED)),
        "linear": ("coordinates", make_pipeline(StandardScaler(), Ridge())),
    }


def table_of(entry: Entry) -> FitData:
    """The table without columns that must not be learned from."""
    data = read(take(entry), Options(**entry.options))
    dropped = {*entry.keys, *entry.leaks, *entry.outcomes, *entry.groups}
    known = {column.name for column in data.columns}
    return make_fit_data(data, target=entry.target, ignore=tuple(sorted(dropped & known)))


def losses(task: str, truth: NDArray[Any], predicted: NDArray[Any], unit: float) -> Any:
    """Errors, or squares in units of the training rows' variance."""
    if task == "classification":
        return (predicted != truth).astype(float)
    return np.square((predicted - truth) / unit)


def run(entry: Entry, rows: int | None) -> dict[str, Any]:
    """One table: losses on the same unseen rows for everybody."""
    data = table_of(entry)
    task, y = data.target.task, np.asarray(data.target.y)
    order = np.random.default_rng(SEED).permutation(len(y))[:rows]
    cut = round(TRAIN * len(order))
    train, test = order[:cut], order[cut:]
    unit = float(np.std(y[train].astype(float))) or 1.0 if task == "regression" else 1.0
    found: dict[str, Any] = {"id": entry.id, "task": task, "train": cut, "test": len(test),
                             "columns": len(data.names), "load": os.getloadavg()[0],
                             "learners": {}}  # fmt: skip
    each: dict[str, Any] = {}
    for name, (form, model) in rivals(task).items():
        start = time.process_time()
        prepared = TablePreparation(data.names, data.stored, form=form).fit(data.X[train])
        with threadpool_limits(1):
            model.fit(prepared.transform(data.X[train]), y[train])
            each[name] = losses(
                task, y[test], model.predict(prepared.transform(data.X[test])), unit
            )
        found["learners"][name] = {"cpu": time.process_time() - start}
    start = time.process_time()
    machine = TableMachine(task, names=data.names, stored=data.stored, probability=False)
    machine.fit(data.X[train], y[train])
    each[MERCER] = losses(task, y[test], machine.predict(data.X[test]), unit)
    found["learners"][MERCER] = {"cpu": time.process_time() - start}
    found["chosen"] = machine.contest_.best.title
    for name, loss in each.items():
        found["learners"][name]["error"] = float(loss.mean())
    best = min((n for n in each if n != MERCER), key=lambda n: each[n].mean())
    gap = each[MERCER] - each[best]
    found["best_single"] = best
    found["behind"] = float(gap.mean())
    found["standard_error"] = float(gap.std() / np.sqrt(len(gap)))
    return found


def write(whole: bool) -> None:
    """Results of all tables that were run, as a table for people and as JSON."""
    kept = DATA / name_of(whole)
    rows = [json.loads(p.read_text()) for p in sorted(kept.glob("*.json"))]
    names = [MERCER, *sorted(set.intersection(*(set(r["learners"]) for r in rows)) - {MERCER})]
    light = ", LightGBM's for its own" if "lightgbm" in names else ""
    errors = np.array([[r["learners"][n]["error"] for n in names] for r in rows])
    ranks = (errors[:, None, :] < errors[:, :, None] - 1e-12).sum(2) + 1.0
    ranks += ((abs(errors[:, None, :] - errors[:, :, None]) <= 1e-12).sum(2) - 1) / 2  # ties share
    excess = errors - errors.min(1, keepdims=True)
    cpu = np.array([[r["learners"][n]["cpu"] for n in names] for r in rows])
    worse = [r["id"] for r in rows if r["behind"] > 2 * r["standard_error"] > 0]
    lines = ["| learner | mean rank | mean error | mean above the best | CPU seconds, median |",
             "|---|---|---|---|---|"]  # fmt: skip
    for k, name in enumerate(names):
        lines.append(f"| {name} | {ranks[:, k].mean():.2f} | {errors[:, k].mean():.4f} | "
                     f"{excess[:, k].mean():.4f} | {np.median(cpu[:, k]):.1f} |")  # fmt: skip
    told = ", ".join(worse) or "none"
    sizes = [r["train"] + r["test"] for r in rows]
    taken = (f"all rows of each ({min(sizes):,} to {max(sizes):,}, median {np.median(sizes):,.0f})"
             if whole else f"at most {ROWS} rows of each")  # fmt: skip
    head = (f"# Against single learners\n\n{len(rows)} real tables, {taken}, "
            f"{100 * TRAIN:.0f} % to learn from, one split, defaults of scikit-learn for the "
            f"single learners{light}. Errors are error rates, or mean squares in units of the "
            "variance. Average load of the machine meanwhile: "
            f"{np.mean([r['load'] for r in rows]):.0f} on {os.cpu_count()} cores, so only "
            "CPU time is shown.\n\n")  # fmt: skip
    lines += ["", f"Worse than the best single learner by more than two standard errors: {told}.",
              "", "| table | rows to learn | " + " | ".join(names) + " | chosen | behind the best "
              "single one |", "|---" * (len(names) + 4) + "|"]  # fmt: skip
    for r in rows:
        values = " | ".join(f"{r['learners'][n]['error']:.4f}" for n in names)
        lines.append(f"| {r['id']} | {r['train']} | {values} | {r['chosen']} | {r['behind']:+.4f} "
                     f"± {r['standard_error']:.4f} |")  # fmt: skip
    folder = HERE / "results"
    folder.mkdir(exist_ok=True)
    (folder / f"{kept.name}.md").write_text(head + "\n".join(lines) + "\n")
    (folder / f"{kept.name}.json").write_text(json.dumps(rows, indent=1) + "\n")


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing, or write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="0/1", help="every n-th table, from the k-th on")
    parser.add_argument("--whole", action="store_true", help="all rows of every table")
    parser.add_argument("--write", action="store_true")
    wish = parser.parse_args(arguments)
    if wish.write:
        write(wish.whole)
        return 0
    warnings.simplefilter("ignore")
    first, step = (int(v) for v in wish.part.split("/"))
    cache: Path = DATA / name_of(wish.whole)
    cache.mkdir(parents=True, exist_ok=True)
    entries = catalogue()
    if wish.whole:
        entries = sorted(entries, key=lambda one: take(one).stat().st_size)
    for entry in entries[first::step]:
        path = cache / f"{entry.id}.json"
        if path.exists():
            continue
        try:
            found = run(entry, None if wish.whole else ROWS)
        except (UserError, ValueError) as problem:
            print(f"{entry.id:20} left out: {problem}", flush=True)
            continue
        path.write_text(json.dumps(found, indent=1))
        print(f"{entry.id:20} {found['chosen']:40} {found['behind']:+.4f}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
