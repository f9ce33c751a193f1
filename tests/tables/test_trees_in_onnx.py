"""Trees run elsewhere say what they say here, to the label and nearly to the bit."""

from importlib.util import find_spec

import numpy as np
import pytest

from mercer.io.export.onnx import to_onnx
from mercer.tables import TableMachine

pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


def table(n=160, seed=0):
    rng = np.random.default_rng(seed)
    rows = np.empty((n, 4), dtype=object)
    rows[:, 0] = np.where(rng.random(n) < 0.1, None, rng.normal(size=n))
    rows[:, 1] = rng.normal(size=n)
    rows[:, 2] = rng.choice(["red", "green", "blue", "grey", "pink"], n)
    rows[:, 3] = rng.choice(["low", "medium", "high", None], n)
    signal = rows[:, 1] + np.isin(rows[:, 2], ("red", "grey")) + (rows[:, 3] == "high")
    return rows, signal.astype(float)


@pytest.mark.parametrize("task", ["binary", "three classes", "regression"])
@pytest.mark.parametrize("learner", ["boosting", "forest", "linear", "lightgbm"])
def test_a_table_of_names_and_numbers(learner, task, tmp_path):
    if learner == "lightgbm" and find_spec("lightgbm") is None:
        pytest.skip("LightGBM is not installed")
    rows, y = table()
    if task != "regression":
        cuts = [0.7] if task == "binary" else [0.2, 1.2]
        y = np.array(["a", "b", "c"])[np.searchsorted(cuts, y)]
    kind = "regression" if task == "regression" else "classification"
    names = ["size", "weight", "colour", "grade"]
    machine = TableMachine(kind, names=names, learner=learner).fit(rows[:110], y[:110])
    session = runtime.InferenceSession(str(to_onnx(machine, tmp_path / "m.onnx")))
    fed = {
        "size": np.array([[np.nan if v is None else v] for v in rows[:, 0]]),
        "weight": rows[:, 1:2].astype(float),
        "colour": np.array([[v] for v in rows[:, 2]], dtype=object),
        "grade": np.array([["" if v is None else v] for v in rows[:, 3]], dtype=object),
    }
    fed["colour"][0] = "never seen"
    rows[0, 2] = "never seen"
    got = dict(zip((o.name for o in session.get_outputs()), session.run(None, fed), strict=True))
    if kind == "regression":
        np.testing.assert_allclose(got["prediction"], machine.predict(rows), rtol=1e-9)
        return
    assert got["label"].tolist() == machine.predict(rows).tolist()
    if learner != "linear":
        own = (
            machine.predict_proba(rows) if learner == "forest" else machine.decision_function(rows)
        )
        np.testing.assert_allclose(
            got["probability" if learner == "forest" else "decision"], own, rtol=1e-9, atol=1e-12
        )
