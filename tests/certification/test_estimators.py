"""Certified fits of estimators, data and losses of all sorts."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer.bounds.numerics import clopper_upper
from mercer.datasets import load_breast_cancer, load_iris, make_twonorm

X, Y, LAW = make_twonorm(300, random_state=5)
POOL = LAW.sample(1000, 77)[0]
CANCER = load_breast_cancer()
IRIS = load_iris()
SVC = mercer.SVC(gamma=0.02)


def split(model):
    record = model.certification_
    return record.train_rows, record.counted_rows


@pytest.mark.parametrize("mode", ["auto", "compress", "progressive", "selective"])
@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(StandardScaler(), mercer.SVC()),
        LogisticRegression(max_iter=5000),
        RandomForestClassifier(10, random_state=0),
        GridSearchCV(mercer.SVC(gamma=0.2), {"C": [0.5, 5]}, cv=3),
    ],
    ids=["pipeline", "logistic", "forest", "search"],
)
def test_any_estimator_and_three_classes(mode, estimator):
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(IRIS.y))
    model = mercer.certified_fit(estimator, IRIS.X[rows], IRIS.y[rows], mode=mode, random_state=1)
    assert model.certificate_.uncovered == ()  # everything was chosen inside the training part
    assert 0 < model.certificate_.value < 0.5
    assert model.predict(IRIS.X).shape == (150,)


def test_choices_around_a_mercer_learner_are_not_covered_in_sample():
    pipeline = make_pipeline(StandardScaler(), mercer.SVC(gamma=0.05))
    search = GridSearchCV(pipeline, {"svc__C": [1, 10]}, cv=3)
    model = mercer.certified_fit(search, X, Y, mode="in-sample")
    names = [choice.what for choice in model.certificate_.uncovered]
    assert names == ["hyper-parameters", "preprocessing"]
    assert model.certificate_.uncovered[0].candidates == 2


@pytest.mark.parametrize("mode", ["auto", "compress", "progressive", "selective", "transfer"])
def test_precomputed_kernels_are_cut_both_ways(mode):
    kernel = mercer.kernels.Gaussian(5.0)
    gram, against = kernel(X), kernel(POOL, X)
    options = {"mode": mode, "random_state": 2}
    direct = mercer.certified_fit(mercer.SVC(kernel=kernel), X, Y, pool=POOL, **options)
    model = mercer.certified_fit(mercer.SVC(kernel="precomputed"), gram, Y, pool=against, **options)
    assert model.certificate_.counted == direct.certificate_.counted
    assert model.predict(against).shape == (1000,)  # values against all rows, whatever was spent
    if mode != "progressive":  # there the hash sees other bytes
        assert np.mean(model.predict(against) == direct.predict(POOL)) > 0.995
    with pytest.raises(ValueError, match="each of the 300 rows"):
        model.predict(against[:, :200])


def test_regression_counts_targets_outside_a_tolerance_or_bounds_a_loss():
    rng = np.random.default_rng(0)
    points = rng.uniform(-2, 2, (400, 1))
    target = np.sin(points[:, 0]) + 0.1 * rng.standard_normal(400)
    for mode in ("auto", "compress", "progressive"):
        model = mercer.certified_fit(
            Ridge(), points, target, mode=mode, tolerance=0.5, random_state=0
        )
        assert "further than 0.5 away" in model.certificate_.quantity
        assert model.certificate_.value < 0.2
    svr = mercer.SVR(epsilon=0.2, gamma=1.0)
    tube = mercer.certified_fit(svr, points, target, tolerance=0.2, random_state=0)
    _, test = split(tube)
    outside = int(np.sum(np.abs(tube.predict(points[test]) - target[test]) > 0.2))
    assert tube.certificate_.value == pytest.approx(clopper_upper(outside, len(test), 0.05))
    lossy = mercer.certified_fit(
        Ridge(), points, target, loss_range=(0, 1), clip=True, random_state=0
    )
    assert lossy.certificate_.code == "holdout-loss"
    assert lossy.certificate_.observed < lossy.certificate_.value < 1
    assert lossy.certificate_.quantity == "mean of min(|y-f|, 1)"
    assert tube.certificate_.quantity == "rate of targets further than 0.2 away"


def test_one_class_machines_certify_their_rejections():
    inside = mercer.OneClassSVM(gamma=0.05, nu=0.1)
    scenario = mercer.certified_fit(inside, X, mode="in-sample")
    assert scenario.certificate_.code == "scenario"
    assert scenario.certificate_.lower is not None
    held = mercer.certified_fit(inside, X, random_state=0)
    _, test = split(held)
    rejected = int(np.sum(held.predict(X[test]) == -1))
    assert held.certificate_.value == pytest.approx(clopper_upper(rejected, len(test), 0.05))
    assert held.certificate_.quantity == "rate of new points rejected"


def test_sample_weights_reach_the_learner():
    weight = np.where(Y > 0, 5.0, 1.0)
    model = mercer.certified_fit(SVC, X, Y, mode="holdout", sample_weight=weight, random_state=0)
    train, _ = split(model)
    direct = clone(SVC).fit(X[train], Y[train], weight[train])
    assert_array_equal(model.decision_function(X), direct.decision_function(X))
    pipeline = make_pipeline(StandardScaler(), mercer.SVC(gamma=0.05))
    piped = mercer.certified_fit(pipeline, X, Y, sample_weight=weight, random_state=0)
    assert piped.certificate_.value < 0.3


def shared_letters(left, right):
    return np.array([[sum(a == b for a, b in zip(u, v, strict=True)) for v in right] for u in left])


@pytest.mark.parametrize("mode", ["auto", "compress", "progressive", "selective"])
def test_objects_and_lists_are_cut_as_they_are(mode):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 80)
    words = ["".join(rng.choice(list("ab"), 24, p=[0.2 + 0.6 * y, 0.8 - 0.6 * y])) for y in labels]
    model = mercer.certified_fit(
        mercer.SVC(kernel=shared_letters), words, labels.tolist(), mode=mode, random_state=0
    )
    assert model.predict(words[:5]).shape == (5,)
    assert model.certificate_.value < 0.5


def test_mercer_fit_in_one_call():
    model = mercer.fit(CANCER.X, CANCER.y, kernel="gaussian", combine="product")
    assert model.certificate_.value < 0.08
    assert model.certification_.mode == "auto"
    again = mercer.fit(CANCER.X, CANCER.y, kernel="gaussian", combine="product")
    assert_array_equal(model.predict(CANCER.X), again.predict(CANCER.X))
    target = X[:, 0] + 0.1 * X[:, 1]
    numbers = mercer.fit(X, target, certify="holdout", tolerance=0.5, kernel="gaussian")
    assert numbers.certificate_.value < 0.5
    assert mercer.certified_fit(GaussianNB(), X, Y, mode=None).certificate_ is None
