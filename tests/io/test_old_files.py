"""Files of former versions still load, and answer as they did on the day they were written.

``tools/freeze_models.py`` says what the archives hold. They are never written again.
"""

import importlib.resources
import io
import json
import re
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import mercer
from helpers_cli import mercer as command
from helpers_frozen import answers_of, certificate_of, from_plain
from mercer.bounds import Certificate
from mercer.certification import modes
from mercer.io.export import from_skops
from mercer.io.model_file import NotStorable, open_model

FIXTURES = Path(__file__).parent / "fixtures"
ARCHIVES = {1: FIXTURES / "format-1.zip", 2: FIXTURES / "format-2.zip"}
NEAR, NEAR_SINGLE = 1e-9, 1e-5  # other processors round otherwise, most in single precision
NOW_CALLED = {
    "RegularisedRisk": "RegularizedRisk",
    "CondensedNearestNeighbour": "CondensedNearestNeighbor",
    "KCentres": "KCenters",
    "Centred(": "Centered(",
    "Marginalised(": "Marginalized(",
    "Normalised(": "Normalized(",
    "normalise=": "normalize=",
    "mixture of the progressive models": "mixture of several models",
}
KINDS = {"bound", "kernel", "learner", "loss", "metric", "record"}

pytestmark = pytest.mark.filterwarnings("ignore")  # tiny samples warn, as they did then


def member(form, name):
    with zipfile.ZipFile(ARCHIVES[form]) as archive:
        return archive.read(name)


INDEX = {form: json.loads(member(form, "index.json")) for form in ARCHIVES}
EVERY_FORMAT = pytest.mark.parametrize("form", ARCHIVES)


def every(what):
    """Each model of each archive."""
    return pytest.mark.parametrize(
        ("form", "name"), [(form, name) for form in ARCHIVES for name in INDEX[form][what]]
    )


def check_answers(model, record, near=NEAR):
    found = answers_of(model, from_plain(record["rows"]))
    was = {name: from_plain(answer) for name, answer in record["answers"].items()}
    assert set(was) <= set(found)
    for name, expected in was.items():
        now, rows = np.asarray(found[name]), slice(None)
        assert now.shape == expected.shape, name
        assert now.dtype.kind == expected.dtype.kind, name
        if expected.dtype.kind == "f":
            assert_allclose(now, expected, rtol=near, atol=near, err_msg=name)
            continue
        if name == "predict" and was.get("decision_function", np.empty((0, 0))).ndim == 1:
            rows = np.abs(was["decision_function"]) > near  # the label of a tie is anybody's guess
        assert_array_equal(now[rows], expected[rows], err_msg=name)


def check_certificate(model, record):
    """One that spent rows is read from the file; others are worked out from the stored model."""
    found, expected = map(in_words_of_today, (certificate_of(model), record["certificate"]))
    if expected is None:
        assert found is None
        return
    now, was = found["dict"], expected["dict"]
    same = set(was) - {"mercer_certificate"}  # later fields are not asked about
    if now["inputs"].keys() != was["inputs"].keys() or now["assumptions"] != was["assumptions"]:
        assert getattr(model, "certification_", None) is None
        same = {"quantity", "n", "kind"}  # a later version may know more about kernel and rows
    else:
        assert found["first_line"].startswith(expected["first_line"])  # advice may follow
    assert_like({k: now[k] for k in same}, {k: was[k] for k in same}, "certificate")


def in_words_of_today(certificate):
    """A certificate names the class of its model, which may have another name since.

    The way a long name is broken into lines depends on its length.
    """
    text = re.sub(r"(\\n)? +", " ", json.dumps(certificate))
    for old, new in NOW_CALLED.items():
        text = text.replace(old, new)
    return json.loads(text)


def assert_like(found, expected, where):
    """Equal in everything but the last digits of numbers."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for name, value in expected.items():
            assert_like(found[name], value, f"{where}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for i, value in enumerate(expected):
            assert_like(found[i], value, f"{where}[{i}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=NEAR, abs=NEAR, nan_ok=True), where
    else:
        assert found == expected, where


@every("cases")
def test_a_model_file_answers_as_it_did(form, name, tmp_path):
    path = tmp_path / "old.mercer"
    path.write_bytes(member(form, f"cases/{name}.mercer"))
    model, record = mercer.load(path), json.loads(member(form, f"cases/{name}.json"))
    assert record["answers"]
    check_answers(model, record, NEAR_SINGLE if name.endswith("float32") else NEAR)
    check_certificate(model, record)


@every("skops")
def test_a_skops_file_answers_as_it_did(form, name, tmp_path):
    pytest.importorskip("skops.io", reason="needs the extra mercer[skops]")
    path = tmp_path / "old.skops"
    path.write_bytes(member(form, f"skops/{name}.skops"))
    model, record = from_skops(path), json.loads(member(form, f"skops/{name}.json"))
    check_answers(model, record)
    check_certificate(model, record)


@pytest.fixture(params=ARCHIVES)
def folder(request, tmp_path):
    """What ``mercer fit`` left, beside the table it was given."""
    with zipfile.ZipFile(ARCHIVES[request.param]) as archive:
        names = [name for name in archive.namelist() if name.startswith("fit/")]
        archive.extractall(tmp_path, names)
    return tmp_path / "fit"


def test_the_command_line_predicts_as_it_did(folder):
    ran = command("predict", folder / "out" / "model.mercer", folder / "data.csv")
    assert ran.code == 0, ran.err
    found, expected = (
        [line.split(",") for line in text.splitlines()]
        for text in (ran.out, (folder / "predictions.csv").read_text())
    )
    assert found[0] == expected[0]
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    numbers = [np.array([row[2:] for row in rows[1:]], dtype=float) for rows in (found, expected)]
    assert_allclose(*numbers, atol=2e-6)  # six digits are printed


def test_the_certificate_of_a_folder_is_that_of_its_model(folder):
    stored = open_model(folder / "out" / "model.mercer")
    document = json.loads((folder / "out" / "certificate.json").read_text())
    assert Certificate.from_dict(document["certificate"]) == stored.model.certificate_
    assert stored.about["certificate"]["value"] == document["certificate"]["value"]
    own = getattr(stored.model, "row_marks_", None)  # where format 1 has them
    marks = stored.model.certification_.marks["marks"] if own is None else own
    assert len(marks) == len(stored.about["train_rows"])


def test_a_model_of_a_folder_still_knows_its_training_rows(folder):
    head, *lines = (folder / "data.csv").read_text().splitlines()
    turned = folder / "turned.csv"  # the same rows in another file
    turned.write_text("\n".join([head, *reversed(lines)]) + "\n")
    ran = command("certify", folder / "out" / "model.mercer", turned, "-t", "y")
    assert ran.out.startswith("24 of 30 fresh rows equal rows the model was trained on; ")
    assert "7 of 30" not in ran.out  # the support vectors are among them


def test_a_run_is_repeated_from_its_options(folder):
    options = folder / "out" / "run.toml"
    assert tomllib.loads(options.read_text())["certify"] == "holdout"
    out = folder / "again"
    ran = command("fit", folder / "data.csv", "--config", options, "-o", out)
    assert ran.code == 0, ran.err
    first, again = (
        json.loads((place / "certificate.json").read_text())["certificate"]
        for place in (folder / "out", out)
    )
    assert again["value"] == pytest.approx(first["value"], rel=NEAR)


@EVERY_FORMAT
def test_a_checkpoint_is_continued_or_refused_but_never_mixed(form, tmp_path):
    path = tmp_path / "search.jsonl"
    path.write_bytes(member(form, "search.jsonl"))
    given = json.loads(member(form, "search.json"))
    X, y = from_plain(given["rows"]), from_plain(given["labels"])
    search = mercer.KernelSearch(param_grid=given["params"], random_state=0, checkpoint=path)
    try:
        search.fit(X, y)
    except ValueError as refusal:
        assert "another version of Mercer" in str(refusal)  # noqa: PT017
    assert path.read_bytes() == member(form, "search.jsonl")


@EVERY_FORMAT
def test_functions_are_refused_and_the_place_is_named(form, tmp_path):
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    for name, model in {
        "kernel": mercer.SVC(kernel=lambda a, b: a @ b.T),
        "transformer": make_pipeline(FunctionTransformer(np.cbrt), mercer.SVC()),
    }.items():
        with pytest.raises(NotStorable) as refusal:
            mercer.save(model.fit(X, y), tmp_path / "m.mercer")
        place = INDEX[form]["refusals"][f"functions/{name}"].partition(" is a ")[0]
        assert str(refusal.value).startswith(f"{place} is a function: a model file cannot hold")


def frozen_names():
    table = importlib.resources.files("mercer.io.model_file") / "format_1_names.json"
    return json.loads(table.read_text())


def test_every_class_of_an_old_file_has_a_tag():
    seen = classes_in(1, r"mercer[^\"]+")
    assert len(seen) > 100
    assert seen <= set(frozen_names())


def test_every_class_of_a_file_is_named_by_a_promised_tag():
    seen = classes_in(2, r"(?!sklearn:)[^\"]+")
    assert len(seen) > 200
    assert seen <= set((FIXTURES / "tags.txt").read_text().split())


def test_learners_that_were_once_refused_are_there():
    """Only functions of the user are refused since format 2."""
    assert all("is a function" in words for words in INDEX[2]["refusals"].values())
    former = {name for name in INDEX[1]["refusals"] if name.startswith("learners/")}
    assert len(former) == 6
    assert former <= set(INDEX[2]["cases"])
    later = {"easy", "tube"}  # modes that came after the archive was written
    there = {*modes.available(), "none"} - later
    assert {f"certified/{mode}" for mode in there} <= set(INDEX[2]["cases"])


def test_no_path_of_the_machine_that_wrote_them():
    """The first archive names a temporary folder of a machine that is gone; no later one does."""
    for form in set(ARCHIVES) - {1}:
        with zipfile.ZipFile(ARCHIVES[form]) as archive:
            for name in archive.namelist():
                for part, content in parts(name, archive.read(name)):
                    assert not re.search(rb"/(tmp|home|root|work|Users|var)/", content), part


def parts(name, content):
    """A file, or the members of one that is an archive itself."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return [(name, content)]
    with zipfile.ZipFile(io.BytesIO(content)) as inner:
        return [(f"{name}/{member}", inner.read(member)) for member in inner.namelist()]


def classes_in(form, pattern):
    """What the model files of an archive call the classes of their objects."""
    seen = set()
    for case in INDEX[form]["cases"]:
        with zipfile.ZipFile(io.BytesIO(member(form, f"cases/{case}.mercer"))) as model:
            manifest = model.read("manifest.json").decode()
        seen |= set(re.findall(rf'"\$object": "({pattern})"', manifest))
        seen |= set(re.findall(rf'"\$(?:member|tuple_of)": \["({pattern})"', manifest))
    return seen


def test_tags_are_unique_and_of_a_known_kind():
    tags = list(frozen_names().values())
    assert len(tags) == len(set(tags)) == 357
    for tag in tags:
        assert re.fullmatch(r"[a-z]+:[a-z0-9]+(-[a-z0-9]+)*", tag)
    assert {tag.partition(":")[0] for tag in tags} == KINDS
