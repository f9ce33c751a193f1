"""Rows and labels that nothing can be learned from: refused with words, or answered, soon.

Every learner meets them in a process of its own, within a budget of time and memory. Regressions'
targets are in test_degenerate_targets.py.
"""

import linecache
import sys
import traceback

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor

import mercer
from helpers_peak import measured
from mercer.learners import available

SECONDS = 20.0  # of the processor, for all cases of a learner together
MEGABYTES = 100  # the memory limit, too: a matrix of all pairs of 5,000 columns takes 200
WRITERS = ("/mercer/", "/sklearn/utils/")  # whose words are for people
ANSWERS = ("predict", "predict_proba", "decision_function", "transform", "labels_", "embedding_")
EXAMPLES = {
    " ".join(repr(e).split()): e for learner in available().values() for e in learner.examples()
}
N = 24
rng = np.random.default_rng(0)
PLAIN = rng.normal(size=(N, 3))
ROWS = {
    "equal rows": np.tile([1.0, 2.0, 3.0], (60, 1)),
    "zeros": np.zeros((N, 3)),
    "wide": rng.normal(size=(6, 5000)),
    "no columns": np.zeros((N, 0)),
    "one row": PLAIN[:1],
    "no rows": PLAIN[:0],
    "huge": 1e200 * PLAIN,
    "tiny": 1e-200 * PLAIN,
    "far apart": PLAIN * [1e-150, 1.0, 1e150],
}
LABELS = {
    "nothing": None,
    "gaps": np.array([None] * N, dtype=object),
    "one class": np.zeros(N, dtype=int),
    "a class per row": np.arange(N),
    "things": np.array([object() for _ in range(N)], dtype=object),
    "lists": [[0, 1]] * 11 + [[1]] * (N - 11),
    "measurements": rng.normal(size=N),
    "infinite": np.where(np.arange(N) % 2, np.inf, 0.0),
    "too short": np.arange(N - 1) % 2,
}


def given(estimator, X):
    """The rows as the estimator takes them: some take matrices of all pairs."""
    own = estimator.get_params(deep=False)
    if own.get("kernel") == "precomputed":
        return X @ X.T
    return cdist(X, X) if own.get("metric") == "precomputed" else X


def of_people(problem):
    """Whether an error was raised on purpose, in words: not by what lies below."""
    if not isinstance(problem, ValueError | TypeError | MemoryError):
        return False
    last = traceback.extract_tb(problem.__traceback__)[-1]
    line = linecache.getline(last.filename, last.lineno).strip()
    return any(w in last.filename for w in WRITERS) and line.startswith("raise")


def outcome(estimator, X, y):
    """None if all is well, else what went wrong in words."""
    try:
        model = clone(estimator)
        model.fit(X) if y is None and not is_classifier(model) else model.fit(X, y)
        found = {
            name: value(X) if callable(value) else value
            for name in ANSWERS
            if (value := getattr(model, name, None)) is not None
        }
    except Exception as problem:
        if of_people(problem):
            return None
        where = traceback.extract_tb(problem.__traceback__)[-1]
        return f"{type(problem).__name__}: {problem} ({where.filename}:{where.lineno})"
    for name, value in found.items():
        if len(value) != len(X):
            return f"{name} has {len(value)} answers for {len(X)} rows"
        if np.asarray(value).dtype.kind == "f" and not np.isfinite(value).all():
            return f"{name} is not finite"
    return None


def wrong_of(estimator):
    """Every case that ended neither in words nor in answers."""

    def work():
        found = {}
        for case, X in ROWS.items():
            y = np.arange(len(X)) % 2 if is_classifier(estimator) else np.arange(len(X)) + 0.0
            labelled = is_classifier(estimator) or is_regressor(estimator)
            with np.errstate(all="ignore"):
                found[case] = outcome(estimator, given(estimator, X), y if labelled else None)
        if is_classifier(estimator):
            for case, y in LABELS.items():
                found[case] = outcome(estimator, given(estimator, PLAIN), y)
        return {case: wrong for case, wrong in found.items() if wrong}

    with mercer.config(memory_limit=f"{MEGABYTES} MB", n_threads=1):
        return measured(work, SECONDS)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("name", EXAMPLES)
def test_refused_with_words_or_answered_within_the_budget(name):
    found = wrong_of(EXAMPLES[name])
    assert found["problem"] is None, found
    assert found["answer"] == {}
    assert found["peak"] < MEGABYTES * 1e6


def test_errors_from_below_are_seen():
    """The judge itself: what NumPy complains of, and answers that are no numbers."""

    class Careless(BaseEstimator):
        def __init__(self, do=None):
            self.do = do

        def fit(self, X):
            return self

        def predict(self, X):
            return self.do(X)

    assert outcome(Careless(lambda X: X[:, 0]), PLAIN, None) is None
    assert "IndexError" in outcome(Careless(lambda X: X[:, 9]), PLAIN, None)
    assert "zero-size" in outcome(Careless(lambda X: X.max()), PLAIN[:0], None)
    assert "LinAlgError" in outcome(Careless(lambda X: np.linalg.inv(0 * X[:3])), PLAIN, None)
    assert "finite" in outcome(Careless(lambda X: np.nan * X[:, 0]), PLAIN, None)
    assert "answers" in outcome(Careless(lambda X: X[:1]), PLAIN, None)
