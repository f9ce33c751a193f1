"""Exponential families on sparse counts: as on dense ones, and as scikit-learn's naive Bayes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

from mercer.learners.discriminant import ExponentialFamilyClassifier


def counts(n=90, columns=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, size=n)
    rates = rng.gamma(0.2, 1.0, size=(3, columns))
    return rng.poisson(rates[y]).astype(float), y


@pytest.mark.parametrize("family", ["bernoulli", "poisson", "multinomial", "exponential", "normal"])
def test_sparse_rows_give_what_dense_ones_give(family):
    X, y = counts()
    X = (X > 0).astype(float) if family == "bernoulli" else X
    weight = 1.0 + np.arange(len(y)) % 3
    for kind in (y, y == 1):
        dense = ExponentialFamilyClassifier(family).fit(X, kind, weight)
        thin = ExponentialFamilyClassifier(family).fit(sparse.csr_array(X), kind, weight)
        assert_allclose(thin.theta_, dense.theta_, rtol=1e-9)
        assert_allclose(
            thin.decision_function(sparse.csr_matrix(X)), dense.decision_function(X), rtol=1e-7
        )
        assert_allclose(thin.predict_proba(X), dense.predict_proba(X), atol=1e-9)
        assert thin.evidence_.errors == dense.evidence_.errors


def test_naive_bayes_is_scikit_learns():
    X, y = counts()
    thin, weight = sparse.csr_array(X), 1.0 + np.arange(len(y)) % 3
    for family, theirs, rows in (
        ("bernoulli", BernoulliNB(alpha=0.5), (thin > 0).astype(float)),
        ("multinomial", MultinomialNB(alpha=0.5), thin),
    ):
        theirs.fit(rows, y, weight)
        ours = ExponentialFamilyClassifier(family).fit(rows, y, weight)
        assert_allclose(ours.predict_log_proba(rows), theirs.predict_log_proba(rows), atol=1e-9)
    with pytest.raises(ValueError, match="wants numbers > 0; X is sparse and has zeros"):
        ExponentialFamilyClassifier("gamma").fit(thin, y)
    with pytest.raises(ValueError, match=r"Negative values.*X\[0, \d+\] = -"):
        ExponentialFamilyClassifier("poisson").fit(-thin, y)
    given = ExponentialFamilyClassifier("multinomial", prior=[0.2, 0.2, 0.6]).fit(thin, y)
    theirs = MultinomialNB(alpha=0.5, class_prior=[0.2, 0.2, 0.6]).fit(thin, y)
    assert_allclose(given.predict_log_proba(thin), theirs.predict_log_proba(thin), atol=1e-9)
