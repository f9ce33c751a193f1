"""Clean rows of other kinds: sparse, texts, sequences, matrices; weights, groups, regressions."""

import numpy as np
from scipy import sparse
from sklearn.ensemble import IsolationForest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from helpers_leaks import tidy
from helpers_leaks.clean_files import SVC, WORDS, certified, clouds, flipped
from mercer import kernels


@tidy
def sparse_counts(rng):
    X = sparse.random_array((200, 300), density=0.03, rng=rng, format="csr")
    y = flipped(rng, (np.asarray(X[:, :150].sum(axis=1)).ravel() > 1.1) * 1)
    return certified(mercer.SVC(kernel="linear"), X, y)


@tidy
def sparse_rows_that_are_mostly_empty(rng):
    X = sparse.csr_array((rng.random((300, 40)) < 0.03).astype(float))
    y = flipped(rng, (np.asarray(X[:, :20].sum(axis=1)).ravel() > 0) * 1)
    return certified(MultinomialNB(), X, y)


def _texts(rng, n, length, vocabulary=200):
    y = rng.integers(0, 2, n)
    texts = [" ".join([*rng.choice(WORDS[:vocabulary], length), f"sign{v}"]) for v in y]
    return texts, flipped(rng, y)


@tidy
def texts(rng):
    return certified(make_pipeline(TfidfVectorizer(), LogisticRegression()), *_texts(rng, 150, 8))


@tidy
def short_texts_that_repeat(rng):
    return certified(make_pipeline(CountVectorizer(), MultinomialNB()), *_texts(rng, 200, 1, 6))


def _sequences(rng, n, length):
    rows = ["".join(rng.choice(list("ACGT"), length)) for _ in range(n)]
    return rows, np.array([int(row.count("G") + row.count("C") > length / 2) for row in rows])


@tidy
def sequences(rng):
    return certified(mercer.SVC(kernel=kernels.Spectrum(3)), *_sequences(rng, 120, 30))


@tidy
def short_sequences_that_repeat(rng):
    return certified(mercer.SVC(kernel=kernels.Spectrum(1)), *_sequences(rng, 150, 4))


@tidy
def kernel_matrix(rng):
    X, y = clouds(rng, 150)
    return certified(mercer.SVC(kernel="precomputed"), kernels.Gaussian(length_scale=2.0)(X), y)


@tidy
def kernel_matrix_of_few_values(rng):
    X = rng.integers(0, 3, (150, 3))
    K = kernels.Gaussian(length_scale=2.0)(X)
    return certified(mercer.SVC(kernel="precomputed"), K, flipped(rng, (X[:, 0] > 1) * 1))


@tidy
def distance_matrix(rng):
    X, y = clouds(rng, 120)
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    return certified(KNeighborsClassifier(3, metric="precomputed"), D, y)


# --- weights, groups, times


@tidy
def weighted_rows(rng):
    return certified(SVC, *clouds(rng, 150), sample_weight=rng.uniform(0.5, 2.0, 150))


@tidy
def weights_that_count(rng):
    X, y = clouds(rng, 150)
    return certified(LogisticRegression(), X, y, sample_weight=rng.integers(1, 4, 150))


@tidy
def visits_with_their_patients(rng):
    who = np.repeat(np.arange(60), 5)
    X, y = clouds(rng, 60)
    rows = X[who] + 0.1 * rng.normal(size=(300, 3))
    return certified(SVC, rows, y[who], groups=who)


@tidy
def copies_named_as_groups(rng):
    X, y = clouds(rng, 80)
    who = np.repeat(np.arange(80), 3)
    return certified(KNeighborsClassifier(3), X[who], y[who], groups=who)


@tidy
def groups_that_mean_nothing(rng):
    return certified(SVC, *clouds(rng, 200), groups=rng.integers(0, 50, 200))


@tidy
def times_given(rng):
    X = np.cumsum(rng.normal(size=(300, 2)), axis=0)
    y = (np.arange(300) // 25) % 2
    return certified(KNeighborsClassifier(5), X, y, order=np.arange(300))


# --- regressions and outliers


def _line(rng, n):
    X = rng.normal(size=(n, 2))
    return X, X[:, 0] + 0.3 * rng.normal(size=n)


@tidy
def regression_with_a_tolerance(rng):
    return certified(Ridge(), *_line(rng, 150), tolerance=1.0)


@tidy
def regression_of_a_bounded_loss(rng):
    X = rng.uniform(size=(150, 2))
    y = np.clip(X[:, 0] + 0.1 * rng.normal(size=150), 0, 1)
    return certified(KNeighborsRegressor(9), X, y, loss_range=(0, 1))


@tidy
def regression_by_a_tube(rng):
    return certified(mercer.SVR(gamma=0.1, epsilon=0.5), *_line(rng, 120))


@tidy
def regression_of_whole_numbers(rng):
    X = rng.integers(0, 5, (200, 3))
    y = X.sum(axis=1) + rng.poisson(1.0, 200)
    return certified(mercer.KernelRidge(alpha=1.0, kernel="linear"), X, y, tolerance=2.5)


@tidy
def regression_of_repeated_measurements(rng):
    """Inputs on a grid, each measured many times with fresh errors."""
    X = rng.choice(np.linspace(0, 1, 12), 180)[:, None]
    return certified(KNeighborsRegressor(15), X, X[:, 0] + rng.normal(size=180), tolerance=2.0)


@tidy
def scaled_pipeline(rng):
    return certified(make_pipeline(StandardScaler(), mercer.SVC()), *clouds(rng, 150))


@tidy
def outliers(rng):
    return certified(mercer.OneClassSVM(gamma=0.1, nu=0.1), rng.normal(size=(150, 2)))


@tidy
def outliers_by_a_forest(rng):
    return certified(IsolationForest(n_estimators=20, random_state=0), rng.normal(size=(150, 2)))
