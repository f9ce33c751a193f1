"""Evidence of sets of rules, schemes whose order is silent, Gaussian processes, loss ranges."""

import math
from itertools import product

import numpy as np
import pytest

from mercer import SVR
from mercer.bounds import Evidence, NotApplicable, get
from mercer.bounds.stability_loo import hypothesis_width
from mercer.learners.regression import KernelRidge
from mercer.theory import compression, gaussian, posteriors, select_by_bound, stability

RNG = np.random.default_rng(0)
PRIOR = np.array([0.4, 0.3, 0.2, 0.1])


def test_a_restricted_prior_is_recognised_and_its_divergence_is_the_evidence():
    kept = posteriors.restricted_posterior(PRIOR, [1, 3])
    record = posteriors.posterior_record(kept, PRIOR, [0.5, 0.0, 0.2, 0.0], 100, vote_is_model=True)
    assert record.restricted
    assert record.gibbs == 0.0
    assert record.kl == pytest.approx(-math.log(0.4))  # the evidence of the set is its prior mass
    evidence = Evidence(100, posterior=record)
    printed = (-math.log(0.4) + 2 * math.log(100) + math.log(20) + 1) / 100
    assert get("gibbs-subset")().evaluate(evidence, 0.1).unclipped == pytest.approx(printed)
    assert get("bayes-subset")().evaluate(evidence, 0.1).unclipped == pytest.approx(2 * printed)
    tilted = posteriors.posterior_record([0.5, 0.3, 0.1, 0.1], PRIOR, np.zeros(4), 100)
    assert not tilted.restricted
    with pytest.raises(NotApplicable, match="restricted to a set"):
        get("gibbs-subset")().evaluate(Evidence(100, posterior=tilted))


def test_divergences_never_round_below_zero():
    for strength in 10.0 ** -np.arange(1, 18):
        q = posteriors.gibbs_posterior(RNG.random(7), np.full(7, 1 / 7), strength)
        assert posteriors.divergence(q, np.full(7, 1 / 7)) >= 0.0
    assert posteriors.divergence([0.5, 0.5], [1.0, 0.0]) == math.inf
    with pytest.raises(ValueError, match="finite"):
        posteriors.posterior_record([0.5, 0.5], [1.0, 0.0], [0.0, 0.0], 10)


def test_models_chosen_by_their_evidence_are_paid_by_their_weights():
    """Remark 5.5 with lemma 4.14: the largest weight times evidence has the smallest bound."""
    masses, weights = {"a": 1e-6, "b": 1e-3, "c": 3e-3}, [0.5, 0.4, 0.1]
    candidates = {
        name: Evidence(500, posterior=posteriors.Posterior(500, 0.0, -math.log(p), restricted=True))
        for name, p in masses.items()
    }
    chosen = select_by_bound(candidates, "gibbs-subset", 0.05, weights)
    assert chosen.name == "b"
    expected = -math.log(1e-3 * 0.4) + 2 * math.log(500) + math.log(2 / 0.05) + 1
    assert chosen.certificate.unclipped == pytest.approx(expected / 500)


def test_lambda_chosen_by_the_stability_bound_is_paid():
    m = 3000
    candidates = {
        lam: Evidence(
            m, loss="hinge", margins=np.array([shift]), radius=1.0, C=1 / (2 * lam * m), errors=0
        )
        for lam, shift in ((0.01, 1.0), (1.0, 0.9), (100.0, 0.01))
    }
    chosen = select_by_bound(candidates, "stability")
    width = math.sqrt(math.log(3 / 0.05) / (2 * m))
    values = {
        lam: 1 - shift + 1 / (lam * m) + (1 + 2 / lam) * width
        for lam, shift in ((0.01, 1.0), (1.0, 0.9), (100.0, 0.01))
    }
    assert chosen.values == pytest.approx(values)
    assert chosen.name == min(values, key=values.get) == 1.0


class SaysItInTheOrder:
    """Keeps rows 0 and 1 and hides one bit in which of them comes first."""

    def __init__(self, ordered):
        self.ordered = ordered

    def compress(self, X, y):
        return np.array([1, 0]) if y[5] > 0 else np.array([0, 1])

    def reconstruct(self, X, y):
        answer = 1 if X[0, 0] == 1.0 else -1

        class Rule:
            def predict(self, points):
                return np.full(len(points), answer)

        return Rule()


def test_no_message_in_the_order_of_rows_unless_it_is_paid():
    X, y = np.arange(8.0)[:, None], np.ones(8)
    _, free = compression.verified_compression(SaysItInTheOrder(ordered=False), X, y)
    assert free.errors == 6  # the rows came in the file's order: the bit was lost
    _, paid = compression.verified_compression(SaysItInTheOrder(ordered=True), X, y)
    assert paid.errors == 0
    assert paid.ordered
    free_price, paid_price = (
        get("compression")().evaluate(Evidence(8, compression=kept)).unclipped
        for kept in (compression.Compression(8, 2), paid)
    )
    assert free_price < paid_price


def test_gaussian_process_divergence_in_the_form_of_the_text():
    """½(ln|K| − ln|S| + tr(K⁻¹S) + μ'K⁻¹μ − m), with full and with diagonal covariance."""
    A = RNG.standard_normal((6, 6))
    K, mean, labels = A @ A.T + np.eye(6), RNG.standard_normal(6), np.array([1, -1, 1, 1, -1, -1])
    B = RNG.standard_normal((6, 6))
    for S in (B @ B.T / 6 + 0.1 * np.eye(6), RNG.uniform(0.1, 2.0, 6)):
        full = np.diag(S) if S.ndim == 1 else S
        inverse = np.linalg.inv(K)
        kl = 0.5 * (
            np.log(np.linalg.eigvalsh(K)).sum()
            - np.log(np.linalg.eigvalsh(full)).sum()
            + np.trace(inverse @ full)
            + mean @ inverse @ mean
            - 6
        )
        record = gaussian.gaussian_process_posterior(K, mean, S, labels)
        assert record.kl == pytest.approx(kl, rel=1e-10)
        z = -labels * mean / np.sqrt(np.diag(full))
        gibbs = np.mean([0.5 * math.erfc(-v / math.sqrt(2)) for v in z])
        assert record.gibbs == pytest.approx(gibbs, rel=1e-12)
        assert record.vote_is_model


@pytest.mark.parametrize("lam", [0.003, 0.1, 5.0])
def test_no_loss_exceeds_the_ceiling(lam):
    """Targets on the border of their range, machines trained on few of them, tested everywhere."""
    T, m, epsilon = 2.0, 12, 0.3
    tube = stability.loss_ceiling("epsilon-insensitive", T, 1.0, lam, epsilon=epsilon)
    square = stability.loss_ceiling("squared", T, 1.0, lam)
    assert tube <= T + math.sqrt(T / lam)  # §8.4
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, t = 0.05 * rng.standard_normal((m, 1)), T * rng.choice([-1.0, 1.0], m, p=[0.1, 0.9])
        grid = np.vstack([X, np.linspace(-3, 3, 60)[:, None]])
        svr = SVR(C=1 / (2 * lam * m), gamma=1.0, epsilon=epsilon, fit_intercept=False).fit(X, t)
        ridge = KernelRidge(alpha=lam * m, kernel="rbf", gamma=1.0).fit(X, t)
        for target in (-T, T):
            assert np.max(np.abs(svr.predict(grid) - target)) - epsilon <= tube
            assert np.max((ridge.predict(grid) - target) ** 2) <= square
    with pytest.raises(ValueError, match="squared"):
        stability.loss_ceiling("hinge", T, 1.0, lam)


def majority(rows):
    """Vote of the labels seen at each of two points; +1 where nothing was seen."""
    return {x: 1 if sum(y for z, y in rows if z == x) >= 0 else -1 for x in (0, 1)}


def test_leave_one_out_error_is_unbiased_for_one_row_less():
    """Theorem 2.36 by enumeration of all samples of four rows."""
    law = {(0, 1): 0.35, (0, -1): 0.15, (1, 1): 0.1, (1, -1): 0.4}
    chance = lambda rows: math.prod(law[row] for row in rows)  # noqa: E731

    def risk(rule):
        return sum(p for (x, y), p in law.items() if rule[x] != y)

    left_out = sum(
        chance(rows) * np.mean([majority(rows[:i] + rows[i + 1 :])[x] != y
                                for i, (x, y) in enumerate(rows)])
        for rows in product(law, repeat=4)
    )  # fmt: skip
    with_three = sum(chance(rows) * risk(majority(rows)) for rows in product(law, repeat=3))
    with_four = sum(chance(rows) * risk(majority(rows)) for rows in product(law, repeat=4))
    assert left_out == pytest.approx(with_three, abs=1e-14)
    assert abs(with_three - with_four) > 1e-3


def test_stability_at_the_rows_alone_does_not_bound_the_risk():
    """Why `hypothesis_width` asks for both: labels all +1, and a rule that flips with m.

    On points of the sample it answers as the rule of one row less does everywhere, so leaving a row
    out changes nothing at that row; it is right on the sample and wrong everywhere else.
    """

    def answer(rows, seen):
        return 1 if (rows - seen) % 2 else -1  # even m: +1 at rows of the sample, −1 at new points

    m = 1000
    assert answer(m, seen=1) == answer(m - 1, seen=0) == 1  # no change at the row left out
    training_error, risk = float(answer(m, 1) != 1), float(answer(m, 0) != 1)
    assert training_error + hypothesis_width(m, 0.05, 1.0, 0.0, loo=False) < risk
    at_new_points = float(answer(m, 0) != answer(m - 1, 0))
    assert training_error + hypothesis_width(m, 0.05, 1.0, at_new_points, loo=False) > risk
