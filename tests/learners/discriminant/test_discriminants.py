"""Fisher, kernel Fisher, Parzen and generative classifiers: golden values, twins and limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.optimize import minimize
from scipy.special import gammaln
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity

from mercer import certified_fit
from mercer.datasets import GaussianPair
from mercer.kernels import Gaussian
from mercer.learners.discriminant import (
    BayesRule,
    ExponentialFamilyClassifier,
    FisherDiscriminant,
    KernelFisher,
    LogisticClassifier,
    ParzenClassifier,
)
from mercer.learners.discriminant._families import FAMILIES

A = np.array([(2, 0), (4, -4), (-3, -3), (-2, -1), (2, -1), (4, 2)], dtype=float)
B = np.vstack([A, [(-1, 1), (1, 1)]])
LABELS = np.array([1, -1, -1, -1, 1, 1, 1, -1])


def draw(n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice([-1, 1], size=n, p=[0.35, 0.65])
    mixing = np.array([[1.0, 0.4, 0.0], [0.0, 0.8, -0.3], [0.0, 0.0, 1.2]])
    return rng.normal(size=(n, 3)) @ mixing + 0.8 * y[:, None] * [1, 0, 1], y


# -- Fisher ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["moments", "eigen"])
def test_golden_fisher(solver):
    model = FisherDiscriminant(solver=solver).fit(B, LABELS)
    assert_allclose(model.coef_, [[0.383623, 0.959952]], atol=1e-6)
    assert_allclose(model.intercept_, 0.2643001, atol=1e-7)


def test_golden_least_squares_route():
    model = FisherDiscriminant(solver="least_squares").fit(B, LABELS)
    fisher = FisherDiscriminant().fit(B, LABELS)
    assert_allclose(model.coef_ / fisher.coef_, 0.585546, atol=1e-6)
    assert_allclose(model.intercept_, 0.15475983, atol=1e-8)


@pytest.mark.parametrize("solver", ["moments", "eigen"])
def test_golden_kernel_fisher(solver):
    model = KernelFisher(reg_param=0.1, kernel=Gaussian(2.0), solver=solver).fit(B, LABELS)
    wanted = [
        0.935548, -1.339208, -1.523535, -0.734517, 1.348772, 1.673444, 0.685764, -0.290679,
    ]  # fmt: skip
    assert_allclose(model.dual_coef_, wanted, atol=1e-6)
    assert_allclose(model.intercept_, -0.6851532, atol=1e-7)


def test_fisher_is_scikit_learns():
    X, y = draw()
    ours = FisherDiscriminant().fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)
    odds = np.log(np.mean(y > 0) / np.mean(y < 0))
    equal = FisherDiscriminant(prior="equal").fit(X, y)
    assert_allclose(ours.intercept_ - equal.intercept_, odds)


@pytest.mark.parametrize("penalty", [0.0, 0.3])
def test_the_three_routes_have_one_direction(penalty):
    X, y = draw()
    planes = [
        FisherDiscriminant(solver=solver, reg_param=penalty).fit(X, y).coef_[0]
        for solver in ("moments", "eigen", "least_squares")
    ]
    units = [w / np.linalg.norm(w) for w in planes]
    assert_allclose(units[1], units[0], atol=1e-9)
    assert_allclose(units[2], units[0], atol=1e-9)


def test_kernel_routes_have_one_direction():
    X, y = draw(60)
    coefs = [
        KernelFisher(solver=solver, gamma=0.5, reg_param=0.01).fit(X, y).dual_coef_
        for solver in ("moments", "eigen", "least_squares")
    ]
    units = [c / np.linalg.norm(c) for c in coefs]
    assert_allclose(units[1], units[0], atol=1e-7)
    assert_allclose(units[2], units[0], atol=1e-7)


def test_fisher_maximises_the_quotient():
    X, y = draw()
    model = FisherDiscriminant().fit(X, y)
    gap = model.means_[1] - model.means_[0]

    def quotient(w):
        return (w @ gap) ** 2 / (w @ model.covariance_ @ w)

    found = quotient(model.coef_[0])
    best = minimize(lambda w: -quotient(w), [1.0, 0.2, 0.3])
    assert found == pytest.approx(-best.fun, rel=1e-6)
    assert found == pytest.approx(gap @ np.linalg.solve(model.covariance_, gap))


def test_weights_and_singular_scatter():
    X, y = draw(40)
    weight = np.arange(40) % 3
    rows = np.repeat(np.arange(40), weight)
    assert_allclose(
        FisherDiscriminant().fit(X, y, weight).coef_,
        FisherDiscriminant().fit(X[rows], y[rows]).coef_,
    )
    doubled = np.column_stack([X, X[:, 0]])  # a repeated column
    model = FisherDiscriminant().fit(doubled, y)
    assert_allclose(
        model.decision_function(doubled),
        FisherDiscriminant().fit(X, y).decision_function(X),
        atol=1e-8,
    )


def test_fisher_finds_the_bayes_plane_of_two_gaussians():
    law = GaussianPair([-1.0, 0.0], [1.0, 0.5])
    X, y = law.sample(20_000, random_state=1)
    assert law.risk(FisherDiscriminant().fit(X, y).predict, n=20_000) < law.bayes_risk + 0.01


# -- Parzen ----------------------------------------------------------------------------------------


def test_parzen_is_the_expansion_with_the_labels_as_coefficients():
    X, y = draw()
    model = ParzenClassifier(kernel=Gaussian(0.7)).fit(X, y)
    assert_allclose(model.decision_function(X), Gaussian(0.7)(X) @ y, atol=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        ParzenClassifier(kernel=Gaussian(0.7)),
        FisherDiscriminant(),
        LogisticClassifier(),
        ExponentialFamilyClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_evidence_counts_the_rows_of_positive_weight(model):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(20, 2))
    y, weight = (X[:, 0] > 0).astype(int), np.repeat([1.0, 0.0], [15, 5])
    found = clone(model).fit(X, y, weight).evidence_
    expected = clone(model).fit(X[:15], y[:15]).evidence_
    assert found.n == 15
    assert found.errors == expected.errors
    assert_allclose(found.margins, expected.margins, atol=1e-3)
    assert [choice.what for choice in found.choices] == ["the rows of weight zero"]


def test_parzen_compares_density_estimates():
    X, y = draw()
    y = np.where(X[:, 0] > 1.2, 2, y)  # three classes
    logs = [
        KernelDensity(bandwidth=0.7).fit(X[y == k]).score_samples(X) + np.log(np.mean(y == k))
        for k in (-1, 1, 2)
    ]
    model = ParzenClassifier(kernel=Gaussian(0.7)).fit(X, y)
    assert_allclose(model.predict(X), np.array([-1, 1, 2])[np.argmax(logs, axis=0)])


# -- generative ------------------------------------------------------------------------------------


def draws(name, rng, n):
    """A sample of each family, and the log density of scipy at given natural parameters."""
    if name == "normal":
        return rng.normal(2, 3, n), lambda x, t: stats.norm.logpdf(
            x, -t[0] / (2 * t[1]), np.sqrt(-0.5 / t[1])
        )
    if name == "bernoulli":
        return (rng.random(n) < 0.3).astype(float), lambda x, t: stats.bernoulli.logpmf(
            x, 1 / (1 + np.exp(-t[0]))
        )
    if name == "poisson":
        return rng.poisson(4, n).astype(float), lambda x, t: stats.poisson.logpmf(x, np.exp(t[0]))
    if name == "exponential":
        return rng.exponential(2, n), lambda x, t: stats.expon.logpdf(x, scale=-1 / t[0])
    if name == "gamma":
        return rng.gamma(2.5, 0.7, n), lambda x, t: stats.gamma.logpdf(x, t[0], scale=-1 / t[1])
    return rng.beta(2, 5, n), lambda x, t: stats.beta.logpdf(x, t[0], t[1])


BASE = {  # ln τ0, the part that all classes share
    "normal": lambda x: 0 * x,
    "bernoulli": lambda x: 0 * x,
    "poisson": lambda x: -gammaln(x + 1),
    "exponential": lambda x: 0 * x,
    "gamma": lambda x: -np.log(x),
    "beta": lambda x: -np.log(x) - np.log1p(-x),
}


@pytest.mark.parametrize("name", sorted(FAMILIES.keys() - {"multinomial"}))  # that one is of rows
def test_families_are_the_densities_of_scipy(name):
    family, rng = FAMILIES[name], np.random.default_rng(0)
    x, log_density = draws(name, rng, 400)
    theta = family.fit(x[:, None], np.ones(400))[0]
    ours = family.log_a0(theta[None])[0] + family.statistics(x) @ theta + BASE[name](x)
    assert_allclose(ours, log_density(x, theta), atol=1e-8)


@pytest.mark.parametrize("name", FAMILIES)
def test_parameters_are_the_likeliest(name):
    family, rng = FAMILIES[name], np.random.default_rng(1)
    x, _ = draws(name, rng, 3000)
    theta = family.fit(x[:, None], np.ones(3000))[0]

    def log_likelihood(t):
        return 3000 * family.log_a0(t[None])[0] + (family.statistics(x) @ t).sum()

    best = log_likelihood(theta)
    for step in 1e-2 * np.vstack([np.eye(len(theta)), -np.eye(len(theta))]):
        assert log_likelihood(theta * (1 + step)) <= best + 0.05  # the pseudo-count's share


def test_normal_family_is_gaussian_naive_bayes():
    X, y = draw()
    y = np.where(X[:, 1] > 1, 2, y)
    ours = ExponentialFamilyClassifier().fit(X, y)
    theirs = GaussianNB(var_smoothing=0).fit(X, y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_rule_is_linear_in_the_statistics(name):
    rng = np.random.default_rng(2)
    X = draws(name, rng, 80)[0].reshape(40, 2)
    y = np.arange(40) % 2
    model = ExponentialFamilyClassifier(name).fit(X, y)
    statistics = FAMILIES[name].statistics(X).reshape(40, -1)
    assert_allclose(model.decision_function(X), statistics @ model.coef_[0] + model.intercept_[0])
    weights = (model.theta_[1] - model.theta_[0]).ravel()
    assert_allclose(model.coef_[0], weights)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_domains_are_checked():
    X, y = [[0.5], [-1.0], [2.0], [3.0]], [0, 0, 1, 1]
    with pytest.raises(ValueError, match=r"wants numbers > 0; X\[1, 0\] = -1"):
        ExponentialFamilyClassifier("gamma").fit(X, y)
    with pytest.raises(ValueError, match="family"):
        ExponentialFamilyClassifier("cauchy").fit(X, y)


# -- the Bayes rule --------------------------------------------------------------------------------


def test_bayes_risk_of_two_gaussians_by_quadrature():
    plane = [lambda x, m=m: stats.multivariate_normal([m, 0]).pdf(x) for m in (-1, 1)]
    rule = BayesRule(plane)
    assert rule.risk([(-8, 8), (-8, 8)], tol=1e-5) == pytest.approx(stats.norm.cdf(-1), abs=1e-4)
    assert_allclose(rule.predict([[-0.1, 3], [0.1, -3]]), [-1, 1])
    assert_allclose(rule.conditional_mean([[0.3, 0.0]]), 2 * rule.posterior([[0.3, 0.0]])[:, 1] - 1)


def test_no_rule_beats_it_and_the_excess_is_the_identity():
    """L(f) − L* = E[(2η − 1)(1{f* = 1} − 1{f = 1})]."""
    shares = [0.3, 0.7]
    line = [lambda x, m=m: stats.norm.pdf(x[:, 0], m) for m in (-1, 1)]
    rule = BayesRule(line, shares)
    box = [(-9.0, 9.0)]
    for cut in (-0.5, 0.2, 1.0):

        def other(x, cut=cut):
            return np.where(x[:, 0] > cut, 1, -1)

        excess = rule.risk(box, other) - rule.risk(box)
        grid = np.linspace(-9, 9, 200_001)[:, None]
        eta = rule.posterior(grid)[:, 1]
        differ = (rule.predict(grid) == 1).astype(float) - (other(grid) == 1)
        identity = np.trapezoid((2 * eta - 1) * differ * rule.joint(grid).sum(axis=1), grid[:, 0])
        assert excess >= 0
        assert excess == pytest.approx(identity, abs=1e-4)


def test_bayes_rule_mistakes():
    with pytest.raises(ValueError, match="at least two"):
        BayesRule([lambda x: x[:, 0]])
    with pytest.raises(ValueError, match="sum to 1"):
        BayesRule([np.sum, np.sum], [0.5, 0.6])
    with pytest.raises(ValueError, match="numbers >= 0"):
        BayesRule([lambda x: -np.ones(len(x))] * 2).predict([[0.0]])


# -- certificates ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator",
    [FisherDiscriminant(), KernelFisher(), ParzenClassifier(), ExponentialFamilyClassifier()],
    ids=lambda e: type(e).__name__,
)
def test_evidence_and_certificates(estimator):
    X, y = draw(400)
    model = estimator.fit(X, y)
    assert model.evidence_.errors == np.count_nonzero(model.predict(X) != y)
    assert_allclose(model.evidence_.margins, y * model.decision_function(X), atol=1e-8)
    assert model.certificates_ or model.not_applicable_
    held = certified_fit(estimator, X, y, mode="holdout")
    assert held.certificate_.value < 0.5


@pytest.mark.parametrize(
    "estimator",
    [FisherDiscriminant(), ParzenClassifier(), ExponentialFamilyClassifier()],
    ids=lambda e: type(e).__name__,
)
def test_modes_that_spend_rows(estimator):
    X, y = draw(300)
    selective = certified_fit(estimator, X, y, mode="selective", random_state=0)
    sure = selective.accepts(X)
    assert 0 < sure.sum() < len(y)
    assert np.mean(selective.predict(X)[sure] != y[sure]) <= np.mean(selective.predict(X) != y)
    mixture = certified_fit(estimator, X, y, mode="progressive", random_state=0)
    assert set(mixture.predict(X)) == {-1, 1}
    assert not hasattr(mixture, "accepts")


# -- Parzen's probabilities ------------------------------------------------------------------------


def test_parzen_probabilities_are_bayes_rule_on_densities():
    X, y = draw(60)
    ours = ParzenClassifier(kernel=Gaussian(0.8)).fit(X, y)
    new = X[:10] + 0.1
    densities = np.column_stack(
        [
            np.mean(y == k) * np.exp(KernelDensity(bandwidth=0.8).fit(X[y == k]).score_samples(new))
            for k in (-1, 1)
        ]
    )
    expected = densities / densities.sum(axis=1, keepdims=True)
    assert_allclose(ours.predict_proba(new), expected, rtol=1e-8)
    likely = ours.classes_[ours.predict_proba(new).argmax(axis=1)]
    assert np.array_equal(likely, ours.predict(new))
    far = ours.predict_proba(np.full((1, 3), 1e4))
    assert_allclose(far, [[np.mean(y < 0), np.mean(y > 0)]])
    with pytest.raises(ValueError, match="no densities"):
        ParzenClassifier(kernel="linear").fit(X, y).predict_proba(-10 * X)
