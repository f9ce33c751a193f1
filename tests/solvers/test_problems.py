"""The duals of solvers/problems.py against two independent solvers and LIBSVM's numbers."""

import numpy as np
import pytest
from sklearn import svm as peer
from sklearn.metrics.pairwise import rbf_kernel

from mercer.gram import DenseGram
from mercer.solvers import problems, smo
from mercer.solvers.warm import warm
from twins.generic import minimum
from twins.smo import solve


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(14, 2))
    y = np.where(X[:, 0] + 0.4 * rng.normal(size=14) > 0, 1.0, -1.0)
    return rbf_kernel(X, gamma=2.0), y, np.sin(X[:, 0]), rng.uniform(0.5, 2.0, size=14)


def cases(y, t, w):
    return {
        "c": problems.c_svc(y, 2.0, weight=w),
        "c-free": problems.c_svc(y, 2.0, weight=w, fit_intercept=False),
        "c-squared": problems.c_svc(y, 2.0, weight=w, squared=True),
        "c-squared-free": problems.c_svc(y, 2.0, weight=w, squared=True, fit_intercept=False),
        "hard": problems.c_svc(y, np.inf),
        "hard-free": problems.c_svc(y, np.inf, fit_intercept=False),
        "nu": problems.nu_svc(y, 0.4, weight=w),
        "nu-free": problems.nu_svc(y, 0.4, weight=w, fit_intercept=False),
        "hulls": problems.nearest_points(y),
        "hull-free": problems.nearest_points(y, fit_intercept=False),
        "svr": problems.epsilon_svr(t, 2.0, 0.05, weight=w),
        "svr-free": problems.epsilon_svr(t, 2.0, 0.05, weight=w, fit_intercept=False),
        "svr-squared": problems.epsilon_svr(t, 2.0, 0.05, weight=w, squared=True),
        "nu-svr": problems.nu_svr(t, 2.0, 0.4, weight=w),
        "nu-svr-free": problems.nu_svr(t, 2.0, 0.4, weight=w, fit_intercept=False),
        "one-class": problems.one_class(0.3, n=len(y), weight=w),
    }


NAMES = list(cases(np.array([1.0, 1.0, -1.0, -1.0]), np.zeros(4), np.ones(4)))


@pytest.mark.parametrize("name", NAMES)
def test_smo_twin_agrees_with_a_general_solver(data, name):
    K, y, t, w = data
    problem = cases(y, t, w)[name]
    found = solve(problem, K, tol=1e-9)
    _, best = minimum(problem, K)
    assert found.converged
    assert found.objective == pytest.approx(best, rel=1e-6, abs=1e-9)
    assert np.all(found.alpha >= 0)
    assert np.all(found.alpha <= problem.upper)
    for g in range(problem.n_groups):
        here = problem.group == g
        moved = problem.balance[here] @ (found.alpha - problem.start)[here]
        assert moved == pytest.approx(0.0, abs=1e-9)


def test_c_svc_has_libsvms_coefficients(data):
    K, y, _, w = data
    found = solve(problems.c_svc(y, 2.0, weight=w), K, tol=1e-10)
    model = peer.SVC(C=2.0, kernel="precomputed", tol=1e-10).fit(K, y, sample_weight=w)
    assert found.coef[model.support_] == pytest.approx(model.dual_coef_[0], abs=1e-7)
    assert -found.offsets[0] == pytest.approx(model.intercept_[0], abs=1e-7)


def test_nu_svc_has_libsvms_coefficients_after_division_by_rho(data):
    K, y, _, w = data
    found = solve(problems.nu_svc(y, 0.4, weight=w), K, tol=1e-10)
    model = peer.NuSVC(nu=0.4, kernel="precomputed", tol=1e-10).fit(K, y, sample_weight=w)
    rho = sum(found.offsets) / 2
    intercept = -(found.offsets[0] - found.offsets[1]) / 2
    assert found.coef[model.support_] / rho == pytest.approx(model.dual_coef_[0], abs=1e-5)
    assert intercept / rho == pytest.approx(model.intercept_[0], abs=1e-5)


def test_regressions_and_one_class_have_libsvms_coefficients(data):
    K, _, t, w = data
    pairs = [
        (problems.epsilon_svr(t, 2.0, 0.05, weight=w), peer.SVR(C=2.0, epsilon=0.05)),
        (problems.nu_svr(t, 2.0, 0.4, weight=w), peer.NuSVR(C=2.0, nu=0.4)),
        (problems.one_class(0.3, n=len(t), weight=w), peer.OneClassSVM(nu=0.3)),
    ]
    for problem, model in pairs:
        found = solve(problem, K, tol=1e-10)
        model.set_params(kernel="precomputed", tol=1e-10).fit(K, t, sample_weight=w)
        # LIBSVM keeps its Gram in float32, hence the tolerance.
        assert found.coef[model.support_] == pytest.approx(model.dual_coef_[0], abs=1e-4)


def test_nearest_points_scale_to_the_hard_margin(data):
    K, y, _, _ = data
    for fit_intercept, factor in ((True, 2.0), (False, 1.0)):
        hull = solve(problems.nearest_points(y, fit_intercept=fit_intercept), K, tol=1e-12)
        hard = solve(problems.c_svc(y, np.inf, fit_intercept=fit_intercept), K, tol=1e-10)
        squared_distance = 2 * hull.objective
        assert hull.alpha * factor / squared_distance == pytest.approx(
            hard.alpha, rel=1e-5, abs=1e-6
        )


def test_a_problem_on_some_rows_leaves_the_others_alone(data):
    K, y, _, _ = data
    rows = np.array([13, 2, 5, 7, 11, 0, 3, 9])
    part = solve(problems.c_svc(y[rows], 2.0, rows=rows, n=14), K, tol=1e-9)
    alone = solve(problems.c_svc(y[rows], 2.0), K[np.ix_(rows, rows)], tol=1e-9)
    assert part.coef[rows] == pytest.approx(alone.coef)
    assert np.count_nonzero(part.coef) == np.count_nonzero(part.coef[rows])


def test_samples_without_positive_weight_are_left_out():
    y = np.array([1.0, -1.0, 1.0, -1.0])
    problem = problems.c_svc(y, 3.0, weight=[1.0, 0.0, -2.0, 0.5])
    assert problem.index.tolist() == [0, 3]
    assert problem.upper.tolist() == [3.0, 1.5]
    assert problem.n == 4


def test_starting_points_are_libsvms():
    y = np.array([1.0, 1.0, -1.0, 1.0, -1.0])
    assert problems.nu_svc(y, 0.6).start.tolist() == [1.0, 0.5, 1.0, 0.0, 0.5]
    assert problems.one_class(0.5, n=5).start.tolist() == [1.0, 1.0, 0.5, 0.0, 0.0]
    assert problems.nu_svr(y, 2.0, 0.5).start.tolist() == [2.0, 0.5, 0.0, 0.0, 0.0] * 2


def test_infeasible_nu_says_what_would_do():
    y = np.array([1.0, -1.0, -1.0, -1.0])
    with pytest.raises(problems.InfeasibleNu, match=r"nu is infeasible.*nu <= 0\.5"):
        problems.nu_svc(y, 0.6)
    assert problems.nu_svc(y, 0.5).start.sum() == pytest.approx(2.0)
    assert problems.nu_svc(y, 1.0, fit_intercept=False).start.sum() == pytest.approx(4.0)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="differ in length"):
        problems.c_svc([1.0, -1.0], weight=[1.0])


@pytest.mark.parametrize("name", NAMES)
def test_warm_start_is_feasible_and_leads_to_the_same_optimum(data, name):
    K, y, t, w = data
    problem = cases(y, t, w)[name]
    cold = solve(problem, K, tol=1e-9)
    rng = np.random.default_rng(0)
    guess = 3 * cold.alpha * rng.uniform(0.2, 1.5, size=len(cold.alpha))
    started = warm(problem, guess)
    assert np.all(started.start >= 0)
    assert np.all(started.start <= problem.upper)
    for g in range(problem.n_groups):
        here = problem.group == g
        moved = problem.balance[here] @ (started.start - problem.start)[here]
        assert moved == pytest.approx(0.0, abs=1e-9)
    assert solve(started, K, tol=1e-9).objective == pytest.approx(cold.objective, rel=1e-7)
    assert solve(warm(problem, cold.alpha), K, tol=1e-6).n_iter <= max(2, cold.n_iter // 5)


def test_an_alpha_of_another_length_is_ignored():
    problem = problems.c_svc([1.0, -1.0])
    assert warm(problem, np.ones(3)) is problem
    assert warm(problem, None) is problem


@pytest.mark.parametrize("name", NAMES)
def test_compiled_solver_agrees_with_its_twin(data, name):
    K, y, t, w = data
    problem = cases(y, t, w)[name]
    ours = smo.solve(problem, DenseGram(K), tol=1e-8)
    twin = solve(problem, K, tol=1e-8)
    assert ours.converged
    assert ours.gap <= 1e-8
    assert ours.objective == pytest.approx(twin.objective, rel=1e-9, abs=1e-9)
    assert ours.coef == pytest.approx(twin.coef, abs=1e-5)
    assert ours.decision == pytest.approx(K @ ours.coef, abs=1e-9)
    assert ours.offsets == pytest.approx(twin.offsets, abs=1e-5)
