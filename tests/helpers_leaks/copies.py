"""Rows that occur more than once, or hang together: half of a pair examines the other half."""

import numpy as np
from scipy import sparse
from scipy.stats import norm
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import mercer
from helpers_leaks import claim, noise, way
from mercer import kernels
from mercer.learners.metric import KNNClassifier

NEAREST = KNeighborsClassifier(1)
WORDS = np.array([f"word{i}" for i in range(200)])


def _five_of_each(rng, n):
    """Row numbers, every row five times, in random order."""
    return rng.permutation(np.repeat(np.arange(n), 5))


def _certified(estimator, X, y, truth=0.5, **options):
    model = mercer.certified_fit(estimator, X, y, **{"random_state": 0, **options})
    return claim(model.certificate_, truth)


@way()
def copied_numbers(rng):
    """In the first line since the first version."""
    X, y = noise(rng, 60, 3)
    i = _five_of_each(rng, 60)
    return _certified(NEAREST, X[i], y[i])


def _whole_numbers(rng, n=60):
    return rng.integers(0, 10, (n, 6)), rng.integers(0, 2, n)


def _copied_whole_numbers(mode):
    def run(rng):
        X, y = _whole_numbers(rng)
        i = _five_of_each(rng, 60)
        estimator = KNNClassifier(1) if mode == "compress" else NEAREST
        return _certified(estimator, X[i], y[i], mode=mode)

    return run


for _mode in ("auto", "holdout", "progressive", "selective", "compress"):
    way(name=f"copied_whole_numbers_{_mode}")(_copied_whole_numbers(_mode))


@way()
def copied_sparse_rows(rng):
    X = sparse.random_array((60, 300), density=0.03, rng=rng, format="csr")
    i, y = _five_of_each(rng, 60), rng.integers(0, 2, 60)
    return _certified(NEAREST, X[i], y[i])


@way()
def copied_rows_with_a_text_column(rng):
    numbers, y = noise(rng, 60, 1)
    table = np.column_stack([numbers.round(1).astype(object), rng.choice(WORDS, 60)])
    i = _five_of_each(rng, 60)
    return _certified(
        make_pipeline(OneHotEncoder(handle_unknown="ignore"), NEAREST), table[i], y[i]
    )


def _texts(rng, n):
    return np.array([" ".join(rng.choice(WORDS, 8)) for _ in range(n)], dtype=object)


@way()
def copied_texts(rng):
    texts, y, i = _texts(rng, 60), rng.integers(0, 2, 60), _five_of_each(rng, 60)
    return _certified(make_pipeline(TfidfVectorizer(), NEAREST), list(texts[i]), y[i])


@way()
def copied_sequences(rng):
    letters = ["".join(rng.choice(list("ACGT"), 30)) for _ in range(60)]
    y, i = rng.integers(0, 2, 60), _five_of_each(rng, 60)
    svc = mercer.SVC(kernel=kernels.Spectrum(3), C=100.0)
    return _certified(svc, list(np.array(letters, dtype=object)[i]), y[i])


@way()
def copied_texts_apart_by_blanks_and_capitals(rng):
    """The same record typed again."""
    texts, y, i = _texts(rng, 60), rng.integers(0, 2, 60), _five_of_each(rng, 60)
    again = [str(t).upper() if k % 2 else f" {t} " for k, t in enumerate(texts[i])]
    return _certified(make_pipeline(TfidfVectorizer(), NEAREST), again, y[i])


@way()
def copied_texts_with_a_number_each(rng):
    """Tickets that were sent again."""
    words = np.array(["".join(rng.choice(list("abcdefgh"), 5)) for _ in range(200)])
    texts = [" ".join(rng.choice(words, 8)) for _ in range(60)]
    y, i = rng.integers(0, 2, 60), _five_of_each(rng, 60)
    tickets = np.array([f"Ticket {k}: {texts[j]}" for k, j in enumerate(i)], dtype=object)
    return _certified(make_pipeline(TfidfVectorizer(), NEAREST), tickets, y[i])


def _blurred(size):
    def run(rng):
        X, y = noise(rng, 60, 3)
        i = _five_of_each(rng, 60)
        return _certified(NEAREST, X[i] + size * rng.normal(size=(300, 3)), y[i])

    return run


way(name="copied_with_jitter")(_blurred(1e-6))
way(name="copied_with_visible_jitter")(_blurred(1e-3))


@way()
def copied_and_rounded(rng):
    """One export kept all digits, the other six."""
    X, y = noise(rng, 100, 3)
    both = np.vstack([X, X.astype(np.float32).astype(np.float64)])
    return _certified(NEAREST, both, np.concatenate([y, y]), mode="holdout")


@way()
def copied_rows_of_a_kernel_matrix(rng):
    X, y = noise(rng, 60, 3)
    i = _five_of_each(rng, 60)
    K = kernels.Gaussian(length_scale=0.1)(X[i])
    return _certified(mercer.SVC(kernel="precomputed", C=100.0), K, y[i])


@way()
def copied_rows_of_a_distance_matrix(rng):
    X, y = noise(rng, 60, 3)
    i = _five_of_each(rng, 60)
    D = np.linalg.norm(X[i][:, None] - X[i][None], axis=2)
    return _certified(KNeighborsClassifier(1, metric="precomputed"), D, y[i])


@way()
def copied_rows_of_a_regression(rng):
    X, target = rng.integers(0, 10, (60, 6)), rng.normal(size=60)
    i = _five_of_each(rng, 60)
    truth = 2 * norm.sf(0.5 / np.sqrt(2))  # of |y - y'| > 1/2, both standard normal
    return _certified(KNeighborsRegressor(1), X[i], target[i], truth, tolerance=0.5)


@way()
def drawn_with_replacement(rng):
    """A bootstrap sample instead of the file."""
    X, y = _whole_numbers(rng, 60)
    i = rng.integers(0, 60, 300)
    return _certified(NEAREST, X[i], y[i])


@way()
def rare_class_repeated_until_balanced(rng):
    """Balancing before certifying: the copies of the rare rows are recognised."""
    X = rng.integers(0, 10, (220, 6))
    y = (np.arange(220) < 20).astype(int)
    i = rng.permutation(np.concatenate([np.arange(20, 220), rng.integers(0, 20, 200)]))
    return _certified(NEAREST, X[i], y[i])


def _patients(rng, spread, shuffled):
    """Forty patients, ten visits each; what is to be predicted belongs to the patient."""
    who = np.repeat(np.arange(40), 10)
    if shuffled:
        who = rng.permutation(who)
    centres, y = noise(rng, 40, 4)
    return who, centres[who] + spread * rng.normal(size=(400, 4)), y[who]


@way()
def visits_of_patients_in_order(rng):
    _, X, y = _patients(rng, 0.05, shuffled=False)
    return _certified(NEAREST, X, y)


@way()
def visits_of_patients_shuffled(rng):
    _, X, y = _patients(rng, 0.05, shuffled=True)
    return _certified(NEAREST, X, y)


@way()
def visits_of_patients_far_apart(rng):
    _, X, y = _patients(rng, 0.3, shuffled=False)
    return _certified(NEAREST, X, y)


@way()
def visits_with_a_number_of_the_patient(rng):
    who, X, y = _patients(rng, 1.0, shuffled=True)
    return _certified(DecisionTreeClassifier(random_state=0), np.column_stack([who, X]), y)


@way()
def visits_with_an_indicator_of_the_patient(rng):
    who, X, y = _patients(rng, 1.0, shuffled=True)
    return _certified(NEAREST, np.hstack([3.0 * np.eye(40)[who], X]), y)


@way()
def patients_with_a_few_whole_numbers(rng):
    who = rng.permutation(np.repeat(np.arange(40), 10))
    X, y = rng.integers(0, 5, (40, 8)), rng.integers(0, 2, 40)
    return _certified(NEAREST, X[who], y[who])


@way(draws=40)
def fresh_rows_counted_ten_times(rng):
    """Twenty records, each of them two hundred times evidence: ten copies of each."""
    X, y = rng.integers(0, 10, (20, 6)), rng.integers(0, 2, 20)
    rule = DecisionTreeClassifier(max_depth=2, random_state=0)
    rule.fit(rng.integers(0, 10, (30, 6)), rng.integers(0, 2, 30))
    i = np.repeat(np.arange(20), 10)
    return claim(mercer.certify(rule, X[i], y[i]))
