"""Gaussian calculus, exponential families, matrix identities."""

import math

import numpy as np
import pytest
from scipy import stats

from mercer.bounds import Evidence, get
from mercer.theory import distributions, gaussian, matrices

RNG = np.random.default_rng(0)


def spd(n, seed=0):
    A = np.random.default_rng(seed).standard_normal((n, n))
    return A @ A.T + n * np.eye(n)


def test_conditional_and_marginal_factorise_the_density():
    law = gaussian.Normal(RNG.standard_normal(4), spd(4))
    x = RNG.standard_normal(4)
    given = gaussian.conditional(law, [1, 3], x[[1, 3]])
    joint = gaussian.log_density(law, x)
    known = gaussian.log_density(gaussian.marginal(law, [1, 3]), x[[1, 3]])
    assert gaussian.log_density(given, x[[0, 2]]) + known == pytest.approx(joint)
    assert joint == pytest.approx(stats.multivariate_normal(law.mean, law.covariance).logpdf(x))


def test_linear_posterior_is_bayes_rule():
    prior = gaussian.Normal(np.array([0.5, -1.0]), spd(2, 1))
    X, noise, seen = RNG.standard_normal((3, 2)), spd(3, 2), RNG.standard_normal(3)
    posterior, predicted = gaussian.linear_posterior(prior, X, noise, seen)
    for y in RNG.standard_normal((4, 2)):
        likelihood = gaussian.log_density(gaussian.Normal(X @ y, noise), seen)
        left = likelihood + gaussian.log_density(prior, y)
        right = gaussian.log_density(posterior, y) + gaussian.log_density(predicted, seen)
        assert left == pytest.approx(right)


def test_linear_map_and_divergence():
    law = gaussian.Normal(np.zeros(2), np.eye(2))
    mapped = gaussian.linear_map(law, [[1.0, 1.0]], 3.0)
    assert mapped.mean == pytest.approx([3.0])
    assert mapped.covariance == pytest.approx(np.array([[2.0]]))
    one, two = (
        gaussian.Normal(np.array([0.3]), np.array([[0.5]])),
        gaussian.Normal(np.zeros(1), np.eye(1)),
    )
    assert gaussian.kl_divergence(one, two) == pytest.approx(0.5 * (0.5 + 0.09 - 1 - math.log(0.5)))
    assert gaussian.kl_divergence(two, two) == 0.0
    degenerate = gaussian.Normal(np.zeros(1), np.zeros((1, 1)))
    assert gaussian.kl_divergence(degenerate, two) == math.inf
    with pytest.raises(ValueError, match="does not fit"):
        gaussian.linear_map(gaussian.Normal(np.zeros(1), np.eye(1)), [[1.0]], np.zeros(3))


def test_gaussian_process_posterior_feeds_the_bounds():
    K = spd(30, 3) / 30
    labels = np.sign(RNG.standard_normal(30))
    record = gaussian.gaussian_process_posterior(K, 0.5 * labels, 0.5 * K, labels)
    law = gaussian.Normal(0.5 * labels, 0.5 * K)
    assert record.kl == pytest.approx(gaussian.kl_divergence(law, gaussian.Normal(np.zeros(30), K)))
    draws = RNG.multivariate_normal(law.mean, law.covariance, size=20000)
    assert record.gibbs == pytest.approx(np.mean(draws * labels < 0), abs=0.01)
    bound = get("pac-bayes-prior")().evaluate(Evidence(30, posterior=record))
    assert bound.unclipped > record.gibbs


FROZEN = {
    "bernoulli": ((0.3,), stats.bernoulli(0.3).logpmf, 1),
    "poisson": ((2.5,), stats.poisson(2.5).logpmf, 4),
    "exponential": ((1.7,), stats.expon(scale=1 / 1.7).logpdf, 0.8),
    "normal": ((1.2, 2.0), stats.norm(1.2, math.sqrt(2)).logpdf, 0.3),
    "gamma": ((2.2, 0.7), stats.gamma(2.2, scale=0.7).logpdf, 1.1),
    "beta": ((2.0, 3.5), stats.beta(2.0, 3.5).logpdf, 0.4),
}


@pytest.mark.parametrize("name", sorted(distributions.FAMILIES))
def test_families_against_scipy(name):
    params, log_density, x = FROZEN[name]
    family = distributions.FAMILIES[name]
    assert family.log_density(x, *params) == pytest.approx(float(log_density(x)))
    theta = family.to_natural(params)
    assert family.to_usual(theta) == pytest.approx(params)
    for i, expected in enumerate(family.mean(params)):  # E τ = −∂ ln a₀/∂θ
        step = 1e-6
        up, down = ([*theta[:i], theta[i] + s, *theta[i + 1 :]] for s in (step, -step))
        slope = (family.log_a0(tuple(up)) - family.log_a0(tuple(down))) / (2 * step)
        assert -slope == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        *((name, facts[0]) for name, facts in FROZEN.items()),
        ("gamma", (0.05, 30.0)),
        ("gamma", (400.0, 0.01)),
        ("beta", (0.2, 0.9)),
        ("beta", (150.0, 30.0)),
    ],
)
def test_mean_parameters_there_and_back(name, params):
    family = distributions.FAMILIES[name]
    assert family.from_mean(family.mean(params)) == pytest.approx(params, rel=1e-5)


def test_no_law_has_an_impossible_mean():
    with pytest.raises(ValueError, match="no gamma law"):
        distributions.FAMILIES["gamma"].from_mean((3.0, 1.0))  # E ln x > ln E x
    with pytest.raises(ValueError, match="no beta law"):
        distributions.FAMILIES["beta"].from_mean((-0.1, -0.1))  # x and 1 − x both near one


def test_means_and_variances_of_the_table():
    frozen = {
        "bernoulli": ((0.3,), stats.bernoulli(0.3)),
        "binomial": ((7, 0.3), stats.binom(7, 0.3)),
        "poisson": ((2.5,), stats.poisson(2.5)),
        "uniform on a set": ((3, 4, 5, 6), stats.randint(3, 7)),
        "uniform": ((-1.0, 3.0), stats.uniform(-1.0, 4.0)),
        "exponential": ((1.7,), stats.expon(scale=1 / 1.7)),
        "normal": ((1.2, 2.0), stats.norm(1.2, math.sqrt(2))),
        "gamma": ((2.2, 0.7), stats.gamma(2.2, scale=0.7)),
        "beta": ((2.0, 3.5), stats.beta(2.0, 3.5)),
    }
    assert set(frozen) == set(distributions.MOMENTS)
    for name, (params, law) in frozen.items():
        assert distributions.MOMENTS[name](*params) == pytest.approx((law.mean(), law.var()))


def test_natural_parameters_of_a_normal_law():
    """ln p(x) = ln a₀ + θ₁·x + x'θ₂x with the a₀ of table A.2."""
    law = gaussian.Normal(RNG.standard_normal(3), spd(3, 4))
    linear, quadratic = gaussian.natural_parameters(law)
    log_a0 = -1.5 * math.log(2 * math.pi) - 0.5 * np.linalg.slogdet(law.covariance)[1]
    log_a0 -= 0.5 * law.mean @ np.linalg.solve(law.covariance, law.mean)
    x = RNG.standard_normal(3)
    assert log_a0 + linear @ x + x @ quadratic @ x == pytest.approx(gaussian.log_density(law, x))
    again = gaussian.from_natural(linear, quadratic)
    assert again.mean == pytest.approx(law.mean)
    assert again.covariance == pytest.approx(law.covariance)


def test_binomial_and_its_conjugate():
    family = distributions.binomial(7)
    assert family.log_density(3, 0.4) == pytest.approx(float(stats.binom(7, 0.4).logpmf(3)))
    assert family.mean((0.4,)) == pytest.approx((2.8,))
    assert family.from_mean((2.8,)) == pytest.approx((0.4,))
    assert distributions.beta_posterior(1, 1, 3, 7) == (4, 5)


def test_inverses_and_determinants():
    C, A, B = spd(4), RNG.standard_normal((4, 2)), RNG.standard_normal((2, 4))
    assert matrices.woodbury(np.linalg.inv(C), A, B) == pytest.approx(np.linalg.inv(C + A @ B))
    whole = spd(5, 5)
    parts = whole[:2, :2], whole[:2, 2:], whole[2:, :2], whole[2:, 2:]
    assert matrices.block_inverse(*parts) == pytest.approx(np.linalg.inv(whole))
    sign, log_det = matrices.block_log_determinant(*parts)
    assert (sign, log_det) == pytest.approx(tuple(np.linalg.slogdet(whole)))


def test_quadratic_forms_rayleigh_and_kronecker():
    A, B, X = spd(3, 6), spd(2, 7), RNG.standard_normal((3, 2))
    a, b, u = RNG.standard_normal(3), RNG.standard_normal(2), RNG.standard_normal(2)
    c, C, d = matrices.merge_quadratic_forms(a, A, b, B, X)
    left = (a - X @ u) @ A @ (a - X @ u) + (b - u) @ B @ (b - u)
    assert (c - u) @ C @ (c - u) + d == pytest.approx(left)
    value, where = matrices.rayleigh_maximum(A, spd(3, 8))
    assert matrices.rayleigh(A, where, spd(3, 8)) == pytest.approx(value)
    for x in RNG.standard_normal((20, 3)):
        assert matrices.rayleigh(A, x, spd(3, 8)) <= value + 1e-12
        assert matrices.rayleigh(A, x) <= matrices.rayleigh_maximum(A)[0] + 1e-12
    top, direction = matrices.rayleigh_maximum(np.outer(a, a), A)
    assert top == pytest.approx(a @ np.linalg.solve(A, a))
    expected = np.linalg.solve(A, a)
    assert abs(direction @ expected) == pytest.approx(
        np.linalg.norm(direction) * np.linalg.norm(expected)
    )
    assert matrices.kronecker_eigenvalues(A, B) == pytest.approx(np.linalg.eigvalsh(np.kron(A, B)))
