"""A model file holds exactly the model, and nothing in it is ever run."""

import hashlib
import io
import json
import os
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import mercer
from helpers_model_bytes import pack
from mercer.errors import LimitError, UserError, WriteError
from mercer.io.model_file import BadModel, NotStorable, open_model
from mercer.kernels import BagOfWords, Columns, Gaussian
from mercer.tables import TablePreparation

TABLE = mercer.datasets.load_iris()
X, y = TABLE.X, TABLE.y


def models():
    yield mercer.SVC().fit(X, y)
    yield mercer.SVC(kernel=Gaussian(1.0) + Columns(combine="anova")).fit(X, y)
    yield make_pipeline(StandardScaler(), mercer.SVC(probability=True, random_state=0)).fit(X, y)
    yield mercer.NuSVC(kernel="linear").fit(X, np.array(TABLE.class_names)[y])
    yield mercer.SVR().fit(X, X[:, 0])
    yield mercer.OneClassSVM().fit(X)
    yield make_pipeline(TablePreparation(["u", "v", "w"]), mercer.SVC()).fit(mixed(), y)


def mixed():
    names = np.array(["a", "b", None] * 50, dtype=object)
    return np.column_stack([X[:, :2].astype(object), names])


@pytest.mark.parametrize("model", list(models()), ids=lambda m: type(m).__name__)
def test_what_is_loaded_predicts_the_same_bits(model, tmp_path):
    rows = X
    if isinstance(getattr(model, "steps", [[0, 0]])[0][1], TablePreparation):
        rows = mixed()
    path = mercer.save(model, tmp_path / "m.mercer")
    again = mercer.load(path)
    assert np.array_equal(again.predict(rows), model.predict(rows))
    if hasattr(model, "predict_proba"):
        assert np.array_equal(again.predict_proba(rows), model.predict_proba(rows))
    second = mercer.save(again, tmp_path / "again.mercer")
    assert second.read_bytes() == path.read_bytes()  # nothing is lost and nothing depends on luck


def test_weights_of_words_that_were_read_off_the_sample_are_kept(tmp_path):
    texts = ["a red fox", "a red hen", "one blue sea", "one blue sky"] * 5
    model = mercer.SVC(kernel=BagOfWords(weights="idf")).fit(texts, ["land", "land", "w", "w"] * 5)
    again = mercer.load(mercer.save(model, tmp_path / "m.mercer"))
    assert again.kernel_.weights == model.kernel_.weights
    assert again.kernel_.data_dependent
    assert again.predict(["red", "blue sky"]).tolist() == ["land", "w"]


@pytest.mark.parametrize("mode", ["auto", "progressive", "compress", "easy", "selective"])
def test_certificates_travel_with_the_model(mode, tmp_path):
    machine = make_pipeline(StandardScaler(), mercer.SVC())
    model = mercer.certified_fit(machine, X, y, mode=mode, random_state=0)
    again = mercer.load(mercer.save(model, tmp_path / "m.mercer"))
    assert again.certificate_ == model.certificate_
    assert again.certificate_.recompute().value == model.certificate_.value
    assert np.array_equal(again.certification_.train_rows, model.certification_.train_rows)
    assert np.array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize(
    "model",
    [
        mercer.SVC(kernel=lambda a, b: a @ b.T).fit(X, y),
        make_pipeline(FunctionTransformer(np.log1p), mercer.SVC()).fit(X, y),
    ],
    ids=["kernel function", "transformer function"],
)
def test_functions_are_refused(model, tmp_path):
    with pytest.raises(NotStorable, match="cannot hold"):
        mercer.save(model, tmp_path / "m.mercer")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.mercer"
    mercer.save(mercer.SVC().fit(X[::3], y[::3]), path, {"title": "iris"})
    return path.read_bytes()


def write(tmp_path, content):
    path = tmp_path / "x.mercer"
    path.write_bytes(content)
    return path


def test_what_is_known_about_a_model_is_kept(saved, tmp_path):
    stored = open_model(write(tmp_path, saved))
    assert stored.about == {"title": "iris"}
    assert stored.versions["mercer"] == mercer.__version__


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.99])
def test_truncated_files_are_refused(saved, share, tmp_path):
    with pytest.raises(UserError):
        mercer.load(write(tmp_path, saved[: int(share * len(saved))]))


QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]  # the folder may be shared


@settings(max_examples=60, suppress_health_check=QUIET)
@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255))
def test_no_flipped_byte_goes_unnoticed(saved, tmp_path, place, byte):
    raw = bytearray(saved)
    where = int(place * len(raw))
    if raw[where] == byte:
        return
    raw[where] = byte
    try:
        model = mercer.load(write(tmp_path, bytes(raw)))
    except (BadModel, LimitError):
        return
    # zip has bytes that mean nothing (dates, attributes): then the model is the same
    assert np.array_equal(model.predict(X), mercer.load(write(tmp_path, saved)).predict(X))


def test_an_array_that_was_exchanged_is_noticed(saved, tmp_path):
    """A whole zip with right sums of its own, but not the array that the manifest names."""
    with zipfile.ZipFile(io.BytesIO(saved)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = next(n for n in members if n.endswith(".npy") and np.load(io.BytesIO(members[n])).size)
    array = np.load(io.BytesIO(members[name]))
    other = io.BytesIO()
    np.save(other, np.zeros_like(array) if array.any() else np.ones_like(array))
    members[name] = other.getvalue()
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, content in members.items():
            archive.writestr(place, content)
    with pytest.raises(BadModel, match="checksum of arrays"):
        mercer.load(write(tmp_path, whole.getvalue()))


def manifest_of(raw):
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        text = json.loads(archive.read("manifest.json"))
        arrays = [np.load(io.BytesIO(archive.read(name))) for name in text["checksums"]]
    return text, arrays


def forged(manifest, arrays):
    """A file with valid checksums whatever it says, as an attacker would make."""
    manifest = {k: v for k, v in manifest.items() if k not in ("mercer_model", "checksums")}
    return pack(manifest, arrays)


@pytest.mark.parametrize(
    "name",
    [
        "os:system", "subprocess:Popen", "builtins:eval", "mercer.demo:main",
        "mercer.cli._main:run",
        "mercer.kernels._base:np", "mercer.learners.margin.svc:SVC.fit", "sklearn.svm:SVC",
        "mercer.kernels.from_callable:__import__", "../../etc:passwd", "", None, 7,
    ],
)  # fmt: skip
def test_no_class_but_the_listed_ones(saved, name, tmp_path):
    manifest, arrays = manifest_of(saved)
    manifest["root"]["$object"] = name
    with pytest.raises(BadModel, match=r"does not load|does not describe"):
        mercer.load(write(tmp_path, forged(manifest, arrays)))


def test_a_newer_format_says_who_wrote_it(saved, tmp_path):
    with zipfile.ZipFile(io.BytesIO(saved)) as archive:
        members = {i.filename: archive.read(i.filename) for i in archive.infolist()}
    manifest = json.loads(members["manifest.json"]) | {"mercer_model": 99}
    manifest["versions"]["mercer"] = "9.9"
    members["manifest.json"] = json.dumps(manifest).encode()
    members["checksum.txt"] = hashlib.sha256(members["manifest.json"]).hexdigest().encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(BadModel, match=r"format 99.*written by Mercer 9\.9"):
        mercer.load(write(tmp_path, out.getvalue()))


def test_a_bomb_is_refused_before_it_unpacks(tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b"{}")
        archive.writestr("checksum.txt", b"")
        archive.writestr("arrays/0.npy", b"\0" * (64 << 20))
    with pytest.raises(BadModel, match="compressed suspiciously"):
        mercer.load(write(tmp_path, out.getvalue()))
    with mercer.config(memory_limit="1MB"), pytest.raises(LimitError):
        mercer.load(write(tmp_path, out.getvalue()))


def places(tree, found):
    """Every container inside a JSON tree with the keys to its parts."""
    keys = tree.keys() if isinstance(tree, dict) else range(len(tree))
    for key in keys:
        found.append((tree, key))
        if isinstance(tree[key], dict | list):
            places(tree[key], found)
    return found


JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 10**12), st.floats(-1e9, 1e9),
    st.text(max_size=5), st.just([]), st.just({}), st.just({"$array": 0}), st.just({"$ref": 1}),
    st.just({"$array": 10**9}), st.just({"$tuple": 3}), st.just({"$dtype": "O"}),
)  # fmt: skip


@settings(max_examples=120, suppress_health_check=QUIET)
@given(data=st.data())
def test_forged_files_never_crash(saved, tmp_path, data):
    """Right checksums, wrong contents: an error or an object whose use fails like any bad object.

    What must not happen is a crash of the process, which would end the whole test run.
    """
    manifest, arrays = manifest_of(saved)
    spots = places(manifest["root"], [])
    for _ in range(data.draw(st.integers(1, 3))):
        tree, key = spots[data.draw(st.integers(0, len(spots) - 1))]
        tree[key] = data.draw(JUNK)
    if data.draw(st.booleans()):
        which = data.draw(st.integers(0, len(arrays) - 1))
        arrays[which] = arrays[which].ravel()[: data.draw(st.integers(0, 3))]
    try:
        model = mercer.load(write(tmp_path, forged(manifest, arrays)))
    except (BadModel, LimitError):
        return
    try:
        model.predict(X)
    except Exception:
        return


def test_a_full_disk_leaves_the_old_file(saved, tmp_path, monkeypatch):
    path = write(tmp_path, saved)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match="No space left"):
        mercer.save(mercer.SVR().fit(X, y), path)
    assert path.read_bytes() == saved
    assert [p.name for p in tmp_path.iterdir()] == ["x.mercer"]
