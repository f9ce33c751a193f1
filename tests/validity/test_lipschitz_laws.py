"""Lipschitz bounds against laws whose risk is known: they hold, and broken ones do not."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers_validity import check_caught, check_valid
from mercer.bounds import DistanceSums, Evidence, Lipschitz, assess, get
from mercer.bounds.lipschitz import (
    centered_complexity,
    covering_complexity,
    rademacher_risk,
)
from mercer.bounds.lipschitz_sums import offset_noise
from mercer.learners.metric import (
    KuratowskiMachine,
    LipschitzClassifier,
    LipschitzRegressor,
    LPMachine,
    noise_fit,
)
from mercer.metrics import farthest_first

TRIALS, DRAWS = 20, 300


def noise_on_equidistant_places(rows, places):
    """Labels without a rule, one row per place, all places at distance one: f = ±1/2 fits them all.

    Its extension to a new place is zero, which is wrong; at an old place it is right half the time.
    """
    D = 1.0 - np.eye(rows)
    exponents = (-1, 0, 1, 2)

    def law(rng):
        draws = 2
        signs = [rng.choice([-1.0, 1.0], size=rows) for _ in range(draws)]
        found = [np.mean([fit(D, s, 2.0**j) for s in signs]) for j in exponents]
        record = Lipschitz(rows, 1.0, exponents, tuple(found), draws, radii=np.ones(rows - 1))
        evidence = Evidence(rows, errors=0, margins=np.full(4, 0.5), lipschitz=record)
        return evidence, (0.5 * rows + (places - rows)) / places

    return law


def fit(D, signs, constant):
    """How well the class follows these signs on equidistant points, in closed form."""
    half = min(1.0, 0.5 * constant)
    return half + abs(signs.mean()) * (1.0 - half)


def test_the_closed_form_is_the_matching():
    rng = np.random.default_rng(5)
    D = 1.0 - np.eye(9)
    for constant in (0.5, 1.0, 4.0):
        signs = rng.choice([-1.0, 1.0], size=9)
        assert fit(D, signs, constant) == pytest.approx(noise_fit(D, signs, constant))


def noise_of_targets(rows, places):
    """Uniform targets without a rule at equidistant places: f meets each, and half in between."""

    def law(rng):
        signs = rng.choice([-1.0, 1.0], size=rows)
        record = Lipschitz(
            rows, 1.0, (1,), (fit(None, signs, 2.0),), 1, radii=np.ones(rows - 1), losses=(0.0,)
        )
        evidence = Evidence(
            rows, task="regression", loss="absolute", loss_range=(0.0, 1.0), lipschitz=record
        )
        return evidence, (rows / 3 + (places - rows) / 4) / places

    return law


def test_targets_without_a_rule(scale):
    law = noise_of_targets(400, 600)
    bound = get("lipschitz-regression")()
    check_valid(law, lambda e, d: bound.evaluate(e, d).unclipped, delta=0.1, draws=DRAWS * scale)
    check_caught(law, lambda e, d: bound.evaluate(e, d).observed, delta=0.1, draws=DRAWS * scale)


@pytest.mark.parametrize("code", ["lipschitz-rademacher", "lipschitz-covering"])
def test_noise_that_every_label_fits(code, scale):
    law = noise_on_equidistant_places(400, 600)

    def value(evidence, delta):
        return get(code)().evaluate(evidence, delta).unclipped

    check_valid(law, value, delta=0.1, draws=DRAWS * scale)

    def without_complexity(evidence, delta):
        return rademacher_risk(0.0, 0.0, evidence.n, delta)

    check_caught(law, without_complexity, delta=0.1, draws=DRAWS * scale)


def draw(rng, n, noise, classes=2):
    """Separated intervals; a share of the labels is drawn anew."""
    side = rng.integers(0, classes, size=n)
    X = (4.0 * side + rng.random(n))[:, None]
    return X, np.where(rng.random(n) < noise, rng.integers(0, classes, size=n), side)


@pytest.mark.parametrize(("classes", "noise", "small"), [(2, 0.04, 0.8), (3, 0.03, 0.95)])
def test_certificates_cover_the_true_risk(classes, noise, small):
    rng = np.random.default_rng(classes)
    violations, informative = 0, 0
    for _ in range(TRIALS):
        X, y = draw(rng, 400, noise, classes)
        model = LipschitzClassifier(C=0.01, delta=0.1).fit(X, y)
        fresh, labels = draw(rng, 4000, noise, classes)
        risk = np.mean(model.predict(fresh) != labels)
        certificate = assess(model.evidence_, 0.1)[0]["lipschitz-rademacher"]
        violations += risk > certificate.value
        informative += certificate.value < small
    assert violations <= 0.1 * TRIALS
    assert informative == TRIALS


def test_without_its_complexity_the_bound_would_be_broken():
    """On pure noise a rough function fits every label: only the complexity says so."""
    rng = np.random.default_rng(1)
    honest, broken = 0, 0
    for _ in range(TRIALS):
        X = rng.random((200, 3))
        y = rng.integers(0, 2, size=200)
        model = LipschitzClassifier(C=np.inf, delta=0.1).fit(X, y)
        evidence = model.evidence_
        honest += assess(evidence, 0.1)[0]["lipschitz-rademacher"].value < 0.5
        ramp = float(np.mean(np.clip(1 - evidence.margins, 0, 1)))
        broken += rademacher_risk(ramp, 0.0, 200, 0.1) < 0.5
    assert honest == 0
    assert broken == TRIALS


@pytest.mark.parametrize("constant", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("dimension", [1, 3])
def test_covering_numbers_bound_the_exact_complexity(constant, dimension):
    rng = np.random.default_rng(2)
    X = rng.random((300, dimension))
    D = cdist(X, X)
    limit = covering_complexity(farthest_first(D)[1][1:], constant, 300)
    exact = np.mean([noise_fit(D, rng.choice([-1.0, 1.0], size=300), constant) for _ in range(5)])
    assert exact <= limit
    assert exact < 1.0


def test_connected_centred_spaces_have_a_sharper_limit():
    rng = np.random.default_rng(9)
    X = rng.random((2000, 1))
    D = cdist(X, X)

    def interval(u):
        return int(np.ceil(1 / (2 * u)))

    for constant in (1.0, 5.0):
        limit = centered_complexity(interval, constant, 2000)
        exact = noise_fit(D, rng.choice([-1.0, 1.0], size=2000), constant)
        assert exact <= limit < covering_complexity(farthest_first(D)[1][1:], constant, 2000)


# -- several classes -------------------------------------------------------------------------------


def test_several_classes_without_their_complexity_would_be_broken():
    """Labels that mean nothing: risk 2/3, and the training rows are fitted without an error."""
    rng = np.random.default_rng(4)
    honest, broken, one_class = 0, 0, 0
    for _ in range(TRIALS // 2):
        X, y = rng.random((150, 3)), rng.integers(0, 3, size=150)
        evidence = LipschitzClassifier(C=np.inf, delta=0.1).fit(X, y).evidence_
        record = evidence.lipschitz
        honest += assess(evidence, 0.1)[0]["lipschitz-rademacher"].value < 2 / 3
        broken += rademacher_risk(min(record.losses), 0.0, 150, 0.1) < 2 / 3
        one_class += min(record.complexity) < 1e-3
    assert honest == 0
    assert broken == TRIALS // 2
    assert one_class == 0


def test_leads_follow_signs_at_most_as_well_as_their_parts():
    """The lemma behind the record, by maximising the correlation of leads numerically."""
    from mercer.learners.metric._capacity import _lead_fit

    rng = np.random.default_rng(5)
    D = cdist(*[rng.random((24, 2))] * 2)
    codes, constant = rng.integers(0, 3, size=24), 1.5
    own = np.arange(3)[:, None] == codes[None, :]
    limit = np.mean([_lead_fit(D, s, constant, own) for s in rng.choice([-1.0, 1.0], (200, 24))])
    reached = []
    for signs in rng.choice([-1.0, 1.0], size=(40, 24)):
        best = -np.inf
        for _ in range(60):  # random members of the class give a lower limit on the supremum
            a = np.clip(rng.normal(size=(3, 24)), -1, 1)
            f = np.clip((a[:, :, None] + constant * D[None]).min(axis=1), -1, 1)
            lead = f[codes, np.arange(24)] - np.where(own, -np.inf, f).max(axis=0)
            best = max(best, float(signs @ lead) / 48)
        reached.append(best)
    assert np.mean(reached) <= limit


# -- sums of distance functions, and regression ----------------------------------------------------


@pytest.mark.parametrize("machine", [LPMachine(C=0.05, delta=0.1), KuratowskiMachine(C=0.05)])
def test_certificates_of_sums_cover_the_true_risk(machine):
    rng = np.random.default_rng(6)
    for _ in range(TRIALS // 4):
        X, y = draw(rng, 300, 0.04)
        model = machine.fit(X, y)
        fresh, labels = draw(rng, 4000, 0.04)
        certificate = assess(model.evidence_, 0.1)[0]["lipschitz-rademacher"]
        assert np.mean(model.predict(fresh) != labels) <= certificate.value < 0.9


def test_regression_certificates_cover_the_mean_absolute_error():
    rng = np.random.default_rng(7)
    violations, observed = 0, 0
    for _ in range(12):
        X = rng.random((160, 1))
        y = np.clip(X[:, 0] + 0.2 * rng.normal(size=160), 0, 1)
        model = LipschitzRegressor(C=0.05, target_range=(0, 1), delta=0.1).fit(X, y)
        fresh = rng.random((4000, 1))
        truth = np.clip(fresh[:, 0] + 0.2 * rng.normal(size=4000), 0, 1)
        risk = np.mean(np.abs(model.predict(fresh) - truth))
        violations += risk > model.certificate_.unclipped
        observed += risk > model.certificate_.observed
        assert model.certificate_.unclipped < 1
    assert violations <= 1
    assert observed > 3  # the error on the training rows itself is no bound


def test_regression_noise_is_not_certified_away():
    """Interpolated noise has no error on its rows; without the complexity the bound would fail."""
    rng = np.random.default_rng(8)
    X, y = rng.random((300, 3)), rng.integers(0, 2, size=300).astype(float)
    model = LipschitzRegressor(C=np.inf, target_range=(0, 1), delta=0.1).fit(X, y)
    fresh, truth = rng.random((4000, 3)), rng.integers(0, 2, size=4000)
    risk = np.mean(np.abs(model.predict(fresh) - truth))
    assert rademacher_risk(0.0, 0.0, 300, 0.1) < risk <= model.certificate_.unclipped


# -- sums of distance functions in a declared box --------------------------------------------------


def interpolated_coins(rows):
    """Fair coins as labels, met with margin one by Σ a_k |x - x_k|: the risk of any rule is 1/2."""

    def law(rng):
        X = np.sort(rng.random((rows, 1)), axis=0)
        y = rng.choice([-1.0, 1.0], size=rows)
        D = cdist(X, X)
        a = np.linalg.solve(D, y)
        record = DistanceSums(rows, np.abs(a).sum(), (1.0,))
        return Evidence(rows, errors=0, margins=y * (D @ a), sums=record), 0.5

    return law


def two_ends_of_an_interval(rows, noise):
    """Rows near 0 or 1, a share of the labels flipped; f = a (|x| - |x - 1|), a chosen on them."""

    def law(rng):
        side = rng.choice([-1.0, 1.0], size=rows)
        y = np.where(rng.random(rows) < noise, -side, side)
        x = 0.5 + side * (0.5 - 0.1 * rng.random(rows))
        scores = y * (np.abs(x) - np.abs(x - 1.0))
        a = min((1.0, 2.0, 4.0), key=lambda a: np.mean(np.clip(1.0 - a * scores, 0.0, 1.0)))
        record = DistanceSums(rows, 2.0 * a, (1.0,))
        errors = int(np.count_nonzero(scores <= 0))
        return Evidence(rows, errors=errors, margins=a * scores, sums=record), noise

    return law


def test_sums_that_every_coin_fits(scale):
    """Coins cannot be predicted; without the complexity, or most of it, the bound would say so."""
    bound = get("lipschitz-sums")()
    law = interpolated_coins(80)
    check_valid(law, lambda e, d: bound.evaluate(e, d).unclipped, delta=0.1, draws=DRAWS * scale)

    def without_complexity(evidence, delta):
        ramp = np.mean(np.clip(1.0 - evidence.margins, 0.0, 1.0))
        return float(ramp + np.sqrt(-np.log(delta) / (2.0 * evidence.n)))

    check_caught(law, without_complexity, delta=0.1, draws=DRAWS * scale)

    def a_constant_only(evidence, delta):
        return without_complexity(evidence, delta) + 2.0 * offset_noise(evidence.n)

    check_caught(law, a_constant_only, delta=0.1, draws=DRAWS * scale)


def test_sums_say_something_where_the_ends_are_apart(scale):
    bound = get("lipschitz-sums")()
    law = two_ends_of_an_interval(4000, 0.1)
    check_valid(law, lambda e, d: bound.evaluate(e, d).unclipped, delta=0.1, draws=DRAWS * scale)
    check_caught(law, lambda e, d: bound.evaluate(e, d).observed, delta=0.1, draws=DRAWS * scale)
    evidence, truth = law(np.random.default_rng(1))
    assert truth < bound.evaluate(evidence, 0.1).value < 0.4


@pytest.mark.parametrize("profile", ["distance", "gaussian"])
def test_certificates_of_sums_in_a_box_cover_the_true_risk(profile):
    rng = np.random.default_rng(10)
    machine = LPMachine(C=0.05, profile=profile, length_scales=(8**0.5,), domain=(0, 5), delta=0.1)
    for _ in range(TRIALS // 4):
        X, y = draw(rng, 500, 0.04)
        model = machine.fit(X, y)
        fresh, labels = draw(rng, 4000, 0.04)
        certificate = assess(model.evidence_, 0.1, ["lipschitz-sums"])[0]["lipschitz-sums"]
        assert np.mean(model.predict(fresh) != labels) <= certificate.value < 0.95
