"""Several classes: schemes over any learner, and Crammer and Singer's programme."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import mercer
from mercer.datasets import load_iris
from mercer.kernels import Gaussian, Linear
from mercer.learners.margin import KernelPerceptron, Perceptron
from mercer.learners.multiclass import CrammerSingerSVC, DecisionDAG, OneVsOne, OneVsRest
from mercer.learners.multiclass._crammer_singer import best_row, nearest_rows

TABLE = load_iris()
X = (TABLE.X - TABLE.X.mean(axis=0)) / TABLE.X.std(axis=0)
Y = TABLE.y
SCHEMES = [(OneVsRest, "ovr"), (OneVsOne, "ovo"), (DecisionDAG, "dag")]


@pytest.mark.parametrize(("wrapper", "scheme"), SCHEMES, ids=[s for _, s in SCHEMES])
def test_wrapped_machines_are_those_of_the_builtin_schemes(wrapper, scheme):
    inner = mercer.SVC(gamma=0.5, tol=1e-8)
    outer = wrapper(inner).fit(X, Y)
    builtin = mercer.SVC(gamma=0.5, tol=1e-8, multi_class=scheme).fit(X, Y)
    assert np.array_equal(outer.predict(X), builtin.predict(X))
    assert len(outer.estimators_) == 3
    assert outer.evidence_.errors == np.sum(outer.predict(X) != Y)
    assert len(outer.evidence_.machines) == 3
    assert all(machine.n == 150 for machine in outer.evidence_.machines)
    matrix = wrapper(mercer.SVC(kernel="precomputed", tol=1e-8)).fit(Gaussian(1.0)(X), Y)
    vectors = wrapper(mercer.SVC(kernel=Gaussian(1.0), tol=1e-8)).fit(X, Y)
    assert np.array_equal(matrix.predict(Gaussian(1.0)(X)), vectors.predict(X))


@pytest.mark.parametrize("wrapper", [OneVsRest, OneVsOne, DecisionDAG])
@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(combine="average"),
        KernelPerceptron(gamma=1.0),
        LogisticRegression(),
        GaussianNB(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_any_binary_learner(wrapper, learner):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = wrapper(learner).fit(X, TABLE.y.astype(str))
    assert model.score(X, TABLE.y.astype(str)) > (0.6 if wrapper is OneVsRest else 0.85)
    assert set(model.predict(X)) == {"0", "1", "2"}


@pytest.mark.parametrize(("wrapper", "scheme"), SCHEMES, ids=[s for _, s in SCHEMES])
def test_choices_inside_the_machines_are_not_forgotten(wrapper, scheme):
    model = wrapper(mercer.SVC(gamma="scale")).fit(X, Y)
    assert model.certificates_["rademacher"].uncovered
    assert all(c.what == "gamma" for c in model.certificates_["rademacher"].uncovered)
    assert not wrapper(mercer.SVC(gamma=0.5)).fit(X, Y).evidence_.choices


@pytest.mark.parametrize("wrapper", [OneVsRest, OneVsOne, DecisionDAG])
def test_evidence_counts_rows_of_positive_weight(wrapper):
    weight = np.arange(150) % 3 != 0
    inner = mercer.SVC(gamma=0.5, tol=1e-8)
    model = wrapper(inner).fit(X, Y, sample_weight=weight)
    alone = wrapper(inner).fit(X[weight], Y[weight])
    assert np.array_equal(model.predict(X), alone.predict(X))
    found, expected = model.evidence_, alone.evidence_
    assert (found.n, found.errors) == (expected.n, expected.errors)
    for one, other in zip(found.machines, expected.machines, strict=True):
        assert_allclose(one.margins, other.margins, atol=1e-6)
    assert {choice.what for choice in found.choices} == {"the rows of weight zero"}


@pytest.mark.parametrize("wrapper", [OneVsRest, OneVsOne, DecisionDAG])
def test_a_machine_that_fails_leaves_the_old_ones(wrapper):
    model = wrapper(mercer.SVC(gamma=0.5)).fit(X, Y)
    before, machines = model.decision_function(X), model.estimators_
    model.set_params(estimator=mercer.SVC(C=-1.0))
    with pytest.raises(ValueError, match="'C' parameter"):
        model.fit(X[:, :2], Y.astype(str))
    assert model.estimators_ is machines
    assert np.array_equal(model.decision_function(X), before)


@pytest.mark.parametrize("wrapper", [OneVsRest, OneVsOne, DecisionDAG])
def test_another_learner_put_in_after_fit_changes_no_answer(wrapper):
    rows = csr_array(X)
    model = wrapper(mercer.SVC(kernel="linear")).fit(rows, Y)
    before = model.decision_function(rows)
    model.set_params(estimator=GaussianNB())  # which takes no sparse rows
    assert np.array_equal(model.decision_function(rows), before)


def test_the_graph_removes_one_class_at_a_time():
    model = DecisionDAG(mercer.SVC(gamma=0.5)).fit(X, Y)
    pairs = {(0, 1): 0, (0, 2): 1, (1, 2): 2}
    for point in X[::10]:
        first, last = 0, 2
        while first < last:
            output = model.estimators_[pairs[first, last]].decision_function(point[None])[0]
            first, last = (first, last - 1) if output > 0 else (first + 1, last)
        assert model.predict(point[None])[0] == model.classes_[first]


def test_crammer_singer_needs_few_blocks_where_rows_are_nearly_collinear():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 3))
    labels = rows[:, 0] + 0.3 * rng.normal(size=80) > 0
    model = CrammerSingerSVC(C=1e4, gamma=0.01, max_iter=100).fit(rows, labels)
    assert model.joint_.converged  # single rows alone take more than ten thousand
    assert model.joint_.primal == pytest.approx(model.joint_.dual, rel=1e-6)


def test_crammer_singer_needs_few_blocks_where_columns_are_of_very_different_size():
    rows, labels = load_wine(return_X_y=True)
    rows, labels = np.tile(rows, (4, 1)), np.tile(labels, 4)
    model = CrammerSingerSVC(kernel="linear", C=10.0, max_iter=60).fit(rows, labels)
    assert model.score(rows, labels) == 1.0


def test_crammer_singer_is_linear_svc_on_linear_kernels():
    theirs = LinearSVC(
        multi_class="crammer_singer", fit_intercept=False, tol=1e-9, max_iter=10**6, random_state=0
    ).fit(X, Y)
    ours = CrammerSingerSVC(kernel="linear", tol=1e-7).fit(X, Y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    found = ours.joint_
    assert found.primal == pytest.approx(found.dual, rel=1e-6)
    assert_allclose(np.asarray(ours.dual_coef_).sum(axis=0), 0, atol=1e-10)
    output = ours.decision_function(X)
    rows = np.arange(150)
    loss = np.where(np.arange(3) == Y[:, None], 0.0, 1.0)
    slack = (output + loss).max(axis=1) - output[rows, Y]
    assert_allclose(ours.slacks_, slack, atol=1e-8)
    assert found.primal == pytest.approx(0.5 * np.sum(ours.coef_**2) + slack.sum())


@pytest.mark.parametrize(("n", "kernel"), [(300, Linear()), (600, Gaussian(1.0))])
def test_crammer_singer_of_several_blocks_ends_at_the_optimum_in_few_of_them(n, kernel):
    rng = np.random.default_rng(0)
    labels = rng.integers(4, size=n)
    rows = rng.normal(size=(4, 5))[labels] + rng.normal(size=(n, 5))
    model = CrammerSingerSVC(kernel=kernel, C=10.0, tol=1e-6, max_iter=300).fit(rows, labels)
    assert model.joint_.converged  # rows alone take more than four thousand
    gram, coef = kernel(rows), np.zeros((n, 4))
    coef[model.support_] = np.asarray(model.dual_coef_).T
    own = coef[np.arange(n), labels]
    output, loss = gram @ coef, np.arange(4) != labels[:, None]
    assert own.max() <= 10.0
    assert np.where(loss, coef, 0.0).max() <= 0.0
    assert_allclose(coef.sum(axis=1), 0, atol=1e-10)
    slack = (output + loss).max(axis=1) - output[np.arange(n), labels]
    square = 0.5 * np.sum(coef * output)
    # no point is below the dual value, none above the primal one: weak duality proves both
    assert square + 10.0 * slack.sum() == pytest.approx(-square - np.sum(coef * loss), rel=1e-5)


def test_two_classes_are_an_ordinary_machine_at_half_the_price():
    two = Y < 2
    joint = CrammerSingerSVC(kernel=Gaussian(1.0), C=1.0, tol=1e-8).fit(X[two], Y[two])
    plain = mercer.SVC(kernel=Gaussian(1.0), C=2.0, fit_intercept=False, tol=1e-8)
    plain.fit(X[two], Y[two])
    assert_allclose(joint.decision_function(X[two]), plain.decision_function(X[two]), atol=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_the_best_coefficients_of_one_row(seed):
    rng = np.random.default_rng(seed)
    linear, own, price, curvature = rng.normal(size=4), int(rng.integers(4)), 0.7, 1.3
    found = best_row(curvature, linear, own, price)
    assert found.sum() == pytest.approx(0, abs=1e-12)
    limits = [(None, price if k == own else 0.0) for k in range(4)]
    value = lambda a: 0.5 * curvature * a @ a + linear @ a  # noqa: E731
    best = minimize(
        value, np.zeros(4), bounds=limits, constraints={"type": "eq", "fun": np.sum}, tol=1e-12
    )
    assert value(found) <= best.fun + 1e-7
    assert np.all(found <= np.where(np.arange(4) == own, price, 0.0) + 1e-12)


@pytest.mark.parametrize("price", [0.0, 0.3, 5.0])
def test_rows_are_projected_like_the_best_row_of_curvature_one(price):
    rng = np.random.default_rng(0)
    rows, codes = rng.normal(size=(200, 5)), rng.integers(5, size=200)
    rows -= rows.mean(axis=1, keepdims=True)
    found = nearest_rows(rows, codes, np.full(200, price))
    wanted = [best_row(1.0, -row, k, price) for row, k in zip(rows, codes, strict=True)]
    assert_allclose(found, wanted, atol=1e-13)
    # what keeps its bounds already does not move off them by rounding
    again = nearest_rows(found, codes, np.full(200, price))
    assert np.all(again[found == 0] == 0)


def test_the_compression_set_rebuilds_the_joint_machine():
    model = CrammerSingerSVC(kernel=Gaussian(1.0), tol=1e-7).fit(X, Y)
    kept = model.fitted_.needed
    again = clone(model).fit(X[kept], Y[kept])
    assert model.evidence_.compression.size == kept.sum() < 150
    assert_allclose(again.decision_function(X), model.decision_function(X), atol=1e-4)
    assert np.all(model.predict(X[~kept]) == Y[~kept])


def test_refusals():
    with pytest.raises(ValueError, match="takes no sample_weight"):
        OneVsRest(KNeighborsClassifier()).fit(X, Y, np.ones(150))
    with pytest.raises(ValueError, match="greater than one"):
        OneVsOne().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="'C' parameter"):
        CrammerSingerSVC(C=np.inf).fit(X, Y)
    with pytest.warns(UserWarning, match="max_iter"):
        CrammerSingerSVC(kernel=Linear(), max_iter=1).fit(X, Y)


@pytest.mark.parametrize("wrapper", [OneVsRest, OneVsOne, DecisionDAG])
def test_gaps_reach_whoever_fills_them(wrapper):
    hole = X.copy()
    hole[::7, 1] = np.nan
    filled = wrapper(make_pipeline(SimpleImputer(), LogisticRegression())).fit(hole, Y)
    assert filled.score(hole, Y) > 0.8
    with pytest.raises(ValueError, match="NaN"):
        wrapper(mercer.SVC()).fit(hole, Y)


def test_probabilities_are_those_of_sklearn():
    ours = OneVsRest(LogisticRegression()).fit(X, Y)
    theirs = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    two = Y < 2
    assert_allclose(
        OneVsRest(LogisticRegression()).fit(X[two], Y[two]).predict_proba(X),
        OneVsRestClassifier(LogisticRegression()).fit(X[two], Y[two]).predict_proba(X),
        atol=1e-6,
    )
    assert not hasattr(OneVsRest(mercer.SVC()).fit(X, Y), "predict_proba")
    assert ours.n_classes_ == 3


@pytest.mark.parametrize(
    ("wrapper", "twin"), [(OneVsRest, OneVsRestClassifier), (OneVsOne, OneVsOneClassifier)]
)
def test_streams_are_those_of_sklearn(wrapper, twin):
    inner = SGDClassifier(random_state=0, shuffle=False)
    ours, theirs = wrapper(inner), twin(inner)
    for part in np.array_split(np.random.default_rng(0).permutation(150), 3):
        ours.partial_fit(X[part], Y[part], np.unique(Y))
        theirs.partial_fit(X[part], Y[part], np.unique(Y))
    assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.95
    assert ours.evidence_.n == 150
    assert not ours.evidence_.machines
    assert not hasattr(wrapper(mercer.SVC()), "partial_fit")
