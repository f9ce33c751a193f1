"""Command line and Python on real tables that are installed anyway; the battery has 55 more.

``python -m benchmarks.tables.same`` does the same with the defaults of everything.
"""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

import mercer
from helpers_cli import mercer as command

TABLES = {
    "wine": (datasets.load_wine, "target", "classification"),
    "iris": (datasets.load_iris, "target", "classification"),
    "breast cancer": (datasets.load_breast_cancer, "target", "classification"),
    "diabetes": (datasets.load_diabetes, "target", "regression"),
    "linnerud": (datasets.load_linnerud, "Pulse", "regression"),
}
ROWS = 110


def facts(record):
    """What must not depend on the door."""
    columns = [(c["name"], c["role"], c["kind"], c["missing"]) for c in record["data"]["columns"]]
    checks = sorted(c["message"] for c in record["checks"] if c["code"] != "reader")
    return columns, checks, record["certificate"]["value"], record["model"]["words"]


@pytest.mark.parametrize("name", TABLES)
def test_a_file_and_its_frame_end_with_the_same_model(name, tmp_path):
    load, target, task = TABLES[name]
    table = load(as_frame=True).frame.sample(frac=1.0, random_state=0)
    path, new = tmp_path / "table.csv", tmp_path / "new.csv"
    table[:ROWS].to_csv(path, index=False)
    table[-10:].drop(columns=target).to_csv(new, index=False)
    options = ("-k", "gaussian", "--combine", "product", "--report", "none", "--json")
    ran = command("fit", path, "-t", target, "--task", task, "-o", tmp_path / "out", *options)
    assert ran.code == 0, ran.err
    wish = {"target": target, "task": task, "kernel": "gaussian", "combine": "product"}
    model = mercer.fit(pd.read_csv(path), **wish)
    assert facts(json.loads(ran.out)) == facts(json.loads(json.dumps(model.run_.to_dict())))
    told = tmp_path / "told.csv"
    assert command("predict", tmp_path / "out" / "model.mercer", new, "-o", told).code == 0
    answers = model.predict(pd.read_csv(new))
    np.testing.assert_allclose(pd.read_csv(told)["predicted"], answers, rtol=1e-9)
