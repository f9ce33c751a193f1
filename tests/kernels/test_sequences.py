"""Kernels on strings: published values, brute force in exact integers, and every kind of input."""

import time
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline

from helpers_interrupt import control_c_after
from mercer import SVC, certified_fit
from mercer.gram import DiagonalDominanceWarning, KernelGram, build_gram, gram_report
from mercer.kernels import (
    BagOfWords,
    ExactMatch,
    GlobalAlignment,
    KmerFeatures,
    LocalAlignment,
    Mismatch,
    Spectrum,
    Subsequence,
    Substring,
    check_psd,
    contributions,
)

WORDS = st.text(alphabet="ab£", max_size=6)


def one(kernel, u, v):
    return kernel([u], [v])[0, 0]


# -- published values ------------------------------------------------------------------------------

SUBSTRING = {
    ("cat", "car"): (0.5, 0.5625, 0.5625, 0.5625),
    ("cat", "cat"): (0.75, 0.875, 0.890625, 0.890625),
    ("gatta", "cata"): (1.5, 1.625, 1.625, 1.625),
    ("gatta", "gatta"): (2.25, 2.5, 2.546875, 2.5546875),
}
SUBSEQUENCE = {
    ("cat", "car"): (0.5, 0.0625, 0, 0),
    ("cat", "cat"): (0.75, 0.140625, 0.015625, 0),
    ("gatta", "cata"): (1.5, 0.1953125, 0.015625, 0),
    ("gatta", "gatta"): (2.25, 0.4619140625, 0.0908203125, 0.0126953125),
}


@pytest.mark.parametrize(("u", "v"), SUBSTRING)
def test_values_of_the_catalogue(u, v):
    for r in range(1, 5):
        assert one(Substring(r, 0.5, normalize=False), u, v) == SUBSTRING[u, v][r - 1]
        assert one(Subsequence(r, 0.5, normalize=False), u, v) == SUBSEQUENCE[u, v][r - 1]


def test_the_books_sentences():
    u, v = "science is organized knowledge", "wisdom is organized life"
    values = [one(Subsequence(r, 0.5), u, v) for r in range(1, 7)]
    np.testing.assert_allclose(
        values, [0.84868, 0.57981, 0.47845, 0.43887, 0.40575, 0.36916], atol=5e-6
    )


# -- brute force in exact numbers ------------------------------------------------------------------


def brute_subsequence(u, v, r, decay):
    def features(word):
        found = Counter()
        for index in combinations(range(len(word)), r):
            found["".join(word[i] for i in index)] += decay ** (index[-1] - index[0] + 1)
        return found

    left, right = features(u), features(v)
    return sum(left[b] * right[b] for b in left)


def windows(word, r):
    return Counter(word[i : i + r] for i in range(len(word) - r + 1))


@given(WORDS, WORDS, st.integers(1, 4))
@settings(max_examples=60)
def test_against_all_subsequences(u, v, r):
    exact = brute_subsequence(u, v, r, Fraction(1, 2))
    assert one(Subsequence(r, 0.5, normalize=False), u, v) == float(exact)
    total = sum(brute_subsequence(u, v, s, Fraction(1, 2)) for s in range(1, r + 1))
    assert one(Subsequence(r, 0.5, up_to=True, normalize=False), u, v) == float(total)


@pytest.mark.parametrize("r", [1, 2, 5, 7])  # 7 is beyond the unrolled loops
def test_lanes_rows_and_lengths(r):
    rng = np.random.default_rng(r)
    X = ["".join(rng.choice(list("ab"), size=n)) for n in (0, 1, 2, 7, 8, 9, 9, 3, 10, 5, 7)]
    kernel = Subsequence(r, 0.75, up_to=r == 5, normalize=False)
    sizes = range(1, r + 1) if r == 5 else [r]
    exact = [[float(sum(brute_subsequence(u, v, s, 0.75) for s in sizes)) for v in X] for u in X]
    np.testing.assert_allclose(kernel(X), exact, rtol=1e-13)
    np.testing.assert_allclose(kernel(X, X[:3]), np.array(exact)[:, :3], rtol=1e-13)


@given(WORDS, WORDS, st.integers(1, 4))
@settings(max_examples=60)
def test_spectra_against_counting(u, v, r):
    shared = [sum(windows(u, s)[b] * windows(v, s)[b] for b in windows(u, s)) for s in range(1, 5)]
    assert one(Spectrum(r, normalize=False), u, v) == shared[r - 1]
    weighted = sum(shared[s - 1] * 0.5 ** (2 * s) for s in range(1, r + 1))
    assert one(Substring(r, 0.5, normalize=False), u, v) == pytest.approx(weighted, rel=1e-14)


@pytest.mark.parametrize(("length", "m"), [(2, 1), (3, 1), (3, 2), (4, 0)])
def test_mismatches_against_all_words(length, m):
    rng = np.random.default_rng(length)
    X = ["".join(rng.choice(list("abc"), size=n)) for n in (2, 4, 5, 7)]
    words = ["".join(w) for w in product("abc", repeat=length)]

    def near(a, b):
        return sum(x != y for x, y in zip(a, b, strict=True)) <= m

    features = [
        [sum(n for w, n in windows(u, length).items() if near(w, b)) for b in words] for u in X
    ]
    exact = np.array(features) @ np.array(features).T
    np.testing.assert_array_equal(Mismatch(length, m, "abc", normalize=False)(X), exact)


def test_local_alignments_one_by_one():
    beta, match, mismatch, opened, extended = 0.5, 2.0, -1.0, 3.0, 1.0

    def score(u, v, i, j):
        total = sum(match if u[a] == v[b] else mismatch for a, b in zip(i, j, strict=True))
        for index in (i, j):
            gaps = [b - a - 1 for a, b in pairwise(index)]
            total -= sum(opened + extended * (g - 1) for g in gaps if g)
        return total

    def brute(u, v):
        sizes = range(1, min(len(u), len(v)) + 1)
        pairs = (
            (i, j)
            for s in sizes
            for i in combinations(range(len(u)), s)
            for j in combinations(range(len(v)), s)
        )
        return 1.0 + sum(np.exp(beta * score(u, v, i, j)) for i, j in pairs)

    X = ["abba", "ab", "", "bcab", "a"]
    exact = [[brute(u, v) for v in X] for u in X]
    np.testing.assert_allclose(LocalAlignment(normalize=False)(X), exact, rtol=1e-12)


def test_local_alignments_of_long_sequences_do_not_overflow():
    rng = np.random.default_rng(0)
    X = ["".join(rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), size=600)) for _ in range(4)]
    kernel = LocalAlignment(gap_open=11.0, substitution="blosum62")
    assert kernel.psd
    K = kernel(X)
    assert np.all(np.diagonal(K) == 1)
    assert check_psd(K).ok
    with pytest.raises(ValueError, match=r"exp\(\d+\)"):
        LocalAlignment(substitution="blosum62", normalize=False)(X)


def test_an_indefinite_table_is_admitted():
    assert LocalAlignment().psd
    assert not LocalAlignment(substitution={("a", "b"): 9.0}).psd


def test_warpings_one_by_one():
    def brute(x, y):
        kappa = {}
        for i, j in product(range(len(x)), range(len(y))):
            phi = np.exp(-((x[i] - y[j]) ** 2) / (2 * 0.8**2))
            kappa[i, j] = phi / (2 - phi)

        def paths(i, j):
            if (i, j) == (0, 0):
                return kappa[0, 0]
            if min(i, j) < 0:
                return 0.0
            return kappa[i, j] * (paths(i - 1, j - 1) + paths(i - 1, j) + paths(i, j - 1))

        return paths(len(x) - 1, len(y) - 1)

    X = [(0.1, 0.5), (0.3, -0.2, 0.4), (1.0,), (0.0, 0.1, 0.2, 0.9)]
    exact = [[brute(u, v) for v in X] for u in X]
    np.testing.assert_allclose(GlobalAlignment(0.8, normalize=False)(X), exact, rtol=1e-12)


# -- words -----------------------------------------------------------------------------------------


def test_bags_of_words():
    documents = ["the cat sat", "the dog sat down", "a cat"]
    plain = BagOfWords(normalize=False)(documents)
    np.testing.assert_array_equal(plain, [[3, 2, 1], [2, 4, 0], [1, 0, 2]])
    kernel = BagOfWords(weights="idf", normalize=False).resolve(documents)
    assert kernel.data_dependent
    # "cat" and "sat" occur in two documents of three: the kernel carries the square
    assert kernel(documents)[0, 2] == pytest.approx(np.log(3 / 2) ** 2)
    assert kernel(documents, ["unseen words only"]).max() == 0
    with pytest.raises(ValueError, match=r"resolve\(X_train\)"):
        BagOfWords(weights="idf")(documents)


def test_substring_words_count_inside_words():
    kernel = BagOfWords(["aa"], substrings=True, normalize=False)
    assert one(kernel, "aaa", "aaaa") == 2 * 3
    tokens = BagOfWords(normalize=False)([["to", "be"]], [["be", "be"]])
    assert tokens[0, 0] == 2


def test_exact_match_is_a_gram_of_identities():
    things = ["a", "b", "a", ("x", 1), ("x", 1)]
    K = ExactMatch()(things)
    np.testing.assert_array_equal(K, [[x == y for y in things] for x in things])


# -- every kind of input ---------------------------------------------------------------------------

KERNELS = [Spectrum(2), Substring(2), Subsequence(2), Mismatch(2, 1), LocalAlignment()]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: type(k).__name__)
def test_strings_bytes_tokens_and_integers_are_the_same(kernel):
    rng = np.random.default_rng(3)
    strings = ["".join(row) for row in rng.choice(list("ACGT"), (40, 12))]
    y = np.array(["GC" in s for s in strings]).astype(int)
    forms = [
        strings,
        [s.encode() for s in strings],
        [list(s) for s in strings],
        np.array([[ord(c) for c in s] for s in strings]),
        [np.array([ord(c) for c in s]) for s in strings],
        np.array(strings),
    ]
    outputs = [SVC(kernel=kernel, C=10.0).fit(X, y).decision_function(X) for X in forms]
    for output in outputs[1:]:
        np.testing.assert_allclose(output, outputs[0], atol=5e-3)  # the solver's tolerance


def test_a_certified_fit_on_lists():
    rng = np.random.default_rng(0)
    strings = ["".join(row) for row in rng.choice(list("ACGT"), (120, 20))]
    y = ["yes" if "GC" in s else "no" for s in strings]
    for X in (strings, [list(s) for s in strings]):
        model = certified_fit(SVC(kernel=Spectrum(2), C=10.0), X, y, mode="holdout")
        assert set(model.predict(X)) <= {"yes", "no"}
        assert model.certificate_.value < 1
    model = SVC(kernel=Spectrum(2)).fit(strings, y)
    assert model.evidence_.radius == 1.0


def test_unicode_empty_and_very_long_strings():
    assert one(Spectrum(2), "naïve 🙂", "naïve 🙂") == pytest.approx(1)
    assert one(Spectrum(2), "", "") == 0
    assert one(Spectrum(3), "ab", "ab") == 0
    for kernel in (Spectrum(2), Subsequence(2), Mismatch(2, 1, "ab"), Substring(2)):
        assert np.isfinite(kernel(["", "ab"])).all()
    rng = np.random.default_rng(0)
    long = ["".join(rng.choice(list("ACGT"), size=1_000_000)), "ACGTACGT"]
    for kernel in (Spectrum(6), Substring(4), Mismatch(4, 1, "ACGT")):
        K = kernel(long)
        assert np.all(np.diagonal(K) == 1)
        assert 0 < K[0, 1] < 1
    # of the table only this pair is affordable: normalising would compare the long one with itself
    assert one(Subsequence(3, normalize=False), *long) > 0


def test_a_letter_outside_the_alphabet_counts_for_nothing():
    kernel = Mismatch(2, 1, "ACGT", normalize=False)
    assert one(kernel, "ANA", "AAA") == 0
    assert one(kernel, "AANAA", "AC") == 2 * one(kernel, "AA", "AC")


def test_large_alphabets_are_numbered_exactly():
    rng = np.random.default_rng(5)
    X = [rng.integers(0, 10**6, size=30) for _ in range(3)]
    X.append(np.concatenate([X[0][:12], X[1][:12]]))
    K = Spectrum(11, normalize=False)(X)  # a million symbols in eleven places: far beyond 64 bits
    assert K[0, 3] == 2
    assert K[1, 3] == 2
    assert K[0, 1] == 0


@pytest.mark.parametrize(
    ("kernel", "X", "message"),
    [
        (Spectrum(2), "one string", "single string"),
        (Spectrum(2), ["ab", None], r"X\[1\] is None"),
        (Spectrum(2), ["ab", 3.5], r"X\[1\] is 3.5"),
        (Spectrum(2), np.zeros((3, 2)), "array of numbers"),
        (Spectrum(2), [], "empty"),
        (Spectrum(2), [["a", ["b"]]], "not hashable"),
        (Spectrum(0), ["ab"], "length must be"),
        (Substring(2, -1.0), ["ab"], "decay must be"),
        (Subsequence(65), ["ab"], "more than 64"),
        (Mismatch(2, 2, "ab"), ["ab"], "nothing to share"),
        (Mismatch(2, 1), ["ab"], "alphabet=None"),
        (LocalAlignment(gap_open=-1.0), ["ab"], "gap_open"),
        (LocalAlignment(substitution="pam250"), ["ab"], "not known"),
        (GlobalAlignment(), [(1.0, np.nan)], "NaN"),
        (GlobalAlignment(), ["abc"], "not a series"),
        (GlobalAlignment(), [(1.0,), ((1.0, 2.0),)], "per moment"),
        (ExactMatch(), ["a", None], r"X\[1\] is missing"),
    ],
)
def test_bad_input_is_named(kernel, X, message):
    with pytest.raises(ValueError, match=message):
        kernel(X)


# -- pictures, features, grams ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "kernel", [Spectrum(2), Substring(3), Mismatch(3, 1, "acgt"), Substring(2, normalize=False)]
)
def test_shares_of_positions_add_up(kernel):
    X, coef = ["gattaca", "catacat", "tagtag", "attac"], [1.0, -0.5, 0.3, 2.0]
    for sequence in ("gattac", "a", ""):
        shares = contributions(kernel, X, coef, sequence)
        assert len(shares) == len(sequence)
        assert shares.sum() == pytest.approx(kernel.matmul([sequence], X, coef)[0], abs=1e-12)


def test_shares_find_the_motif_also_by_replacement():
    shares = contributions(Subsequence(2, 0.3), ["gc"], [1.0], "aagcaa")
    assert set(np.argsort(shares)[-2:]) == {2, 3}


def test_kmer_columns_are_the_spectrum_kernel():
    train = ["gattaca", "catacat", "tagtag", "attac"]
    test = ["gattaxyxz", "cat", "", "zzz"]
    features = KmerFeatures(3).fit(train)
    product_ = (features.transform(test) @ features.transform(train).T).toarray()
    np.testing.assert_allclose(product_, Spectrum(3)(test, train), atol=1e-15)
    assert "gat" in features.get_feature_names_out()
    frequent = KmerFeatures(3, min_count=2).fit(train)
    assert set(frequent.get_feature_names_out()) == {"att", "tta", "tac", "aca"}
    model = make_pipeline(KmerFeatures(2), RidgeClassifier()).fit(train, [0, 1, 0, 1])
    assert len(model.predict(test)) == 4


def test_the_ridge_problem_shows_in_the_report():
    rng = np.random.default_rng(0)
    X = ["".join(row) for row in rng.choice(list("abcdefghij"), (30, 60))]
    dominance = [gram_report(Spectrum(r), X).diagonal_dominance for r in (1, 2)]
    with pytest.warns(DiagonalDominanceWarning, match="shorter substrings"):
        dominance.append(gram_report(Spectrum(4), X).diagonal_dominance)
    assert dominance == sorted(dominance)
    assert dominance[0] < 0.3
    assert dominance[2] > 0.95


@pytest.mark.parametrize("kernel", [Subsequence(2), Spectrum(2)])
def test_grams_of_strings(kernel):
    rng = np.random.default_rng(0)
    X = ["".join(rng.choice(list("ab"), size=9)) for _ in range(20)]
    K = kernel(X)
    for gram in (
        build_gram(kernel, X),
        KernelGram(kernel, X),
        KernelGram(kernel, X).subset(range(20)),
    ):
        np.testing.assert_allclose(gram.rows([3, 4]), K[[3, 4]], rtol=1e-12)


def test_the_streamed_tiles_of_a_large_sample(monkeypatch):
    monkeypatch.setattr("mercer.kernels.sequences._aligned._WHOLE", 5)
    X = ["abba", "ab", "", "bcab", "a", "aab", "bb", "cab"]
    for kernel in (
        Subsequence(2),
        Subsequence(2, normalize=False),
        LocalAlignment(),
    ):
        gram, K = KernelGram(kernel, X), kernel(X)
        np.testing.assert_allclose(gram.tile([6, 1], [0, 7]), K[np.ix_([6, 1], [0, 7])], rtol=1e-12)


def test_a_long_computation_can_be_interrupted():
    X = ["ab" * 100_000] * 2  # about 10^11 cells: minutes
    start = time.process_time()
    with pytest.raises(KeyboardInterrupt), control_c_after(0.3):
        Subsequence(4)(X)
    assert time.process_time() - start < 30
