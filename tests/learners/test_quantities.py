"""Quantities: conventions, Hilbert-space elements, version space, leave-one-out, conditions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import linprog
from sklearn.model_selection import LeaveOneOut, cross_val_predict

import mercer
from mercer.datasets import make_moons, make_ringnorm
from mercer.kernels import Gaussian, Linear, Polynomial
from mercer.learners.margin import (
    SVDD,
    KernelPerceptron,
    enclosing_ball,
    minimal_support,
    nearest_hull_points,
    retrain_on_support,
)
from mercer.learners.metric import KNNClassifier
from mercer.learners.quantities import (
    C_from_lambda,
    C_from_nu,
    Expansion,
    class_weights_from_lambdas,
    exact_leave_one_out,
    gram_shift,
    inscribed_ball,
    is_consistent,
    kkt,
    lambda_from_C,
    length_scale,
    margins,
    numbered,
    ridge_penalty,
    separability,
    signed,
    signs,
    sparsity,
    unsigned,
    zero_one,
)

X, Y, _ = make_ringnorm(60, d=2, random_state=4)
PLANE, SIDE, _ = make_moons(100, noise=0.1, random_state=0)


def test_conventions_there_and_back():
    assert C_from_lambda(lambda_from_C(3.0, 50), 50) == pytest.approx(3.0)
    assert C_from_lambda(1 / 16, 8) == 1.0
    assert gram_shift(1.0) == 0.5
    assert length_scale(gamma=0.125) == 2.0
    assert length_scale(sigma=2.0) == 2.0
    assert length_scale(variance=8.0) == 2.0
    y = np.array(["b", "a", "b"])
    assert signs(y).tolist() == [1, -1, 1]
    assert zero_one(y).tolist() == [1, 0, 1]
    assert numbered([7, 5, 9])[0].tolist() == [2, 1, 3]
    beta = signed([1.0, 2.0, 0.0], [1, -1, 1])
    assert beta.tolist() == [1, -2, 0]
    assert unsigned(beta, [1, -1, 1]).tolist() == [1, 2, 0]
    assert ridge_penalty(0.1, 10, averaged=True) == pytest.approx(1.0)
    for bad in (lambda: C_from_lambda(0, 5), lambda: length_scale(), lambda: signs([1, 2, 3])):
        with pytest.raises(ValueError, match=r"positive|exactly one|two classes"):
            bad()


def test_the_squared_hinge_is_a_hard_margin_on_a_shifted_gram():
    C = 0.7
    soft = mercer.SVC(kernel=Gaussian(1.0), C=C, loss="squared_hinge", tol=1e-9).fit(PLANE, SIDE)
    K = Gaussian(1.0)(PLANE) + gram_shift(C) * np.eye(100)
    hard = mercer.SVC(kernel="precomputed", C=np.inf, tol=1e-9).fit(K, SIDE)
    assert_allclose(np.abs(hard.dual_coef_).sum(), np.abs(soft.dual_coef_).sum(), rtol=1e-5)
    assert_allclose(hard.intercept_, soft.intercept_, atol=1e-5)


def test_the_rarer_class_wants_the_smaller_lambda():
    """Remark 2.33 says the larger one; its own formulas say otherwise."""
    rng = np.random.default_rng(0)
    points = np.vstack([rng.normal(1, 1, (10, 2)), rng.normal(-0.2, 1, (90, 2))])
    labels = np.repeat([1, -1], [10, 90])
    n, C = 100, 0.05
    found = {}
    for name, lambdas in {"small": {1: 0.01, -1: 0.1}, "large": {1: 0.9, -1: 0.1}}.items():
        weights = class_weights_from_lambdas(lambdas, C, n)
        model = mercer.SVC(kernel="linear", C=C, class_weight=weights).fit(points, labels)
        found[name] = np.mean(model.predict(points[:10]) != 1)
    assert found["small"] < found["large"] == 1.0


def test_nu_and_C_describe_the_same_machine():
    nu = mercer.NuSVC(kernel=Gaussian(1.0), nu=0.4, tol=1e-9).fit(PLANE, SIDE)
    rho = nu.fitted_.machines[0].scale
    same = mercer.SVC(kernel=Gaussian(1.0), C=C_from_nu(rho), tol=1e-9).fit(PLANE, SIDE)
    assert_allclose(same.decision_function(PLANE), nu.decision_function(PLANE), atol=1e-4)


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_elements_of_the_space(seed):
    rng = np.random.default_rng(seed)
    kernel = Gaussian(1.0)
    points, others = rng.normal(size=(5, 2)), rng.normal(size=(4, 2))
    f = Expansion(kernel, points, rng.normal(size=5))
    g = Expansion(kernel, others, rng.normal(size=4))
    x = rng.normal(size=(1, 2))
    at = Expansion(kernel, x, np.ones(1))
    assert f.inner(at) == pytest.approx(f(x)[0])  # reproducing
    assert f.inner(g) == pytest.approx(g.inner(f))
    assert f(x)[0] ** 2 <= f.squared_norm * kernel.diag(x)[0] + 1e-12  # Cauchy–Schwarz
    assert (f + g).squared_norm == pytest.approx(
        f.squared_norm + 2 * f.inner(g) + g.squared_norm, abs=1e-10
    )
    assert f.distance(f + 0 * g) == pytest.approx(0, abs=1e-6)
    split = Expansion(kernel, np.vstack([points, points]), np.tile(f.coef / 2, 2))
    assert split.inner(g) == pytest.approx(f.inner(g))  # however it is written
    assert abs(f.cosine(g)) <= 1 + 1e-12


def test_elements_of_models():
    model = mercer.SVC(kernel=Gaussian(0.7), tol=1e-9).fit(PLANE, SIDE)
    f = Expansion.from_model(model)
    assert_allclose(f.outputs(PLANE), model.decision_function(PLANE))
    assert f.norm == pytest.approx(model.diagnostics_.norm)
    assert sparsity(model.dual_coef_) == len(model.support_) == len(f.coef)
    assert sparsity(model.dual_coef_, 0.999, relative=True) < len(model.support_)
    assert len(f.pruned(np.inf).coef) == 0
    quadratic = mercer.SVC(kernel=Polynomial(2, coef0=1.0)).fit(PLANE, SIDE)
    w = Expansion.from_model(quadratic)
    explicit = quadratic.kernel_.features_of(PLANE) @ w.weights()
    assert_allclose(explicit, w(PLANE), atol=1e-8)
    assert np.linalg.norm(w.weights()) == pytest.approx(w.norm)
    perceptron = KernelPerceptron(kernel=Gaussian(0.2), max_iter=300).fit(PLANE, SIDE)
    assert is_consistent(perceptron, PLANE, SIDE)
    assert not is_consistent(Expansion.from_model(perceptron) * -1.0, PLANE, SIDE)
    with pytest.raises(ValueError, match="precomputed"):
        Expansion.from_model(mercer.SVC(kernel="precomputed").fit(Gaussian(1.0)(PLANE), SIDE))


def lp_separable(points, y, offset):
    """Is there (w, b) with y (w·x + b) >= 1? By linear programming."""
    rows = np.hstack([points, np.ones((len(y), 1))]) if offset else points
    A = -y[:, None] * rows
    return (
        linprog(np.zeros(A.shape[1]), A_ub=A, b_ub=-np.ones(len(y)), bounds=(None, None)).status
        == 0
    )


@pytest.mark.parametrize("offset", [True, False])
def test_separability_of_every_labelling_of_six_points(offset):
    rng = np.random.default_rng(1)
    points = rng.normal(size=(6, 2))
    count = 0
    for code in range(1, 63):
        y = np.array([1 if code >> i & 1 else -1 for i in range(6)])
        found = separability(points, y, fit_intercept=offset)
        assert bool(found) == lp_separable(points, y, offset)
        count += bool(found)
        if found:
            hull = nearest_hull_points(points, y)
            if offset:
                assert hull.margin == pytest.approx(found.margin, rel=1e-4)
        else:
            assert len(found.culprits) >= 2
    # growth functions of planes with and without offset: 2 Σ C(5, i) minus the two constant ones
    assert count == (2 * (1 + 5 + 10) - 2 if offset else count)


def test_hulls_reduced_hulls_and_the_nu_machine():
    hull = nearest_hull_points(PLANE, SIDE)
    assert hull.distance < 1e-2  # the moons' hulls overlap
    weight = 0.04
    reduced = nearest_hull_points(PLANE, SIDE, largest_weight=weight)
    assert reduced.distance > 0.05
    assert reduced.weights.max() <= weight + 1e-12
    nu = mercer.NuSVC(kernel="linear", nu=2 / (100 * weight), tol=1e-9).fit(PLANE, SIDE)
    direction = nu.coef_[0] / np.linalg.norm(nu.coef_[0])
    low, high = reduced.points(PLANE)
    assert_allclose((high - low) / reduced.distance, direction, atol=1e-4)
    with pytest.raises(ValueError, match="use at least"):
        nearest_hull_points(PLANE, SIDE, largest_weight=0.001)


def test_the_hard_margin_is_the_limit_of_soft_ones():
    hard = mercer.SVC(kernel=Gaussian(0.3), C=np.inf, tol=1e-9).fit(PLANE, SIDE)
    largest = np.abs(hard.dual_coef_).max()
    soft = mercer.SVC(kernel=Gaussian(0.3), C=1.01 * largest, tol=1e-9).fit(PLANE, SIDE)
    assert_allclose(soft.decision_function(PLANE), hard.decision_function(PLANE), atol=1e-5)
    coef = nearest_hull_points(PLANE, SIDE, Gaussian(0.3)).hard_margin_coef()
    assert_allclose(np.sort(coef[coef != 0])[-3:], np.sort(hard.dual_coef_[0])[-3:], rtol=1e-3)


def test_balls_around_points():
    ball = enclosing_ball(X, Linear())
    centre = ball.weights @ X
    away = np.linalg.norm(X - centre, axis=1)
    assert ball.radius == pytest.approx(away.max(), rel=1e-4)
    assert ball.weights.sum() == pytest.approx(1)
    rng = np.random.default_rng(0)
    for _ in range(50):  # no other centre does better
        assert (
            np.linalg.norm(X - centre - rng.normal(size=2) * 0.1, axis=1).max()
            >= ball.radius - 1e-4
        )
    machine = SVDD(kernel="linear", nu=1 / 60, tol=1e-9).fit(X)
    assert machine.radius_ == pytest.approx(ball.radius, rel=1e-5)
    most = SVDD(kernel="linear", nu=0.2, tol=1e-8).fit(X)
    assert np.mean(most.decision_function(X) < -1e-6) <= 0.2
    assert most.radius_ < machine.radius_
    assert_allclose(np.asarray(most.dual_coef_).sum(), 1)
    plane = mercer.OneClassSVM(kernel=Gaussian(1.0), nu=0.3, tol=1e-9).fit(X)
    round_one = SVDD(kernel=Gaussian(1.0), nu=0.3, tol=1e-9).fit(X)
    both = np.corrcoef(plane.decision_function(X), round_one.decision_function(X))[0, 1]
    assert both == pytest.approx(1.0, abs=1e-6)
    assert round_one.evidence_.ball == round_one.radius_
    with pytest.raises(ValueError, match="needs k"):
        SVDD(kernel="precomputed").fit(Linear()(X)).predict(Linear()(X))


def test_balls_in_a_precomputed_kernel_take_the_diagonal_of_new_points():
    Z = np.random.default_rng(3).normal(size=(20, X.shape[1]))
    plain = SVDD(kernel="linear", nu=0.2, tol=1e-8).fit(X)
    given = SVDD(kernel="precomputed", nu=0.2, tol=1e-8).fit(X @ X.T)
    own = (Z**2).sum(axis=1)
    assert_allclose(
        given.decision_function(Z @ X.T, diagonal=own), plain.decision_function(Z), atol=1e-6
    )
    assert np.array_equal(given.predict(Z @ X.T, diagonal=own), plain.predict(Z))
    with pytest.raises(ValueError, match="each of the 20 new points"):
        given.predict(Z @ X.T, diagonal=own[:3])
    inside = SVDD(kernel="precomputed", nu=0.2, tol=1e-8).fit_predict(X @ X.T)
    assert np.array_equal(inside, np.where(given.fitted_.inside > 0, 1, -1))


def test_support_sets():
    model = mercer.SVC(kernel=Gaussian(0.5), tol=1e-9).fit(PLANE, SIDE)
    again = retrain_on_support(model, PLANE, SIDE)
    assert again.largest_difference < 1e-6
    assert again.disagreements == 0
    fewer = minimal_support(model, PLANE, SIDE)
    assert len(fewer.rows) < fewer.before
    assert np.array_equal(fewer.model.predict(PLANE), model.predict(PLANE))
    assert set(fewer.rows) <= set(model.support_)
    for drop in range(len(fewer.rows)):
        rest = np.delete(fewer.rows, drop)
        if len(np.unique(SIDE[rest])) > 1:
            assert retrain_on_support(model, PLANE, SIDE, rest).disagreements > 0


def test_margins_and_balls_of_consistent_rules():
    points = PLANE[:40]
    labels = SIDE[:40]
    kernel = Gaussian(0.3)
    ball = inscribed_ball(points, labels, kernel=kernel)
    assert ball.centre.norm == pytest.approx(1)
    other = KernelPerceptron(kernel=kernel, max_iter=2000).fit(points, labels)
    around = inscribed_ball(points, labels, kernel=kernel, centre=Expansion.from_model(other))
    assert 0 < around.sine <= ball.sine + 1e-9
    assert margins(other, points, labels).normalised.min() == pytest.approx(around.sine)
    rng = np.random.default_rng(0)  # every unit vector within the angle is consistent
    for _ in range(20):
        nudge = Expansion(kernel, points, rng.normal(size=40))
        nudge = nudge - ball.centre * ball.centre.inner(nudge)
        angle = 0.99 * ball.angle
        moved = ball.centre * np.cos(angle) + nudge * (np.sin(angle) / nudge.norm)
        assert is_consistent(moved, points, labels)
    with pytest.raises(ValueError, match="no consistent rule"):
        inscribed_ball(points, labels, kernel=kernel, centre=Expansion.from_model(other) * -1.0)


def test_leave_one_out_by_three_routes():
    fixed = mercer.SVC(kernel=Gaussian(0.5), tol=1e-8)
    few = exact_leave_one_out(fixed, PLANE, SIDE)
    assert few.route == "support vectors only"
    assert few.n_refits < 100
    slow = [
        fixed.fit(np.delete(PLANE, i, 0), np.delete(SIDE, i)).predict(PLANE[[i]])[0]
        for i in range(100)
    ]
    assert np.array_equal(few.predictions, slow)
    near = exact_leave_one_out(KNNClassifier(3), PLANE, SIDE)
    assert (near.route, near.n_refits) == ("closed form", 1)
    scaled = exact_leave_one_out(mercer.SVC(), PLANE[:20], SIDE[:20])  # gamma reads the rows
    assert (scaled.route, scaled.n_refits) == ("refits", 20)


def test_whole_targets_have_left_out_predictions_between_them():
    y = np.round(5 * PLANE[:25, 0]).astype(int)
    found = exact_leave_one_out(mercer.SVR(C=10.0), PLANE[:25], y)
    slow = cross_val_predict(mercer.SVR(C=10.0), PLANE[:25], y, cv=LeaveOneOut())
    np.testing.assert_allclose(found.predictions, slow, atol=1e-10)
    assert found.error == pytest.approx(np.mean((slow - y) ** 2))
    words = np.where(SIDE[:20] > 0, "yes", "no")
    assert set(exact_leave_one_out(mercer.SVC(), PLANE[:20], words).predictions) <= {"yes", "no"}


def test_optimality_conditions_row_by_row():
    for loss in ("hinge", "squared_hinge"):
        model = mercer.SVC(kernel=Gaussian(0.5), loss=loss, tol=1e-10).fit(PLANE, SIDE)
        found = kkt(model)
        assert found.worst < 1e-6
        assert found.balance == pytest.approx(0, abs=1e-8)
        assert found.duality_gap < 1e-5
        assert sum(found.counts().values()) == 100
    rough = mercer.SVC(kernel=Gaussian(0.5), tol=0.5).fit(PLANE, SIDE)
    assert kkt(rough).worst > 1e-3
    with pytest.raises(ValueError, match="no support vector classifier"):
        kkt(mercer.OneClassSVM().fit(PLANE))


def test_kernels_may_be_given_by_name():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(8, 2)) + 4, rng.normal(size=(8, 2)) - 4])
    y = np.repeat([1, -1], 8)
    by_name = inscribed_ball(X, y, kernel="linear")
    assert by_name.angle == inscribed_ball(X, y, kernel=Linear()).angle
    assert enclosing_ball(X, "linear").radius == enclosing_ball(X, Linear()).radius
    with pytest.raises(TypeError, match="mercer Kernel"):
        inscribed_ball(X, y, kernel=lambda a, b: a @ b.T)
