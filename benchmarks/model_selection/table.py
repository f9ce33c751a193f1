"""Table IV.1 with every disjoint training set a table has: ``python -m ... table FOLDER SECONDS``.

A file per data set and block of training sets, so that it can be stopped and taken up again; the
columns of the thesis only, by `mercer.selection.experiment`.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.model_selection import sets
from mercer.selection import experiment

BLOCK = 2
MOST_TEST_ROWS = 4000


def block(name: str, number: int) -> experiment.Comparison | None:
    """Training sets number·BLOCK and following of one table; None if there are none."""
    X, y = sets.load(name)
    parts = experiment.disjoint_subsets(len(y), 100)[number * BLOCK : (number + 1) * BLOCK]
    rng = np.random.default_rng(number)
    splits = [(train, rng.permutation(rest)[:MOST_TEST_ROWS]) for train, rest in parts]
    return experiment.compare_on(X, y, splits) if splits else None


def save(file: Path, found: experiment.Comparison) -> None:
    """A file that is whole or not there at all."""
    values = {c: np.where(np.isfinite(v), v, 1e300).tolist() for c, v in found.values.items()}
    partial = file.with_suffix(".part")
    partial.write_text(json.dumps({"test": found.test.tolist(), "values": values}))
    partial.rename(file)


def load(folder: Path) -> dict[str, experiment.Comparison]:
    """Everything that was run, by data set."""
    found = {}
    for name in sets.THESIS:
        parts = [json.loads(file.read_text()) for file in sorted(folder.glob(f"{name}-*.json"))]
        if parts:
            found[name] = experiment.Comparison(
                np.array(experiment.SIGMAS),
                np.array(experiment.COSTS),
                np.concatenate([np.array(part["test"]) for part in parts]),
                {
                    c: np.concatenate([np.array(part["values"][c]) for part in parts])
                    for c in experiment.TABLE
                },
            )
    return found


def main(folder: Path, seconds: float) -> None:
    """Do what is missing, a block of every table in turn, for at most so many seconds."""
    start = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    left = {name: len(sets.load(name)[1]) // 100 for name in sets.THESIS}
    for number in range(max(left.values()) // BLOCK + 1):
        for name, most in left.items():
            file = folder / f"{name}-{number:03d}.json"
            if number * BLOCK >= most or file.exists():
                continue
            if time.monotonic() - start > seconds:
                return
            found = block(name, number)
            if found is not None:
                save(file, found)
                print(name, number, f"{time.monotonic() - start:.0f} s", flush=True)
    print("complete", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
    sys.stdout.write(experiment.table(load(Path(sys.argv[1]))))
