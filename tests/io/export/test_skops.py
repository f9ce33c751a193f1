"""skops files: the same model comes back, with its evidence, and nothing foreign is trusted."""

import zipfile

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

io = pytest.importorskip("skops.io", reason="needs the extra mercer[skops]")

import mercer  # noqa: E402
from mercer import kernels  # noqa: E402
from mercer.errors import DataError  # noqa: E402
from mercer.io.export import NotExportable, from_skops, to_skops, trusted_types  # noqa: E402
from mercer.learners.metric import KNNClassifier  # noqa: E402
from mercer.tables.machine import TableMachine  # noqa: E402


def sample(n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(int)


MODELS = {
    "svc": lambda X, y: mercer.SVC(probability=True, random_state=0).fit(X, y),
    "holdout": lambda X, y: mercer.certified_fit(mercer.SVC(), X, y, mode="holdout"),
    "progressive": lambda X, y: mercer.certified_fit(mercer.SVC(), X, y, mode="progressive"),
    "pipeline": lambda X, y: make_pipeline(StandardScaler(), mercer.NuSVC()).fit(X, y),
    "ridge": lambda X, y: mercer.KernelRidge(kernel="rbf").fit(X, X[:, 1]),
    "risk": lambda X, y: mercer.learners.KernelLogistic().fit(X, y),
    "gp": lambda X, y: mercer.GaussianProcessRegressor.automatic().fit(X[:20], X[:20, 1]),
    "rvm": lambda X, y: mercer.RelevanceVectorRegressor().fit(X, X[:, 1]),
    "knn": lambda X, y: KNNClassifier().fit(X, y),
    "lipschitz": lambda X, y: mercer.LipschitzClassifier().fit(X, y),
    "table": lambda X, y: TableMachine(kernel="gaussian", time_limit=1.0).fit(X, y),
}


@pytest.mark.parametrize("kind", MODELS)
def test_the_same_model_comes_back(kind, tmp_path):
    X, y = sample()
    model = MODELS[kind](X, y)
    again = from_skops(to_skops(model, tmp_path / "m.skops"))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_writing_leaves_the_model_as_it_was(tmp_path):
    X, y = sample()
    model = KNNClassifier().fit(X, y)
    before = dict(vars(model))
    to_skops(model, tmp_path / "m.skops")
    assert vars(model) == before
    with zipfile.ZipFile(tmp_path / "m.skops") as archive:
        assert "_search" not in archive.read("schema.json").decode().replace("_searched", "")


def test_a_file_outlives_the_names_of_modules(tmp_path):
    """As if the classes had stood elsewhere when the file was written."""
    X, y = sample()
    model = mercer.SVC().fit(X, y)
    path = to_skops(model, tmp_path / "m.skops")
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name in ("schema.json", "mercer-tags.json"):
        parts[name] = parts[name].replace(b"mercer.learners.margin.svm", b"mercer.learners.gone")
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    np.testing.assert_array_equal(from_skops(path).predict(X), model.predict(X))


@pytest.mark.parametrize("rule", ["scale", "median"])
def test_a_choice_made_from_the_rows_is_not_forgotten(rule, tmp_path):
    X, y = sample()
    model = mercer.SVC(kernel=kernels.Gaussian(rule)).fit(X, y)
    inside = make_pipeline(StandardScaler(), model)
    again = from_skops(to_skops(inside, tmp_path / "m.skops"))[-1]
    assert again.evidence_.choices
    assert again.evidence_ == model.evidence_
    assert again.certificate_.value == model.certificate_.value


def test_the_trusted_types_are_those_that_skops_asks_for(tmp_path):
    path = to_skops(mercer.SVC().fit(*sample()), tmp_path / "m.skops")
    names = trusted_types(path)
    assert "mercer.learners.margin.svm.svc.SVC" in names
    assert all(name.startswith("mercer.") for name in names)
    assert isinstance(io.load(path, trusted=names), mercer.SVC)
    with pytest.raises(io.exceptions.UntrustedTypesFoundException):
        io.load(path)


def cube(X, Y):
    return (X @ Y.T) ** 3


def halved(X):
    return X / 2


def test_functions_do_not_go(tmp_path):
    X, y = sample()
    for model in (
        mercer.SVC(kernel=cube).fit(X, y),
        make_pipeline(FunctionTransformer(halved), mercer.SVC()).fit(X, y),
    ):
        with pytest.raises(NotExportable):
            to_skops(model, tmp_path / "m.skops")
    assert not list(tmp_path.iterdir())


def test_foreign_files_are_not_opened(tmp_path):
    path = tmp_path / "m.skops"
    io.dump(FunctionTransformer(cube), path)
    with pytest.raises(DataError, match="asks to trust"):
        from_skops(path)
    path.write_bytes(b"PK not a zip")
    with pytest.raises(DataError, match="not a skops file"):
        from_skops(path)
    with pytest.raises(DataError, match="no file"):
        from_skops(tmp_path / "none.skops")


def test_a_function_of_mercer_is_not_a_trusted_type(tmp_path):
    path = tmp_path / "m.skops"
    io.dump(FunctionTransformer(mercer.save), path)
    with pytest.raises(DataError, match="asks to trust"):
        trusted_types(path)
