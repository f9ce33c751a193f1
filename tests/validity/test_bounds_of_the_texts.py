"""The texts' bounds on learners simple enough for an exact risk, each with a broken twin."""

import math
from dataclasses import replace

import numpy as np
import pytest

from helpers_validity import check_caught, check_valid
from mercer.bounds import Evidence, Mistakes, NotApplicable, Posterior, get

DELTA, DRAWS = 0.1, 300


def of(code, **params):
    bound = get(code)(**params)

    def value(evidence, delta):
        try:
            return bound.evaluate(evidence, delta).unclipped
        except NotApplicable:
            return math.inf

    return value


def observed(code, **params):
    """The bound with everything dropped but what was seen."""
    bound = get(code)(**params)

    def value(evidence, delta):
        try:
            return bound.evaluate(evidence, delta).observed
        except NotApplicable:
            return math.inf

    return value


# --- a list of rules, the best of which is picked ------------------------------------------------


def picked_from_a_list(m, rules, risk):
    """Rules with independent errors of rate ``risk``; the one with the fewest is reported."""
    weights = 1.0 / (np.arange(rules) + 1.0) ** 1.2
    weights /= weights.sum()

    def law(rng):
        errors = rng.binomial(m, risk, size=rules)
        best = int(errors.argmin())
        return (
            Evidence(
                m,
                errors=int(errors[best]),
                log_class_size=math.log(rules),
                code_length=-math.log(weights[best]),
            ),
            risk,
        )

    return law


@pytest.mark.parametrize("m", [8, 60])
@pytest.mark.parametrize(
    "code",
    [
        "finite-class",
        "finite-class-hoeffding",
        "finite-class-zero-error",
        "occam",
        "single-hypothesis",
    ],
)
def test_the_best_of_a_list(code, m, scale):
    law = picked_from_a_list(m, 200, 0.5 if m == 8 else 0.3)
    check_valid(law, of(code), delta=DELTA, draws=DRAWS * scale)
    if code == "finite-class-zero-error" and m > 8:
        return  # no rule without error is ever seen there, so nothing can be wrong
    bound = of(code)
    check_caught(
        law,
        lambda e, d: bound(replace(e, log_class_size=0.0, code_length=0.0), d),
        delta=DELTA,
        draws=DRAWS * scale,
    )


def posterior_on_a_list(m, rules, risk):
    """Uniform posterior on the rules with the fewest errors, uniform prior on all."""

    def law(rng):
        errors = rng.binomial(m, risk, size=rules)
        kept = int((errors == errors.min()).sum())
        q = Posterior(
            m, errors.min() / m, math.log(rules / kept), restricted=True, vote_is_model=False
        )
        return Evidence(m, posterior=q), risk

    return law


@pytest.mark.parametrize(
    "code", ["gibbs-subset", "mcallester", "catoni", "pac-bayes-lambda", "consistent-gibbs"]
)
def test_gibbs_rules_on_a_list(code, scale):
    law = posterior_on_a_list(8, 300, 0.35)
    check_valid(law, of(code), delta=DELTA, draws=DRAWS * scale)
    bound = of(code)

    def broken(evidence, delta):
        """The complexity dropped, and with it the ln m that pays for all posteriors at once."""
        if code == "consistent-gibbs":
            return bound(replace(evidence, posterior=replace(evidence.posterior, kl=0.0)), delta)
        return evidence.posterior.gibbs + 0.1

    check_caught(law, broken, delta=DELTA, draws=DRAWS * scale)


@pytest.mark.parametrize("code", ["bayes-subset", "consistent-vote"])
def test_votes_on_a_list(code, scale):
    """Rules agree in all but one place, so the vote of the kept ones is as bad as they are."""

    def law(rng):
        evidence, risk = posterior_on_a_list(8, 300, 0.35)(rng)
        q = replace(evidence.posterior, vote_is_model=True)
        return replace(evidence, posterior=q), risk

    check_valid(law, of(code), delta=DELTA, draws=DRAWS * scale)
    check_caught(law, lambda e, d: 2 * e.posterior.gibbs, delta=DELTA, draws=DRAWS * scale)


# --- thresholds on the line: VC dimension one -----------------------------------------------------


def best_threshold(x, y):
    """The threshold b with the fewest errors of sign(b − x), and those errors."""
    order = np.argsort(x)
    x, y = x[order], y[order]
    below = np.concatenate([[0], np.cumsum(y < 0)])  # wrong if called +1
    above = np.concatenate([[0], np.cumsum(y > 0)])
    errors = below + (above[-1] - above)
    i = int(errors.argmin())
    cuts = np.concatenate([[0.0], 0.5 * (x[1:] + x[:-1]), [1.0]])
    return float(cuts[i]), int(errors[i])


def thresholds(m, clean):
    """y = +1 below 1/2 with probability ``clean``, −1 above; the risk of a threshold is exact."""

    def law(rng):
        x = rng.random(m)
        truth = np.where(x < 0.5, 1, -1)
        y = np.where(rng.random(m) < clean, truth, -truth)
        b, errors = best_threshold(x, y)
        risk = (1 - clean) + (2 * clean - 1) * abs(b - 0.5)
        evidence = Evidence(
            m, formulation="erm-enumeration", errors=errors, dimension=1, rank=1, offset=None
        )
        return evidence, risk

    return law


@pytest.mark.parametrize(
    ("code", "params"),
    [("vc", {}), ("vc-relative", {}), ("vc-multiplicative", {}), ("vc-additive", {}),
     ("vc-split", {"growth": "sauer"})],
)  # fmt: skip
def test_vc_forms_on_pure_noise(code, params, scale):
    law = thresholds(25, 0.5)
    check_valid(law, of(code, **params), delta=DELTA, draws=DRAWS * scale)

    def broken(evidence, delta):
        """As if the threshold had been fixed before the data."""
        return evidence.errors / evidence.n + 0.5 * math.sqrt(
            math.log(1 / delta) / (2 * evidence.n)
        )

    check_caught(law, broken, delta=DELTA, draws=DRAWS * scale)


@pytest.mark.parametrize("code", ["luckiness-vc", "luckiness-rank", "vc-zero-error"])
def test_thresholds_without_error(code, scale):
    law = thresholds(25, 1.0)
    check_valid(law, of(code), delta=DELTA, draws=DRAWS * scale)
    check_caught(law, observed(code), delta=DELTA, draws=DRAWS * scale)


def excess_of_thresholds(m, clean):
    def law(rng):
        evidence, risk = thresholds(m, clean)(rng)
        return replace(evidence, offset=0.0, dimension=1), risk - (1 - clean)

    return law


@pytest.mark.parametrize("code", ["erm-excess", "erm-excess-shatter", "erm-linear"])
def test_excess_of_the_minimiser(code, scale):
    law = excess_of_thresholds(40, 0.8)
    check_valid(law, of(code), delta=DELTA, draws=DRAWS * scale)
    check_caught(law, observed(code), delta=DELTA, draws=DRAWS * scale)


def test_separable_enumeration_is_nearly_tight(scale):
    """The threshold is put at one of the points; its risk is the gap beside the truth."""
    law = excess_of_thresholds(12, 1.0)
    check_valid(law, of("erm-linear-separable"), delta=DELTA, draws=DRAWS * scale)
    broken = of("erm-linear-separable")
    check_caught(law, lambda e, d: 0.1 * broken(e, d), delta=DELTA, draws=DRAWS * scale)


# --- margins: points on a sphere, hyperplane found by a perceptron --------------------------------


def sphere(n, d):
    def law(rng):
        X = rng.normal(size=(n, d))
        X /= np.linalg.norm(X, axis=1)[:, None]
        y = np.where(X[:, 0] > 0, 1.0, -1.0)
        w, mistaken = np.zeros(d), set()
        while True:
            wrong = [i for i in range(n) if y[i] * (X[i] @ w) <= 0]
            if not wrong:
                break
            w = w + y[wrong[0]] * X[wrong[0]]
            mistaken.add(wrong[0])
        margins = y * (X @ w)
        angle = math.acos(float(np.clip(w[0] / np.linalg.norm(w), -1, 1)))
        evidence = Evidence(
            n,
            formulation="amm",
            errors=0,
            margins=margins,
            norm=float(np.linalg.norm(w)),
            radius=1.0,
            mistakes=Mistakes(n, len(mistaken), limit=float(1 / (y * X[:, 0]).min() ** 2)),
        )
        return evidence, angle / math.pi

    return law


@pytest.mark.parametrize(
    "code",
    ["margin-cover", "margin-fat", "margin-robust", "margin-adaptive", "mistake-bound",
     "mistake-sparsity", "mistake-compression"],
)  # fmt: skip
def test_perceptron_on_a_sphere(code, scale):
    law = sphere(15, 2)
    check_valid(law, of(code), delta=DELTA, draws=DRAWS * scale)
    check_caught(law, lambda e, d: 0.0, delta=DELTA, draws=DRAWS * scale)


def test_mistake_compression_with_the_choice_of_rows_not_paid(scale):
    law = sphere(15, 2)
    check_caught(
        law,
        lambda e, d: -math.expm1(math.log(d) / e.n) * 0.25,
        delta=DELTA,
        draws=DRAWS * scale,
    )


# --- stability: the shrunken mean ----------------------------------------------------------------


def shrunken_mean(m, lam, p):
    """Ridge with the constant kernel 1 on targets 0 and 1: f = mean/(1 + λ)."""

    def law(rng):
        t = (rng.random(m) < p).astype(float)
        f = t.mean() / (1 + lam)
        left_out = (t.sum() - t) / (m - 1 + lam * m)
        evidence = Evidence(
            m,
            task="regression",
            loss="squared",
            radius=1.0,
            C=1 / (2 * lam * m),
            risks={"squared": float(np.mean((f - t) ** 2))},
            loo={"exact": float(np.mean((left_out - t) ** 2))},
            loss_range=(0.0, 1.0),
        )
        return evidence, p * (1 - f) ** 2 + (1 - p) * f**2

    return law


@pytest.mark.parametrize("code", ["stability-ridge", "stability-ridge-loo"])
def test_ridge(code, scale):
    law = shrunken_mean(200, 4.0, 0.5)
    check_valid(law, of(code), delta=DELTA, draws=DRAWS * scale)
    check_caught(law, observed(code), delta=DELTA, draws=DRAWS * scale)


def nearest_on_a_circle(m, p):
    """1-NN when labels ignore the points: its risk depends on the share of cells labelled +1."""

    def law(rng):
        x, y = np.sort(rng.random(m)), rng.random(m) < p
        gaps = np.diff(np.append(x, x[0] + 1))
        cells = 0.5 * (gaps + np.roll(gaps, 1))
        plus = float(cells[y].sum())
        neighbour = np.where(gaps < np.roll(gaps, 1), np.roll(y, -1), np.roll(y, 1))
        evidence = Evidence(m, neighbours=1, loo={"exact": float(np.mean(neighbour != y))})
        return evidence, plus * (1 - p) + (1 - plus) * p

    return law


def test_nearest_neighbour(scale):
    law = nearest_on_a_circle(300, 0.4)
    check_valid(law, of("neighbour-stability"), delta=DELTA, draws=DRAWS * scale)
    check_caught(law, observed("neighbour-stability"), delta=DELTA, draws=DRAWS * scale)
