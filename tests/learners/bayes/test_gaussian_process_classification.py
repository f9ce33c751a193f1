"""Gaussian-process classification: gradients, twins, long chains, links and evidence."""

import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from scipy.special import expit, ndtr
from sklearn.datasets import load_iris
from sklearn.gaussian_process import GaussianProcessClassifier as Theirs
from sklearn.gaussian_process import kernels as their_kernels
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer.kernels import Gaussian
from mercer.kernels.theta import Theta
from mercer.learners.bayes import GaussianProcessClassifier
from mercer.learners.bayes.gp._laplace import LaplaceEvidence
from mercer.learners.bayes.gp.links import Link, slope


def two_classes(n, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where(X[:, 0] + X[:, 1] ** 2 + noise * rng.normal(size=n) > 1, 1.0, -1.0)


@pytest.mark.parametrize("kind", ["logistic", "probit"])
def test_gradient_against_finite_differences(kind):
    X, y = two_classes(40)
    theta = Theta(2.0 * Gaussian(np.array([1.0, 2.0])), X)
    weight = np.linspace(0.5, 2.0, 40)
    evidence = LaplaceEvidence(X, y, weight, theta, Link(kind, 1.3))
    p = theta.start() + 0.2
    _, gradient = evidence(p)
    for i, step in enumerate(1e-3 * np.eye(len(p))):
        slope_ = (evidence(p + step)[0] - evidence(p - step)[0]) / 2e-3
        assert gradient[i] == pytest.approx(slope_, rel=1e-5, abs=2e-5)


@pytest.mark.parametrize("kind", ["logistic", "probit"])
def test_where_newton_begins_does_not_matter(kind):
    X, y = two_classes(150, noise=0.1)
    theta = Theta(100.0 * Gaussian(2.0), X)
    warm = LaplaceEvidence(X, y, np.ones(150), theta, Link(kind))
    for p in ([0.0, 0.0], [6.0, 0.5], [6.5, 2.0], [10.0, 2.0], [-3.0, -2.0], [8.0, -1.0]):
        value, gradient = warm(np.array(p))
        cold = LaplaceEvidence(X, y, np.ones(150), theta, Link(kind))
        cold_value, cold_gradient = cold(np.array(p))
        assert value == pytest.approx(cold_value, abs=1e-5)
        np.testing.assert_allclose(gradient, cold_gradient, rtol=1e-4, atol=1e-4)


def test_single_precision_reaches_nearly_the_same_evidence():
    X, y = two_classes(200)
    double = GaussianProcessClassifier.automatic().fit(X, y)
    single = GaussianProcessClassifier.automatic(dtype="float32").fit(X, y)
    assert single.processes_[0].factor.array.dtype == np.float32
    assert single.log_marginal_likelihood() == pytest.approx(
        double.log_marginal_likelihood(), abs=0.02
    )
    np.testing.assert_allclose(single.predict_proba(X), double.predict_proba(X), atol=0.02)


@pytest.mark.parametrize("kind", ["logistic", "probit"])
def test_derivatives_of_the_links(kind):
    link, t, h = Link(kind, 1.7), np.linspace(-4, 4, 33), 1e-5
    for y in (np.ones(33), -np.ones(33)):
        first, bend, quotient = link.derivatives(y, t)
        up, down = link.log_likelihood(y, t + h), link.log_likelihood(y, t - h)
        np.testing.assert_allclose(first, (up - down) / (2 * h), atol=1e-6)
        around = link.derivatives(y, t + h)[0], link.derivatives(y, t - h)[0]
        np.testing.assert_allclose(-bend, (around[0] - around[1]) / (2 * h), atol=1e-6)
        bends = link.derivatives(y, t + h)[1], link.derivatives(y, t - h)[1]
        np.testing.assert_allclose(-quotient * bend, (bends[0] - bends[1]) / (2 * h), atol=1e-5)


@pytest.mark.parametrize("kind", ["logistic", "probit"])
@pytest.mark.parametrize(("mean", "sd"), [(0.3, 0.8), (-2.0, 3.0), (5.0, 20.0), (1.0, 0.0)])
def test_averaged_probability_against_quadrature(kind, mean, sd):
    link = Link(kind, 1.2)
    found = link.probability(np.array([mean]), np.array([sd**2]))[0]
    squash = expit if kind == "logistic" else ndtr
    if sd == 0:
        exact = squash(1.2 * mean)
    else:
        exact = quad(
            lambda z: squash(1.2 * (mean + sd * z)) * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi),
            -9,
            9,
            limit=400,
            points=[-mean / sd] if abs(mean / sd) < 9 else None,
        )[0]
    assert found == pytest.approx(exact, abs=1e-8)


def test_conventions_are_conversions_of_each_other():
    assert slope(0.5, "scale") == slope(1.0, "twice")
    assert slope(0.25, "square") == pytest.approx(slope(0.5, "scale"))
    with pytest.raises(ValueError, match="convention"):
        slope(1.0, "3.17")


def test_evidence_against_integration_in_two_dimensions():
    X, y = np.array([[0.0], [0.8]]), np.array([1.0, -1.0])
    K = Gaussian(1.0)(X)
    inverse, norm = np.linalg.inv(K), 2 * np.pi * np.sqrt(np.linalg.det(K))

    def joint(b, a):
        t = np.array([a, b])
        return expit(a) * expit(-b) * np.exp(-0.5 * t @ inverse @ t) / norm

    exact = np.log(dblquad(joint, -7, 7, -7, 7)[0])
    model = GaussianProcessClassifier.automatic(Gaussian(1.0), optimizer=None).fit(X, y)
    assert model.log_marginal_likelihood_value_ == pytest.approx(exact, abs=0.02)


def test_the_mode_is_stationary():
    X, y = two_classes(60)
    model = GaussianProcessClassifier.automatic(Gaussian(1.0), optimizer=None).fit(X, y)
    process = model.processes_[0]
    np.testing.assert_allclose(process.a, (y + 1) / 2 - expit(process.t), atol=1e-6)
    assert np.all(np.abs(process.a) < 1)


def test_same_evidence_and_probabilities_as_scikit_learn():
    X, y = two_classes(100)
    kernel = their_kernels.ConstantKernel(4.0) * their_kernels.RBF([1.0, 1.0])
    theirs = Theirs(kernel).fit(X, y)
    ours = GaussianProcessClassifier.automatic(kernel).fit(X, y)
    assert ours.log_marginal_likelihood() >= theirs.log_marginal_likelihood() - 1e-3
    fixed = GaussianProcessClassifier.automatic(theirs.kernel_, optimizer=None).fit(X, y)
    assert fixed.log_marginal_likelihood() == pytest.approx(
        theirs.log_marginal_likelihood(), abs=1e-6
    )
    # scikit-learn replaces the logistic by five error functions when it averages
    np.testing.assert_allclose(fixed.predict_proba(X), theirs.predict_proba(X), atol=2e-3)


def test_probabilities_are_calibrated():
    X, y = two_classes(300, noise=1.0)
    fresh, labels = two_classes(3000, seed=1, noise=1.0)
    probability = GaussianProcessClassifier.automatic().fit(X, y).predict_proba(fresh)[:, 1]
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.0)):
        inside = (probability >= low) & (probability < high)
        assert abs(np.mean(labels[inside] > 0) - probability[inside].mean()) < 0.1


def test_three_classes():
    X, y = load_iris(return_X_y=True)
    model = GaussianProcessClassifier.automatic().fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.93
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert len(model.kernel_) == len(model.evidence_.machines) == 3


def test_precomputed_decides_and_says_what_it_cannot():
    X, y = two_classes(50)
    model = GaussianProcessClassifier.automatic(Gaussian(1.0), optimizer=None).fit(X, y)
    given = GaussianProcessClassifier.automatic("precomputed").fit(Gaussian(1.0)(X), y)
    np.testing.assert_array_equal(given.predict(Gaussian(1.0)(X)), model.predict(X))
    with pytest.raises(ValueError, match="precomputed matrix"):
        given.predict_proba(Gaussian(1.0)(X))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"link": "cauchit"}, "'link' parameter"),
        ({"beta": 0.0}, "'beta' parameter"),
        ({"inference": "ep"}, "'inference' parameter"),
        ({"multi_class": "pairs"}, "'one_vs_one'"),
        ({"latent_noise": -1.0}, "latent_noise"),
        ({"n_samples": "many"}, "'n_samples' parameter"),
        ({"time_limit": "long"}, "'time_limit' parameter"),
        ({"bounds": 3}, "'bounds' parameter"),
    ],
)
def test_bad_settings_are_named(settings, message):
    X, y = two_classes(20)
    with pytest.raises(ValueError, match=message):
        GaussianProcessClassifier.automatic(**settings).fit(X, y)


def test_kl_divergence_of_the_posterior():
    X, y = two_classes(30)
    model = GaussianProcessClassifier.automatic(Gaussian(1.0), optimizer=None).fit(X, y)
    process = model.processes_[0]
    K = Gaussian(1.0)(X) + 1e-10 * np.eye(30)
    S = np.linalg.inv(np.linalg.inv(K) + np.diag(process.root**2))
    t, inverse = process.t, np.linalg.inv(K)
    exact = 0.5 * (
        np.trace(inverse @ S)
        - 30
        + np.linalg.slogdet(K)[1]
        - np.linalg.slogdet(S)[1]
        + t @ inverse @ t
    )
    assert process.kl == pytest.approx(exact, rel=1e-4)
    np.testing.assert_allclose(process.spread**2, np.diagonal(S), rtol=1e-4)
    record = model.evidence_.posterior
    assert record.kl == process.kl
    assert record.vote_is_model
    assert {"pac-bayes-prior", "pac-bayes-prior-vote", "gaussian-margin"} <= set(
        model.certificates_
    )


def test_learned_hyper_parameters_are_not_covered_by_the_bound():
    X, y = two_classes(60)
    fixed = GaussianProcessClassifier.automatic(Gaussian(1.0), optimizer=None).fit(X, y)
    assert fixed.evidence_.choices == ()
    learned = GaussianProcessClassifier.automatic(Gaussian(1.0)).fit(X, y)
    assert learned.certificates_["pac-bayes-prior"].uncovered
    assert learned.certificates_["mcallester"].uncovered
    assert not fixed.certificates_["pac-bayes-prior"].uncovered


def test_what_was_chosen_around_a_process_is_not_covered_either():
    X, y = two_classes(60)
    process = GaussianProcessClassifier.automatic(Gaussian(1.0), optimizer=None)
    scaled = make_pipeline(StandardScaler(), process)
    inside = mercer.certified_fit(scaled, X, y, mode="in-sample")
    assert inside.certificates_["pac-bayes-prior"].uncovered
    learned = GaussianProcessClassifier.automatic(Gaussian(1.0))
    outside = mercer.certified_fit(learned, X, y, mode="holdout", random_state=0)
    assert outside.certificates_["pac-bayes-prior"].uncovered
    assert not outside.certificate_.uncovered  # other rows counted


def test_sampling_predicts_by_another_rule_than_the_mode_so_nothing_of_it_is_certified():
    X, y = two_classes(30)
    model = GaussianProcessClassifier.automatic(
        Gaussian(1.0), optimizer=None, inference="mcmc"
    ).fit(X, y)
    assert model.certificates_ == {}


def test_a_noisy_gram_has_no_geometry():
    X, y = two_classes(30)
    model = GaussianProcessClassifier.automatic(
        Gaussian(1.0), optimizer=None, latent_noise=0.1
    ).fit(X, y)
    assert model.evidence_.norm is None
    assert model.evidence_.posterior is None
