"""MLflow folders: read as MLflow reads them, with MLflow itself where it is installed."""

import importlib
import json

import numpy as np
import pandas as pd
import pytest

import mercer
from helpers_cli import mercer as command
from mercer.io.export import to_mlflow

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({
    "x": RNG.normal(size=60),
    "ward": RNG.choice(["north", "south"], 60),
    "seen": [f"{i % 28 + 1:02d}/03/2021" for i in range(60)],
})  # fmt: skip
TABLE["sick"] = np.where(TABLE.x > 0, "yes", "no")
TABLE["cost"] = 3 * TABLE.x + 1


@pytest.fixture(scope="module", params=["sick", "cost"])
def written(request, tmp_path_factory):
    other = {"sick": "cost", "cost": "sick"}[request.param]
    model = mercer.fit(TABLE.drop(columns=other), target=request.param, kernel="gaussian")
    return model, to_mlflow(model, tmp_path_factory.mktemp("mlflow") / request.param)


def test_the_folder_is_read_as_mlflow_reads_it(written):
    model, folder = written
    told = json.loads((folder / "MLmodel").read_text())
    loader = told["flavors"]["python_function"]
    module = importlib.import_module(loader["loader_module"])
    loaded = module._load_pyfunc(str(folder / loader["data"]))
    found = loaded.predict(TABLE[["seen", "ward", "x"]])
    assert found["predicted"].tolist() == model.predict(TABLE).tolist()
    inputs = json.loads(told["signature"]["inputs"])
    assert [(c["name"], c["type"]) for c in inputs] == [
        ("x", "double"),
        ("ward", "string"),
        ("seen", "string"),
    ]
    assert "confidence" in told["metadata"]["mercer_certificate"]
    assert set(found.columns) >= ({"lower", "upper"} if "lower" in found else {"p(no)", "p(yes)"})


def test_mlflow_loads_it(written):
    mlflow = pytest.importorskip("mlflow")
    model, folder = written
    found = mlflow.pyfunc.load_model(str(folder)).predict(TABLE[["x", "ward", "seen"]])
    assert found["predicted"].tolist() == model.predict(TABLE).tolist()


def test_the_command_writes_it(written, tmp_path):
    model, _ = written
    mercer.save(model, tmp_path / "m.mercer")
    ran = command("export", tmp_path / "m.mercer", "--to", "mlflow", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert {p.name for p in (tmp_path / "out").iterdir()} == {
        "MLmodel",
        "model.mercer",
        "requirements.txt",
    }


def test_cards_for_notebooks(written):
    model, _ = written
    for thing in (model.run_, model.certification_, model.certificate_):
        assert thing._repr_html_().startswith("<")
    card = mercer.SVC().fit(TABLE[["x"]], TABLE.sick).diagnostics_._repr_html_()
    assert "duality gap" in card
    assert "With 95 % confidence" in model.run_._repr_html_()
