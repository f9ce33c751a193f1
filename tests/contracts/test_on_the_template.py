"""What the template promises for every learner that is on it."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import is_regressor
from sklearn.utils import get_tags

from mercer.learners import available
from mercer.learners._learner import Learner
from mercer.learners._publishes import Publishes

RNG = np.random.default_rng(4)
X = RNG.normal(size=(24, 2))
TARGET = X[:, 0] + 0.1 * RNG.normal(size=24)
LABELS = np.where(TARGET > 0, "yes", "no")
LEARNERS = {
    name: cls for name, cls in available().items() if issubclass(cls, Learner) and cls.examples()
}
PUBLISHING = [name for name, cls in LEARNERS.items() if issubclass(cls, Publishes)]
ANSWERS = ("predict", "decision_function", "predict_proba", "transform")

pytestmark = pytest.mark.filterwarnings("ignore")  # tiny samples warn


def rows_of(model, rows=X):
    """The rows, or their distances to each other where those are asked for."""
    return cdist(rows, rows) if get_tags(model).input_tags.pairwise else rows


def fitted(name):
    model = LEARNERS[name].examples()[0]
    return model.fit(rows_of(model), target_of(model))


def target_of(model):
    return TARGET if is_regressor(model) else LABELS


def state(model):
    """Everything that fit left, the record's arrays included."""
    return {
        name: value
        for name, value in (vars(model) | vars(model.fitted_)).items()
        if isinstance(value, np.ndarray | float | int | str)
    }


def interrupted(*_):
    raise InterruptedError("in the middle of training")


@pytest.mark.parametrize("name", LEARNERS)
def test_a_fit_that_fails_leaves_the_old_model_whole(name, monkeypatch):
    model = fitted(name)
    ask = next(getattr(model, answer) for answer in ANSWERS if hasattr(model, answer))
    rows = rows_of(model)
    before, answers = state(model), ask(rows)
    monkeypatch.setattr(type(model), "_train", interrupted)
    wider = np.hstack([X, X])
    with pytest.raises(InterruptedError):
        model.fit(rows_of(model, wider), target_of(model))
    monkeypatch.undo()
    assert state(model).keys() == before.keys()
    for key, value in state(model).items():
        assert_array_equal(value, before[key], key)
    assert_array_equal(ask(rows), answers)


@pytest.mark.parametrize("name", LEARNERS)
def test_nothing_of_an_older_fit_stays(name):
    model = fitted(name)
    model.left_over_ = 1
    again = model.fit(rows_of(model, X[::-1]), target_of(model)[::-1])
    assert "left_over_" not in vars(again)


@pytest.mark.parametrize("name", LEARNERS)
def test_training_does_not_write_to_the_estimator(name):
    model = fitted(name)
    sample = model._door.enter(
        model, rows_of(model), None if model._door.targets == "none" else target_of(model), None
    )
    before = dict(vars(model))
    model._train(sample)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[key] is value for key, value in before.items())


@pytest.mark.parametrize("name", PUBLISHING)
def test_evidence_is_that_of_the_arguments_at_fit(name):
    model, twin = fitted(name), fitted(name)
    for key in ("C", "alpha", "reg_param", "penalty", "fit_intercept", "family", "loss"):
        if key in model.get_params():
            setattr(model, key, "changed later")
    assert repr(model.evidence_) == repr(twin.evidence_)


# What scikit-learn lets one change on a fitted SVC.
FOR_ANSWERS = {"break_ties", "decision_function_shape", "probability"}


def others(model):
    """Each argument that has an obvious other value, with that value."""
    for key, value in model.get_params(deep=False).items():
        if key in FOR_ANSWERS:
            continue
        if isinstance(value, bool):
            yield key, not value
        elif isinstance(value, int | float):
            yield key, 2 * value + 1
        elif value == "rbf":
            yield key, "linear"
        elif key == "gamma":
            yield key, 0.7


@pytest.mark.parametrize("name", LEARNERS)
def test_answers_are_those_of_the_arguments_at_fit(name):
    model = fitted(name)
    ask = next(getattr(model, answer) for answer in ANSWERS if hasattr(model, answer))
    before = ask(rows_of(model))
    for key, value in others(model):
        setattr(model, key, value)
        assert_array_equal(ask(rows_of(model)), before, key)
