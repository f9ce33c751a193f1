"""What the axes of more pictures hold, beside formulas, brute force and other libraries."""

import itertools
import math
import warnings

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import betainc, expit
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from helpers_drawn import curves

pytest.importorskip("matplotlib.pyplot")


def test_losses_and_caps(drawn):
    """5.2, the ψ-transforms and C.5."""
    found = drawn("theory_losses_and_caps")
    for label, (margin, loss) in curves(found["left"]).items():
        if label == "error":
            np.testing.assert_array_equal(loss, margin <= 0)
            continue
        tau = float(label.split("= ")[1])
        wanted = np.where(margin <= 0, 1.0, np.where(margin >= tau, 0.0, 1 - margin / tau))
        np.testing.assert_allclose(loss, wanted, atol=1e-12)
    psi = curves(found["middle"])
    closed = {
        "hinge": lambda t: t,
        "square": lambda t: t**2,
        "exponential": lambda t: 1 - np.sqrt(1 - t**2),
    }
    assert closed.keys() <= psi.keys()
    for name, formula in closed.items():
        np.testing.assert_allclose(psi[name][1], formula(psi[name][0]), atol=1e-6)
    caps = curves(found["right"])
    for n in (10, 100):
        x, exact = caps[f"exact, n = {n}"]
        share = 0.5 * betainc((n - 1) / 2, 0.5, 1 - (1 - x) ** 2)  # of an angle of cosine 1 − x
        np.testing.assert_allclose(exact, -np.log(share), rtol=1e-9)
        assert np.all(exact <= caps[f"bound, n = {n}"][1] + 1e-12)


def test_rows_until_a_margin_bound_says_anything(drawn):
    """4.2 and 4.8."""
    found = drawn("theory_sample_sizes")
    ratio, exponent = found["left"].lines[0].get_xydata().T
    np.testing.assert_allclose(exponent, ratio * (np.log(2 / ratio) + 1), atol=1e-12)
    rows = curves(found["right"])
    at, least = rows["theorem 4.32 applies"]
    np.testing.assert_array_equal(least, 32 * at)
    assert rows["robust (4.33), no row short of it"][1].item() == 35_435
    assert rows["robust (4.33), one row at zero"][1].item() == 703_372
    for name in ("fat shattering (4.29)", "cover by perceptron steps"):
        assert np.all(np.diff(rows[name][1]) > 0)
        assert np.all(rows[name][1] > least)


def test_covers_and_shattered_points(drawn):
    """4.5 and 4.7, by looking at every function."""
    found = drawn("theory_covers")
    outputs, centres, scale = found["outputs"], found["centres"], found["scale"]
    apart = np.abs(outputs[:, None] - outputs[centres]).max(axis=2)
    assert apart.min(axis=1).max() <= scale + 1e-12
    boxes = [patch.get_xy() for patch in found["middle"].patches]
    np.testing.assert_allclose(boxes, outputs[centres] - scale)
    at_points = np.array([line.get_xydata() for line in found["left"].lines[:20]])
    inner = found["coefficients"].T @ found["gram"] @ found["coefficients"]
    assert np.all(np.diag(inner) <= 1 + 1e-9)  # norms of the functions drawn
    assert np.abs(at_points[:, :, 1]).max() <= 1 + 1e-9
    few, levels, largest = outputs[found["few"]], found["shattered"].witnesses, found["largest"]
    for signs in itertools.product((-1, 1), repeat=2):
        assert np.any(np.all(signs * (few - levels) >= largest - 1e-9, axis=1)), signs


@pytest.mark.slow
def test_laws_covers_and_few_rows(drawn):
    """A.2 to A.5, and the table of digits."""
    found = drawn("theory_appendix")
    axes, whole = found["axes"], np.arange(21)
    masses = curves(axes[0])
    laws = {
        "binomial, 20 and 0.2": stats.binom(20, 0.2),
        "binomial, 20 and 0.5": stats.binom(20, 0.5),
        "Poisson, 2": stats.poisson(2),
        "Poisson, 10": stats.poisson(10),
    }
    for name, law in laws.items():
        np.testing.assert_allclose(masses[name][1], law.pmf(whole), atol=1e-12)
    densities = curves(axes[1])
    for name, law in {
        "exponential": stats.expon(),
        "normal": stats.norm(2, 0.5),
        "beta, 2 and 3": stats.beta(2, 3),
    }.items():
        np.testing.assert_allclose(densities[name][1], law.pdf(densities[name][0]), atol=1e-9)
    for rho, ax in zip((0.0, 0.5), axes[2:4], strict=True):
        assert f"{1 / (2 * np.pi * np.sqrt(1 - rho**2)):.3f}" in ax.get_title()
    distances, eps = found["distances"], found["eps"]
    assert distances[:, found["cover"]].min(axis=1).max() <= eps
    bars = np.array([bar.get_height() for bar in axes[5].patches]).reshape(2, 10) / 100
    for kept, row in zip(found["kept"].values(), bars, strict=True):
        for d, bound in zip(kept, row, strict=True):  # (5.16) is the looser of the two
            m, delta = 60_000, 0.05
            log_choose = math.lgamma(m + 1) - math.lgamma(d + 1) - math.lgamma(m - d + 1)
            assert bound <= (log_choose + math.log(m / delta)) / (m - d) + 1e-12
    assert np.all(bars[0] < bars[1])
    rows, promised = axes[7].lines[1].get_xydata().T
    np.testing.assert_allclose(promised, 1 / (2 * found["lam"] * rows), rtol=1e-9)
    assert np.all(axes[7].lines[0].get_ydata() <= promised)
    assert all(abs(np.mean(line.get_ydata()) - 0.5) < 0.05 for line in axes[6].lines[:2])


@pytest.mark.slow
def test_lecture_maps(drawn):
    """12.8 to 12.15 of Peyré."""
    found = drawn("lecture_maps")
    axes = found["axes"]
    _, mean = curves(axes[0])["E(y | x)"]
    weight = found["joint"] / found["joint"].sum(axis=0)
    inside = np.abs(mean) < 1.5  # elsewhere the window cuts the law
    numeric = found["side"] @ weight
    np.testing.assert_allclose(mean[inside], numeric[inside], atol=1e-3)

    def moment(power):
        return quad(lambda v: stats.norm.pdf(v) * v**power * (np.sin(1.5 * v) + 0.4 * v), -9, 9)[0]

    slope = next(label for label in curves(axes[0]) if "slope" in label).split()[-1]
    assert float(slope) == pytest.approx(moment(1), abs=0.03)  # E x² = 1; the side ends at ±3
    plane, number = found["plane"], np.unique(found["iris"].y, return_inverse=True)[1]
    for R, ax in zip((1, 5, 10, 40), axes[1:5], strict=True):
        model = KNeighborsClassifier(R).fit(plane, number)
        wrong = np.count_nonzero(model.predict(plane) != number)
        told = int(ax.get_title().split(", ")[1].split()[0])
        assert abs(told - wrong) <= 2  # equal votes are decided otherwise
        assert len(ax.lines) == R + 1
    for label, (at, height) in curves(axes[5]).items():
        np.testing.assert_allclose(height, expit(float(label.split("= ")[1]) * at), atol=1e-12)
    losses = curves(axes[9])
    s = losses["square"][0]
    np.testing.assert_allclose(losses["hinge"][1], np.clip(1 + s, 0, None))
    np.testing.assert_allclose(losses["logistic / ln 2"][1], np.log2(1 + np.exp(s)), atol=1e-12)
    lengths = [float(ax.get_title().split("= ")[2]) for ax in axes[10:13]]
    rng = np.random.default_rng(0)
    for omega, length in zip((0.5, 1.5, 3.0), lengths, strict=True):
        y = np.repeat([-1, 1], 100)
        X = rng.normal(size=(200, 2)) + np.outer(y, [omega / 2, 0])
        own = LogisticRegression(C=100.0, tol=1e-8).fit(X, y)
        assert length == pytest.approx(np.linalg.norm(own.coef_), abs=0.01)


@pytest.mark.slow
def test_lecture_risks(drawn):
    """The students, 2.3, 2.4 and the bounds of Banisch's chapter 2."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = drawn("lecture_risks")
    axes = found["axes"]
    assert found["best"] == pytest.approx(np.log(1.25 * np.e) / 4, abs=1e-6)
    both = quad(lambda v: 2 * v / (1 + v) ** 2 / 4, 0, 4)[0]  # 2 η (1 − η)
    assert found["nearest"] == pytest.approx(both, abs=1e-6)
    one, many = (line.get_ydata() for line in axes[1].lines[:2])
    assert one[-1] == pytest.approx(both, abs=0.02)
    assert found["best"] < many[-1] < one[-1]
    parts = curves(axes[2])
    cells, left = parts["approximation: inf over C − L*"]
    assert left[cells == 4] == pytest.approx(0.0, abs=1e-6)  # a cell ends at x = c
    two = quad(lambda v: np.minimum(v, 1) / (1 + v) / 4, 0, 4)[0]
    assert two == pytest.approx(found["best"], abs=1e-9)
    assert np.all(left >= -1e-12)
    assert np.all(np.diff(parts["estimation: L(chosen) − inf over C"][1][2:]) > 0)
    rows, limit = axes[3].lines[1].get_xydata().T
    np.testing.assert_allclose(limit, np.sqrt(2 / rows * (3 * np.log(rows) + 6)))
    assert np.all(axes[3].lines[0].get_ydata() < limit)
    assert found["reached"] == 16
    widths = curves(axes[5])
    for name, level in (("h = 3", 3), ("h = 100", 100)):
        at, width = next(v for label, v in widths.items() if label.endswith(name))
        inner = level * (np.log(2 * at / level) + 1) - np.log(0.05 / 4)
        np.testing.assert_allclose(width, np.sqrt(inner / at))
    reached = {line.get_label(): line.get_ydata() for line in axes[7].lines}
    np.testing.assert_array_equal(reached["half-lines"], np.arange(2, 8))
    np.testing.assert_array_equal(reached["affine"], [2, 4, 8, 14, 22, 32])


@pytest.mark.slow
def test_structural_risk_minimisation(drawn):
    """4.4: the bound is the training error plus its price, from Vapnik's inequality by hand."""
    found = drawn("theory_srm")
    drawn_lines = curves(found["ax"])
    training, price = drawn_lines["training error"][1], drawn_lines["price of the class"][1]
    bound = drawn_lines["their sum: the bound"][1]
    np.testing.assert_allclose(training + price, bound, atol=1e-12)
    fresh = drawn_lines["error on fresh rows"][1]
    assert np.all(fresh < bound)
    assert int(found["chosen"].name) == 1 + int(np.argmin(bound))
    assert training[0] > training[2]  # the law is a cubic


@pytest.mark.slow
def test_links_losses_and_the_prior_of_a_weight(drawn):
    """3.4 to 3.6."""
    found = drawn("bayes_links_and_sparsity")
    axes = found["axes"]
    latent = axes[0, 0].lines[0].get_ydata()
    for label, (_, chance) in curves(axes[0, 1]).items():
        beta = float(label.split("= ")[1])
        np.testing.assert_allclose(chance, 1 / (1 + np.exp(-2 * latent / beta)), atol=1e-12)
    for label, (u, loss) in curves(axes[0, 2]).items():
        if label.startswith("sigmoidal"):
            beta = float(label.split("= ")[1])
            np.testing.assert_allclose(loss, np.log2(1 + np.exp(2 * u / beta)), atol=1e-10)
        else:
            np.testing.assert_array_equal(loss, u > 0)
    sums = curves(axes[1, 0])["sum: not constant"][1]
    assert np.ptp(sums) > 0.1
    assert sums.max() == pytest.approx(1 + np.exp(-2), abs=5e-3)  # at |t| = 1


@pytest.mark.slow
def test_polynomials_clusters_and_neighbours(drawn):
    """1.3 to 1.6 of the book."""
    found = drawn("book_chapter_1")
    x, t, line = found["x"], found["t"], found["line"]
    told = curves(found["axes"]["f"])
    for degree in (1, 3, 10):
        expected = np.polynomial.Polynomial.fit(x, t, degree)(line)
        between = (line > x[0]) & (line < x[-1])
        np.testing.assert_allclose(
            told[f"degree {degree}"][1][between], expected[between], atol=1e-5
        )
    centres = found["clusters"].cluster_centers_
    apart = np.linalg.norm(centres[:, None] - [[1, 0], [-1, 1], [-1, -1]], axis=2)
    assert apart.min(axis=0).max() < 0.05
    height = [
        np.mean([np.exp(-np.sum((p - c) ** 2) / 0.14) for c in centres])
        for p in found["grid"].reshape(-1, 2)[::500]
    ]
    np.testing.assert_allclose(found["bumps"].mean(axis=1)[::500], height, atol=1e-12)
    data, new = found["data"], found["new"]
    distances = np.linalg.norm(new[:, None] - data, axis=2)
    np.testing.assert_array_equal(found["near"], np.argsort(distances, axis=1)[:, :5])


@pytest.mark.slow
def test_evidence_of_two_models_and_of_seven_points(drawn):
    """3.1 and 3.2."""
    found = drawn("bayes_evidence_and_processes")
    bars = [bar.get_height() for bar in found["axes"][0, 0].patches]
    np.testing.assert_allclose(bars[:32], [math.comb(31, i) / 2**31 for i in range(32)])
    np.testing.assert_allclose(bars[32:], 1 / 32)
    x, t, model = found["x"], found["t"], found["model"]

    def log_evidence(length, noise):
        K = np.exp(-((x[:, None] - x) ** 2) / (2 * length**2)) + noise * np.eye(7)
        return stats.multivariate_normal(np.zeros(7), K).logpdf(t)

    value = model.log_marginal_likelihood()
    length, noise = found["length"], float(model.noise_)
    conventions = [log_evidence(scale * length, noise) for scale in (1.0, 2**0.5, 2**-0.5)]
    assert min(abs(one - value) for one in conventions) < 1e-3
    scale = (1.0, 2**0.5, 2**-0.5)[int(np.argmin([abs(one - value) for one in conventions]))]
    for a, b in ((1.05, 1.0), (0.95, 1.0), (1.0, 1.1), (1.0, 0.9)):
        assert log_evidence(a * scale * length, b * noise) < value + 1e-6
