"""Training and answering keep to the memory limit, or refuse before they take anything.

Every learner is measured in a process of its own, at half, once and twice what it needs: what it
forecasts (`Learner._matrices`), or what it takes without a limit where it makes no forecast.
"""

import sys

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor

import mercer
from helpers_peak import measured
from mercer.learners import available

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
N = 1200
SLACK = 40e6  # tiles, modules that are imported late, and what the allocator keeps
REPRESENTATIVES = ("gaussian_process_regressor", "kernel_fisher", "svc")
rng = np.random.default_rng(0)
X = rng.normal(size=(N, 5))
Y = (X[:, 0] + 0.3 * rng.normal(size=N) > 0).astype(int)
TARGET = X[:, 0] + 0.1 * rng.normal(size=N)


def example(learner):
    """The first example that is not given a matrix of all pairs."""
    for found in learner.examples():
        own = found.get_params(deep=False)
        if "precomputed" not in (own.get("kernel"), own.get("metric"), own.get("affinity")):
            return found
    return None


WITHOUT_MATRICES = ("gaussian_process_regressor",)  # goes over to conjugate gradients


def peak(estimator, limit):
    def work():
        model = clone(estimator)
        labels = Y if is_classifier(model) else TARGET if is_regressor(model) else None
        model.fit(X) if labels is None else model.fit(X, labels)
        for name in ("predict", "transform"):
            if hasattr(model, name):
                getattr(model, name)(X)
                return

    with mercer.config(memory_limit=limit, n_threads=1):
        return measured(work)


LEARNERS = [
    pytest.param(name, marks=[] if name in REPRESENTATIVES else pytest.mark.slow)
    for name, learner in available().items()
    if example(learner) is not None
]


@pytest.mark.parametrize("name", LEARNERS)
def test_the_limit_is_kept(name):
    estimator = example(available()[name])
    free = peak(estimator, None)
    assert free["problem"] is None, free
    forecast = int(8 * estimator._matrices * N**2)
    if forecast:
        assert free["peak"] <= forecast + SLACK
    need = forecast or free["peak"]
    for share in (0.5, 1.0, 2.0):
        found = peak(estimator, int(share * need) + 1)
        if found["problem"] is not None:
            assert found["problem"].startswith("MemoryLimitError")
            assert not forecast or share < 1
            assert not forecast or found["peak"] <= SLACK  # nothing was taken before
        assert found["peak"] <= share * need + SLACK
        if forecast and share < 1:  # refused, unless there is a way without such matrices
            assert (found["problem"] is None) == (name in WITHOUT_MATRICES)
