"""Every classifier behind every answer: what is certified is what predicts, abstains and explains.

A certificate about a mixture, a vote or accepted rows is worth nothing if another model answers.
"""

import inspect
import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags

import mercer
from helpers_frozen import answers_of
from mercer.certification import CertificateWarning, Refused
from mercer.certification.core.order import make_order
from mercer.learners import available
from mercer.learners.describe import answering

MODES = {
    "auto": {},
    "progressive": {"blocks": 3},
    "easy": {"models": 2},
    "selective": {"coverage": 0.7},
    "vote": {"members": 3},
    "pac-bayes": {},
    "compress": {},
    None: {},
}


def example(cls):
    """An instance that works no longer than the first example of it; wrappers get a machine."""
    arguments = inspect.signature(cls).parameters
    first = cls.examples()[0].get_params(deep=False)
    limits = {name: first[name] for name in ("tol", "max_iter") if name in arguments}
    return cls(mercer.SVC(gamma=0.5)) if "estimator" in arguments else cls(**limits)


LEARNERS = {name: cls for name, cls in available().items() if is_classifier(example(cls))}
rng = np.random.default_rng(0)


def clouds(classes, n=90):
    """Overlapping clouds, so that models trained on fewer rows answer differently."""
    y = rng.integers(0, classes, n)
    return rng.normal(size=(n, 2)) + 2.0 * np.eye(3)[y][:, :2], np.array(["a", "b", "c"])[y]


DATA = {classes: (clouds(classes), clouds(classes, 150)[0]) for classes in (2, 3)}


def told(no, estimator, classes):
    """Whether a refusal is one that a user can act on: any other error is a mistake of ours."""
    if isinstance(no, Refused):
        return "mode=" in str(no) or "sure of" in str(no)
    two_only = not get_tags(estimator).classifier_tags.multi_class
    words = f"Only binary classification is supported by {type(estimator).__name__}. "
    return classes > 2 and two_only and str(no).startswith(words) and "OneVsRest" in str(no)


def certified(name, mode, classes):
    (X, y), new = DATA[classes]
    estimator = example(LEARNERS[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", CertificateWarning)
        try:
            model = mercer.certified_fit(estimator, X, y, mode=mode, random_state=0, **MODES[mode])
        except ValueError as no:
            if not told(no, estimator, classes):
                raise
            pytest.skip(f"refused: {str(no)[:60]}")
    return model, new


@pytest.mark.parametrize("classes", DATA)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", LEARNERS)
def test_the_certified_model_answers(name, mode, classes, tmp_path):
    model, new = certified(name, mode, classes)
    answers = model.predict(new)
    assert_array_equal(answers, answering(model).predict(new))
    assert set(answers) <= set(model.classes_)
    said = "" if model.certificate_ is None else str(model.certificate_)
    assert ("accepted" in said) == hasattr(model, "accepts")
    assert (model.certificate_ is None) == (mode is None)
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(new)
        assert shares.shape == (len(new), len(model.classes_))
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        assert_array_equal(model.classes_[shares.argmax(axis=1)], answers)
    if hasattr(model, "decision_function") and len(model.classes_) == 2:
        values = np.ravel(model.decision_function(new))
        sure = np.abs(values) > 1e-12
        assert_array_equal(answers[sure], model.classes_[(values[sure] > 0).astype(int)])
    if hasattr(model, "accepts"):
        sure = model.accepts(new)
        assert_array_equal(model.predict(new, abstain="?") == "?", ~sure)
    asked = answers_of(model, new)
    stored = mercer.load(mercer.save(model, tmp_path / "model.mercer"))
    for twin in (pickle.loads(pickle.dumps(model)), stored):
        again = answers_of(twin, new)
        assert again.keys() == asked.keys()
        for what, values in asked.items():
            assert_array_equal(again[what], values, what)
        assert twin.certificate_ == model.certificate_
    fresh = clone(model)
    assert not hasattr(fresh, "model_")
    assert fresh.mode == mode


def test_a_tie_of_a_vote_is_broken_as_its_probabilities_are():
    (X, y), new = DATA[2]
    model = mercer.certified_fit(mercer.SVC(), X, y, mode="vote", members=2, random_state=0)
    vote = model.model_.set_params(weights=[0.5, 0.5])
    split = vote.predict_proba(new).max(axis=1) == 0.5
    assert split.any()
    assert set(vote.predict(new)[split]) == {"a"}


@pytest.mark.parametrize("mode", ["auto", "progressive"])
@pytest.mark.parametrize("name", ["svr", "kernel_ridge", "knn_regressor"])
def test_numbers_come_from_the_certified_model(name, mode):
    (X, _), new = DATA[2]
    model = mercer.certified_fit(
        example(available()[name]), X, X[:, 0] ** 2, mode=mode, tolerance=1.0,
        random_state=0, **MODES[mode],
    )  # fmt: skip
    assert_array_equal(model.predict(new), model.model_.predict(new))
    assert not hasattr(model, "predict_proba")
    assert np.isfinite(model.score(new, new[:, 0] ** 2))


def test_every_class_must_be_known_to_whoever_abstains():
    """A model that saw rows of one class only has no lead to go by."""
    draw = np.random.default_rng(3)
    X, y = draw.normal(size=(200, 2)), np.zeros(200, dtype=int)
    y[make_order(200, 0).rows[-4:]] = 1  # none of them is trained on
    with pytest.raises(Refused, match="single class"), pytest.warns(CertificateWarning):
        mercer.certified_fit(GaussianNB(), X, y, mode="selective", random_state=0)
