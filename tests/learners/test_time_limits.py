"""A fit whose time is over ends in a model, says so, and claims nothing that needs its whole run.

The limit is over before the fit has begun, so a busy machine changes nothing.
"""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mercer.learners import NystroemClassifier, NystroemKMeans
from mercer.learners.discriminant import LinearERM
from mercer.learners.margin import KernelPerceptron, Perceptron
from mercer.learners.metric import CondensedNearestNeighbor
from mercer.learners.online import Halving

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 2))
Y = (X[:, 0] * X[:, 1] + 0.5 * RNG.normal(size=120) > 0).astype(int)
OVER = 1e-9


@pytest.mark.parametrize(
    ("model", "steps"),
    [
        (Perceptron(max_iter=9), 1),
        (Perceptron(max_iter=9, order=list(range(120))), 1),
        (KernelPerceptron(max_iter=9, gamma=0.1), 1),
        (KernelPerceptron(max_iter=9, gamma=0.1, budget=20), 1),
        (NystroemClassifier(n_landmarks=20, random_state=0), 1),
        (NystroemKMeans(5, n_landmarks=20, random_state=0), 1),
    ],
    ids=str,
)
def test_no_further_step_begins(model, steps):
    with pytest.warns(ConvergenceWarning):
        model.set_params(time_limit=OVER).fit(X, Y)
    assert model.n_iter_ == steps
    assert len(model.predict(X)) == len(X)


@pytest.mark.parametrize("model", [Perceptron(), KernelPerceptron(gamma=0.1)], ids=str)
@pytest.mark.parametrize("order", ["cyclic", "greedy", list(range(120))], ids=str)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_run_that_the_clock_has_ended_is_no_compression(model, order):
    """No set of rows repeats it; a run that ended by itself, or at max_iter, can be repeated."""
    model.set_params(order=order, max_iter=2)
    assert "compression" not in model.set_params(time_limit=None).fit(X, Y).evidence_.lost
    assert model.evidence_.compression is not None
    assert "compression" in model.set_params(time_limit=OVER).fit(X, Y).evidence_.lost
    assert model.evidence_.compression is None


def test_halving_makes_no_further_sweep():
    whole = Halving(discount=0.5, max_iter=4).fit(X, Y)
    early = Halving(discount=0.5, max_iter=4, time_limit=OVER).fit(X, Y)
    assert (whole.n_iter_, early.n_iter_) == (4, 1)
    assert whole.evidence_.compression is not None
    assert early.evidence_.compression is None
    assert "compression" in early.evidence_.lost


def test_planes_left_out_are_told_and_cost_the_claim_of_fewest_errors():
    whole = LinearERM().fit(X, Y)
    with pytest.warns(ConvergenceWarning, match=r"2,000 of 7,140 planes"):
        early = LinearERM(time_limit=OVER).fit(X, Y)
    assert (whole.n_planes_, early.n_planes_) == (2 * 7140, 4000)
    assert whole.evidence_.formulation == "erm"
    assert early.evidence_.formulation == "linear"
    assert early.empirical_risk_ >= whole.empirical_risk_


@pytest.mark.parametrize("method", ["condense", "net"])
def test_a_condensing_without_time_keeps_few_rows_and_counts_its_errors(method):
    whole = CondensedNearestNeighbor(method).fit(X, Y)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        early = CondensedNearestNeighbor(method, time_limit=OVER).fit(X, Y)
    assert len(early.kept_) == 1 <= len(whole.kept_)
    wrong = early.predict(X) != Y
    wrong[early.kept_] = False
    record = early.evidence_.compression
    assert record.errors == wrong.sum()
    assert record.bits > 0  # its labels are not found again from the rows alone
