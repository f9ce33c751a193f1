"""ONNX files: onnxruntime must give the values that Mercer gives, and what cannot go says why."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    RobustScaler,
    StandardScaler,
)

pytest.importorskip("onnx", reason="needs the extra mercer[onnx]")
runtime = pytest.importorskip("onnxruntime", reason="needs the extra mercer[onnx]")

from mercer import (  # noqa: E402
    SVC,
    SVR,
    KernelPCA,
    KernelRidge,
    KernelSearch,
    NuSVC,
    NuSVR,
    OneClassSVM,
    certified_fit,
)
from mercer.io.export import NotExportable, to_onnx  # noqa: E402
from mercer.kernels import Columns, Gaussian, Laplacian  # noqa: E402
from mercer.learners.margin import SVDD  # noqa: E402
from mercer.tables.machine import TableMachine  # noqa: E402

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 3, "coef0": 1.0, "gamma": 0.3},
    {"kernel": "rbf", "gamma": 0.4},
    {"kernel": Gaussian(np.array([0.5, 2.0, np.inf]))},
    {"kernel": Columns([[0], [1, 2]], "anova", 1.3)},
    {"kernel": Columns([[0], [1, 2]], "sum", 0.7, weights=(1.0, 3.0))},
    {"kernel": Columns(None, "product", 1.5)},
]


def name(setting):
    return str(next(iter(setting.values())))


def sample(classes=2, n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) + 5.0
    angle = np.arctan2(X[:, 0] - 5, X[:, 1] - 5) + 0.3 * rng.normal(size=n)
    y = np.floor((angle + np.pi) / (2 * np.pi) * classes).astype(int).clip(0, classes - 1)
    return X, y, rng.normal(size=(40, 3)) + 5.0


def run(model, X, tmp_path, **options):
    path = to_onnx(model, tmp_path / "m.onnx", **options)
    session = runtime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    X = np.asarray(X, dtype=options.get("dtype", "float64"))
    feed = {"X": X}
    if session.get_inputs()[0].name != "X":  # a table: one input per column
        feed = {i.name: X[:, [j]] for j, i in enumerate(session.get_inputs())}
    found = session.run(None, feed)
    return dict(zip([o.name for o in session.get_outputs()], found, strict=True)), session


def assert_same(found, wanted, **tolerance):
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, **({"rtol": 1e-9, "atol": 1e-9} | tolerance))


@pytest.mark.parametrize("setting", KERNELS, ids=name)
@pytest.mark.parametrize("classes", [2, 4])
def test_classifiers_decide_alike(setting, classes, tmp_path):
    X, y, new = sample(classes)
    model = SVC(**setting).fit(X, y)
    found, _ = run(model, new, tmp_path)
    assert_same(found["decision"], model.decision_function(new))
    np.testing.assert_array_equal(found["label"], model.predict(new))
    assert len(set(found["label"].tolist())) > 1


@pytest.mark.filterwarnings("ignore:The kernel:UserWarning")
def test_the_sigmoid_kernel(tmp_path):
    X, y, new = sample()
    model = SVC(kernel="sigmoid", gamma=0.05, coef0=-0.5).fit(X, y)
    assert_same(run(model, new, tmp_path)[0]["decision"], model.decision_function(new))


@pytest.mark.parametrize("labels", [("no", "yes", "maybe", "never"), (2.0, 3.0, 7.0, 9.0)])
@pytest.mark.parametrize(
    "how",
    [{"multi_class": "ovr"}, {"multi_class": "dag"}, {"decision_function_shape": "ovo"},
     {"break_ties": True}],
    ids=str,
)  # fmt: skip
def test_every_scheme_for_several_classes(how, labels, tmp_path):
    X, y, new = sample(4)
    kind = NuSVC(nu=0.1, **how) if labels[0] == "no" else SVC(**how)
    model = kind.fit(X, np.array(labels)[y])
    found, _ = run(model, new, tmp_path)
    assert_same(found["decision"], model.decision_function(new))
    np.testing.assert_array_equal(found["label"], model.predict(new))


def test_two_classes_have_probabilities(tmp_path):
    X, y, new = sample()
    model = SVC(probability=True, random_state=0).fit(X, y == 1)
    found, _ = run(model, new, tmp_path)
    assert_same(found["probability"], model.predict_proba(new))
    np.testing.assert_array_equal(found["label"], model.predict(new))
    several = SVC(probability=True, random_state=0).fit(*sample(3)[:2])
    assert set(run(several, new, tmp_path)[0]) == {"label", "decision"}


@pytest.mark.parametrize("setting", KERNELS, ids=name)
def test_regressions_predict_alike(setting, tmp_path):
    X, _, new = sample()
    target = np.sin(X[:, 0]) + X[:, 1]
    for model in (
        SVR(**setting),
        NuSVR(**setting),
        KernelRidge(0.1, fit_intercept=True, **setting),
    ):
        model.fit(X, target)
        assert_same(
            run(model, new, tmp_path)[0]["prediction"], model.predict(new), rtol=1e-7, atol=1e-7
        )


def test_several_targets_and_novelty(tmp_path):
    X, _, new = sample()
    ridge = KernelRidge(0.1, kernel="rbf").fit(X, X[:, :2] ** 2)
    assert_same(
        run(ridge, new, tmp_path)[0]["prediction"], ridge.predict(new), rtol=1e-7, atol=1e-7
    )
    plain = make_pipeline(PCA(2), Ridge()).fit(X, X[:, :2] ** 2)
    assert_same(run(plain, new, tmp_path)[0]["prediction"], plain.predict(new))
    novelty = OneClassSVM(nu=0.3).fit(X)
    found, _ = run(novelty, new, tmp_path)
    assert_same(found["decision"], novelty.decision_function(new))
    np.testing.assert_array_equal(found["label"], novelty.predict(new))


@pytest.mark.parametrize(
    "scaler",
    [StandardScaler(), StandardScaler(with_std=False), RobustScaler(), MinMaxScaler(clip=True)],
    ids=str,
)
def test_pipelines_with_scalers(scaler, tmp_path):
    X, y, new = sample(3)
    model = make_pipeline(scaler, "passthrough", SVC()).fit(X, y)
    assert_same(run(model, new * 2, tmp_path)[0]["decision"], model.decision_function(new * 2))


def test_one_column_keeps_double_precision(tmp_path):
    X, y, new = sample(2)
    for machine in (SVC(kernel="linear"), SVC(kernel="poly"), SVC()):
        model = make_pipeline(StandardScaler(with_mean=False), machine).fit(X[:, :1], y)
        assert_same(
            run(model, new[:, :1], tmp_path)[0]["decision"], model.decision_function(new[:, :1])
        )


def test_single_precision_is_close_and_training_in_it_is_followed(tmp_path):
    X, y, new = sample(3)
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    found, _ = run(model, new, tmp_path, dtype="float32")
    assert found["decision"].dtype == np.float32
    assert_same(found["decision"], model.decision_function(new), rtol=1e-4, atol=1e-4)
    single = SVC(gamma=30.0).fit(X.astype(np.float32), y)
    assert_same(run(single, new, tmp_path)[0]["decision"], single.decision_function(new), atol=1e-5)


def test_what_the_command_fits_from_a_table_of_numbers(tmp_path):
    X, y, new = sample(2, 80)
    X[::7, 0] = np.nan
    X[3, 2] = 1e6  # a heavy tail, which is drawn in
    new[0, 0], new[1, 1], new[2, 2] = np.nan, np.inf, -1e9
    quick = {"kernel": "gaussian", "time_limit": 2.0}
    model = TableMachine(names=["a", "b", "c"], **quick).fit(X, y)
    found, session = run(model, new, tmp_path)
    assert_same(found["decision"], model.decision_function(new))
    np.testing.assert_array_equal(found["label"], model.predict(new))
    assert session.get_modelmeta().custom_metadata_map["mercer.columns"] == '["a", "b", "c"]'
    number = TableMachine("regression", **quick).fit(X, X[:, 1] * 100 + 7)
    assert_same(run(number, new, tmp_path)[0]["prediction"], number.predict(new))


@pytest.mark.parametrize("classes", [2, 3])
def test_searched_tables_answer_alike(classes, tmp_path):
    X, y, new = sample(classes, 150)
    quick = {"kernel": "gaussian", "time_limit": 1.0, "rank": 20, "search_rows": 60}
    model = TableMachine(**quick).fit(X, y)
    found, _ = run(model, new, tmp_path)
    assert_same(found["decision"], model.decision_function(new))
    if classes == 2:
        assert_same(found["probability"], model.predict_proba(new))
    np.testing.assert_array_equal(found["label"], model.predict(new))
    number = TableMachine("regression", **quick).fit(X, X[:, 1] + classes)
    assert_same(run(number, new, tmp_path)[0]["prediction"], number.predict(new))


def test_the_certificate_travels_as_text(tmp_path):
    X, y, new = sample(2)
    model = certified_fit(SVC(), X, y, mode="holdout")
    facts = run(model, new, tmp_path)[1].get_modelmeta().custom_metadata_map
    assert facts["mercer.certificate"] == model.certificate_.explain()


def test_a_machine_without_support_vectors_is_a_constant(tmp_path):
    X, _, new = sample()
    model = SVR(epsilon=100.0).fit(X, X[:, 0])
    assert_same(run(model, new, tmp_path)[0]["prediction"], model.predict(new))


def square(X):
    return X**2


@pytest.mark.filterwarnings("ignore::mercer.learners._kernel.IndefiniteKernelWarning")
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda X, y: SVC(kernel=Laplacian(1.0)).fit(X, y), "kernel Laplacian"),
        (lambda X, y: SVC(kernel="precomputed").fit(X @ X.T, y), "kernel Precomputed"),
        (lambda X, y: certified_fit(SVC(), X, y, mode="progressive"), "Mixture"),
        (lambda X, y: certified_fit(SVC(), X, y, mode="selective"), "refuse to answer"),
        (lambda X, y: KernelPCA().fit(X), "KernelPCA cannot"),
        (lambda X, y: SVDD().fit(X), "SVDD cannot"),  # its answers also need k(x, x)
        (lambda X, y: make_pipeline(Normalizer(), SVC()).fit(X, y), "step Normalizer"),
        (lambda X, y: make_pipeline(FunctionTransformer(square), SVC()).fit(X, y), "Python code"),
        (lambda X, y: KernelRidge(kernel="poly", degree=2.5).fit(abs(X), y), "whole degree"),
        (lambda X, y: TableMachine(kernel="gaussian", time_limit=1.0).fit(
            np.column_stack([X.astype(object), [f"some text of {i} words" for i in range(len(y))]]),
            y), "treated as text"),
    ],
    ids=["laplacian", "precomputed", "mixture", "selective", "pca", "ball", "step", "function",
         "degree", "text"],
)  # fmt: skip
def test_what_cannot_be_exported_says_why_and_writes_nothing(make, reason, tmp_path):
    X, y, _ = sample(2)
    with pytest.raises(NotExportable, match=reason):
        to_onnx(make(X, y), tmp_path / "m.onnx")
    assert not list(tmp_path.iterdir())


def test_sparse_training_rows_and_finished_searches(tmp_path):
    X, y, new = sample(2)
    X[X < 5], new[new < 5] = 0.0, 0.0
    for kernel in ("linear", "rbf"):
        model = make_pipeline(MaxAbsScaler(), SVC(kernel=kernel)).fit(sparse.csr_array(X), y)
        assert_same(run(model, new, tmp_path)[0]["decision"], model.decision_function(new))
    search = KernelSearch(SVC(), kernels=["gaussian"], param_grid={"C": [1.0, 10.0]}).fit(X, y)
    assert_same(run(search, new, tmp_path)[0]["decision"], search.decision_function(new))
