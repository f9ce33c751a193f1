"""Mixtures behind the Fisher kernel: likelihoods, scores, refusals, and fitting inside learners."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as SklearnMixture
from sklearn.model_selection import GridSearchCV, cross_val_predict

import mercer
from mercer import SVC
from mercer.kernels import Fisher, Marginalized, check_psd
from mercer.kernels.structured.fisher import (
    ExponentialMixture,
    GaussianMixture,
    MarkovChain,
    UnfittedChain,
    UnfittedMixture,
)

IRIS, KIND = load_iris(return_X_y=True)
KINDS = ["full", "tied", "diag", "spherical"]


def numerical_score(log_density, value, step=1e-6):
    slopes = np.empty(value.size)
    for i in range(value.size):
        ends = []
        for s in (step, -step):
            moved = value.copy().ravel()
            moved[i] += s
            ends.append(log_density(moved.reshape(value.shape)))
        slopes[i] = (ends[0] - ends[1]) / (2 * step)
    return slopes


@pytest.mark.parametrize("family", ["gaussian", "bernoulli", "poisson"])
def test_scores_are_gradients(family):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(60, 3)).astype(float)
    model = ExponentialMixture.fit(X, 2, family, random_state=0)
    assert model.weights.sum() == pytest.approx(1)
    x = X[:1]

    def by_natural(theta):
        components = ExponentialMixture(model.weights, theta, family).log_components(x)[0]
        return np.log(np.exp(components) @ model.weights)

    found = model.scores(x)[0]
    np.testing.assert_allclose(found[2:], numerical_score(by_natural, model.natural), atol=1e-6)

    def by_weight(weights):
        return np.log(np.exp(model.log_components(x)[0]) @ weights)

    np.testing.assert_allclose(found[:2], numerical_score(by_weight, model.weights), atol=1e-6)
    kernel = Fisher(model, "model", n_draws=500)
    assert check_psd(kernel, X[:15]).ok


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_scikit_learns_mixtures(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2)) + 3 * rng.integers(0, 2, size=(80, 1))
    theirs = SklearnMixture(2, covariance_type=kind, random_state=0).fit(X)
    ours = GaussianMixture.from_sklearn(theirs)
    np.testing.assert_allclose(ours.posterior(X), theirs.predict_proba(X), atol=1e-8)
    kernel = Fisher(ours)
    np.testing.assert_array_equal(clone(kernel)(X[:5]), kernel(X[:5]))
    y = (X[:, 0] > 1.5).astype(int)
    assert SVC(kernel=kernel).fit(X, y).score(X, y) > 0.9
    with pytest.raises(TypeError, match="from_sklearn"):
        Fisher(theirs)(X)


def groups(n=200):
    rng = np.random.default_rng(1)
    p = np.array([[0.9, 0.9, 0.1, 0.1], [0.1, 0.1, 0.9, 0.9]])
    which = rng.integers(0, 2, size=n)
    return (rng.random((n, 4)) < p[which]).astype(float), which


def test_em_finds_two_groups_in_dense_and_sparse_rows():
    X, which = groups()
    model = ExponentialMixture.fit(X, 2, "bernoulli", random_state=0)
    agreement = np.mean(model.posterior(X).argmax(axis=1) == which)
    assert max(agreement, 1 - agreement) > 0.9
    thin = ExponentialMixture.fit(sparse.csr_array(X), 2, "bernoulli", random_state=0)
    assert_allclose(thin.natural, model.natural, atol=1e-10)
    assert_allclose(thin.scores(sparse.csr_array(X)), model.scores(X), atol=1e-10)
    counts = sparse.csr_array(X * 3)
    poisson = ExponentialMixture.fit(counts, 2, "poisson", random_state=0)
    assert_allclose(poisson.log_density(counts), poisson.log_density(X * 3))


@pytest.mark.parametrize("family", ["gaussian", "bernoulli", "poisson"])
def test_the_likeliest_of_several_runs_is_kept(family):
    X, _ = groups(80)
    one = [
        ExponentialMixture.fit(X, 4, family, n_init=1, random_state=seed).log_likelihood
        for seed in range(6)
    ]
    many = ExponentialMixture.fit(X, 4, family, n_init=20, random_state=0)
    assert many.log_likelihood == pytest.approx(many.log_density(X).mean())
    assert many.log_likelihood >= max(one) - 1e-4
    # one component with the mean row as its pseudo-row: the likeliest product of columns
    alone = ExponentialMixture.fit(X, 1, family)
    assert_allclose(alone.means()[0], X.mean(axis=0), atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_gaussian_fits_are_as_likely_as_scikit_learns(kind):
    for count in (1, 3):
        ours = GaussianMixture.fit(IRIS, count, kind, random_state=0)
        theirs = SklearnMixture(
            count, covariance_type=kind, n_init=10, random_state=0, tol=1e-6, max_iter=500
        ).fit(IRIS)
        assert ours.log_likelihood >= theirs.score(IRIS) - 1e-3
        assert ours.log_likelihood == pytest.approx(ours.log_density(IRIS).mean())
    assert ours.weights.sum() == pytest.approx(1)


def test_what_cannot_be_fitted_is_refused():
    X, _ = groups(30)
    with pytest.raises(ValueError, match=r"family='bernoulli' wants 0 and 1; X has 5\.1"):
        ExponentialMixture.fit(IRIS, 2, "bernoulli")
    with pytest.raises(ValueError, match="wants counts"):
        ExponentialMixture.fit(-X, 2, "poisson")
    with pytest.raises(ValueError, match="wants counts"):
        ExponentialMixture.fit(sparse.csr_array(X / 2), 2, "poisson")
    for fit in (ExponentialMixture.fit, GaussianMixture.fit):
        with pytest.raises(ValueError, match="NaN"):
            fit(np.where(X > 0, np.nan, 0.0), 2)
        with pytest.raises(ValueError, match="n_components must be a whole number"):
            fit(X, 0)
        with pytest.raises(ValueError, match="31 components need as many rows; got 30"):
            fit(X, 31)
        with pytest.raises(ValueError, match="0 sample"):
            fit(np.empty((0, 3)), 1)
    with pytest.raises(TypeError, match="toarray"):
        GaussianMixture.fit(sparse.csr_array(X), 2)
    with pytest.raises(ValueError, match="covariance_type='round'"):
        GaussianMixture.fit(X, 2, "round")
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        GaussianMixture.fit(IRIS, 3, max_iter=2)
    with pytest.raises(ValueError, match="all sequences are empty"):
        MarkovChain.fit(["", ""])
    # new rows outside the family's domain, or of another width
    kernel = Fisher(ExponentialMixture.fit(X, 2, "bernoulli"))
    with pytest.raises(ValueError, match="wants 0 and 1"):
        kernel(X / 2)
    with pytest.raises(ValueError, match="the mixture has 4 columns, the rows have 3"):
        kernel(X[:, :3])


def test_fits_survive_constant_columns_and_equal_rows():
    X = np.ones((12, 2))
    for model in (
        GaussianMixture.fit(X, 2),
        ExponentialMixture.fit(X, 2, "bernoulli"),
        ExponentialMixture.fit(X, 3, "poisson"),
    ):
        assert np.isfinite(model.log_likelihood)
        assert np.isfinite(model.scores(X)).all()


@pytest.mark.parametrize("what", ["variances", "covariances"])
def test_scores_of_variances_are_gradients(what):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(2, 3, 3))
    model = GaussianMixture(
        np.array([0.3, 0.7]),
        rng.normal(size=(2, 3)),
        A @ A.transpose(0, 2, 1) + np.eye(3),
        score_of=(what,),
    )
    x = rng.normal(size=(1, 3))
    rows, columns = (np.arange(3), np.arange(3)) if what == "variances" else np.tril_indices(3)
    place = np.repeat([0, 1], len(rows)), np.tile(rows, 2), np.tile(columns, 2)

    def by_entries(values):
        S = model.covariances.copy()
        S[place] = values
        S[place[0], place[2], place[1]] = values
        return float(GaussianMixture(model.weights, model.means, S).log_density(x)[0])

    slopes = numerical_score(by_entries, model.covariances[place])
    assert_allclose(model.scores(x)[0], slopes, atol=1e-6)
    both = GaussianMixture(
        model.weights, model.means, model.covariances, ("weights", "means", what)
    )
    assert both.scores(x).shape == (1, 2 + 6 + len(slopes))
    assert check_psd(Fisher(both, "model", n_draws=400), rng.normal(size=(12, 3))).ok
    with pytest.raises(ValueError, match="score_of"):
        Fisher(replace(model, score_of=("size",)))(x)


UNFITTED = [
    (UnfittedMixture(3, "diag", random_state=0), IRIS),
    (UnfittedMixture(2, "bernoulli", random_state=0), (IRIS.mean(axis=0) < IRIS).astype(float)),
    (SklearnMixture(3, random_state=0), IRIS),
]


@pytest.mark.parametrize(("model", "X"), UNFITTED)
@pytest.mark.parametrize("kernel", [Fisher, Marginalized])
def test_unfitted_models_are_fitted_to_the_training_rows_alone(model, X, kernel, tmp_path):
    some = np.r_[0:40, 60:100, 110:140]
    machine = SVC(kernel=kernel(model), certify="in-sample").fit(X[some], KIND[some])
    by_hand = kernel(model).resolve(X[some])
    fixed = SVC(kernel=by_hand).fit(X[some], KIND[some])
    assert_allclose(machine.decision_function(X), fixed.decision_function(X), atol=1e-10)
    assert machine.kernel_.data_dependent
    assert "the kernel's parameters" in [choice.what for choice in machine.evidence_.choices]
    with pytest.raises(ValueError, match=r"the model is not fitted; call kernel.resolve"):
        kernel(model)(X)
    if isinstance(model, SklearnMixture):  # an argument that model files do not hold
        return
    mercer.save(machine, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert_allclose(again.decision_function(X), machine.decision_function(X))


def test_unfitted_models_are_fitted_anew_in_every_fold():
    seen = []

    class Watching(UnfittedMixture):
        def fit_model(self, X):
            seen.append(len(X))
            return super().fit_model(X)

    machine = SVC(kernel=Fisher(Watching(2, "diag", n_init=1, random_state=0)).normalized())
    assert np.mean(cross_val_predict(machine, IRIS, KIND, cv=3) == KIND) > 0.85
    assert seen == [100, 100, 100]
    search = GridSearchCV(
        SVC(kernel=Fisher(UnfittedMixture(family="diag", n_init=1, random_state=0))),
        {"kernel__model__n_components": [1, 3]},
        cv=2,
    ).fit(IRIS, KIND)
    assert search.best_estimator_.kernel_.model.means.shape[0] in (1, 3)


def test_unfitted_chains():
    a = MarkovChain(("x", "y"), np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.2, 0.8]]), 30)
    b = MarkovChain(("x", "y"), np.array([0.5, 0.5]), np.array([[0.2, 0.8], [0.9, 0.1]]), 30)
    rng = np.random.default_rng(0)
    X = ["".join(word) for word in (*a.sample(20, rng), *b.sample(20, rng))]
    y = np.repeat([0, 1], 20)
    machine = SVC(kernel=Fisher(UnfittedChain()).normalized()).fit(X, y)
    assert machine.score(X, y) > 0.95
    assert machine.kernel_.data_dependent
