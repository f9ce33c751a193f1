"""Would a blend of learners beat the one that the contest of ``mercer fit`` chooses?

``python -m benchmarks.tables.blends`` trains four learners on up to 390 rows of each table and
averages their probabilities or numbers; the same rows are given to the contest. One line of JSON
per table: losses on the same unseen rows, of each learner, of each blend and of the contest.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables.contest import SEED, TRAIN, losses, table_of
from benchmarks.tables.fetch import Entry, catalogue
from mercer.errors import UserError
from mercer.tables import TableMachine

ROWS, MOST_CLASSES = 600, 6
EFFORT = {"kernel": "trial", "forest": "trial", "boosting": "full", "linear": "full"}
BLENDS = (("kernel", "forest"), ("kernel", "boosting"), ("kernel", "linear"), tuple(EFFORT))


def run(entry: Entry) -> dict[str, Any] | None:
    """One table; None if it has too many classes."""
    data = table_of(entry)
    task, y = data.target.task, np.asarray(data.target.y)
    classify = task == "classification"
    if classify and len(np.unique(y)) > MOST_CLASSES:
        return None
    order = np.random.default_rng(SEED).permutation(len(y))[:ROWS]
    train, test = np.split(order, [round(TRAIN * len(order))])
    y = y if classify else y.astype(float)
    unit = 1.0 if classify else float(np.std(y[train])) or 1.0

    def fitted(learner: str, effort: str, probability: bool) -> Any:
        machine = TableMachine(task, names=data.names, stored=data.stored, learner=learner,
                               effort=effort, probability=probability)  # fmt: skip
        return machine.fit(data.X[train], y[train])

    def loss(told: NDArray[Any]) -> float:
        return float(losses(task, y[test], told, unit).mean())

    contest = fitted("auto", "full", False)
    single = {name: fitted(name, effort, True) for name, effort in EFFORT.items()}
    found = {name: loss(machine.predict(data.X[test])) for name, machine in single.items()}
    found["contest"] = loss(contest.predict(data.X[test]))
    for names in BLENDS:
        many = [single[name] for name in names]
        if classify:
            if all(hasattr(one.best_estimator_[-1], "predict_proba") for one in many):
                shares = sum(one.predict_proba(data.X[test]) for one in many)
                found["+".join(names)] = loss(many[0].classes_[shares.argmax(1)])
        else:
            found["+".join(names)] = loss(np.mean([m.predict(data.X[test]) for m in many], axis=0))
    return {"id": entry.id, "task": task} | found


def main() -> int:
    """All tables."""
    warnings.simplefilter("ignore")
    for entry in catalogue():
        try:
            if (found := run(entry)) is not None:
                print(json.dumps(found), flush=True)
        except (UserError, ValueError) as problem:
            print(json.dumps({"id": entry.id, "left out": str(problem)}), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
