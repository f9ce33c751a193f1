"""Model folders that were edited by hand, or whose files come from several runs."""

import json
import shutil

import numpy as np
import pytest

from helpers_cli import mercer


def fitted(folder, seed, noise):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 2))
    y = X[:, 0] + noise * rng.normal(size=90) > 0
    data = folder / f"data-{seed}.csv"
    rows = [f"{a:.5f},{b:.5f},{'ny'[int(t)]}" for (a, b), t in zip(X, y, strict=True)]
    data.write_text("\n".join(["a,b,y", *rows]) + "\n")
    out = folder / f"out-{seed}"
    ran = mercer("fit", data, "-t", "y", "-o", out, "--kernel", "gaussian", "--report", "none")
    assert ran.code == 0, ran.err
    return out, data


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mixed")
    return fitted(folder, 0, 0.0), fitted(folder, 1, 3.0)


@pytest.fixture
def copy(folders, tmp_path):
    shutil.copytree(folders[0][0], tmp_path / "out")
    return tmp_path / "out"


def edit_number(folder, folders):
    place = folder / "certificate.json"
    document = json.loads(place.read_text())
    document["certificate"]["value"] = 0.001
    place.write_text(json.dumps(document))


def edit_sentence(folder, folders):
    place = folder / "certificate.json"
    document = json.loads(place.read_text())
    document["statement"] = "With 95 % confidence, this model never errs."
    place.write_text(json.dumps(document))


def other_model(folder, folders):
    shutil.copy(folders[1][0] / "model.mercer", folder / "model.mercer")


def no_json(folder, folders):
    (folder / "certificate.json").write_text("{")


@pytest.mark.parametrize("change", [edit_number, edit_sentence, other_model, no_json])
def test_a_folder_that_contradicts_itself_says_so(change, copy, folders):
    change(copy, folders)
    model = copy / "model.mercer"
    shown = mercer("certify", model)
    assert shown.code == 0
    assert "DOES NOT HOLD for this model" in shown.out.splitlines()[0]
    assert mercer("certify", model, "--require-error", "0.99").code == 5
    told = mercer("predict", model, folders[1][1])
    assert "certificate.json in the folder" in told.err
    assert "certificate.json in the folder" in mercer("inspect", model).out


def test_a_folder_as_it_was_written_is_let_alone(copy, folders):
    model = copy / "model.mercer"
    assert "DOES NOT" not in mercer("certify", model).out
    assert "certificate.json" not in mercer("predict", model, folders[1][1]).err
    assert "doubt" not in mercer("inspect", model).out
    (copy / "certificate.json").unlink()
    assert "DOES NOT" not in mercer("certify", model).out
    (copy / "certificate.json").write_text('{"of": "something else"}')
    assert "DOES NOT" not in mercer("certify", model).out
