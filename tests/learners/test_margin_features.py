"""What the margin machines offer beyond scikit-learn's: schemes, hard margins, limits, progress."""

import pickle
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from helpers_interrupt import control_c_after
from mercer import _compat
from mercer.kernels import FromCallable, Gaussian, Linear, Polynomial, Precomputed
from mercer.learners._progress import ProgressLine, fraction_done, seconds_left
from mercer.learners.margin import NotSeparableError

X, y = load_iris(return_X_y=True)
rng = np.random.default_rng(0)


def noisy(n, seed=0):
    generator = np.random.default_rng(seed)
    data = generator.normal(size=(n, 4))
    return data, (data[:, 0] + 0.8 * generator.normal(size=n) > 0).astype(int)


# -- several classes -------------------------------------------------------------------------------


def test_one_versus_rest_is_a_set_of_binary_machines():
    model = mercer.SVC(multi_class="ovr", tol=1e-8).fit(X, y)
    assert model.dual_coef_.shape[0] == 3
    for k in range(3):
        single = mercer.SVC(tol=1e-8).fit(X, (y == k).astype(int))
        assert model.decision_function(X)[:, k] == pytest.approx(
            single.decision_function(X), abs=1e-5
        )
    assert np.array_equal(model.predict(X), model.decision_function(X).argmax(axis=1))


def test_decision_graph_asks_the_pairwise_machines_in_order():
    data, labels = make_blobs(n_samples=120, centers=4, cluster_std=3.0, random_state=1)
    graph = mercer.SVC(multi_class="dag", decision_function_shape="ovo").fit(data, labels)
    votes = mercer.SVC(decision_function_shape="ovo").fit(data, labels)
    pairs = graph.decision_function(data)
    assert pairs == pytest.approx(votes.decision_function(data))
    number = {(0, 1): 0, (0, 2): 1, (0, 3): 2, (1, 2): 3, (1, 3): 4, (2, 3): 5}
    for values, predicted in zip(pairs, graph.predict(data), strict=True):
        left = [0, 1, 2, 3]
        while len(left) > 1:
            loser = left[-1] if values[number[left[0], left[-1]]] > 0 else left[0]
            left.remove(loser)
        assert left == [predicted]


def test_pairwise_machines_do_not_see_other_classes():
    model = mercer.SVC(tol=1e-8, gamma=0.5, decision_function_shape="ovo").fit(X, y)
    rows = np.flatnonzero(y != 1)
    alone = mercer.SVC(tol=1e-8, gamma=0.5).fit(X[rows], y[rows])
    assert -model.decision_function(X)[:, 1] == pytest.approx(alone.decision_function(X), abs=1e-5)


# -- kernels as objects ----------------------------------------------------------------------------


def test_kernel_objects_can_be_searched():
    model = mercer.SVC(kernel=Gaussian(1.0) + Linear())
    grid = GridSearchCV(model, {"kernel__left__length_scale": [0.5, 2.0], "C": [1.0, 10.0]}, cv=3)
    grid.fit(X, y)
    assert grid.best_score_ > 0.9
    assert clone(model).get_params()["kernel__left__length_scale"] == 1.0


def test_kernel_parameters_are_resolved_on_the_training_data():
    model = mercer.SVC(kernel=Gaussian("median")).fit(X, y)
    assert model.kernel.length_scale == "median"
    assert float(model.kernel_.length_scale) > 0
    named = mercer.SVC(kernel="poly", gamma="auto", degree=2, coef0=1.0, tol=1e-8).fit(X, y)
    same = mercer.SVC(kernel=Polynomial(degree=2, coef0=1.0, gamma=0.25), tol=1e-8).fit(X, y)
    assert named.decision_function(X) == pytest.approx(same.decision_function(X), abs=1e-4)


def test_kernels_on_objects():
    words = ["aab", "aba", "baa", "bcc", "ccb", "cbc"]
    labels = [0, 0, 0, 1, 1, 1]
    kernel = FromCallable(lambda a, b: len(set(a) & set(b)), pairwise=True, objects=True)
    model = mercer.SVC(kernel=kernel).fit(words, labels)
    assert model.predict(["ab", "cb", "c"]).tolist() == [0, 1, 1]
    assert set(model.support_vectors_) <= set(words)


def test_precomputed_kernel_object():
    K = Gaussian(1.0)(X)
    named = mercer.SVC(kernel="precomputed").fit(K, y)
    same = mercer.SVC(kernel=Precomputed()).fit(K, y)
    assert np.array_equal(named.decision_function(K), same.decision_function(K))
    with pytest.raises(ValueError, match="square"):
        mercer.SVC(kernel=Precomputed()).fit(K[:, :-1], y)


def test_coef_only_for_linear_kernels():
    assert mercer.SVC(kernel=Linear()).fit(X, y).coef_.shape == (3, 4)
    assert not hasattr(mercer.SVC().fit(X, y), "coef_")


# -- hard margins ----------------------------------------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_hard_margin_is_the_limit_of_soft_ones(fit_intercept):
    data = rng.normal(size=(40, 2))
    labels = np.where(data @ [1.0, -2.0] > 0, 1, -1)
    data += 0.2 * labels[:, None] * np.array([1.0, -2.0])
    options = {"kernel": "linear", "tol": 1e-6, "fit_intercept": fit_intercept}
    hard = mercer.SVC(C=np.inf, **options).fit(data, labels)
    soft = mercer.SVC(C=1e5, **options).fit(data, labels)
    assert hard.decision_function(data) == pytest.approx(soft.decision_function(data), abs=1e-4)
    facts = hard.diagnostics_
    assert facts.functional_margins.min() == pytest.approx(1.0, abs=1e-5)
    assert facts.gap <= 1e-4 * facts.primal
    assert facts.norm**2 == pytest.approx(np.abs(hard.dual_coef_).sum(), rel=1e-4)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_contradictions_are_named(fit_intercept):
    data = rng.normal(size=(30, 2))
    labels = (np.arange(30) % 2).astype(int)
    data[17] = data[4]
    assert labels[17] != labels[4]
    with pytest.raises(NotSeparableError, match="rows ") as caught:
        mercer.SVC(C=np.inf, gamma=5.0, fit_intercept=fit_intercept).fit(data, labels)
    assert {4, 17} <= set(caught.value.rows.tolist())
    assert isinstance(caught.value, ValueError)
    assert pickle.loads(pickle.dumps(caught.value)).rows.tolist() == caught.value.rows.tolist()


def test_overlapping_classes_have_no_hard_margin():
    data, labels = noisy(200)
    with pytest.raises(NotSeparableError, match="cannot be separated even from each other"):
        mercer.SVC(kernel="linear", C=np.inf).fit(data, labels)


def test_hard_tube():
    t = np.linspace(0, 3, 15)[:, None]
    target = np.sin(2 * t[:, 0])
    model = mercer.SVR(kernel=Gaussian(0.5), C=np.inf, epsilon=0.05, tol=1e-5).fit(t, target)
    assert np.abs(model.predict(t) - target).max() <= 0.05 + 1e-4
    with pytest.raises(NotSeparableError, match="tube"):
        mercer.SVR(kernel="linear", C=np.inf, epsilon=0.05).fit(t, target)


@pytest.mark.parametrize("scheme", ["ovo", "ovr"])
def test_hard_margins_of_several_classes(scheme):
    data, labels = make_blobs(n_samples=60, centers=3, cluster_std=0.5, random_state=3)
    model = mercer.SVC(kernel="rbf", C=np.inf, multi_class=scheme).fit(data, labels)
    assert model.score(data, labels) == 1.0
    assert all(f.functional_margins.min() > 0.99 for f in model.diagnostics_)


# -- squared losses --------------------------------------------------------------------------------


def test_squared_hinge_is_a_shifted_kernel():
    data, labels = noisy(60)
    model = mercer.SVC(C=2.0, loss="squared_hinge", gamma=0.5, tol=1e-8).fit(data, labels)
    K = Gaussian(1.0)(data) + np.eye(60) / 4.0
    hard = mercer.SVC(kernel="precomputed", C=1e6, tol=1e-8).fit(K, labels)
    assert model.dual_coef_ == pytest.approx(hard.dual_coef_, abs=1e-5)


# -- limits, warm start, determinism ---------------------------------------------------------------


def test_time_limit_keeps_the_best_so_far():
    data, labels = noisy(6000)
    started = time.process_time()  # what others do on a busy machine does not count
    with pytest.warns(ConvergenceWarning, match=r"time limit.*gap is .*raise time_limit"):
        model = mercer.SVC(C=1e5, time_limit=0.2, kernel="linear").fit(data, labels)
    assert time.process_time() - started < 10
    assert model.solution_.stopped == "time_limit"
    assert model.fit_status_ == 1
    assert model.score(data, labels) > 0.5


def test_interrupt_keeps_the_best_so_far():
    data, labels = noisy(6000)
    with control_c_after(0.5), pytest.warns(ConvergenceWarning, match="interrupted"):
        model = mercer.SVC(C=1e6, kernel="linear", time_limit=20).fit(data, labels)
    assert model.solution_.stopped == "interrupt"
    assert np.all(np.isfinite(model.dual_coef_))


@pytest.mark.parametrize(
    "model",
    [mercer.SVC(C=10.0), mercer.NuSVC(nu=0.2), mercer.SVR(), mercer.NuSVR(), mercer.OneClassSVM()],
    ids=str,
)
def test_warm_start(model):
    model = clone(model).set_params(warm_start=True)
    first = np.sum(model.fit(X, y).n_iter_)
    before = model.predict(X)
    again = np.sum(model.fit(X, y).n_iter_)
    assert again <= max(3, first // 3)
    assert np.mean(model.predict(X) == before) > 0.95 or model.predict(X) == pytest.approx(
        before, abs=5e-3
    )
    model.fit(X[:80], y[:80])  # another number of variables: starts afresh


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_threads_do_not_change_the_result(n_jobs):
    data, labels = noisy(800)
    one = mercer.SVC(n_jobs=1).fit(data, labels)
    many = mercer.SVC(n_jobs=n_jobs).fit(data, labels)
    assert np.array_equal(one.dual_coef_, many.dual_coef_)
    assert one.decision_function(data) == pytest.approx(many.decision_function(data), abs=1e-12)


# -- progress and callbacks ------------------------------------------------------------------------


def test_progress_goes_to_stderr_only(capfd):
    mercer.SVC(verbose=True).fit(X, y)
    out, err = capfd.readouterr()
    assert out == ""
    assert "SVC [" in err
    assert "gap" in err
    assert "iterations" in err


def test_progress_without_rich(capfd, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "rich.console", None)
    with ProgressLine("Test", tol=1e-3) as line:
        line({"gap": 1.0, "n_iter": 10, "seconds": 1.0})
        line({"gap": 0.1, "n_iter": 20, "seconds": 2.0})
    assert "\rTest [########................] gap 1.00e-01 -> 1e-03" in capfd.readouterr().err


def test_progress_arithmetic():
    assert fraction_done(1.0, 0.1, 1e-3) == pytest.approx(1 / 3)
    assert fraction_done(1.0, 1e-4, 1e-3) == 1.0
    assert fraction_done(1.0, 2.0, 1e-3) == 0.0
    assert seconds_left(0.25, 3.0) == pytest.approx(9.0)
    assert seconds_left(0.0, 3.0) is None


@pytest.mark.skipif(not _compat.HAS_CALLBACKS, reason="scikit-learn before 1.9 has no callbacks")
def test_scikit_learn_callbacks_see_the_fit_and_can_stop_it():
    class Watcher:
        def __init__(self):
            self.events = []

        def setup(self, estimator, context):
            self.events.append("setup")

        def on_fit_task_begin(self, estimator, context):
            self.events.append(f"begin {context.task_name}")

        def on_fit_task_end(self, estimator, context):
            self.events.append(f"end {context.task_name}")
            return True

        def teardown(self, estimator, context):
            self.events.append("teardown")

    watcher = Watcher()
    data, labels = noisy(6000)
    model = mercer.SVC(C=1e6, kernel="linear", time_limit=20).set_callbacks(watcher)
    with pytest.warns(ConvergenceWarning, match="best solution so far"):
        model.fit(data, labels)
    assert watcher.events[:2] == ["setup", "begin fit"]
    assert "end working sets" in watcher.events
    assert watcher.events[-2:] == ["end fit", "teardown"]


# -- diagnostics -----------------------------------------------------------------------------------


def test_diagnostics_of_a_classifier():
    data, labels = noisy(150)
    model = mercer.SVC(C=2.0, tol=1e-6).fit(data, labels)
    facts = model.diagnostics_
    signed = np.where(labels == 1, 1, -1)
    margins = signed * model.decision_function(data)
    assert facts.functional_margins == pytest.approx(margins, abs=1e-9)
    assert facts.slacks == pytest.approx(np.maximum(0, 1 - margins), abs=1e-9)
    expected = 0.5 * facts.norm**2 + 2.0 * facts.slacks.sum()
    assert facts.primal == pytest.approx(expected, rel=1e-9)
    assert 0 <= facts.gap <= 1e-4 * facts.primal
    assert facts.geometrical_margins == pytest.approx(margins / facts.norm)
    assert facts.complexity == pytest.approx(facts.radius**2 * facts.norm**2)
    counts = facts.counts()
    assert sum(counts.values()) == 150
    assert counts["misclassified"] == np.sum(model.predict(data) != labels)
    assert counts["on the margin"] == facts.n_free
    assert facts.n_support == model.n_support_.sum()
    outside = facts.states == "outside"
    assert not np.any(np.isin(facts.rows[outside], model.support_))
    assert "support vectors" in repr(facts)


def test_diagnostics_of_several_classes():
    facts = mercer.SVC().fit(X, y).diagnostics_
    assert [f.name for f in facts] == ["0 against 1", "0 against 2", "1 against 2"]
    assert repr(facts).startswith("3 binary problems")
    with pytest.raises(AttributeError, match="see solutions_"):
        mercer.SVC().fit(X, y).solution_  # noqa: B018


@pytest.mark.parametrize(
    "model", [mercer.SVR(C=3.0, tol=1e-6), mercer.NuSVR(C=3.0, tol=1e-6)], ids=str
)
def test_diagnostics_of_a_regression(model):
    target = np.sin(X[:, 0]) + X[:, 2]
    facts = model.fit(X, target).diagnostics_
    residual = np.abs(target - model.predict(X))
    assert facts.functional_margins == pytest.approx(residual, abs=1e-8)
    assert facts.slacks == pytest.approx(np.maximum(residual - facts.tube, 0), abs=1e-8)
    cost = 3.0 * facts.slacks.sum()
    if isinstance(model, mercer.NuSVR):
        cost += 3.0 * model.nu * facts.tube * len(X)
    assert facts.primal == pytest.approx(0.5 * facts.norm**2 + cost, rel=1e-5)
    assert facts.gap <= 1e-4 * facts.primal


def test_diagnostics_of_a_detector():
    model = mercer.OneClassSVM(nu=0.2, tol=1e-6).fit(X)
    facts = model.diagnostics_
    rho = model.offset_[0]
    expected = 0.5 * facts.norm**2 - 0.2 * 150 * rho + facts.slacks.sum()
    assert facts.primal == pytest.approx(expected, rel=1e-6)
    assert facts.counts()["outlier"] <= 0.2 * 150


# -- the ordinary life of an estimator -------------------------------------------------------------


def test_pickle_html_and_feature_names():
    pandas_like = make_pipeline(StandardScaler(), mercer.SVC(probability=True, random_state=0))
    pandas_like.fit(X, y)
    model = pandas_like[-1]
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X[:5]), model.predict_proba(X[:5]))
    assert "SVC" in model._repr_html_()
    assert model.n_features_in_ == 4


def test_results_are_reproducible():
    data, labels = noisy(1500)
    first, second = (mercer.SVC().fit(data, labels) for _ in range(2))
    assert np.array_equal(first.dual_coef_, second.dual_coef_)
    assert np.array_equal(first.intercept_, second.intercept_)
