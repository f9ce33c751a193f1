"""A certificate is about the fit: later changes and earlier steps are said before the number."""

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import BaggingClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline

import mercer
from mercer.kernels import Gaussian, Linear
from mercer.learners.metric import LipschitzClassifier
from mercer.learners.multiclass import OneVsRest
from mercer.learners.regression import RidgeRegression

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 20))
Y = rng.integers(0, 2, 60)
UNCOVERED = "DOES NOT COVER"


def linear(**options):
    return mercer.SVC(kernel="linear", **options)


def said(model):
    return model.certificate_.first_line()


def plain(estimator=None):
    return said(clone(estimator or linear()).fit(X, Y))


def test_steps_before_it_are_not_covered():
    model = make_pipeline(SelectKBest(k=4), linear()).fit(X, Y)
    assert said(model[-1]).startswith(UNCOVERED)
    assert "fitted by Pipeline" in model[-1].certificate_.explain()
    assert all(c.uncovered for c in model[-1].certificates_.values() if c.kind == "bound")


def test_a_search_around_it_is_not_covered():
    search = GridSearchCV(linear(), {"C": [0.1, 1.0]}, cv=2).fit(X, Y)
    assert said(search.best_estimator_).startswith(UNCOVERED)
    assert "fitted by GridSearchCV" in search.best_estimator_.certificate_.explain()


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_the_parts_of_an_ensemble_were_drawn_by_it(n_jobs):
    import joblib

    with joblib.parallel_backend("threading"):
        model = BaggingClassifier(linear(), 2, n_jobs=n_jobs, random_state=0).fit(X, Y)
    assert all(said(part).startswith(UNCOVERED) for part in model.estimators_)


def test_somebodys_own_meta_estimator_counts():
    class Mine(BaseEstimator):
        def fit(self, X, y):
            self.inner_ = linear().fit(X[:, np.argsort(X.T @ y)[-4:]], y)
            return self

    assert said(Mine().fit(X, Y).inner_).startswith(UNCOVERED)


def test_plain_fits_stay_clean():
    assert UNCOVERED not in plain()
    assert UNCOVERED not in said(make_pipeline(linear()).fit(X, Y)[-1])  # nothing before it
    with_threads = Parallel(2, backend="threading")(delayed(linear().fit)(X, Y) for _ in range(2))
    with_processes = Parallel(2)(delayed(linear().fit)(X, Y) for _ in range(2))
    for model in with_threads + with_processes:
        assert UNCOVERED not in said(model)
    for model in cross_validate(linear(), X, Y, cv=2, return_estimator=True)["estimator"]:
        assert UNCOVERED not in said(model)


def test_wrappers_account_for_what_they_fit():
    labels = np.arange(60) % 3
    model = OneVsRest(linear()).fit(X, labels)
    assert UNCOVERED not in said(model)
    assert said(make_pipeline(SelectKBest(k=4), model).fit(X, labels)[-1]).startswith(UNCOVERED)
    inside = OneVsRest(make_pipeline(SelectKBest(k=4), linear())).fit(X, labels)
    assert said(inside.estimators_[0][-1]).startswith(UNCOVERED)


@pytest.mark.parametrize(
    ("estimator", "changes"),
    [
        (mercer.SVC(), {"gamma": 0.05}),
        (mercer.SVC(), {"tol": 10.0}),
        (linear(), {"C": 2.0}),
        (mercer.SVC(kernel=Gaussian(2.0)), {"kernel__length_scale": 9.0}),
        (mercer.SVC(kernel=Gaussian(2.0) + Linear()), {"kernel__left__length_scale": 9.0}),
        (LipschitzClassifier(), {"balance": 0.0}),
        (RidgeRegression(), {"alpha": 7.0}),
    ],
)
def test_a_changed_argument_is_said_first_and_changes_no_number(estimator, changes):
    model = clone(estimator).fit(X, Y)
    before = clone(estimator).fit(X, Y).certificates_
    name = next(iter(changes)).partition("__")[0]
    model.set_params(**changes)
    after = model.certificates_
    assert set(before) == set(after)
    for code, certificate in after.items():
        assert certificate.first_line().startswith(f"{UNCOVERED} {name}, changed after fit; ")
        assert certificate.value == before[code].value
        assert certificate.uncovered == before[code].uncovered


def test_a_change_taken_back_is_no_change():
    model = linear().fit(X, Y)
    line = said(model)
    model.set_params(C=3.0)
    assert said(model) != line
    assert said(model.set_params(C=1.0)) == line


def test_quiet_arguments_and_a_new_fit_say_nothing():
    model = linear().fit(X, Y).set_params(verbose=False, time_limit=5.0, cache_size=50)
    assert UNCOVERED not in said(model)
    assert UNCOVERED not in said(model.set_params(C=2.0).fit(X, Y))
