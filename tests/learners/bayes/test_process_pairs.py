"""A process for each pair of classes, beside scikit-learn's and beside pairs wrapped by hand."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.gaussian_process import GaussianProcessClassifier as Theirs
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

import mercer
from mercer import GaussianProcessClassifier
from mercer.kernels import Gaussian

X, y = (part[::3] for part in load_iris(return_X_y=True))
QUERIES = np.random.default_rng(0).normal(size=(60, 4)) + X.mean(axis=0)


def pairs(kernel=None, **more):
    return GaussianProcessClassifier(
        Gaussian(1.0) if kernel is None else kernel,
        optimizer=None,
        multi_class="one_vs_one",
        **more,
    )


def test_answers_of_scikit_learn():
    kernel = ConstantKernel(4.0) * RBF(1.3)
    ours = pairs(kernel).fit(X, y)
    theirs = Theirs(kernel, optimizer=None, multi_class="one_vs_one").fit(X, y)
    np.testing.assert_array_equal(ours.predict(QUERIES), theirs.predict(QUERIES))
    expected = theirs.log_marginal_likelihood_value_
    assert ours.log_marginal_likelihood_value_ == pytest.approx(expected, abs=1e-6)
    assert ours.log_marginal_likelihood() == pytest.approx(expected, abs=1e-6)
    assert len(ours.processes_) == 3


def test_each_pair_is_a_two_class_process():
    model = pairs().fit(X, y)
    for process, (first, second) in zip(model.processes_, [(0, 1), (0, 2), (1, 2)], strict=True):
        own = np.isin(y, (first, second))
        alone = GaussianProcessClassifier(Gaussian(1.0), optimizer=None).fit(X[own], y[own])
        np.testing.assert_allclose(
            process.probability(QUERIES, None), alone.predict_proba(QUERIES)[:, 0], atol=1e-9
        )


def test_probabilities_agree_with_the_votes():
    model = pairs().fit(X, y)
    probability = model.predict_proba(QUERIES)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(probability.argmax(axis=1), model.predict(QUERIES))
    np.testing.assert_array_equal(
        model.decision_function(QUERIES).argmax(axis=1), model.predict(QUERIES)
    )
    assert probability.max() > 0.6  # and say something


def test_two_classes_are_one_process():
    two = y < 2
    model = pairs().fit(X[two], y[two])
    plain = GaussianProcessClassifier(Gaussian(1.0), optimizer=None).fit(X[two], y[two])
    np.testing.assert_array_equal(model.predict_proba(QUERIES), plain.predict_proba(QUERIES))


def test_given_matrices_and_rows_without_weight():
    weight = np.ones(len(y))
    weight[::5] = 0.0
    kernel = Gaussian(1.0)
    rows = pairs().fit(X, y, weight)
    given = pairs("precomputed").fit(kernel(X), y, weight)
    across = kernel(QUERIES, X)
    np.testing.assert_array_equal(rows.predict(QUERIES), given.predict(across))
    counted = weight > 0
    errors = np.count_nonzero(rows.predict(X[counted]) != y[counted])
    assert rows.evidence_.errors == given.evidence_.errors == errors
    left = pairs().fit(X[counted], y[counted])
    np.testing.assert_allclose(rows.predict_proba(QUERIES), left.predict_proba(QUERIES), atol=1e-9)


def test_saved_and_loaded(tmp_path):
    model = pairs().fit(X, np.array(["a", "b", "c"])[y])
    mercer.save(model, tmp_path / "pairs.mercer")
    again = mercer.load(tmp_path / "pairs.mercer")
    np.testing.assert_array_equal(again.predict_proba(QUERIES), model.predict_proba(QUERIES))


def test_draws_of_all_pairs_are_refused():
    with pytest.raises(ValueError, match="processes_"):
        pairs().fit(X, y).sample_latents(10)
