"""Texts, sequences, sparse rows, kernel and distance matrices."""

import numpy as np
from scipy import sparse

from helpers_clean import chance, flipped, law
from mercer import kernels
from mercer.certification.checks.case import Case

WORDS = np.array([f"{a}{b}" for a in ("ka", "lo", "mi", "ne", "pu", "ra") for b in "bdfgklmnprst"])


def _strings(rng, n, length, letters="ACGT"):
    return ["".join(rng.choice(list(letters), k)) for k in np.broadcast_to(length, n)]


@law
def texts_of_two_words(rng, n=300):
    X = [" ".join(rng.choice(WORDS, 2)) for _ in range(n)]
    return X, flipped(rng, [text < "m" for text in X])


@law
def texts_of_a_common_word(rng, n=400):
    """Zipf's law: some answers come again and again."""
    which = np.minimum(rng.zipf(1.7, n), 60) - 1
    return [str(WORDS[i]) for i in which], chance(
        rng, np.random.default_rng(4).normal(size=60)[which]
    )


@law
def texts_with_numbers(rng, n=300):
    X = [f"{rng.choice(WORDS)} {rng.integers(0, 500)}" for _ in range(n)]
    return X, rng.integers(0, 2, n)


@law
def texts_with_numbers_that_follow_the_word(rng, n=300):
    which = rng.integers(0, len(WORDS), n)
    X = [f"{WORDS[i]} {rng.integers(0, 500)}" for i in which]
    return X, chance(rng, 3 * np.random.default_rng(4).normal(size=len(WORDS))[which])


@law
def texts_of_many_lengths(rng, n=200):
    X = [" ".join(rng.choice(WORDS, k)) for k in rng.integers(1, 20, n)]
    return X, rng.integers(0, 2, n)


@law
def texts_in_any_capitals(rng, n=300):
    X = [" ".join(rng.choice(WORDS, 2)) for _ in range(n)]
    X = [text.upper() if up else text for text, up in zip(X, rng.random(n) < 0.3, strict=True)]
    return X, rng.integers(0, 2, n)


@law
def product_codes(rng, n=300):
    X = [
        f"{a}-{b:03d}"
        for a, b in zip(_strings(rng, n, 2, "XYZ"), rng.integers(0, 999, n), strict=True)
    ]
    return X, flipped(rng, [text[0] == "X" for text in X])


@law
def strings_over_two_letters(rng, n=300):
    X = _strings(rng, n, 6, "ab")
    return X, flipped(rng, [text.count("a") > 3 for text in X])


@law
def strings_over_four_letters(rng, n=200):
    X = _strings(rng, n, rng.integers(5, 9, n))
    return X, (np.array([text.count("G") for text in X]) > 1) * 1


@law
def lists_of_numbers(rng, n=150):
    X = [rng.integers(0, 4, k).tolist() for k in rng.integers(1, 6, n)]
    return X, flipped(rng, [sum(row) > 4 for row in X])


@law
def sparse_flags(rng, n=300):
    X = sparse.csr_array((rng.random((n, 60)) < 0.04).astype(float))
    return X, rng.integers(0, 2, n)


@law
def sparse_counts_of_few_words(rng, n=500):
    X = sparse.csr_array(rng.poisson(0.08, (n, 30)).astype(float))
    return X, flipped(rng, np.asarray(X[:, :10].sum(axis=1)).ravel() > 0)


@law
def sparse_weights(rng, n=300):
    X = sparse.random_array((n, 100), density=0.03, rng=rng, format="csr")
    return X, rng.integers(0, 2, n)


@law
def kernel_of_two_columns(rng, n=150):
    X = rng.normal(size=(n, 2))
    return Case(kernels.Gaussian(length_scale=1.0)(X), chance(rng, X[:, 0]), pairwise=True)


@law
def kernel_of_few_values(rng, n=200):
    X = rng.integers(0, 3, (n, 3)).astype(float)
    return Case(kernels.Gaussian(length_scale=1.0)(X), chance(rng, X[:, 0] - 1), pairwise=True)


@law
def kernel_of_strings(rng, n=120):
    X = _strings(rng, n, 4)
    y = flipped(rng, [text.count("G") > 1 for text in X])
    return Case(kernels.Spectrum(2)(X), y, pairwise=True)


@law
def linear_kernel_of_counts(rng, n=200):
    X = rng.poisson(0.7, (n, 4)).astype(float)
    return Case(X @ X.T, chance(rng, X[:, 0] - 0.7), pairwise=True)


@law
def distances_of_one_column(rng, n=150):
    x = rng.normal(size=n)
    return Case(np.abs(x[:, None] - x), chance(rng, x), pairwise=True)


@law
def distances_between_short_strings(rng, n=120):
    X = np.array([list(text) for text in _strings(rng, n, 5)])
    y = flipped(rng, (X == "A").sum(axis=1) > 1)
    return Case((X[:, None] != X).sum(axis=2).astype(float), y, pairwise=True)
