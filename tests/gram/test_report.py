"""Diagnostics of a kernel matrix, and points that reproduce it."""

import json

import numpy as np
import pytest

from mercer import kernels as mk
from mercer.gram import DiagonalDominanceWarning, KernelGram, embed_gram, gram_report

X = np.random.default_rng(0).normal(size=(40, 3))


def test_identity_is_the_ridge_problem():
    with pytest.warns(DiagonalDominanceWarning, match="100% of the objects"):
        report = gram_report(np.eye(6))
    assert report.alone == 1.0
    assert report.rank == 6
    assert report.effective_rank == pytest.approx(6)
    assert report.condition_number == pytest.approx(1)
    assert report.diagonal_dominance == pytest.approx(1)
    assert report.directions == {"50%": 3, "90%": 6, "99%": 6}
    assert report.normalised
    assert report.offset == pytest.approx(1 / 6)


def test_a_constant_is_the_opposite():
    report = gram_report(np.full((5, 5), 2.0))
    assert report.rank == 1
    assert report.effective_rank == pytest.approx(1)
    assert report.condition_number == np.inf
    assert report.diagonal_dominance == pytest.approx(0)
    assert report.diagonal == (2.0, 2.0)
    assert not report.normalised
    assert report.offset == pytest.approx(1)


def test_a_linear_kernel_has_the_rank_of_the_data():
    report = gram_report(mk.Linear(), X)
    assert report.rank == 3
    assert report.directions["99%"] <= 3
    np.testing.assert_allclose(report.eigenvalues[:3], np.linalg.svd(X)[1] ** 2)
    assert report.smallest_eigenvalue == pytest.approx(0, abs=1e-10)


def test_centring_removes_the_offset():
    assert gram_report(mk.Gaussian(3.0), X).offset > 0.3
    assert gram_report(mk.Gaussian(3.0).centered(), X).offset == pytest.approx(0, abs=1e-12)


def test_narrow_gaussians_are_more_diagonal():
    widths = (0.1, 1.0, 10.0)
    with pytest.warns(DiagonalDominanceWarning) as told:
        dominance = [gram_report(mk.Gaussian(width), X).diagonal_dominance for width in widths]
    assert len(told) == 1  # of the narrowest only
    assert dominance[0] > 0.99 > dominance[1] > dominance[2]


def test_when_the_diagonal_dwarfs_the_rest():
    with pytest.warns(DiagonalDominanceWarning, match="mean cosine 0.001"):
        gram_report(np.eye(10) + 0.001)
    assert gram_report(np.eye(10) + 0.2).alone == 0.0
    # many orthogonal groups of equal rows: the mean cosine is small, and nobody is alone
    groups = np.kron(np.eye(20), np.ones((3, 3)))
    report = gram_report(groups)
    assert report.diagonal_dominance > 0.96
    assert report.alone == 0.0
    some = np.eye(8)
    some[:5, :5] = 1.0
    assert gram_report(some).alone == pytest.approx(3 / 8)


def test_a_subset_stands_for_a_large_sample():
    report = gram_report(KernelGram(mk.Gaussian(), X), max_rows=10)
    assert (report.n, report.n_used, len(report.eigenvalues)) == (40, 10, 10)
    assert report.to_dict() == gram_report(KernelGram(mk.Gaussian(), X), max_rows=10).to_dict()
    assert json.loads(json.dumps(report.to_dict()))["n"] == 40


def test_indefinite_and_tiny():
    assert gram_report(np.array([[0.0, 1.0], [1.0, 0.0]])).smallest_eigenvalue == pytest.approx(-1)
    assert gram_report(np.zeros((2, 2))).rank == 0
    assert gram_report(np.array([[4.0]])).rank == 1


def test_embedding_reproduces_the_matrix():
    K = mk.Polynomial(2, coef0=1.0)(X)
    points = embed_gram(K)
    assert points.shape == (40, 10)  # C(3 + 2, 2) features
    np.testing.assert_allclose(points @ points.T, K, atol=1e-9)


def test_embedding_of_an_indefinite_matrix_is_its_nearest_kernel():
    points = embed_gram(np.array([[0.0, 1.0], [1.0, 0.0]]))
    np.testing.assert_allclose(points @ points.T, np.full((2, 2), 0.5))
