"""``Certified`` among scikit-learn's estimators: its contract, pipelines, searches, delegation."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone, is_classifier, is_outlier_detector, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

import mercer
from mercer import SVC, Certified, KernelSearch, certified_fit
from mercer.certification import Refused

X, Y, LAW = mercer.datasets.make_twonorm(200, random_state=0)
NEW = LAW.sample(300, 1)[0]

CHECKED = [
    Certified(SVC(gamma=0.1), mode=None),
    Certified(SVC(gamma=0.1), mode="holdout", random_state=0),
    Certified(SVC(gamma=0.1), random_state=0),
]
WEIGHTS = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
EXCUSED = {
    None: "as SVC by itself: equal to its tolerance only",
    "holdout": "a row that is repeated is held out with its copies, a weighted one with none",
    "auto": "a row that is repeated is held out with its copies, a weighted one with none",
}


def excused(estimator):
    return dict.fromkeys(WEIGHTS, EXCUSED[estimator.mode])


@parametrize_with_checks(CHECKED, expected_failed_checks=excused)
@pytest.mark.filterwarnings("ignore::mercer.certification.CertificateWarning")
def test_scikit_learns_contract(estimator, check):
    check(estimator)


def test_what_is_excused_is_asked():
    asked = {check.func.__name__ for _, check in estimator_checks_generator(CHECKED[0])}
    assert set(WEIGHTS) <= asked
    assert set(EXCUSED) == {estimator.mode for estimator in CHECKED}


# -- what it hands on ------------------------------------------------------------------------------


def test_public_names_come_from_the_model_and_nothing_comes_before_fit():
    certified = Certified(SVC(gamma=0.02), random_state=0)
    assert hasattr(certified, "decision_function")
    assert not hasattr(certified, "predict_proba")
    for name in ("support_vectors_", "certificate_", "model_", "n_features_in_", "_machines"):
        assert not hasattr(certified, name)
    with pytest.raises(NotFittedError):
        certified.predict(X)
    with pytest.raises(NotFittedError):
        certified["svc"]
    certified.fit(X, Y)
    assert certified.support_vectors_ is certified.model_.support_vectors_
    assert certified.n_features_in_ == 20
    assert not hasattr(certified, "_machines")  # private names stay where they are
    assert certified.certificate_ is not certified.model_.certificate_
    assert certified.certificate_.code == "holdout"
    with pytest.raises(TypeError, match="not subscriptable"):
        certified[0]


def test_the_certificate_is_never_that_of_the_learner_inside():
    model = certified_fit(SVC(gamma=0.02), X, Y, mode=None)
    assert model.certificate_ is None
    assert model.model_.certificate_ is not None
    coins = np.random.default_rng(0).integers(0, 2, 38)  # few rows: errors are picked
    picked = certified_fit(SVC(gamma=0.02), X[:38], coins, mode="compress", random_state=0)
    assert picked.certification_.split["picked"] > 0
    said = str(picked.model_.certificate_)
    assert said.startswith("DOES NOT COVER the choice of training rows")
    grouped = certified_fit(SVC(gamma=0.02), X, Y, groups=np.arange(200) // 2, random_state=0)
    assert "training rows" in str(grouped.model_.certificate_)


def test_parameters_clones_and_pickles():
    certified = Certified(make_pipeline(StandardScaler(), SVC()), mode="holdout", delta=0.1)
    certified.set_params(estimator__svc__C=3.0, options={"train_fraction": 0.5})
    twin = clone(certified)
    assert twin.get_params()["estimator__svc__C"] == 3.0
    model = twin.set_params(random_state=0).fit(X, Y)
    assert model.certification_.trained_on == 100
    assert model[-1].C == model["svc"].C == 3.0
    assert isinstance(model[0], StandardScaler)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(NEW), model.predict(NEW))
    assert again.certificate_ == model.certificate_
    assert again.certificates_.keys() == model.certificates_.keys()


def test_it_is_of_the_kind_of_what_it_holds():
    assert is_classifier(Certified(SVC()))
    assert is_regressor(Certified(Ridge()))
    assert is_outlier_detector(Certified(mercer.OneClassSVM()))
    assert is_classifier(certified_fit(SVC(), X, Y, mode="progressive", blocks=3, random_state=0))
    assert is_classifier(Certified(KernelSearch(SVC())))


def test_a_certified_estimator_is_not_certified_again():
    with pytest.raises(TypeError, match="spends rows itself"):
        certified_fit(Certified(SVC()), X, Y)


# -- around it, and inside it ----------------------------------------------------------------------


def test_behind_another_step_it_is_refused_and_in_front_it_is_not():
    with pytest.raises(Refused, match=r"Certified\(make_pipeline"):
        make_pipeline(SelectKBest(k=3), Certified(SVC())).fit(X, Y)
    first = make_pipeline(Certified(SVC(gamma=0.02), random_state=0)).fit(X, Y)
    assert first[-1].certificate_.uncovered == ()
    outside = Certified(make_pipeline(SelectKBest(k=3), SVC()), random_state=0).fit(X, Y)
    assert outside.certificate_.uncovered == ()


def test_a_search_around_it_is_told_and_cross_validation_is_not():
    certified = Certified(SVC(gamma=0.02), mode="holdout", random_state=0)
    search = GridSearchCV(certified, {"estimator__C": [0.1, 1.0]}, cv=2).fit(X, Y)
    assert "fitted around" in str(search.best_estimator_.certificate_)
    assert search.best_estimator_.certificate_.uncovered
    assert cross_val_score(certified, X, Y, cv=3).min() > 0.8
    assert certified.fit(X, Y).certificate_.uncovered == ()


def test_a_precomputed_kernel_takes_all_rows_of_the_fit():
    kernel = mercer.kernels.Gaussian(5.0)
    gram = kernel(X)
    for mode in ("auto", "progressive", "vote", "selective", None):
        certified = Certified(SVC(kernel="precomputed"), mode=mode, random_state=0)
        told = cross_val_predict(certified, gram, Y, cv=3)  # cut by scikit-learn: rows x all rows
        assert np.mean(told == Y) > 0.85
        model = certified.fit(gram, Y)
        values = kernel(NEW, X)
        assert model.n_features_in_ == 200
        assert model.predict(values).shape == (300,)
        with pytest.raises(ValueError, match="each of the 200 rows"):
            model.predict(values[:, model.certification_.train_rows[:90]])


def test_probabilities_and_scores_are_the_models():
    model = certified_fit(LogisticRegression(), X, Y, mode="progressive", random_state=0)
    which = model.route(NEW)
    for i in range(10):
        member = model.models[which[i]]
        assert_array_equal(
            model.predict_proba(NEW[i : i + 1]), member.predict_proba(NEW[i : i + 1])
        )
    assert model.score(X, Y) == np.mean(model.predict(X) == Y)
