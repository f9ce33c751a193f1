"""Targets nobody can learn from: refused with words, or answered with finite numbers, soon."""

import time
import warnings

import numpy as np
import pytest
from sklearn.base import clone, is_regressor

from mercer.learners import available

SECONDS = 20.0  # of the processor; each takes far less
EXAMPLES = {
    " ".join(repr(e).split()): e
    for learner in available().values()
    for e in learner.examples()[:1]
    if is_regressor(e)
}
rng = np.random.default_rng(0)
X = rng.normal(size=(30, 3))
Z = rng.normal(size=30)
REFUSED = {
    "nothing": np.array([None] * 30, dtype=object),
    "a gap": np.where(np.arange(30) == 7, None, Z.astype(object)),
    "words": np.array(["a", "b", "c"] * 10, dtype=object),
    "too large to square": 1e200 * Z,
}
ANSWERED = {
    "constant": np.full(30, 2.0),
    "large": 1e30 * Z,
    "tiny": 1e-30 * Z,
    "whole": np.arange(30),
}


def fitted(name, y):
    before = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(EXAMPLES[name]).fit(X, y)
        answers = model.predict(X)
    assert time.process_time() - before < SECONDS
    return answers


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_cannot_be_learned_is_refused(name, case):
    with pytest.raises((ValueError, TypeError), match=r"row 0|row 7|could not convert|overflows"):
        fitted(name, REFUSED[case])


@pytest.mark.parametrize("case", ANSWERED)
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_rest_gets_finite_answers(name, case):
    assert np.isfinite(fitted(name, ANSWERED[case])).all()
