"""What is loaded is what was saved: every learner, kernel, metric and loss, to the last bit."""

import json
import os
import subprocess
import sys
import warnings
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import mercer
from helpers_frozen import answers_of
from helpers_model_bytes import pack
from helpers_stored import EVERY, build
from mercer import _storable, bounds, kernels, learners, losses, metrics
from mercer.io.model_file import BadModel, NotStorable
from mercer.io.model_file.upgrades import _steps
from mercer.io.model_file.upgrades.format_1 import RETIRED

FROZEN = Path(__file__).parents[1] / "io" / "fixtures" / "tags.txt"
PACKAGE = Path(mercer.__file__).parent
WITH_FUNCTIONS = {"from_callable", "from_features", "rank_one", "from_function", "user_function"}

pytestmark = pytest.mark.filterwarnings("ignore")  # tiny samples warn


@cache
def model_of(name):
    return build(name)


def tags_in(path):
    """Every class that a file names."""
    found = set()

    def look(tree):
        if isinstance(tree, dict):
            found.update([tree["$object"]] if "$object" in tree else [])
            found.update(tree[key][0] for key in ("$member", "$tuple_of") if key in tree)
        for item in tree.values() if isinstance(tree, dict) else tree:
            if isinstance(item, dict | list):
                look(item)

    with zipfile.ZipFile(path) as archive:
        look(json.loads(archive.read("manifest.json"))["root"])
    return found


def assert_same_bits(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        now, was = np.asarray(found[name]), np.asarray(value)
        assert now.dtype == was.dtype, name
        np.testing.assert_array_equal(now, was, name)


def assert_stored_whole(thing, tmp_path):
    """Save, load, save: equal bytes, and only tags that are promised to stay."""
    path = mercer.save(thing, tmp_path / "first.mercer")
    again = mercer.load(path)
    assert mercer.save(again, tmp_path / "second.mercer").read_bytes() == path.read_bytes()
    missing = {tag for tag in tags_in(path) if not tag.startswith("sklearn:")} - frozen_tags()
    assert not missing, f"files name {sorted(missing)}: add these lines to {FROZEN.name}"
    return again


@pytest.mark.parametrize("name", EVERY)
def test_a_model_comes_back_as_it_was(name, tmp_path):
    model, rows = model_of(name)
    again = assert_stored_whole(model, tmp_path)
    if rows is None:
        assert again.get_params().keys() == model.get_params().keys()
        return
    assert_same_bits(answers_of(again, rows), answers_of(model, rows))
    for what in ("evidence_", "certificate_", "certificates_", "not_applicable_"):
        assert getattr(again, what, None) == getattr(model, what, None), what
    used = assert_stored_whole(again, tmp_path)  # with what its certificates were read off
    assert_same_bits(answers_of(used, rows), answers_of(model, rows))


def examples(classes):
    return [
        pytest.param(one, id=f"{name}-{i}")
        for name, cls in classes.items()
        for i, one in enumerate(cls.examples())
        if name not in WITH_FUNCTIONS
    ]


@pytest.mark.parametrize("kernel", examples(kernels.available()))
def test_a_kernel_comes_back_as_it_was(kernel, tmp_path):
    X = type(kernel).example_data(9, np.random.default_rng(1))
    kernel = kernel.resolve(X)
    again = assert_stored_whole(kernel, tmp_path)
    np.testing.assert_array_equal(again(X), kernel(X))


@pytest.mark.parametrize("metric", examples(metrics.available()))
def test_a_metric_comes_back_as_it_was(metric, tmp_path):
    X = type(metric).example_data(9, np.random.default_rng(1))
    again = assert_stored_whole(metric, tmp_path)
    np.testing.assert_array_equal(again(X), metric(X))


@pytest.mark.parametrize("loss", examples(losses.available()))
def test_a_loss_comes_back_as_it_was(loss, tmp_path):
    assert assert_stored_whole(loss, tmp_path) == loss


@pytest.mark.parametrize("name", sorted(WITH_FUNCTIONS))
def test_functions_stay_refused_in_words_one_can_act_on(name, tmp_path):
    for cls in (kernels.available() | metrics.available()).values():
        if _storable.tag_of(cls).partition(":")[2] == name.replace("_", "-"):
            with pytest.raises(NotStorable, match=r"function is a function.*cannot hold code.*Use"):
                mercer.save(cls.examples()[0], tmp_path / "m.mercer")


class OwnSVC(mercer.SVC):
    """A user's machine: nobody but its author has the class."""

    _tag = "learner:svc"


OwnSVC.__module__ = "mercer_of_mine.svc"


@pytest.mark.parametrize("cls", [OwnSVC, type("Other", (mercer.SVC,), {"__module__": "here"})])
def test_a_subclass_of_the_user_has_no_tag_and_is_refused(cls, tmp_path):
    assert _storable.tag_of(cls) is None
    with pytest.raises(NotStorable, match="classes of your own cannot"):
        mercer.save(cls().fit([[0.0], [1.0]], [0, 1]), tmp_path / "m.mercer")
    assert _storable.find("learner:svc") is mercer.SVC


@pytest.mark.parametrize(
    "name",
    ["learner:", ":svc", "svc", "learner:SVC", "kernel:svc", "sklearn:SVC", "sklearn:__import__",
     "os:system", "record:../machine", "mercer.learners.margin.svm.svc:SVC", "x" * 1000, 3, None],
)  # fmt: skip
def test_names_that_are_no_tags_are_refused(name, tmp_path):
    path = tmp_path / "m.mercer"
    path.write_bytes(pack({"versions": {}, "root": {"$object": name, "state": {}}}, []))
    with pytest.raises(BadModel, match="does not load"):
        mercer.load(path)
    path.write_bytes(pack({"versions": {}, "root": {"$tuple_of": [name, []]}}, []))
    with pytest.raises(BadModel, match="does not load"):
        mercer.load(path)


def test_attributes_of_a_later_version_are_not_guessed_at(tmp_path):
    path = tmp_path / "m.mercer"
    root = {"$object": "learner:svc", "state": {}, "version": 99}
    path.write_bytes(pack({"versions": {}, "root": root}, []))
    with pytest.raises(BadModel, match="version 99"):
        mercer.load(path)


def frozen_tags():
    return set(FROZEN.read_text().split())


def test_the_promised_tags_are_still_there():
    """A class that is renamed states its old tag; one that is gone is retired, with a step."""
    assert not frozen_tags() - set(_storable.tags()) - RETIRED
    assert not RETIRED & set(_storable.tags())
    assert all(tag.startswith("record:") for tag in RETIRED)


@pytest.mark.parametrize("folder", [learners, kernels, metrics, losses, bounds])
def test_the_tag_of_whatever_can_be_asked_for_is_promised(folder):
    classes = (one if isinstance(one, type) else type(one) for one in folder.available().values())
    missing = {_storable.tag_of(cls) for cls in classes} - frozen_tags()
    assert not missing, f"add these lines to {FROZEN.name}: {sorted(missing)}"


def test_every_version_can_be_reached_from_the_first():
    for tag, cls in _storable.tags().items():
        for version in range(getattr(cls, "_state_version", 0)):
            new = tag not in FORMER and version == 0
            assert (tag, version) in _steps.STEPS or new, f"no step from version {version} of {tag}"


FORMER = set(json.loads((PACKAGE / "io/model_file/format_1_names.json").read_text()).values())
MOVED = {
    "mercer.learners.margin.svm.machine": "mercer.learners.margin.elsewhere",
    "mercer.kernels.vectors.gaussian": "mercer.kernels.algebra._bell",
    "mercer.bounds._evidence": "mercer.bounds.numerics._facts",
}
ASK = """
import pickle, sys, warnings
warnings.simplefilter("ignore")
sys.path[:0] = sys.argv[2:]
import mercer
from helpers_frozen import answers_of
with open(sys.argv[1], "rb") as stream:
    asked = pickle.load(stream)
answers = {}
for path, rows in asked.items():
    model = mercer.load(path)
    answers[path] = answers_of(model, rows) if rows is not None else {}
    certificate = getattr(model, "certificate_", None)
    answers[path]["certificate"] = None if certificate is None else certificate.value
with open(sys.argv[1], "wb") as stream:
    pickle.dump((mercer.__file__, answers), stream)
"""


def moved_package(folder):
    """A copy of Mercer in which some modules have other names."""
    import shutil

    shutil.copytree(PACKAGE, folder / "mercer", symlinks=True,
                    ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    for old, new in MOVED.items():
        source, target = (folder / f"{name.replace('.', '/')}.py" for name in (old, new))
        source.rename(target)
        for file in (folder / "mercer").rglob("*.py"):
            text = file.read_text()
            if old in text:
                file.write_text(text.replace(old, new))
    return folder


def test_a_moved_module_touches_no_file_on_disk(tmp_path):
    asked, expected = {}, {}
    for name in EVERY:
        model, rows = model_of(name)
        path = str(mercer.save(model, tmp_path / f"{name}.mercer"))
        asked[path] = rows
        expected[path] = {} if rows is None else answers_of(model, rows)
        certificate = getattr(model, "certificate_", None) if rows is not None else None
        expected[path]["certificate"] = None if certificate is None else certificate.value
    moved, found = asked_elsewhere(asked, tmp_path)
    assert str(tmp_path) in moved
    for path, answers in expected.items():
        assert_same_bits(found[path], answers)


def asked_elsewhere(asked, tmp_path):
    """The answers of the moved package, in a process of its own."""
    import pickle

    exchange = tmp_path / "asked.pickle"
    exchange.write_bytes(pickle.dumps(asked))
    folders = [str(moved_package(tmp_path / "moved")), str(Path(__file__).parents[1])]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    ran = subprocess.run(
        [sys.executable, "-c", ASK, str(exchange), *folders],
        capture_output=True, text=True, env=environment, timeout=900,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    return pickle.loads(exchange.read_bytes())


def test_all_files_load_in_a_fresh_process(tmp_path):
    """No class is found only because something else happened to be imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        paths = [str(mercer.save(model_of(name)[0], tmp_path / name)) for name in EVERY]
    code = "import mercer, sys\nfor path in sys.argv[1:]: print(type(mercer.load(path)).__name__)"
    ran = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ran.stdout.split() == [type(model_of(name)[0]).__name__ for name in EVERY]
