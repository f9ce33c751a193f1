"""`check_psd` finds the vector that a matrix cannot explain."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import kernels as mk
from mercer.kernels import check_psd

X = np.random.default_rng(0).normal(size=(12, 3))


def test_a_kernel_passes():
    report = check_psd(mk.Gaussian("median"), X)
    assert report
    assert report.ok
    assert report.vector is None
    values = np.linalg.eigvalsh(mk.Gaussian("median").resolve(X)(X))
    assert (report.smallest, report.largest) == pytest.approx((values[0], values[-1]))
    assert "positive semi-definite" in report.explain()


def test_the_violating_vector_violates():
    K = mk.Sigmoid(1.0, -1.0)(X)
    report = check_psd(mk.Sigmoid(1.0, -1.0), X)
    assert not report
    assert np.linalg.norm(report.vector) == pytest.approx(1.0)
    assert report.vector @ K @ report.vector == pytest.approx(report.smallest)
    assert report.smallest < 0
    assert "v'Kv" in report.explain()


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 8), st.floats(-2, 2))
def test_shifting_the_spectrum_across_zero(seed, n, shift):
    vectors = np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))[0]
    K = vectors @ np.diag(np.linspace(shift, 3, n)) @ vectors.T if n > 1 else np.array([[shift]])
    report = check_psd((K + K.T) / 2, tol=1e-9)
    assert report.ok == (shift >= -1e-9)
    assert report.smallest == pytest.approx(shift, abs=1e-9)


def test_asymmetry_is_reported():
    K = np.eye(3)
    K[0, 1] = 1e-3
    report = check_psd(K)
    assert not report.ok
    assert report.asymmetry == pytest.approx(1e-3)
    assert report.vector is None
    assert "not symmetric" in report.explain()
    assert check_psd(K, tol=1e-2).ok


def test_singular_matrices_pass_despite_rounding():
    assert check_psd(mk.Linear(), np.random.default_rng(0).normal(size=(50, 2))).ok
    assert check_psd(mk.Linear()(X.astype(np.float32))).ok
    assert check_psd(np.zeros((3, 3))).ok


def test_functions_and_bad_input():
    assert check_psd(lambda A, B: A @ B.T, X).ok
    for call, message in [
        (lambda: check_psd(mk.Linear()), "needs data"),
        (lambda: check_psd(np.eye(2), X), "takes no X"),
        (lambda: check_psd(np.ones((2, 3))), "square"),
        (lambda: check_psd(np.full((2, 2), np.nan)), "NaN"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
