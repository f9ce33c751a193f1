"""What is wrong, where, and what to do."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.linear_model import Ridge

from mercer import SVC, SVR, KernelSearch
from mercer.kernels import Kernel
from mercer.learners.regression import KernelRidge
from mercer.selection import EveryCandidateFailed
from mercer.selection.criteria import NotForThis

X = np.random.default_rng(0).normal(size=(40, 2))
Y = np.where(X[:, 0] > 0, 1, -1)


class Broken(Kernel):
    """Works on nothing."""

    def __init__(self, width=1.0):
        self.width = width

    def _tile(self, X, Y):
        raise ArithmeticError("no values today")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"param_grid": {"C": []}}, "param_grid\\['C'\\] is empty"),
        ({"param_grid": {"C": [1.0, 1.0]}}, "twice"),
        ({"param_grid": {"D": [1.0]}}, "no parameter of the estimator"),
        ({"param_grid": {"gamma": [1.0], "length_scale": [1.0]}}, "mean the same"),
        ({"kernels": []}, "kernels is empty"),
        ({"kernels": "gauss"}, "there is no kernel 'gauss'"),
        ({"criterion": "guess"}, "there is no criterion 'guess'"),
        ({"cv": 1}, "at least 2 folds"),
        ({"time_limit": 0}, "time_limit"),
        ({"certify": "hope"}, "certify is one of"),
        ({"certify": "union"}, "declared before the data"),
        ({"certify": "union", "refit": False}, "refit=True"),
        ({"certify": "union", "delta": 0.0}, "delta"),
    ],
)
def test_settings(options, message):
    with pytest.raises(ValueError, match=message):
        KernelSearch(SVC(certify=None), **options).fit(X, Y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"param_grid": [1, 2]}, "dict"),
        ({"criterion": 3}, "criterion must be"),
        ({"progress": 7}, "progress must be"),
        ({"kernels": [len]}, "names or mercer kernels"),
        ({"estimator": SVC}, "brackets"),
        ({"estimator": KMeans()}, "neither"),
    ],
)
def test_types(options, message):
    with pytest.raises(TypeError, match=message):
        KernelSearch(**{"estimator": SVC(certify=None), **options}).fit(X, Y)


def test_a_criterion_for_another_learner():
    with pytest.raises(NotForThis, match="not for regression"):
        KernelSearch(SVR(), criterion="span").fit(X, X[:, 0])
    with pytest.raises(NotForThis, match="is about"):
        KernelSearch(KernelRidge(), criterion="alignment").fit(X, X[:, 0])
    with pytest.raises(NotForThis, match="Use criterion='cv'"):
        KernelSearch(Ridge(), criterion="loo", param_grid={"alpha": [1.0]}).fit(X, X[:, 0])
    with pytest.raises(NotForThis, match="ard"):
        KernelSearch(SVC(certify=None), kernels="ard").fit(X, Y)


def test_folds_without_a_class():
    y = np.array([0] * 38 + [1] * 2)
    with pytest.raises(ValueError, match=r"cv=5 folds need at least 5 rows.*class 1 has 2"):
        KernelSearch().fit(X, y)
    folds = [(np.arange(38), np.arange(38, 40))]
    with pytest.raises(ValueError, match="fold 0 trains without class 1"):
        KernelSearch(cv=folds).fit(X, y)
    with pytest.raises(ValueError, match="trains on"):
        KernelSearch(cv=[(np.arange(40), np.arange(5))]).fit(X, Y)


def test_every_failure_is_reported():
    with pytest.raises(EveryCandidateFailed) as caught:
        KernelSearch(SVC(certify=None), kernels=Broken(), param_grid={"C": [1.0, 2.0]}).fit(X, Y)
    assert len(caught.value.failures) == 2
    assert str(caught.value).count("no values today") == 2
    # one that works is enough, and the failures stay in the table
    search = KernelSearch(SVC(certify=None), kernels=[Broken(), "gaussian"]).fit(X, Y)
    assert search.best_estimator_.predict(X).shape == (40,)
    failed = search.results_["status"] == "failed"
    assert failed.sum() == 5
    assert "no values today" in search.results_["message"][failed][0]


def test_the_slow_route_reports_failures_too():
    with pytest.raises(EveryCandidateFailed, match="alpha"):
        KernelSearch(Ridge(), param_grid={"alpha": [-1.0, -2.0]}).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="say what to try"):
        KernelSearch(Ridge()).fit(X, X[:, 0])


def test_no_time_for_anything():
    with pytest.raises(TimeoutError, match="time_limit"):
        KernelSearch(SVC(certify=None), time_limit=1e-9).fit(X, Y)


def test_one_class():
    with pytest.raises(ValueError, match="greater than one"):
        KernelSearch(SVC(certify=None)).fit(X, np.zeros(40))


def test_several_targets():
    with pytest.raises(ValueError, match="one label or one number"):
        KernelSearch().fit(X, np.column_stack([X[:, 0], X[:, 1]]))


@pytest.mark.parametrize("settings", [{"delta": -3}, {"time_limit": "long"}, {"n_jobs": 0}])
def test_bad_settings_are_named(settings):
    X, y = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    with pytest.raises(ValueError, match=f"'{next(iter(settings))}' parameter"):
        KernelSearch(SVC(), **settings).fit(X, y)
