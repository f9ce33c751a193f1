"""In-sample bounds on simple learners: Gaussian classes and a sphere, risk in closed form."""

import math

import numpy as np
import pytest
from scipy.stats import norm as gaussian

from helpers_validity import check_caught, check_valid
from mercer.bounds import Evidence, get

DELTA, DRAWS = 0.1, 300


def of(code):
    bound = get(code)()
    return lambda evidence, delta: bound.evaluate(evidence, delta).unclipped


def training_error(evidence, delta):
    return evidence.errors / evidence.n


def evidence_of(w, X, y, **facts):
    margins = y * (X @ w)
    return Evidence(
        len(y),
        errors=int((margins <= 0).sum()),
        margins=margins,
        norm=float(np.linalg.norm(w)),
        point_norms=np.linalg.norm(X, axis=1),
        trace=float((X**2).sum()),
        rank=int(np.linalg.matrix_rank(X)),
        dimension=X.shape[1],
        **facts,
    )


def gaussian_draw(rng, n, d, shift):
    """Evidence and direction of the mean classifier on two Gaussian classes ±shift·e₁."""
    y = rng.choice([-1.0, 1.0], n)
    X = rng.normal(size=(n, d))
    X[:, 0] += shift * y
    w = (y[:, None] * X).mean(0)
    return evidence_of(w, X, y), w / np.linalg.norm(w)


def two_gaussians(n, d, shift):
    """The risk is Φ(−shift·w₁/‖w‖)."""

    def law(rng):
        evidence, direction = gaussian_draw(rng, n, d, shift)
        return evidence, float(gaussian.cdf(-shift * direction[0]))

    return law


@pytest.mark.parametrize("code", ["gaussian-margin", "rademacher", "vc", "vc-relative"])
@pytest.mark.parametrize(("n", "d", "shift"), [(60, 20, 0.5), (400, 3, 1.0)])
def test_mean_classifier(code, n, d, shift, scale):
    check_valid(two_gaussians(n, d, shift), of(code), delta=DELTA, draws=DRAWS * scale)


def test_the_training_error_is_not_a_bound(scale):
    check_caught(two_gaussians(60, 20, 0.5), training_error, delta=DELTA, draws=DRAWS * scale)


def test_gibbs_margin_bound_and_its_broken_twin(scale):
    """For v = μw/‖w‖ + g the risk is Φ(−s·v₁/‖v‖), averaged here over one large set of g."""
    n, d, shift = 200, 5, 1.0
    g = np.random.default_rng(99).normal(size=(400, d))
    bound = get("gaussian-margin-gibbs")()

    def law(rng):
        evidence, direction = gaussian_draw(rng, n, d, shift)
        mu = bound.evaluate(evidence, DELTA).details["mu"]
        v = mu * direction + g
        return evidence, float(gaussian.cdf(-shift * v[:, 0] / np.linalg.norm(v, axis=1)).mean())

    check_valid(law, of("gaussian-margin-gibbs"), delta=DELTA, draws=300 * scale)
    empirical = lambda e, d: bound.evaluate(e, d).observed  # noqa: E731
    check_caught(law, empirical, delta=DELTA, draws=300 * scale)


def sphere(n, d):
    """Points on a sphere labelled by a hyperplane, separated by a perceptron: risk = angle/π."""

    def law(rng):
        X = rng.normal(size=(n, d))
        X /= np.linalg.norm(X, axis=1)[:, None]
        y = np.where(X[:, 0] > 0, 1.0, -1.0)
        w = (y[:, None] * X).mean(0)
        while (wrong := np.flatnonzero(y * (X @ w) <= 0)).size:
            w = w + y[wrong[0]] * X[wrong[0]]
        angle = math.acos(np.clip(w[0] / np.linalg.norm(w), -1, 1))
        return evidence_of(w, X, y), angle / math.pi

    return law


@pytest.mark.parametrize("code", ["cap-margin", "vc-zero-error", "gaussian-margin"])
@pytest.mark.parametrize(("n", "d"), [(30, 3), (80, 2)])
def test_perceptron_on_a_sphere(code, n, d, scale):
    law = sphere(n, d)
    check_valid(law, of(code), delta=DELTA, draws=DRAWS * scale)
    check_caught(law, training_error, delta=DELTA, draws=DRAWS * scale)


def test_cap_margin_with_delta_ignored_and_factor_two_dropped(scale):
    """Three points on a circle: small enough that a broken bound shows."""
    law = sphere(3, 2)
    check_valid(law, of("cap-margin"), delta=DELTA, draws=DRAWS * scale)

    def broken(evidence, delta):
        m = evidence.n
        gamma = (evidence.margins / (evidence.norm * evidence.point_norms)).min()
        cap = math.asin(gamma) / math.pi
        return -math.expm1(math.log(cap) / m) * 0.25

    check_caught(law, broken, delta=DELTA, draws=DRAWS * scale)


def hinge_line(n, lam, noise):
    """Hinge machine through the origin on x = ±1: w solves a scalar problem exactly.

    Labels agree with x with probability 1 − noise, so the risk is noise (or 1 − noise).
    """

    def law(rng):
        x = rng.choice([-1.0, 1.0], n)
        y = np.where(rng.random(n) < noise, -x, x)
        agree = float(np.mean(x * y > 0))
        # minimise agree·(1−w)₊ + (1−agree)·(1+w)₊ + λw²
        w = float(np.clip((2 * agree - 1) / (2 * lam), -1, 1))
        margins = w * x * y
        evidence = Evidence(
            n,
            loss="hinge",
            formulation="c-svc",
            errors=int((margins <= 0).sum()),
            margins=margins,
            norm=abs(w),
            point_norms=np.ones(n),
            radius=1.0,
            C=1 / (2 * lam * n),
        )
        return evidence, noise if w > 0 else 1 - noise

    return law


@pytest.mark.parametrize(("n", "lam", "noise"), [(50, 2.0, 0.45), (400, 1.0, 0.1)])
def test_stability_on_a_line(n, lam, noise, scale):
    law = hinge_line(n, lam, noise)
    for code in ("stability", "stability-scales"):
        check_valid(law, of(code), delta=DELTA, draws=DRAWS * scale)


def test_stability_broken(scale):
    """Training error alone is caught where the sign itself is uncertain."""
    check_caught(hinge_line(51, 2.0, 0.45), training_error, delta=DELTA, draws=DRAWS * scale)


def tube_line(n, lam, tube=0.1):
    """Support vector regression through the origin on x = ±1: only z = xy matters, and w is exact.

    z takes five values; the mean loss is piecewise linear in w, so the optimum is a kink or a zero
    of the derivative between two of them.
    """
    values = np.array([-0.6, -0.1, 0.2, 0.5, 1.0])
    chances = np.array([0.1, 0.2, 0.3, 0.2, 0.2])

    def losses(z, w):
        return np.maximum(np.abs(z - w) - tube, 0.0)

    def law(rng):
        z = rng.choice(values, n, p=chances)
        kinks = np.sort(np.concatenate([values - tube, values + tube]))
        edges = np.concatenate([[-2.0], kinks, [2.0]])
        slopes = [
            np.mean(np.sign(m - z) * (np.abs(z - m) > tube)) for m in (edges[1:] + edges[:-1]) / 2
        ]
        zeros = [
            np.clip(-s / (2 * lam), a, b) for s, a, b in zip(slopes, edges, edges[1:], strict=False)
        ]
        w = min([*kinks, *zeros], key=lambda v: losses(z, v).mean() + lam * v * v)
        evidence = Evidence(
            n,
            task="regression",
            loss="epsilon-insensitive",
            slacks=losses(z, w),
            norm=abs(w),
            radius=1.0,
            C=1 / (2 * lam * n),
            loss_range=(0.0, 1.6),
        )
        return evidence, float(chances @ losses(values, w))

    return law


@pytest.mark.parametrize(("n", "lam"), [(8, 4.0), (60, 0.5), (400, 1.0)])
def test_stability_of_regression_on_a_line(n, lam, scale):
    law = tube_line(n, lam)
    check_valid(law, of("stability-regression"), delta=DELTA, draws=DRAWS * scale)
    observed = lambda e, d: float(e.slacks.mean())  # noqa: E731
    check_caught(law, observed, delta=DELTA, draws=DRAWS * scale)


def test_stability_of_regression_with_delta_ignored(scale):
    """Strongly regularised, so that almost all of the width is the deviation."""
    law = tube_line(200, 50.0)
    check_valid(law, of("stability-regression"), delta=DELTA, draws=DRAWS * scale)
    ignored = lambda e, d: of("stability-regression")(e, 1 - 1e-6)  # noqa: E731
    check_caught(law, ignored, delta=DELTA, draws=DRAWS * scale)
