"""Values of the A-catalogue, section 7.3: perceptrons and linear-programming machines."""

import numpy as np
import pytest

import mercer
from mercer.kernels import Gaussian, Linear
from mercer.learners.margin import (
    AdaptiveMarginMachine,
    KernelPerceptron,
    LeaveOneOutMachine,
    Perceptron,
    novikoff_report,
)
from mercer.learners.quantities import exact_leave_one_out, inscribed_ball, margins, separability

A = np.array([[2, 0], [4, -4], [-3, -3], [-2, -1], [2, -1], [4, 2]], dtype=float)
yA = np.array([1, -1, -1, -1, 1, 1])
B = np.vstack([A, [[-1, 1], [1, 1]]])
yB = np.append(yA, [1, -1])
RBF2 = Gaussian(2.0)


def coefficients(model, n):
    found = np.zeros(n)
    found[model.support_] = model.dual_coef_[0]
    return found


def test_perceptron_on_A():
    model = Perceptron(fit_intercept=False).fit(A, yA)
    log = model.mistakes_
    assert (log.n_updates, log.n_epochs, log.separated) == (8, 5, True)
    assert model.coef_[0] == pytest.approx([4, 5])
    steps = np.cumsum(A[log.rows] * log.changes[:, None], axis=0)
    expected = [(2, 0), (-2, 4), (0, 5), (2, 4), (4, 3), (0, 7), (2, 6), (4, 5)]
    assert steps.tolist() == [list(map(float, w)) for w in expected]


def test_dual_perceptron_on_A_and_novikoff():
    model = KernelPerceptron(kernel="linear").fit(A, yA)
    assert coefficients(model, 6).tolist() == [1, -2, 0, -1, 4, 0]
    report = novikoff_report(model, A, yA)
    assert report.limit == pytest.approx(122, rel=1e-5)
    assert report.updates == 8
    assert report.holds


def test_kernel_perceptron_on_B():
    model = KernelPerceptron(kernel=RBF2).fit(B, yB)
    assert (model.mistakes_.n_updates, model.mistakes_.n_epochs) == (13, 6)
    assert coefficients(model, 8).tolist() == [3, -1, -1, -1, 0, 0, 3, -4]


@pytest.mark.filterwarnings("ignore::mercer.NothingLearnedWarning")
@pytest.mark.parametrize(
    ("kernel", "values"),
    [
        (Linear(), {0: 3.75, 0.5: 3.875, 1: 4.11111111, 2: 5.12179487, 5: 8}),
        (
            RBF2,
            {
                0: 0, 0.25: 2.68815088, 0.5: 3.10135789, 0.75: 3.65650954, 1: 5.63020337,
                1.5: 7.95206991, 2: 8, 10: 8,
            },
        ),
    ],
    ids=["linear", "gaussian"],
)  # fmt: skip
def test_adaptive_margin_machine_on_B(kernel, values):
    for lam, expected in values.items():
        model = AdaptiveMarginMachine(lam, kernel=kernel).fit(B, yB)
        assert model.objective_ == pytest.approx(expected, abs=5e-7), lam
    assert len(model.support_) == 0  # large λ: every weight vanishes


def test_the_printed_diagonal_is_another_problem():
    """D.2.3 prints k(x,x) − λ; its objectives on B are those of a different programme."""
    from mercer.solvers import slack_lp

    K = Linear()(B) * np.outer(yB, yB)
    for lam, printed in {0.5: 3.75396825, 1: 3.75806452, 5: 3.7962963}.items():
        literal = K - lam * np.eye(8)
        assert slack_lp.solve(literal).objective == pytest.approx(printed, abs=5e-7)


def test_the_leave_one_out_machine_is_the_adaptive_one_at_lambda_one():
    loom = LeaveOneOutMachine(kernel=RBF2).fit(B, yB)
    assert loom.objective_ == pytest.approx(5.63020337, abs=5e-7)
    amm = AdaptiveMarginMachine(1.0, kernel=RBF2).fit(B, yB)
    assert np.array_equal(loom.decision_function(B), amm.decision_function(B))


def test_inscribed_ball_on_A():
    ball = inscribed_ball(A, yA, kernel=Linear())
    assert ball.sine == pytest.approx(0.16018224, abs=1e-7)
    assert ball.centre.weights() == pytest.approx([0.58471, 0.81124], abs=1e-5)
    assert np.degrees(ball.angle) == pytest.approx((63.43495 - 45) / 2, abs=1e-4)
    assert ball.chord == pytest.approx(2 * np.sin(ball.angle / 2))


def test_separability_of_A_and_B():
    assert separability(A, yA, fit_intercept=False).margin == pytest.approx(0.51214752, abs=1e-6)
    assert not separability(B, yB, fit_intercept=False)
    assert separability(B, yB, kernel=RBF2, fit_intercept=False).margin == pytest.approx(
        0.17599437, abs=1e-6
    )


def test_true_leave_one_out_error_on_B():
    machine = mercer.SVC(kernel=RBF2, fit_intercept=False, tol=1e-9)
    assert exact_leave_one_out(machine, B, yB).error == 0.375


def test_three_margins_on_A():
    machine = mercer.SVC(kernel="linear", C=np.inf, fit_intercept=False, tol=1e-10).fit(A, yA)
    found = margins(machine, A, yA)
    assert found.functional.min() == pytest.approx(1.0)
    assert found.geometrical.min() == pytest.approx(0.51214752, abs=1e-8)
    assert found.novikoff == pytest.approx(122)
    lengths = np.linalg.norm(A, axis=1)
    assert found.normalised == pytest.approx(found.geometrical / lengths)
