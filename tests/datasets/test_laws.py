"""Every law's Bayes risk against a Monte-Carlo count that uses labels only."""

import numpy as np
import pytest
from scipy import integrate, stats

from mercer import datasets

MAKERS = {
    "gaussian": lambda n, s: datasets.make_gaussian(n, d=3, distance=2.0, random_state=s),
    "gaussian prior": lambda n, s: datasets.make_gaussian(n, d=3, prior=0.2, random_state=s),
    "twonorm": lambda n, s: datasets.make_twonorm(n, random_state=s),
    "ringnorm": lambda n, s: datasets.make_ringnorm(n, random_state=s),
    "unbalanced": lambda n, s: datasets.make_unbalanced(n, random_state=s),
    "waveform": lambda n, s: datasets.make_waveform(n, random_state=s),
    "waveform 2": lambda n, s: datasets.make_waveform(n, classes=(0, 1), random_state=s),
    "moons": lambda n, s: datasets.make_moons(n, scale=0.3, random_state=s),
    "moons noise": lambda n, s: datasets.make_moons(n, scale=0.25, noise=0.1, random_state=s),
    "xor": lambda n, s: datasets.make_xor(n, random_state=s),
    "xor noise": lambda n, s: datasets.make_xor(n, scale=0.8, noise=0.05, random_state=s),
    "banana": lambda n, s: datasets.make_banana(n, random_state=s),
    "banana noise": lambda n, s: datasets.make_banana(n, noise=0.2, random_state=s),
    "discrete": lambda n, s: datasets.make_discrete(n, random_state=s),
    "heavy tails": lambda n, s: datasets.make_heavy_tails(n, random_state=s),
    "cauchy": lambda n, s: datasets.make_heavy_tails(n, df=1.0, d=4, random_state=s),
}


@pytest.fixture(params=MAKERS, scope="module")
def made(request):
    return MAKERS[request.param](100_000, 7)


def test_bayes_rule_errs_at_the_bayes_risk(made):
    X, y, law = made
    errors = int(np.sum(law.bayes_predict(X) != y))
    # An exact binomial test: a correct law fails it once in ten thousand seeds.
    assert stats.binomtest(errors, len(y), law.bayes_risk).pvalue > 1e-4


def test_posterior_is_calibrated(made):
    X, y, law = made
    table = law.posterior(X)
    assert table.shape == (len(X), len(law.classes))
    np.testing.assert_allclose(table.sum(axis=1), 1.0, atol=1e-12)
    for column, label in enumerate(law.classes):
        claimed, seen = table[:, column], y == label
        for low in np.arange(0.0, 1.0, 0.2):
            inside = (claimed >= low) & (claimed <= low + 0.2)
            if inside.sum() > 500:
                spread = np.sqrt((claimed[inside] * (1 - claimed[inside])).sum())
                assert abs(seen[inside].sum() - claimed[inside].sum()) < 5.0 * spread + 1e-9


def test_risk_agrees_with_counting_errors(made):
    X, y, law = made

    def first_coordinate(points):
        return np.where(points[:, 0] > 0.1, law.classes[1], law.classes[0])

    risk, error = law.risk_and_error(first_coordinate, n=60_000, random_state=3)
    counted = np.mean(first_coordinate(X) != y)
    assert abs(risk - counted) < 5.0 * np.hypot(error, np.sqrt(0.25 / len(y)))
    assert risk >= law.bayes_risk - 5.0 * error - 1e-12


def test_same_seed_same_sample(made):
    _, _, law = made
    first, second = law.sample(50, 11), law.sample(50, 11)
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])
    assert not np.array_equal(first[0], law.sample(50, 12)[0])


def test_breimans_published_risks():
    """Breiman (1996, 1998) gives 2.3 % for twonorm, 1.3 % for ringnorm and 14 % for waveform."""
    assert datasets.make_twonorm(1)[2].bayes_risk == pytest.approx(stats.norm.cdf(-2.0), rel=1e-12)
    assert datasets.make_ringnorm(1)[2].bayes_risk == pytest.approx(0.013, abs=1e-3)
    assert datasets.make_waveform(1)[2].bayes_risk == pytest.approx(0.14, abs=1e-2)


def test_ringnorm_in_one_dimension_by_quadrature():
    law = datasets.ScaledPair([0.7], 1.0, [0.0], 2.0, prior=0.3)

    def smaller(x):
        return min(0.3 * stats.norm.pdf(x, 0, 2), 0.7 * stats.norm.pdf(x, 0.7, 1))

    expected, _ = integrate.quad(smaller, -20, 20, limit=500, points=[-3, -2, -1, 0, 1, 2, 3, 4])
    assert law.bayes_risk == pytest.approx(expected, abs=1e-8)


def test_swapping_the_classes_of_a_scaled_pair_changes_nothing():
    one = datasets.ScaledPair([1.0, 0.0], 1.0, [0.0, 0.0], 3.0, prior=0.4)
    other = datasets.ScaledPair([0.0, 0.0], 3.0, [1.0, 0.0], 1.0, prior=0.6)
    assert one.bayes_risk == pytest.approx(other.bayes_risk, rel=1e-10)


def test_mirrored_waveform_problems_are_equally_hard():
    """Reading the 21 coordinates backwards swaps the classes 0 and 1."""
    left, right = (datasets.Waveform(classes).bayes_risk for classes in ((0, 2), (1, 2)))
    assert left == pytest.approx(right, abs=1e-6)


def test_moons_bayes_risk_tends_to_the_noise_rate():
    assert datasets.Moons(scale=0.08, noise=0.15).bayes_risk == pytest.approx(0.15, abs=1e-3)


def test_linear_risk_is_exact():
    X, y, law = datasets.make_gaussian(200_000, d=4, distance=3.0, prior=0.3, random_state=0)
    w, b = np.array([1.0, -0.5, 0.3, 0.8]), 0.4
    wrong = int(np.sum(np.where(X @ w + b > 0, 1, -1) != y))
    assert stats.binomtest(wrong, len(y), law.linear_risk(w, b)).pvalue > 1e-4


def test_discrete_risk_is_exact():
    law = datasets.DiscreteLaw([[0.0], [1.0], [2.0]], [0.5, 0.25, 0.25], [0.1, 0.9, 0.4])
    assert law.bayes_risk == pytest.approx(0.5 * 0.1 + 0.25 * 0.1 + 0.25 * 0.4)
    always = law.risk_and_error(lambda X: np.ones(len(X), dtype=int))
    assert always == (pytest.approx(0.5 * 0.9 + 0.25 * 0.1 + 0.25 * 0.6), 0.0)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: datasets.GaussianPair([0.0], [0.0]), "means are equal"),
        (lambda: datasets.GaussianPair([0.0], [1.0], prior=1.0), "prior"),
        (lambda: datasets.ScaledPair([0.0], 1.0, [1.0], 1.0), "different"),
        (lambda: datasets.Xor(noise=0.5), "noise"),
        (lambda: datasets.Moons(scale=0.001), "at least 0.02"),
        (lambda: datasets.Waveform((0,)), "classes"),
        (lambda: datasets.Waveform((0, 5)), "classes"),
        (lambda: datasets.StudentPair([1.0], df=0.0), "df"),
        (lambda: datasets.DiscreteLaw([[0.0]], [0.5], [0.5]), "add up"),
        (lambda: datasets.DiscreteLaw([[0.0], [0.0]], [0.5, 0.5], [0.5, 0.1]), "equal"),
        (lambda: datasets.DiscreteLaw([[0.0]], [1.0], [1.5]), "eta"),
        (lambda: datasets.DiscreteLaw([[0.0]], [1.0], [0.5, 0.5]), "entries"),
        (lambda: datasets.make_twonorm(0), "at least 1"),
    ],
)
def test_impossible_laws_are_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_risk_refuses_a_predictor_of_the_wrong_shape():
    law = datasets.Xor()
    with pytest.raises(ValueError, match="one label per row"):
        law.risk(lambda X: np.ones((len(X), 2)), n=10)


def test_points_outside_a_discrete_law_are_refused():
    law = datasets.make_discrete(1, random_state=0)[2]
    with pytest.raises(ValueError, match="not atoms"):
        law.posterior([[100.0, 100.0]])
