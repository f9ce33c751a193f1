"""Values that change when a sign, a count or an end of the code does (``make mutants`` found them).

Each expected number is counted or written out here, by other means than the code's.
"""

import math
from itertools import product

import pytest

from mercer.bounds.numerics import betting, binomial, concentration, easy, relative_entropy
from mercer.bounds.numerics import order_statistics as ranks
from mercer.bounds.numerics.root import _push, increasing_root
from mercer.bounds.numerics.union import quantifier_reversal, split_delta


def fails(m, k, share):
    """P(fewer than `share` of the law lies below the k-th smallest of m), by all outcomes."""
    total = 0.0
    for below in product((0, 1), repeat=m):  # 1: the draw lies below the share's quantile
        if sum(below) >= k:
            total += math.prod(share if b else 1.0 - share for b in below)
    return total


@pytest.mark.parametrize("m", [1, 2, 5, 9])
@pytest.mark.parametrize("share", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("delta", [0.05, 0.3, 0.6])
def test_ranks_are_the_smallest_that_hold(m, share, delta):
    right = [k for k in range(1, m + 1) if fails(m, k, share) <= delta]
    assert ranks.quantile_rank(m, share, delta) == (min(right) if right else None)
    mirrored = [k for k in range(1, m + 1) if fails(m, k, 1.0 - share) <= delta]
    expected = m + 1 - min(mirrored) if mirrored else None
    assert ranks.lower_quantile_rank(m, share, delta) == expected


def test_a_rank_whose_failure_is_exactly_the_level_counts():
    assert ranks.quantile_rank(1, 0.5, 0.5) == 1
    assert ranks.quantile_rank(0, 0.5, 0.5) is None


def test_ranks_on_average_and_for_every_share():
    assert ranks.marginal_rank(9, 0.9) == 9  # exactly (9 + 1)(.9)
    assert ranks.marginal_rank(8, 0.9) is None
    assert ranks.marginal_rank(19, 0.9) == 18
    m, share, delta = 400, 0.8, 0.05
    expected = math.ceil(m * (share + math.sqrt(math.log(1 / delta) / (2 * m))))
    assert ranks.band_rank(m, share, delta) == expected
    assert ranks.band_rank(4, share, delta) is None
    assert ranks.band_rank(1, 0.8, 0.9) is None
    # a product that is whole stays what it is, though it may be rounded up
    assert ranks.band_rank(8, 0.25, math.exp(-1.0)) == 4


def test_rows_for_a_share():
    for share, delta in [(0.9, 0.05), (0.5, 0.25), (0.3, 0.9)]:
        rows = ranks.rows_for_share(share, delta)
        assert share**rows <= delta * (1 + 1e-9)
        assert rows == 1 or share ** (rows - 1) > delta
    for share in (0.0, 1.0, 1.5):
        with pytest.raises(ValueError, match="share must lie strictly"):
            ranks.rows_for_share(share, 0.1)


def test_relative_entropy_at_its_ends():
    assert relative_entropy.kl(0.0, 1.0) == math.inf
    assert relative_entropy.kl(1.0, 0.0) == math.inf
    assert relative_entropy.kl(1.0, 1.0) == 0.0
    assert relative_entropy.kl_upper(0.3, math.inf) == 1.0
    assert relative_entropy.kl_upper(1.0, 0.1) == 1.0
    assert relative_entropy.kl_lower(0.3, math.inf) == 0.0


def test_a_lower_limit_begins_below_its_root():
    """P(Bin(2, p) >= 1) = δ at p = 1 - sqrt(1 - δ)."""
    assert binomial.clopper_lower(1, 2, 0.05) == pytest.approx(1 - math.sqrt(0.95), rel=1e-12)


def test_tails_with_one_row_and_with_many():
    assert concentration.chebyshev_tail(1, 0.25, 0.1) == 1.0
    assert concentration.chebyshev_tail(100, 0.25, 0.1) == pytest.approx(0.25)
    for n in (1, 50):
        found = concentration.multiplicative_chernoff_tail(n, 0.2, 0.5, side="lower")
        assert found == pytest.approx(math.exp(-n * 0.2 * 0.25 / 2.0))
        found = concentration.multiplicative_chernoff_tail(n, 0.2, 0.5, side="upper")
        assert found == pytest.approx(math.exp(-n * 0.2 * 0.25 / 3.0))
    with pytest.raises(ValueError, match="differences"):
        concentration.mcdiarmid_tail([], 0.1)
    assert concentration.mcdiarmid_tail([1.0], 0.5) == pytest.approx(math.exp(-0.5))
    assert concentration.mcdiarmid_tail([0.5, 0.0], 0.5) == pytest.approx(math.exp(-2.0))


def test_bets_on_both_sides_pay_half_each():
    x = [0.1, 0.4, 0.3, 0.9, 0.2, 0.4]
    low, high = betting.betting_interval(x, 0.1)
    assert low == pytest.approx(betting.betting_lower(x, 0.05), rel=1e-12)
    assert high == pytest.approx(betting.betting_upper(x, 0.05), rel=1e-12)


@pytest.mark.parametrize("x", [[0.5, math.nan], [math.inf, 0.5]])
def test_one_number_that_is_none_is_enough_to_refuse(x):
    with pytest.raises(ValueError, match="NaN or infinity"):
        betting.betting_upper(x, 0.05)
    with pytest.raises(ValueError, match="low < high"):
        betting.betting_upper([0.5], 0.05, low=0.5, high=0.5)


def test_roots_are_moved_to_the_safe_side():
    def f(x):
        return x - 0.1

    assert _push(f, 0.1 - 1e-12, 0.0, 1.0, "above") >= 0.1
    assert _push(f, 0.1 - 1e-12, 0.0, 1.0, "above") < 0.1 + 1e-10
    assert _push(f, 0.1 + 1e-12, 0.0, 1.0, "below") <= 0.1
    assert _push(f, 0.1 + 1e-12, 0.0, 1.0, "below") > 0.1 - 1e-10
    assert _push(lambda _: -1.0, 0.5, 0.25, 0.75, "above") == 0.75
    assert _push(lambda _: 1.0, 0.5, 0.25, 0.75, "below") == 0.25
    assert increasing_root(f, 0.2, 1.0, safe="above") == 0.2
    assert increasing_root(f, 0.0, 0.05, safe="above") == 0.05


def test_what_cannot_be_weighed_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        split_delta(0.05, 0)
    assert len(split_delta(0.05, 1)) == 1
    for beta in (0.0, 1.0):
        with pytest.raises(ValueError, match="beta must lie"):
            quantifier_reversal(0.5, beta, 0.05)
    with pytest.raises(ValueError, match="a sum of 10 losses"):
        easy.easy_upper([0.0, 0.0], [1.0, 11.0], 10, 0.05, bets=[(1.0, 1.0)])
