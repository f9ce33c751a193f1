"""No learner with answers is certified by its training rows; new rows are let alone."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import mercer
from mercer.certification.checks.finding import CertificateWarning
from mercer.certification.core import looks
from mercer.certification.core.task import Refused
from mercer.learners import available

EXAMPLES = [learner.examples()[0] for learner in available().values()]
SUPERVISED = [e for e in EXAMPLES if is_classifier(e) or is_regressor(e)]
AROUND = {
    "pipeline": lambda e: make_pipeline(PCA(2), e),
    "search": lambda e: GridSearchCV(make_pipeline(e), {}, cv=2),
}


def drawn(seed, n=80):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + 0.3 * rng.normal(size=n) > 0) * 1


def certificate_of(model, X, y):
    looks.forget()
    how = {} if is_classifier(model) else {"tolerance": 0.5}
    return mercer.certify(model, X, y, **how)


def fitted(estimator, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return estimator.fit(X, y)


each = pytest.mark.parametrize("learner", SUPERVISED, ids=lambda e: type(e).__name__)


@each
def test_training_rows_are_known_and_new_rows_are_quiet(learner):
    (X, y), (Z, target) = drawn(0), drawn(2)
    model = fitted(clone(learner), X, y)
    i = np.random.default_rng(1).permutation(80)
    for part in (i, i[:40]):
        with pytest.raises(Refused, match="rows were trained on"):
            certificate_of(model, X[part], y[part])
    rows, truth = np.vstack([X[i[:40]], Z]), np.concatenate([y[i[:40]], target])
    with pytest.warns(CertificateWarning, match="40 of 120 fresh rows"):
        mixed = certificate_of(model, rows, truth)
    assert "trained on" in mixed.first_line()
    new = certificate_of(model, Z, target)
    assert new.found == ()
    assert new.about["checks"]["seen"] == []


@pytest.mark.parametrize("around", AROUND)
@each
def test_learners_inside_others_know_theirs(learner, around):
    X, y = drawn(0)
    model = fitted(AROUND[around](clone(learner)), X, y)
    with pytest.raises(Refused, match="rows were trained on"):
        certificate_of(model, X[::-1], y[::-1])
