"""Smoothed errors, what is dropped on the way, and which costs are not tried at all."""

import math
from dataclasses import replace

import numpy as np
import pytest
import sklearn.svm
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline

from mercer import SVC, SVR, KernelSearch, NuSVC
from mercer.selection import _fold_paths as fold_paths
from mercer.selection._margin_route import MarginRoute
from mercer.selection._outcome import LATE, Outcome
from mercer.selection.criteria import NotForThis
from mercer.selection.criteria.smooth_kfold import soft_errors, width

FOLDS = StratifiedKFold(4)
GRID = {"C": 10.0 ** np.arange(-2.0, 3.0), "gamma": 10.0 ** np.arange(-3.0, 2.0)}


def two_classes(n=160, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] * X[:, 1] + 0.4 * rng.normal(size=n) > 0, "yes", "no")


def numbers(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)


def slow_soft_errors(signs, outputs, weight, rows):
    """One row after the other, by the error function."""
    size = math.sqrt(sum(f * f for f in outputs) / len(outputs))
    share = min(0.5, 2.0 / rows ** (1 / 3))
    each = [
        0.5 * math.erfc(s * f / (share * size) / math.sqrt(2))
        for s, f in zip(signs, outputs, strict=True)
    ]
    return sum(w * e for w, e in zip(weight, each, strict=True)) / sum(weight)


def test_soft_errors_against_the_definition():
    rng = np.random.default_rng(0)
    signs, outputs = np.where(rng.random(50) < 0.5, 1.0, -1.0), rng.normal(size=50)
    weight = rng.uniform(0.5, 2.0, 50)
    for rows in (30, 50, 400):
        found = soft_errors(signs, outputs, weight, rows)
        assert found == pytest.approx(slow_soft_errors(signs, outputs, weight, rows), abs=1e-12)
    assert soft_errors(signs, 7.0 * outputs, weight, 50) == pytest.approx(
        soft_errors(signs, outputs, weight, 50)
    )
    assert soft_errors(signs, np.zeros(50), None, 50) == 0.5


def test_soft_errors_become_counts_on_large_samples():
    rng = np.random.default_rng(1)
    signs, outputs = np.where(rng.random(60) < 0.5, 1.0, -1.0), rng.normal(size=60)
    outputs += 0.05 * np.sign(outputs)
    counted = np.mean(signs * outputs <= 0)
    assert soft_errors(signs, outputs, None, 10**9) == pytest.approx(counted, abs=1e-9)
    assert width(10) == 0.5
    assert width(1000) == pytest.approx(0.2)


def test_the_smooth_criterion_against_scikit_learn_and_its_dropping_is_sound():
    X, y = two_classes(200)
    search = KernelSearch(
        SVC(certify=None, tol=1e-6), kernels="rbf", param_grid=GRID, cv=FOLDS
    ).fit(X, y)
    assert search.criterion_ == "cv-smooth"
    assert np.sum(search.results_["status"] == "pruned") > 3
    sign = np.where(y == "yes", 1.0, -1.0)
    values = []
    for setting, status, found in zip(
        search.results_["params"], search.results_["status"], search.results_["value"], strict=True
    ):
        gamma = 0.5 / setting["kernel"].length_scale ** 2
        machine = sklearn.svm.SVC(C=setting["C"], gamma=gamma, tol=1e-6)
        losses = []
        for train, test in FOLDS.split(X, y):
            output = machine.fit(X[train], y[train]).decision_function(X[test])
            losses.append(slow_soft_errors(sign[test], output, np.ones(len(test)), len(y)))
        values.append(np.mean(losses))
        if status == "done":
            assert found == pytest.approx(values[-1], abs=1e-4)
        else:
            assert search.best_value_ < found <= values[-1] + 1e-4
    assert search.best_value_ == pytest.approx(min(values), abs=1e-4)
    assert search.results_["rank_test_score"][search.best_index_] == 1


def test_dropping_regressions_changes_no_choice(monkeypatch):
    X, y = numbers()
    search = KernelSearch(SVR(certify=None, tol=1e-6), kernels="rbf", param_grid=GRID, cv=KFold(5))
    pruned = search.fit(X, y)
    statuses, values = pruned.results_["status"], pruned.results_["value"]
    best = pruned.best_params_
    monkeypatch.setattr(fold_paths, "STAGES", ())
    whole = search.fit(X, y)
    assert np.sum(statuses == "pruned") > 3
    assert np.all(whole.results_["status"] == "done")
    assert whole.best_params_["C"] == best["C"]
    for value, status, exact in zip(values, statuses, whole.results_["value"], strict=True):
        if status == "pruned":
            assert whole.best_value_ < value <= exact + 1e-4
        else:
            assert value == pytest.approx(exact, abs=1e-4)


# -- costs that are not tried ----------------------------------------------------------------------


def done(value):
    return Outcome(value, score=-value)


def test_a_cost_worse_than_one_before_ends_the_climb():
    assert fold_paths._worsens([[0.3, 0.3, 0.3], [0.4, 0.41, 0.39]])
    assert not fold_paths._worsens([[0.3, 0.3, 0.3], [0.2, 0.5, 0.3]])  # could be chance
    assert not fold_paths._worsens([[0.4, 0.4], [0.3, 0.3]])
    assert not fold_paths._worsens([[0.3], [0.9]])  # one fold has no spread
    # only the folds that both have are compared: the first cost was dropped after two
    assert not fold_paths._worsens([[0.7, 0.7], [0.6, 0.6, 0.9, 0.9]])


def test_a_path_that_cannot_reach_the_best_ends():
    assert fold_paths._cannot_reach([done(0.5), done(0.45)], bar=0.2)
    assert not fold_paths._cannot_reach([done(0.5), done(0.45)], bar=0.26)
    assert not fold_paths._cannot_reach([done(0.5)], bar=0.1)
    assert not fold_paths._cannot_reach([done(0.5), Outcome(math.nan, LATE)], bar=0.1)


@pytest.mark.parametrize(("data", "learner"), [(two_classes, SVC), (numbers, SVR)])
def test_climbing_leaves_out_dear_costs_and_keeps_the_choice(data, learner, monkeypatch):
    X, y = data(150)
    search = KernelSearch(learner(certify=None), random_state=0)
    quick = search.fit(X, y)
    best, skipped = quick.best_params_, quick.results_["status"] == "skipped"
    assert skipped.any()
    costs = np.array([p["C"] for p in quick.results_["params"]])
    assert costs[skipped].min() > fold_paths.CHEAP_COST
    assert np.isnan(quick.results_["value"][skipped]).all()
    monkeypatch.setattr(fold_paths, "CHEAP_COST", math.inf)
    whole = search.fit(X, y)
    assert not np.any(whole.results_["status"] == "skipped")
    assert whole.best_params_["C"] == best["C"]
    assert whole.best_kernel_.length_scale == best["kernel"].length_scale


def test_what_the_user_lists_is_tried_completely():
    X, y = two_classes(120)
    search = KernelSearch(SVC(certify=None), param_grid={"C": [0.1, 1.0, 10.0, 100.0, 1000.0]})
    assert not np.any(search.fit(X, y).results_["status"] == "skipped")


def test_what_the_deadline_cuts_off_is_not_scored(monkeypatch):
    X, y = two_classes(120)
    solve = MarginRoute.solve

    def cut(route, gram, jobs, models, deadline):
        paths = solve(route, gram, jobs, models, deadline)
        late = [model.C > 1 for model in models]
        return [
            [replace(s, stopped="time_limit") if cut else s for s, cut in zip(p, late, strict=True)]
            for p in paths
        ]

    monkeypatch.setattr(MarginRoute, "solve", cut)
    for criterion in ("cv", "cv-smooth", "span"):
        search = KernelSearch(
            SVC(certify=None),
            kernels="rbf",
            param_grid={"C": [0.1, 1.0, 10.0], "gamma": [0.3]},
            criterion=criterion,
        ).fit(X, y)
        assert search.results_["status"].tolist() == ["done", "done", LATE]
        assert search.stopped_ == "time limit"
        assert search.best_params_["C"] <= 1.0


# -- where the smooth criterion does not apply -----------------------------------------------------


def test_smooth_errors_are_for_two_classes_and_no_scorer():
    X, y = two_classes(90)
    with pytest.raises(NotForThis, match="two classes"):
        KernelSearch(SVC(), criterion="cv-smooth", scoring="roc_auc").fit(X, y)
    with pytest.raises(NotForThis, match="two classes"):
        KernelSearch(SVC(), criterion="cv-smooth").fit(X, np.arange(90) % 3)
    supervised = make_pipeline(SelectKBest(k=2), SVC(certify=None))
    params = {"C": [1.0, 10.0]}
    with pytest.raises(NotForThis, match="do not look at the labels"):
        KernelSearch(supervised, kernels=None, param_grid=params, criterion="cv-smooth").fit(X, y)
    assert KernelSearch(supervised, kernels=None, param_grid=params).fit(X, y).criterion_ == "cv"
    assert KernelSearch(SVC(), scoring="roc_auc").fit(X, y).criterion_ == "cv"
    assert KernelSearch(SVC()).fit(X, np.arange(90) % 3).criterion_ == "cv"


def test_a_nu_too_large_for_the_classes_fails_alone():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.arange(40) % 4 == 0  # ν may be at most 0.5
    X[y] += 3.0
    grid = {"nu": [0.2, 0.3, 0.9]}
    search = KernelSearch(NuSVC(kernel="linear"), kernels=None, param_grid=grid, cv=FOLDS).fit(X, y)
    assert search.best_params_["nu"] in (0.2, 0.3)
    assert np.isfinite(search.cv_results_["mean_test_score"]).tolist() == [True, True, False]
