"""Selection by bounds, compression schemes, posteriors on lists, stability probes, simulations."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.neighbors import KNeighborsClassifier

from mercer import SVC
from mercer.bounds import Evidence, NotApplicable, get
from mercer.bounds.numerics import log_growth
from mercer.theory import compression, posteriors, simulate, srm, stability

RNG = np.random.default_rng(0)


# --- structural risk minimisation ----------------------------------------------------------------


def test_selection_pays_for_every_candidate():
    candidates = {
        f"degree {h}": Evidence(2000, errors=e, dimension=h)
        for h, e in ((3, 200), (6, 40), (21, 35))
    }
    chosen = srm.select_by_bound(candidates, "vc-relative")
    assert chosen.name == "degree 6"
    single = get("vc-relative")().evaluate(candidates["degree 6"], 0.05 / 3)
    assert chosen.certificate.unclipped == single.unclipped
    assert chosen.certificate.ledger.total == pytest.approx(0.05)
    assert len(chosen.certificate.ledger) == 3
    assert chosen.certificate.recompute().unclipped == chosen.certificate.unclipped
    favoured = srm.select_by_bound(candidates, "vc-relative", weights=[0.01, 0.98, 0.01])
    assert favoured.certificate.unclipped < chosen.certificate.unclipped


def test_selection_is_structural_risk_minimisation():
    """(4.20) and (4.21): ln(1/P_S(H_i)) stands beside ln(4/δ), or ln(2/δ), in the bracket."""
    m, weights, ends = 5000, [0.2, 0.7, 0.1], (3, 6, 21)
    for errors, form in (((900, 40, 35), "vc"), ((0, 0, 0), "vc-zero-error")):
        structure = {
            str(d): Evidence(m, errors=e, dimension=d) for d, e in zip(ends, errors, strict=True)
        }
        bound = get(form)() if form == "vc" else get(form)(form="book")
        chosen = srm.select_by_bound(structure, bound, 0.05, weights)
        for (name, evidence), p in zip(structure.items(), weights, strict=True):
            growth = log_growth(2 * m, int(name))
            if form == "vc":
                bracket = math.log(4 / 0.05) + math.log(1 / p) + growth
                expected = evidence.errors / m + math.sqrt(8 / m * bracket)
            else:
                expected = 4 / m * (math.log(2 / 0.05) + math.log(1 / p) + growth)
            assert chosen.values[name] == pytest.approx(expected)
        assert chosen.certificate.delta == 0.05
    tiny = srm.select_by_bound(structure, "vc-zero-error", log_delta=-900.0)
    assert tiny.certificate.ledger.total.log == pytest.approx(-900.0)
    assert tiny.certificate.recompute().value == tiny.certificate.value


def test_selection_refuses():
    nothing = Evidence(10, errors=1)
    with pytest.raises(NotApplicable, match="a: needs a finite feature-space"):
        srm.select_by_bound({"a": nothing}, "vc")
    with pytest.raises(ValueError, match="nothing to choose"):
        srm.select_by_bound({}, "vc")
    with pytest.raises(ValueError, match="not a bound"):
        srm.select_by_bound({"a": nothing}, "loo-exact")
    with pytest.raises(ValueError, match="2 weights for 1"):
        srm.select_by_bound({"a": nothing}, "vc", weights=[0.5, 0.5])
    with pytest.raises(ValueError, match="not a bound"):
        srm.select_by_bound({"a": nothing}, get("stability")(as_printed=True))


def blobs(n=200, seed=0, gap=3.0):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    return rng.standard_normal((n, 2)) + gap * 0.5 * y[:, None], y


def test_self_bounding_learner():
    X, y = blobs()
    learner = srm.SelfBounding(
        {f"C={c}": SVC(C=c, gamma=0.5) for c in (0.01, 1.0)}, "gaussian-margin"
    ).fit(X, y)
    assert learner.certificate_.value == min(1.0, min(learner.selected_.values.values()))
    assert learner.predict(X).shape == y.shape
    assert "NOT COVER" not in learner.certificate_.first_line()


# --- compression ---------------------------------------------------------------------------------


def test_a_support_vector_machine_is_rebuilt_from_its_support():
    X, y = blobs()
    model = SVC(C=1.0, gamma=0.5, tol=1e-8).fit(X, y)
    on_margin = lambda m: np.flatnonzero(y * m.decision_function(X) <= 1 + 1e-4)  # noqa: E731
    scheme = compression.RefitScheme(SVC(C=1.0, gamma=0.5, tol=1e-8), on_margin)
    rule, record = compression.verified_compression(scheme, X, y, model=model)
    assert record.errors == 0
    assert record.size == len(on_margin(model))
    assert get("compression")().evaluate(Evidence(len(y), compression=record)).n == len(y)
    assert np.array_equal(rule.predict(X), model.predict(X))


def test_a_scheme_that_forgets_too_much_is_caught():
    X, y = blobs(gap=1.0)
    model = SVC(C=1.0, gamma=0.5).fit(X, y)
    too_few = compression.RefitScheme(SVC(C=1.0, gamma=0.5), lambda m: np.arange(4))
    with pytest.raises(compression.NotReconstructed, match="rebuilt from 4 rows differs"):
        compression.verified_compression(too_few, X, y, model=model)
    _, record = compression.verified_compression(too_few, X, y)
    assert record.errors > 0
    twice = compression.RefitScheme(SVC(), lambda m: np.array([0, 0, 1]))
    with pytest.raises(ValueError, match="names each row once"):
        compression.verified_compression(twice, X, y)


# --- posteriors on lists -------------------------------------------------------------------------


def test_gibbs_posterior_minimises_its_functional():
    risks, prior = RNG.random(6), np.full(6, 1 / 6)
    q = posteriors.gibbs_posterior(risks, prior, 20.0)
    best = q @ risks + posteriors.divergence(q, prior) / 20
    for other in RNG.dirichlet(np.ones(6), size=200):
        assert other @ risks + posteriors.divergence(other, prior) / 20 >= best - 1e-12


def test_optimised_posterior_beats_the_others():
    risks, prior = np.array([0.05, 0.1, 0.3, 0.5]), np.full(4, 0.25)
    found = posteriors.optimize_lambda_bound(risks, prior, 500, 0.05)
    for q in (*np.eye(4), prior, *RNG.dirichlet(np.ones(4), size=100)):
        record = posteriors.posterior_record(q, prior, risks, 500)
        other = get("pac-bayes-lambda")().evaluate(Evidence(500, posterior=record)).unclipped
        assert found.value <= other + 1e-9


def test_votes_and_subsets():
    rules = np.array([[1, 1, -1], [1, -1, -1], [-1, 1, -1]])
    assert posteriors.vote(rules, [0.4, 0.3, 0.3]).tolist() == [1, 1, -1]
    assert posteriors.gibbs_risk(rules, np.full(3, 1 / 3), [1, 1, 1]) == pytest.approx(5 / 9)
    restricted = posteriors.restricted_posterior([0.5, 0.3, 0.2], [1, 2])
    assert restricted == pytest.approx([0.0, 0.6, 0.4])
    assert posteriors.divergence(restricted, [0.5, 0.3, 0.2]) == pytest.approx(math.log(2))
    with pytest.raises(ValueError, match="no prior mass"):
        posteriors.restricted_posterior([1.0, 0.0], [1])
    with pytest.raises(ValueError, match="sum to one"):
        posteriors.gibbs_posterior([0.1, 0.2], [0.5, 0.6], 1.0)


def test_balls_are_bayes_admissible_and_half_rings_are_not():
    centre, points = np.array([1.0, 0.0, 0.0]), RNG.standard_normal((300, 3))
    ball = centre + 0.8 * RNG.uniform(-1, 1, size=(40000, 3))
    ball = ball[np.linalg.norm(ball - centre, axis=1) < 0.8]
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    assert posteriors.admissibility(centre, ball, points) > 0.99
    lopsided = ball[ball[:, 1] > 0.1]
    assert posteriors.admissibility(centre, lopsided, points) < 0.95


# --- stability -----------------------------------------------------------------------------------


def machine(X, y, weight):
    model = SVC(C=0.02, gamma=0.5, fit_intercept=False, tol=1e-9)
    kept = weight > 0
    model.fit(X[kept], y[kept])  # C stays, so 1/m in front of the sum stays
    return model.decision_function


def hinge(f, y):
    return np.maximum(0.0, 1.0 - y * f)


def test_observed_stability_respects_the_theory():
    X, y = blobs(40, gap=1.5)
    fresh = blobs(200, seed=1, gap=1.5)
    m, lam = 40, 1 / (2 * 0.02 * 40)
    beta = stability.regularized_beta(1.0, 1.0, lam, m)
    assert beta == pytest.approx(0.02)  # C·κ²
    probe = stability.delete_one(machine, hinge, X, y, fresh, rows=range(0, 40, 4))
    assert probe.refits == 10
    assert probe.largest > 0
    assert probe.respects(beta)
    assert not probe.respects(probe.largest / 2)
    swapped = stability.replace_one(machine, hinge, X, y, fresh, blobs(10, seed=2))
    assert swapped.respects(2 * beta)


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (lambda f, t: np.maximum(0, 1 - t * f), 1.0),
        (lambda f, t: np.maximum(0, np.abs(f - t) - 0.1), 1.0),
        (lambda f, t: np.logaddexp(0, -t * f), 1 / (1 + math.exp(-2))),
        (lambda f, t: np.clip(1 - t * f / 0.5, 0, 1), 2.0),
        (lambda f, t: (f - t) ** 2, 6.0),
    ],
)
def test_lipschitz_constants(loss, expected):
    """On outputs in [−2, 2] and targets ±1."""
    found = stability.lipschitz_constant(loss, [-1.0, 1.0], -2.0, 2.0)
    assert found == pytest.approx(expected, rel=0.02)


def test_leave_one_out_by_refitting():
    X, y = blobs(30, gap=1.0)
    errors = stability.leave_one_out(KNeighborsClassifier(1), X, y)
    d = np.linalg.norm(X[:, None] - X[None], axis=2) + 1e9 * np.eye(30)
    assert errors.tolist() == (y[d.argmin(axis=1)] != y).astype(float).tolist()
    squared = stability.leave_one_out(KNeighborsClassifier(1), X, y, lambda f, t: (f - t) ** 2)
    assert squared.tolist() == (4 * errors).tolist()


# --- simulations ---------------------------------------------------------------------------------


def test_ghost_samples():
    two_sided = simulate.ghost_sample(np.full(8, 0.125), 60, 0.2)
    assert 0 < two_sided.left <= two_sided.right
    zero = simulate.ghost_sample_zero_error(np.full(9, 0.11), 25, 0.1)
    assert 0 < zero.left <= zero.right
    with pytest.raises(ValueError, match="m·ε² > 2"):
        simulate.ghost_sample([0.5], 10, 0.1)
    with pytest.raises(ValueError, match="m·ε > 2"):
        simulate.ghost_sample_zero_error([0.5], 10, 0.1)
    with pytest.raises(ValueError, match="at most one"):
        simulate.ghost_sample([0.9, 0.9], 100, 0.5)


@pytest.mark.parametrize(("m", "p", "epsilon"), [(12, 0.5, 0.45), (40, 0.3, 0.25)])
def test_ghost_samples_of_one_event_against_exact_sums(m, p, epsilon):
    """Both sides of lemmas C.1 and C.2 for a single event, by enumeration."""
    law = stats.binom(m, p).pmf(np.arange(m + 1))
    nu = np.arange(m + 1) / m
    apart = np.abs(nu[:, None] - nu[None, :]) > epsilon / 2
    left, right = law[np.abs(nu - p) > epsilon].sum(), 2 * law @ apart @ law
    seen = simulate.ghost_sample([p], m, epsilon)
    assert seen.left == pytest.approx(left, abs=0.01)
    assert seen.right == pytest.approx(right, abs=0.02)
    assert left <= right
    small = 2.1 / m
    left, right = law[0] * (p > small), 2 * law[0] * law[nu > small / 2].sum()
    seen = simulate.ghost_sample_zero_error([p], m, small, draws=200_000)
    assert seen.left == pytest.approx(left, abs=0.001)
    assert seen.right == pytest.approx(right, abs=0.002)
    assert left <= right


def test_swapping():
    single = np.zeros((5, 2), dtype=bool)
    single[[0, 2, 4], [1, 1, 1]] = True
    assert simulate.swapping_probability(single) == pytest.approx(1 / 8, abs=0.01)
    single[1] = True  # marked on both sides: some half always shows it
    assert simulate.swapping_probability(single) == 0.0
    with pytest.raises(ValueError, match="two columns"):
        simulate.swapping_probability(np.ones(3))


@pytest.mark.parametrize("learner", [KNeighborsClassifier(1), SVC(C=10.0)])
def test_no_free_lunch(learner):
    assert simulate.no_free_lunch(40, 15, learner, draws=150) == pytest.approx(0.5, abs=0.03)


def test_parameters_converge_but_the_rule_does_not():
    for tie, risk in ((2, 0.75), (1, 0.25)):
        theta, found = simulate.plug_in_failure(20000, tie=tie)
        assert theta == pytest.approx([1.0, 2.0], abs=0.01)
        assert found == pytest.approx(risk, abs=0.01)
