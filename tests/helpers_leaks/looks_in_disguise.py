"""The same records again, not to be recognised by a row: shuffled, scaled, renamed, in files."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import cross_validate

import mercer
from helpers_leaks import claim, noise, way
from helpers_leaks.assumptions import STUMP, smallest


def _scaled(rng, X, y, k):
    return (X - X.mean(axis=0)) * (k + 1) + k, y


def _more(rng, X, y, k):
    return np.column_stack([np.arange(len(y)), X, rng.normal(size=len(y))]), y


def _fewer(rng, X, y, k):
    return np.delete(X, k % 4, axis=1), y


def _renamed(rng, X, y, k):
    return X.round(6 + k % 4), np.array([f"a{k}", f"b{k}"])[y]


DISGUISES = {
    "scaled": _scaled, "with_more_columns": _more, "with_fewer_columns": _fewer,
    "with_other_classes": _renamed,
}  # fmt: skip


def _shuffled(disguise):
    """Each time in another order as well."""

    def run(rng):
        X, y = noise(rng, 300, 4)
        found = []
        for k in range(20):
            i = rng.permutation(300)
            table, labels = disguise(rng, X[i], y[i], k)
            options = {"mode": "holdout", "train_fraction": 0.9, "random_state": k}
            found.append(claim(mercer.certified_fit(STUMP, table, labels, **options).certificate_))
        return smallest(found)

    return run


for _name, _disguise in DISGUISES.items():
    way(draws=8, name=f"shuffled_rows_{_name}")(_shuffled(_disguise))


@way(draws=8)
def best_fold_of_cross_validations(rng):
    X, y = noise(rng, 200, 3)
    found = []
    for seed in range(4):
        machine = mercer.Certified(STUMP, mode="holdout", random_state=seed)
        fits = cross_validate(machine, X, y, cv=5, return_estimator=True)
        found += [claim(one.certificate_) for one in fits["estimator"]]
    return smallest(found)


def _number(rng, table):
    return table.assign(row=np.arange(len(table)))


def _blur(rng, table):
    return table + 1e-7 * rng.normal(size=table.shape)


def _in_files(change):
    """Copies in several files, of which whole rows are never equal."""

    def run(rng):
        X, y = noise(rng, 150, 3)
        i = np.concatenate([rng.permutation(150) for _ in range(4)])
        table = change(rng, pd.DataFrame(X[i], columns=list("abc")))
        table["y"] = np.array(["no", "yes"])[y[i]]
        with tempfile.TemporaryDirectory() as folder:
            for k, part in enumerate(np.array_split(np.arange(len(i)), 4)):
                table.iloc[part].to_parquet(Path(folder) / f"{k}.parquet")
            fit = {"target": "y", "report": "none", "kernel": "gaussian:length_scale=0.3"}
            return claim(mercer.fit(f"{folder}/*.parquet", learner="svm", **fit).certificate_)

    return run


way(draws=1, name="numbered_copies_in_several_files")(_in_files(_number))
way(draws=1, name="blurred_copies_in_several_files")(_in_files(_blur))
