"""Values of the A-catalogue, section 7.3: machines without offset on its data sets A, B and R."""

import numpy as np
import pytest

import mercer
from mercer.kernels import Gaussian, Linear

A = np.array([[2, 0], [4, -4], [-3, -3], [-2, -1], [2, -1], [4, 2]], dtype=float)
yA = np.array([1, -1, -1, -1, 1, 1])
B = np.vstack([A, [[-1, 1], [1, 1]]])
yB = np.append(yA, [1, -1])
R = np.array([[-2.0], [-1], [0], [1], [2], [3]])
tR = np.array([-0.9, -0.8, 0, 0.8, 0.9, 0.1])
TIGHT = {"fit_intercept": False, "tol": 1e-10}


def alpha_of(model, n):
    """Unsigned coefficients of all training points."""
    found = np.zeros(n)
    found[model.support_] = np.abs(model.dual_coef_[0])
    return found


def test_hard_margin_on_A():
    model = mercer.SVC(kernel="linear", C=np.inf, **TIGHT).fit(A, yA)
    facts = model.diagnostics_
    assert alpha_of(model, 6) == pytest.approx([0, 1.0625, 0, 0, 2.75, 0], abs=1e-8)
    assert model.coef_[0] == pytest.approx([1.25, 1.5])
    assert facts.geometrical_margins.min() == pytest.approx(0.51214752, abs=1e-8)
    assert facts.dual == pytest.approx(1.90625)
    assert facts.primal == pytest.approx(1.90625)
    assert (facts.radius / facts.geometrical_margins.min()) ** 2 == pytest.approx(122)


def test_hard_margin_on_A_with_the_normalised_kernel():
    model = mercer.SVC(kernel=Linear().normalized(), C=np.inf, **TIGHT).fit(A, yA)
    assert alpha_of(model, 6) == pytest.approx([0, 19.486833, 0, 0, 19.486833, 0], abs=1e-5)
    assert model.diagnostics_.geometrical_margins.min() == pytest.approx(0.16018224, abs=1e-8)


def test_linear_soft_margin_on_B():
    model = mercer.SVC(kernel="linear", C=1.0, **TIGHT).fit(B, yB)
    facts = model.diagnostics_
    assert alpha_of(model, 8) == pytest.approx([1, 0.40625, 0, 0, 1, 0, 1, 1], abs=1e-8)
    assert model.coef_[0] == pytest.approx([0.375, 0.625])
    assert facts.primal == pytest.approx(4.140625)
    assert facts.counts()["misclassified"] == 1
    model = mercer.SVC(kernel="linear", C=0.1, **TIGHT).fit(B, yB)
    assert model.coef_[0] == pytest.approx([1 / 12, 1 / 3])
    assert model.diagnostics_.primal == pytest.approx(0.52569444, abs=1e-8)


def test_quadratic_soft_margin_on_B():
    # lambda m = 0.5 is 1 / (2 C)
    model = mercer.SVC(kernel="linear", C=1.0, loss="squared_hinge", **TIGHT).fit(B, yB)
    facts = model.diagnostics_
    expected = [1.306703, 0.743399, 0, 0.645904, 1.967502, 0, 1.68585, 3.007448]
    assert alpha_of(model, 8) == pytest.approx(expected, abs=1e-6)
    assert model.coef_[0] == pytest.approx([0.173324, 0.330399], abs=1e-6)
    assert facts.dual == pytest.approx(4.67840217, abs=1e-8)
    assert facts.slacks == pytest.approx(0.5 * alpha_of(model, 8), abs=1e-8)


def test_nu_machine_on_B():
    model = mercer.NuSVC(kernel="linear", nu=0.6, **TIGHT).fit(B, yB)
    facts = model.diagnostics_
    m, rho = 8, facts.scale  # the texts' scale is the solver's divided by m
    assert model.coef_[0] * rho / m == pytest.approx([0.08, 0.16])
    assert rho / m == pytest.approx(0.32)
    assert facts.dual / m**2 == pytest.approx(-0.016)
    assert np.mean(facts.slacks > 1e-8) == pytest.approx(0.5)
    assert facts.n_support / m == pytest.approx(0.75)


def test_nu_machine_on_B_degenerates_for_small_nu():
    with pytest.warns(UserWarning, match="nu=0.4 is too small"):
        model = mercer.NuSVC(kernel="linear", nu=0.4, **TIGHT).fit(B, yB)
    assert model.coef_[0] == pytest.approx([0, 0], abs=1e-9)


def test_hard_margin_on_B_with_a_gaussian():
    model = mercer.SVC(kernel=Gaussian(2.0), C=np.inf, **TIGHT).fit(B, yB)
    expected = [7.575846, 1.478488, 0, 3.724101, 0, 1.097804, 7.437575, 10.971310]
    assert alpha_of(model, 8) == pytest.approx(expected, abs=1e-6)
    assert model.diagnostics_.geometrical_margins.min() == pytest.approx(0.17599437, abs=1e-8)


def test_soft_margin_on_B_with_a_gaussian():
    model = mercer.SVC(kernel=Gaussian(2.0), C=1.0, **TIGHT).fit(B, yB)
    expected = [0.494182, 1, 0.560361, 1, 1, 0.883789, 1, 1]
    assert alpha_of(model, 8) == pytest.approx(expected, abs=1e-6)


def test_regression_on_R():
    model = mercer.SVR(kernel=Gaussian(1.0), epsilon=0.1, C=1.0, **TIGHT).fit(R, tR)
    coef = np.zeros(6)
    coef[model.support_] = model.dual_coef_[0]
    expected = [-0.551072, -0.416511, 0, 0.308098, 0.825538, -0.342269]
    assert coef == pytest.approx(expected, abs=1e-6)
    assert model.diagnostics_.primal == pytest.approx(0.77002980, abs=1e-8)
    assert model.diagnostics_.dual == pytest.approx(0.77002980, abs=1e-8)
