"""``mercer verify`` on a run as it was written, and on one in which something was exchanged."""

import json
import shutil

import numpy as np
import pytest

from mercer.cli._main import main


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verify")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 2))
    rows = "\n".join(f"{a},{b},{'yes' if a + b > 0 else 'no'}" for a, b in x)
    (folder / "data.csv").write_text("a,b,y\n" + rows + "\n")
    words = ["fit", str(folder / "data.csv"), "-t", "y", "-q", "--kernel", "linear"]
    assert main([*words, "-o", str(folder / "one")]) == 0
    assert main([*words, "-o", str(folder / "two"), "--seed", "7"]) == 0
    return folder


@pytest.fixture
def copy(run, tmp_path):
    for name in ("one", "two"):
        shutil.copytree(run / name, tmp_path / name)
    return tmp_path


def verified(folder, capsys, *more):
    capsys.readouterr()
    code = main(["verify", str(folder), "--json", *map(str, more)])
    found = json.loads(capsys.readouterr().out)
    assert found["belongs_together"] == (code == 0)
    return code, {a["what"]: a for a in found["answers"] if a["holds"] is False}


def test_a_run_as_it_was_written_is_whole(copy, run, capsys):
    assert verified(copy / "one", capsys) == (0, {})
    assert main(["verify", str(copy / "one")]) == 0
    words = capsys.readouterr().out
    assert "the run is whole" in words
    assert "is the file learned from" in words


@pytest.mark.parametrize("name", ["model.mercer", "certificate.json", "report.html", "run.toml"])
def test_a_file_of_another_run_is_found(copy, capsys, name):
    shutil.copy(copy / "two" / name, copy / "one" / name)
    code, bad = verified(copy / "one", capsys)
    assert code == 5
    assert name in bad


def test_a_certificate_written_by_hand_is_found_without_the_manifest(copy, capsys):
    place = copy / "one" / "certificate.json"
    document = json.loads(place.read_text())
    document["certificate"]["value"] = document["certificate"]["unclipped"] = 0.001
    place.write_text(json.dumps(document))
    code, bad = verified(copy / "one", capsys)
    assert code == 5
    assert "its evidence gives" in bad["certificate"]["words"]


def test_other_data_are_found(copy, capsys):
    (copy / "other.csv").write_text("a,b,y\n1,2,no\n")
    code, bad = verified(copy / "one", capsys, "--data", copy / "other.csv")
    assert code == 5
    assert "not the file learned from" in bad["data"]["words"]


def test_a_signature_needs_its_key_and_the_run_it_was_made_for(copy, capsys):
    (copy / "key").write_bytes(b"a secret of mine, long enough")
    (copy / "other").write_bytes(b"a secret of somebody else's")
    assert verified(copy / "one", capsys, "--sign-with", copy / "key") == (0, {})
    assert verified(copy / "one", capsys, "--signed-with", copy / "key") == (0, {})
    assert "signature" in verified(copy / "one", capsys, "--signed-with", copy / "other")[1]
    for name in ("model.mercer", "certificate.json", "run.toml", "report.html", "manifest.json"):
        shutil.copy(copy / "two" / name, copy / "one" / name)
    assert "signature" in verified(copy / "one", capsys, "--signed-with", copy / "key")[1]
    (copy / "short").write_bytes(b"abc")
    assert main(["verify", str(copy / "one"), "--sign-with", str(copy / "short")]) == 3


def test_a_second_run_without_a_certificate_leaves_none(copy, run):
    words = ["fit", str(run / "data.csv"), "-t", "y", "-q", "--kernel", "linear"]
    assert main([*words, "--certify", "none", "-o", str(copy / "one")]) == 0
    assert not (copy / "one" / "certificate.json").exists()


def test_a_folder_without_a_run(tmp_path, capsys):
    assert "folder" in verified(tmp_path, capsys)[1]
    assert main(["verify", str(tmp_path / "nothing")]) == 3
