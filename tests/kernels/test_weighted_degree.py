"""The kernel of substrings in their place: by hand, by loops, and on real splice sites."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.kernels import Spectrum, WeightedDegree, check_psd, contributions

WORDS = st.text(alphabet="ab£", max_size=7)


def by_loops(u, v, r, shift):
    total = 0.0
    for s in range(1, r + 1):
        weight = 2 * (r - s + 1) / (r * (r + 1))
        for i in range(len(u) - s + 1):
            for j in range(len(v) - s + 1):
                if u[i : i + s] == v[j : j + s]:
                    total += weight * max(0.0, 1 - abs(i - j) / (shift + 1))
    return total


@settings(max_examples=60)
@given(WORDS, WORDS, st.integers(1, 4), st.integers(0, 3))
def test_against_loops(u, v, r, shift):
    kernel = WeightedDegree(r, shift, normalize=False)
    assert kernel([u], [v])[0, 0] == pytest.approx(by_loops(u, v, r, shift), abs=1e-12)


def test_values_by_hand():
    # letters: C.A.T at 0, 1, 2 and two agree; pairs: "AT" at 1 agrees; weights 2/3 and 1/3
    assert WeightedDegree(2, normalize=False)(["CAT"], ["GAT"])[0, 0] == pytest.approx(5 / 3)
    assert WeightedDegree(1)(["ACGT"], ["TGCA"])[0, 0] == 0
    assert WeightedDegree(1, shift=1)(["ACGT"], ["CGTA"])[0, 0] > 0
    assert Spectrum(1)(["ACGT"], ["TGCA"])[0, 0] == pytest.approx(1)


@pytest.mark.parametrize("kernel", [WeightedDegree(3), WeightedDegree(3, 2, normalize=False)])
def test_shares_add_up(kernel):
    X, coef = ["gattaca", "aaaaaaa", "tagtagt", "attac"], [1.0, -0.5, 0.3, 2.0]
    for sequence in ("gattac", "aaaaaa", "a", "", "gattacaga"):
        shares = contributions(kernel, X, coef, sequence)
        assert len(shares) == len(sequence)
        assert shares.sum() == pytest.approx(kernel.matmul([sequence], X, coef)[0], abs=1e-12)


def test_psd_tokens_and_bad_parameters():
    rng = np.random.default_rng(0)
    X = [rng.integers(0, 4, size=20) for _ in range(30)]
    assert check_psd(WeightedDegree(4, 3), X).ok
    words = [["a", "rose", "is"], ["a", "nose", "is"]]
    assert WeightedDegree(1, normalize=False)(words[:1], words[1:])[0, 0] == 2
    for bad in (WeightedDegree(0), WeightedDegree(2, -1)):
        with pytest.raises(ValueError, match="WeightedDegree: "):
            bad(["ab"])
