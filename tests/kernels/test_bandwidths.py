"""Heuristic bandwidths: the numbers, and that nobody forgets where they came from."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.svm import SVC

from mercer import kernels as mk
from mercer.gram import KernelGram
from mercer.kernels.bandwidth import Resolved, median_distance

X = np.random.default_rng(2).normal(size=(30, 3)) * [1, 2, 5]


def test_scale_is_exactly_sklearns():
    for data in (X, sparse.csr_array(X), X.astype(np.float32)):
        theirs = SVC(gamma="scale").fit(data, np.arange(30) % 2)._gamma
        length = mk.Gaussian("scale").resolve(data).length_scale
        assert 1 / (2 * length**2) == pytest.approx(theirs, rel=1e-12)
        assert mk.Polynomial(gamma="scale").resolve(data).gamma == theirs
        assert mk.Mahalanobis("scale").resolve(data).length_scale ** -2 == pytest.approx(theirs)
        assert 1 / mk.Laplacian("scale").resolve(data).length_scale == pytest.approx(theirs)
    constant = np.ones((4, 2))
    assert mk.Polynomial(gamma="scale").resolve(constant).gamma == 1.0  # as scikit-learn


def test_auto_counts_columns_and_is_not_data_dependent():
    kernel = mk.Gaussian("auto").resolve(X)
    assert 1 / (2 * kernel.length_scale**2) == pytest.approx(1 / 3)
    assert not kernel.data_dependent
    assert not mk.Gaussian("auto").data_dependent


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_median(form):
    kernel = mk.Gaussian("median").resolve(form(X))
    assert kernel.length_scale == pytest.approx(np.median(pdist(X)))
    assert mk.Laplacian("median").resolve(form(X)).length_scale == pytest.approx(
        np.median(pdist(X, "cityblock"))
    )


def test_median_of_a_subsample_is_reproducible_and_close():
    large = np.random.default_rng(0).normal(size=(3000, 2))
    assert median_distance(large) == median_distance(large)
    assert median_distance(large) == pytest.approx(np.median(pdist(large)), rel=0.05)


def test_median_of_mostly_equal_points():
    data = np.zeros((10, 1))
    assert median_distance(data) == 1.0
    assert median_distance(data[:1]) == 1.0
    data[0] = 3.0
    assert median_distance(data) == 3.0
    assert median_distance(sparse.csr_array(np.zeros((4, 2)))) == 1.0


def test_the_choice_is_remembered():
    asked = mk.Gaussian("median") + mk.Linear()
    resolved = asked.resolve(X)
    for kernel in (asked, resolved, clone(resolved), pickle.loads(pickle.dumps(resolved))):
        assert kernel.data_dependent
    assert asked.left.length_scale == "median"  # untouched
    length = clone(resolved).left.length_scale
    assert isinstance(length, float)
    assert length.rule == "median"
    assert not mk.Gaussian(float(length)).data_dependent
    assert isinstance(pickle.loads(pickle.dumps(Resolved(2.0, "median"))), Resolved)


def test_resolving_numbers_changes_nothing():
    kernel = mk.Gaussian([1.0, 2.0, 3.0])
    twin = kernel.resolve(X)
    assert twin is not kernel
    assert not twin.data_dependent
    np.testing.assert_array_equal(twin(X), kernel(X))


def test_a_gram_resolves():
    gram = KernelGram(mk.Gaussian("median"), X)
    assert gram.kernel.length_scale == pytest.approx(np.median(pdist(X)))
    assert gram.subset([0, 1, 2]).kernel.length_scale == gram.kernel.length_scale
