"""Hold-out, selective, transfer: laws whose risk is a number we chose."""

import numpy as np
import pytest

from helpers_validity import check_caught, check_valid
from mercer.bounds import Evidence, HoldOut, Pool, get
from mercer.bounds.numerics import clopper_upper

DELTA, DRAWS = 0.1, 600


def of(code, **params):
    bound = get(code)(**params)
    return lambda evidence, delta: bound.evaluate(evidence, delta).unclipped


def delta_ignored(code):
    return lambda evidence, delta: of(code)(evidence, 0.5)


def observed(code):
    return lambda evidence, delta: get(code)().evaluate(evidence, delta).observed


def coin(p, m):
    def law(rng):
        return Evidence(m, holdout=HoldOut(m, int(rng.binomial(m, p)))), p

    return law


@pytest.mark.parametrize(("p", "m"), [(0.3, 200), (0.02, 400), (0.1, 60), (0.5, 1000)])
def test_hold_out(p, m, scale):
    wrong = check_valid(coin(p, m), of("holdout"), delta=DELTA, draws=DRAWS * scale)
    assert wrong > 0  # the exact limit is nearly attained: an idle test would show zero
    check_caught(coin(p, m), delta_ignored("holdout"), delta=DELTA, draws=DRAWS * scale)
    half = lambda evidence, delta: 0.5 * of("holdout")(evidence, delta)  # noqa: E731
    check_caught(coin(p, m), half, delta=DELTA, draws=DRAWS * scale)


def classes(rates, sizes, truth):
    def law(rng):
        table = {
            str(i): (m, int(rng.binomial(m, p)))
            for i, (p, m) in enumerate(zip(rates, sizes, strict=True))
        }
        errors = sum(e for _, e in table.values())
        return Evidence(9, holdout=HoldOut(sum(sizes), errors, classes=table)), truth

    return law


@pytest.mark.parametrize(
    ("rates", "sizes"),
    [((0.1, 0.1), (100, 100)), ((0.02, 0.4), (500, 10)), ((0.2, 0.2, 0.2), (50, 50, 50))],
)
def test_class_conditional_and_balanced(rates, sizes, scale):
    worst = classes(rates, sizes, max(rates))
    check_valid(worst, of("holdout-classes"), delta=DELTA, draws=DRAWS * scale)
    mean = classes(rates, sizes, float(np.mean(rates)))
    check_valid(mean, of("holdout-balanced"), delta=DELTA, draws=DRAWS * scale)
    check_caught(mean, observed("holdout-balanced"), delta=DELTA, draws=DRAWS * scale)


def test_every_class_limit_holds_at_once(scale):
    """The pooled rate in place of the class rates is wrong for the rare class."""
    rates, sizes = (0.02, 0.4), (500, 20)

    def worst_gap(evidence, delta):
        limits = get("holdout-classes")().evaluate(evidence, delta).details["classes"]
        return min(limits[str(i)] - p for i, p in enumerate(rates))

    law = classes(rates, sizes, 0.0)
    check_valid(law, worst_gap, delta=DELTA, draws=DRAWS * scale)
    pooled = lambda e, d: of("holdout")(e, d) - max(rates)  # noqa: E731
    check_caught(law, pooled, delta=DELTA, draws=DRAWS * scale)


LOSSES = {
    "two-point": (lambda rng, n: 2.0 * (rng.random(n) < 0.02), 0.04),
    "beta": (lambda rng, n: 2.0 * rng.beta(0.3, 3.0, n), 2.0 * 0.3 / 3.3),
    "uniform": (lambda rng, n: 2.0 * rng.random(n), 1.0),
}


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("code", ["holdout-loss", "holdout-loss-bernstein"])
def test_bounded_losses(name, code, scale):
    sample, truth = LOSSES[name]

    def law(rng):
        part = HoldOut(80, losses=sample(rng, 80))
        return Evidence(9, task="regression", holdout=part, loss_range=(0, 2)), truth

    check_valid(law, of(code), delta=DELTA, draws=300 * scale)
    check_caught(law, observed(code), delta=DELTA, draws=300 * scale)
    if code == "holdout-loss":  # the other one has too much slack for this to show
        check_caught(law, lambda e, d: of(code)(e, 0.9), delta=DELTA, draws=300 * scale)


def grouped(groups, size, bad):
    """Groups whose rows are all wrong with probability ``bad``, otherwise one in ten of them."""
    rates = np.array([0.1, 1.0])
    truth = float((1 - bad) * rates[0] + bad * rates[1])

    def law(rng):
        rate = rates[(rng.random(groups) < bad).astype(int)]
        sizes = rng.integers(1, size + 1, groups)
        means = rng.binomial(sizes, rate) / sizes
        return Evidence(9, holdout=HoldOut(groups, losses=means, unit="group")), truth

    return law


@pytest.mark.parametrize(("groups", "bad"), [(40, 0.2), (15, 0.05), (200, 0.5)])
def test_whole_groups(groups, bad, scale):
    law = grouped(groups, 8, bad)
    check_valid(law, of("holdout-groups"), delta=DELTA, draws=300 * scale)
    check_caught(law, observed("holdout-groups"), delta=DELTA, draws=300 * scale)
    ignored = lambda e, d: of("holdout-groups")(e, 0.9)  # noqa: E731
    check_caught(law, ignored, delta=DELTA, draws=300 * scale)


def test_losses_of_whole_groups(scale):
    errors, truth = grouped(40, 8, 0.2), 0.28

    def law(rng):
        means = -1.0 + 3.0 * errors(rng)[0].holdout.losses
        part = HoldOut(40, losses=means, unit="group")
        evidence = Evidence(9, task="regression", holdout=part, loss_range=(-1.0, 2.0))
        return evidence, -1.0 + 3.0 * truth

    check_valid(law, of("holdout-groups-loss"), delta=DELTA, draws=300 * scale)
    check_caught(law, observed("holdout-groups-loss"), delta=DELTA, draws=300 * scale)
    ignored = lambda e, d: of("holdout-groups-loss")(e, 0.9)  # noqa: E731
    check_caught(law, ignored, delta=DELTA, draws=300 * scale)


def test_rows_of_a_group_are_not_independent(scale):
    """Counting every row of 40 groups as a trial of its own is the mistake to avoid."""

    def rows_as_trials(evidence, delta):
        means = evidence.holdout.losses
        return clopper_upper(round(8 * float(means.sum())), 8 * len(means), delta)

    check_caught(grouped(40, 8, 0.2), rows_as_trials, delta=DELTA, draws=300 * scale)


def test_selective(scale):
    coverage, error, m = 0.8, 0.05, 300

    def law(rng):
        accepted = int(rng.binomial(m, coverage))
        inside = int(rng.binomial(accepted, error))
        return Evidence(
            9, holdout=HoldOut(m, inside, accepted=accepted, accepted_errors=inside)
        ), error

    check_valid(law, of("selective"), delta=DELTA, draws=DRAWS * scale)

    def either(evidence, delta):
        c = get("selective")().evaluate(evidence, delta)
        return min(c.unclipped - error, coverage - c.details["coverage_at_least"])

    both = lambda rng: (law(rng)[0], 0.0)  # noqa: E731
    check_valid(both, either, delta=DELTA, draws=DRAWS * scale)
    check_caught(both, lambda e, d: either(e, 0.7), delta=DELTA, draws=DRAWS * scale)


@pytest.mark.parametrize("expected", [None, (0.05, 0.04), (0.2, 0.001)])
def test_transfer_when_every_disagreement_is_a_new_error(expected, scale):
    p, q, m, u = 0.05, 0.04, 300, 800

    def law(rng):
        part = HoldOut(m, int(rng.binomial(m, p)))
        pool = Pool(u, int(rng.binomial(u, q)), expected=expected)
        return Evidence(9, holdout=part, pool=pool), p + q

    check_valid(law, of("transfer"), delta=DELTA, draws=DRAWS * scale)
    check_caught(
        law, of("holdout"), delta=DELTA, draws=DRAWS * scale
    )  # what users do: ship the refit
    ignored = lambda e, d: of("transfer")(e, 0.9)  # noqa: E731
    check_caught(law, ignored, delta=DELTA, draws=DRAWS * scale)
