"""KernelSearch: the same choice as a slow search, its table, limits, and what it costs nothing."""

import time

import numpy as np
import pytest
import sklearn.svm
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC, SVR, KernelSearch, NuSVC
from mercer.kernels import Gaussian, Linear
from mercer.learners.regression import KernelRidge

GRID = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.03, 0.3, 3.0]}
FOLDS = StratifiedKFold(4)


def two_classes(n=160, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] * X[:, 1] + 0.4 * rng.normal(size=n) > 0, "yes", "no")


def three_classes(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.digitize(X[:, 0] + 0.4 * rng.normal(size=n), [-0.5, 0.5])


def numbers(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)


def by_setting(search):
    """Mean score by (cost, gamma) of the candidates that were trained to the end."""
    found = {}
    for setting, status, score in zip(
        search.results_["params"],
        search.results_["status"],
        search.results_["mean_test_score"],
        strict=True,
    ):
        if status == "done":
            gamma = 0.5 / setting["kernel"].length_scale ** 2
            found[round(np.log10(setting["C"]), 6), round(np.log10(gamma), 6)] = score
    return found


@pytest.mark.parametrize("data", [two_classes, three_classes])
@pytest.mark.parametrize("options", [{}, {"class_weight": "balanced"}])
def test_the_same_scores_as_a_grid_search(data, options):
    X, y = data()
    slow = GridSearchCV(sklearn.svm.SVC(tol=1e-6, **options), GRID, cv=FOLDS).fit(X, y)
    fast = KernelSearch(
        SVC(tol=1e-6, certify=None, **options),
        kernels="rbf",
        param_grid=GRID,
        cv=FOLDS,
        criterion="cv",
    ).fit(X, y)
    scores = by_setting(fast)
    assert len(scores) >= 4
    for setting, score in zip(
        slow.cv_results_["params"], slow.cv_results_["mean_test_score"], strict=True
    ):
        key = round(np.log10(setting["C"]), 6), round(np.log10(setting["gamma"]), 6)
        if key in scores:
            assert scores[key] == pytest.approx(score, abs=1e-9)
        else:  # dropped: it could not have won
            assert score < fast.best_score_
    assert fast.best_score_ == pytest.approx(slow.best_score_, abs=1e-9)


def test_regression_agrees_with_a_grid_search():
    X, y = numbers()
    grid = {"C": [1.0, 10.0], "gamma": [0.1, 1.0], "epsilon": [0.05, 0.2]}
    slow = GridSearchCV(sklearn.svm.SVR(tol=1e-7), grid, cv=KFold(4)).fit(X, y)
    fast = KernelSearch(
        SVR(tol=1e-7, certify=None), kernels="rbf", param_grid=grid, cv=KFold(4)
    ).fit(X, y)
    assert fast.best_score_ == pytest.approx(slow.best_score_, abs=1e-5)
    assert fast.best_params_["epsilon"] == slow.best_params_["epsilon"]
    assert fast.score(X, y) == pytest.approx(slow.score(X, y), abs=1e-4)


@pytest.mark.parametrize("scoring", ["roc_auc", "balanced_accuracy", "f1_macro"])
def test_scorers(scoring):
    X, y = two_classes()
    slow = GridSearchCV(sklearn.svm.SVC(tol=1e-8), GRID, cv=FOLDS, scoring=scoring).fit(X, y)
    fast = KernelSearch(
        SVC(tol=1e-8, certify=None), kernels="rbf", param_grid=GRID, cv=FOLDS, scoring=scoring
    ).fit(X, y)
    assert np.all(fast.results_["status"] == "done")  # nothing is dropped by another score
    assert fast.best_score_ == pytest.approx(slow.best_score_, abs=1e-5)
    assert fast.score(X, y) == pytest.approx(slow.score(X, y), abs=1e-6)


def test_dropping_candidates_changes_no_choice():
    """The sound rule: the winner and its score are those of the search that trains everything."""
    X, y = two_classes(200)
    params = {"C": 10.0 ** np.arange(-2.0, 3.0), "gamma": 10.0 ** np.arange(-3.0, 2.0)}
    pruned = KernelSearch(
        SVC(certify=None), kernels="rbf", param_grid=params, cv=FOLDS, criterion="cv"
    ).fit(X, y)
    whole = KernelSearch(
        SVC(certify=None), kernels="rbf", param_grid=params, cv=FOLDS, scoring="accuracy"
    ).fit(X, y)
    assert np.sum(pruned.results_["status"] == "pruned") > 3
    assert np.all(whole.results_["status"] == "done")
    assert pruned.best_score_ == pytest.approx(whole.best_score_)
    for value, status, score in zip(
        pruned.results_["value"],
        pruned.results_["status"],
        whole.results_["mean_test_score"],
        strict=True,
    ):
        if status == "pruned":  # its value is what it would have at best
            assert value <= 1 - score + 1e-9


def test_the_default_finds_a_good_model():
    X, y, law = mercer.datasets.make_ringnorm(300, random_state=0)
    search = KernelSearch(random_state=0).fit(X, y)
    assert law.risk(search.predict, n=20_000) < law.bayes_risk + 0.03
    assert search.stopped_ == "finished"
    assert search.criterion_ == "cv-smooth"
    again = KernelSearch(random_state=0).fit(X, y)
    assert again.best_params_["C"] == search.best_params_["C"]
    assert np.array_equal(again.results_["value"], search.results_["value"], equal_nan=True)


def test_the_best_at_an_edge_is_followed_outwards():
    """Columns in other units than the labels' structure: the median distance is far off."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), 300 * rng.normal(size=200)])
    y = np.sin(X[:, 1] / 8) > 0
    search = KernelSearch(SVC(certify=None)).fit(X, y)
    first = 2.0**-3 * mercer.kernels.bandwidth.median_distance(X)
    assert search.results_["bandwidth"].min() < first


def test_numbers_get_a_regression():
    X, y = numbers()
    search = KernelSearch().fit(X, y)
    assert is_regressor(search)
    assert isinstance(search.best_estimator_, SVR)
    assert search.score(X, y) > 0.8
    X, y = two_classes()
    search = KernelSearch().fit(X, y)
    assert is_classifier(search)
    assert set(search.classes_) == {"no", "yes"}
    with pytest.raises(ValueError, match="KernelSearch\\(SVR"):
        KernelSearch().fit(np.zeros((80, 1)), np.arange(80))


def test_kernels_are_compared():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 8))
    y = X @ rng.normal(size=8) > 0
    search = KernelSearch(SVC(certify=None), kernels=["gaussian", "linear", Gaussian(0.1)]).fit(
        X, y
    )
    assert set(search.results_["family"]) == {"gaussian", "linear"}
    assert search.best_score_ > 0.9
    only = KernelSearch(SVC(certify=None), kernels=Linear()).fit(X, y)
    assert all(k == Linear() or isinstance(k, Linear) for k in only.results_["param_kernel"])


def test_a_kernel_of_the_user_stays():
    X, y = two_classes()
    search = KernelSearch(SVC(kernel=Gaussian(0.7), certify=None), random_state=0).fit(X, y)
    assert search.best_kernel_ is None
    assert search.best_estimator_.kernel_.length_scale == 0.7
    K = Gaussian(0.7)(X)
    pre = KernelSearch(SVC(kernel="precomputed", certify=None), random_state=0).fit(K, y)
    assert pre.best_score_ == pytest.approx(search.best_score_)
    assert np.array_equal(pre.predict(K), search.predict(X))


def test_sparse_data_give_the_same_choice():
    X, y = two_classes()
    params = {"C": [1.0, 10.0], "gamma": [0.1, 1.0]}
    dense = KernelSearch(SVC(certify=None), param_grid=params, cv=FOLDS).fit(X, y)
    thin = KernelSearch(SVC(certify=None), param_grid=params, cv=FOLDS).fit(sparse.csr_matrix(X), y)
    assert thin.best_score_ == pytest.approx(dense.best_score_)
    assert np.array_equal(thin.predict(sparse.csr_matrix(X)), dense.predict(X))


def test_a_memory_limit_changes_the_route_not_the_choice():
    X, y = two_classes(300)
    params = {"C": [1.0, 10.0], "gamma": [0.1, 1.0]}
    roomy = KernelSearch(SVC(certify=None), param_grid=params, cv=FOLDS).fit(X, y)
    tight = KernelSearch(SVC(certify=None), param_grid=params, cv=FOLDS, memory_limit="1MB")
    tight.fit(X, y)
    assert tight.best_score_ == pytest.approx(roomy.best_score_, abs=0.01)
    with pytest.raises(MemoryError, match="memory limit"):
        KernelSearch(KernelRidge(), memory_limit="1MB").fit(X, X[:, 0])


def test_pipelines():
    X, y = two_classes()
    X = X * [1.0, 100.0, 0.01]
    search = KernelSearch(make_pipeline(StandardScaler(), SVC(certify=None))).fit(X, y)
    assert set(search.best_params_) == {"svc__kernel", "svc__C"}
    assert search.score(X, y) > 0.75
    assert "one Gram" in search.route_
    # a step that reads the labels is trained inside every fold
    chosen = make_pipeline(SelectKBest(k=2), SVC(certify=None))
    slow = KernelSearch(chosen, param_grid={"svc__C": [0.1, 1.0]}, cv=3).fit(X, y)
    assert "per candidate and fold" in slow.route_
    reference = GridSearchCV(chosen, {"svc__C": [0.1, 1.0]}, cv=FOLDS).fit(X, y)
    slow = KernelSearch(chosen, param_grid={"svc__C": [0.1, 1.0]}, cv=FOLDS).fit(X, y)
    assert slow.best_score_ == pytest.approx(reference.best_score_)


def test_any_estimator():
    X, y = numbers()
    search = KernelSearch(Ridge(), param_grid={"alpha": [0.1, 1.0, 1e4]}, cv=KFold(5)).fit(X, y)
    slow = GridSearchCV(Ridge(), {"alpha": [0.1, 1.0, 1e4]}, cv=KFold(5)).fit(X, y)
    assert search.best_params_ == slow.best_params_
    assert np.allclose(search.cv_results_["mean_test_score"], slow.cv_results_["mean_test_score"])


def test_probabilities_take_the_slow_route():
    X, y = two_classes(80)
    search = KernelSearch(
        SVC(probability=True, certify=None), param_grid={"C": [1.0]}, cv=3, scoring="neg_log_loss"
    ).fit(X, y)
    assert search.best_score_ < 0
    assert search.predict_proba(X).shape == (80, 2)
    assert not hasattr(KernelSearch(SVC()).fit(X, y), "predict_proba")


def test_groups_and_other_splitters():
    X, y = two_classes(120)
    groups = np.arange(120) // 10
    params = {"C": [1.0], "gamma": [0.3]}
    search = KernelSearch(SVC(certify=None), param_grid=params, cv=4).fit(X, y, groups=groups)
    slow = GridSearchCV(sklearn.svm.SVC(C=1.0, gamma=0.3), {}, cv=GroupKFold(4))
    assert search.best_score_ == pytest.approx(slow.fit(X, y, groups=groups).best_score_, abs=1e-9)
    shuffled = ShuffleSplit(3, test_size=0.3, random_state=0)
    search = KernelSearch(SVC(certify=None), param_grid=params, cv=shuffled).fit(X, y)
    slow = GridSearchCV(sklearn.svm.SVC(C=1.0, gamma=0.3), {}, cv=shuffled).fit(X, y)
    assert search.best_score_ == pytest.approx(slow.best_score_, abs=1e-9)


def test_weights_count():
    X, y = two_classes(100)
    params = {"C": [1.0], "gamma": [0.3]}
    folds = [(np.arange(50), np.arange(50, 100))]
    weight = np.ones(100)
    weight[50:] = np.arange(50)
    search = KernelSearch(SVC(certify=None), param_grid=params, cv=folds).fit(X, y, weight)
    model = sklearn.svm.SVC(C=1.0, gamma=0.3).fit(X[:50], y[:50])
    assert search.best_score_ == pytest.approx(model.score(X[50:], y[50:], weight[50:]))


def test_nu_machines_take_their_own_path():
    X, y = two_classes(100)
    search = KernelSearch(NuSVC(certify=None), cv=3).fit(X, y)
    assert 0 < search.best_params_["nu"] <= 0.8
    assert search.best_score_ > 0.6


def test_time_limit_and_stop_by_progress():
    X, y = two_classes(200)
    params = {"C": 10.0 ** np.arange(-2.0, 4.0), "gamma": 10.0 ** np.linspace(-3, 1, 15)}
    calls = []

    def enough(state):
        calls.append(state)
        return len(calls) == 2

    search = KernelSearch(SVC(certify=None), param_grid=params, progress=enough).fit(X, y)
    assert search.stopped_ == "asked to stop"
    assert len(calls) == 2
    assert calls[1]["finished"] == 12
    assert np.sum(search.results_["status"] == "not reached") == 78
    assert calls[1]["best_value"] == search.best_value_
    # the clock is looked at between kernels, so the first one is always finished
    nap = {"time_limit": 2.0, "progress": lambda state: time.sleep(2.1)}
    slow = KernelSearch(SVC(certify=None), param_grid=params, **nap).fit(X, y)
    assert slow.stopped_ == "time limit"
    assert np.sum(slow.results_["status"] == "not reached") == 84
    assert slow.predict(X[:2]).shape == (2,)


def test_progress_line(capfd):
    X, y = two_classes(60)
    KernelSearch(SVC(certify=None), param_grid={"C": [1.0], "gamma": [0.1]}, progress=True).fit(
        X, y
    )
    out, err = capfd.readouterr()
    assert out == ""
    assert "1 of 1 candidates" in err


def test_without_refit_there_is_no_model():
    X, y = two_classes(80)
    search = KernelSearch(SVC(certify=None), refit=False).fit(X, y)
    assert "C" in search.best_params_
    with pytest.raises(AttributeError, match="refit=True"):
        search.predict(X)


def test_clone_and_parameters():
    search = KernelSearch(SVC(C=3.0), kernels=["gaussian"], cv=3)
    twin = clone(search)
    assert twin.estimator.C == 3.0
    assert twin.cv == 3
    assert search.set_params(estimator__C=5.0).estimator.C == 5.0


def test_a_model_of_one_class_is_noticed():
    X, y = two_classes(100)
    y = np.where(np.arange(100) < 30, "no", "yes")  # labels without any relation to X
    search = KernelSearch(SVC(certify=None), criterion="rm").fit(X, y)
    assert search.trivial_ == (len(set(search.predict(X))) == 1)
    assert search.trivial_
    assert not KernelSearch(SVC(certify=None)).fit(*two_classes(100)).trivial_
