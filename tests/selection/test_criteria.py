"""Values of the criteria: printed examples, brute force, slow twins."""

import math

import numpy as np
import pytest

from mercer import SVC, KernelSearch
from mercer.bounds._loo_arrays import squared_spans as slow_spans
from mercer.kernels import Gaussian
from mercer.learners.margin import enclosing_ball
from mercer.selection import criteria
from mercer.selection._case import Case, GramView
from mercer.selection.criteria import _coding, span


def machine(C=2.0, n=60, seed=0, **options):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] * X[:, 1] + 0.4 * rng.normal(size=n) > 0, 1.0, -1.0)
    model = SVC(C=C, kernel=Gaussian(0.8), tol=1e-8, certify=None, **options).fit(X, y)
    coef = np.zeros(n)
    coef[model.support_] = model.dual_coef_[0]
    offset = options.get("fit_intercept", True)
    case = Case(
        GramView(Gaussian(0.8)(X)),
        y,
        coef,
        model.decision_function(X),
        float(model.intercept_[0]),
        upper=np.full(n, C),
        C=C,
        offset=offset,
        loss=options.get("loss", "hinge").replace("_", "-"),
        kernel=Gaussian(0.8),
        dimension=math.inf,
        tol=1e-8,
    )
    return X, y, case


# -- compression coefficients ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("u", "value"),
    [(1, 0), (2, 1), (3, 2.2494), (4, 3), (8, 5.2494), (16, 7), (27, 8.3998), (1458, 16.4842)],
)
def test_log_star(u, value):
    assert _coding.log_star(math.log2(u)) == pytest.approx(value, abs=5e-5)


def test_log_star_of_numbers_beyond_floats():
    assert _coding.log_star(20) == pytest.approx(27.6209, abs=5e-5)
    assert _coding.log_star(100) == pytest.approx(111.3619, abs=5e-5)


def test_the_catalogue_example():
    X = np.array([[2.0, 0], [-2, 0], [5, 1], [-5, -1]])
    y = np.array([1.0, -1, 1, -1])
    coef = np.array([0.125, -0.125, 0, 0])
    K = X @ X.T
    case = Case(GramView(K), y, coef, K @ coef, upper=np.full(4, 1e9), C=1e9)
    printed = {"C1": 7.74849, "C2": 3.06235, "C3": 3.45859, "C4": 3.95859, "C5": 2.5}
    for code, value in printed.items():
        score = criteria.get(code).score(case)
        assert score.value == pytest.approx(value, abs=5e-6)
        assert sum(score.components.values()) == pytest.approx(score.value)


def test_projection_shrinks_the_ball():
    """The catalogue: axes (3, 2, 0.2), w_0 = (2, 2, 1), rho = 1.5 keeps two axes, radius 1.118."""
    axes = np.array([3.0, 2.0, 0.2])
    assert _coding.log_ellipsoid(axes, 1.5) == pytest.approx(math.log2(12))
    assert _coding.log_ellipsoid(axes[:2], 1.5 * math.sqrt(1 - 4 / 9)) == pytest.approx(
        math.log2(24)
    )


def test_a_constant_machine_has_no_code():
    case = Case(GramView(np.eye(4)), np.array([1.0, 1, -1, -1]), np.zeros(4), np.ones(4), C=1.0)
    with pytest.raises(criteria.NotForThis, match="constant"):
        criteria.get("C2").score(case)


# -- span, leave-one-out ---------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [True, False])
def test_spans_agree_with_the_slow_version(offset):
    _, _, case = machine(fit_intercept=offset)
    rows, squared, limit = span.spans(case)
    K = case.gram.array[np.ix_(rows, rows)]
    sure = slow_spans(K, np.abs(case.coef[rows]), limit, offset=offset, tol=span.FREE)
    assert np.allclose(squared, sure, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("offset", [True, False])
def test_span_is_the_squared_distance_to_the_other_free_ones(offset):
    """Straight from the definition, by least squares in feature space."""
    _, _, case = machine(fit_intercept=offset)
    rows, squared, limit = span.spans(case)
    alphas = np.abs(case.coef[rows])
    free = rows[(alphas > 1e-6 * limit) & (alphas < limit * (1 - 1e-6))]
    K = case.gram.array
    for p in rows[:12]:
        others = free[free != p]
        A = K[np.ix_(others, others)] + 1e-10 * np.eye(len(others))
        k = K[others, p]
        weights = np.linalg.solve(A, k)
        if offset:
            ones = np.linalg.solve(A, np.ones(len(others)))
            weights = weights + ones * (1 - weights.sum()) / ones.sum()
        distance = K[p, p] - 2 * weights @ k + weights @ A @ weights
        assert squared[np.flatnonzero(rows == p)[0]] == pytest.approx(distance, rel=1e-3, abs=1e-6)


def test_leave_one_out_is_what_retraining_gives():
    X, y, case = machine(n=40)
    wrong = 0
    for i in range(len(y)):
        rest = np.delete(np.arange(len(y)), i)
        model = SVC(C=2.0, kernel=Gaussian(0.8), tol=1e-8, certify=None).fit(X[rest], y[rest])
        wrong += model.predict(X[i : i + 1])[0] != y[i]
    assert criteria.get("loo").score(case).components["errors"] == wrong


def test_the_span_estimate_is_near_the_leave_one_out_error():
    difference = []
    for seed in range(8):
        _, _, case = machine(n=80, seed=seed)
        exact = criteria.get("loo").score(case).value
        difference.append(criteria.get("span").score(case).components["rows at risk"] / 80 - exact)
    assert abs(np.mean(difference)) < 0.04
    assert max(np.abs(difference)) < 0.15


def test_bounds_on_leaving_one_out_hold():
    for seed in range(5):
        _, _, case = machine(n=60, seed=seed)
        exact = criteria.get("loo").score(case).value
        assert criteria.get("xi-alpha").score(case).value >= exact
        assert criteria.get("span-bound").score(case).value >= exact


# -- radius and margin -----------------------------------------------------------------------------


def test_enclosing_ball_of_points_on_a_line():
    x = np.array([-1.0, 0.0, 0.5, 3.0])
    ball = enclosing_ball(np.outer(x, x))
    assert ball.radius**2 == pytest.approx(4.0, rel=1e-4)
    assert ball.weights @ x == pytest.approx(1.0, abs=1e-2)


def test_enclosing_ball_holds_every_point_and_is_tight():
    X = np.random.default_rng(0).normal(size=(40, 3))
    K = Gaussian(1.0)(X)
    ball = enclosing_ball(K, tol=1e-8)
    distance = np.diag(K) - 2 * K @ ball.weights + ball.weights @ K @ ball.weights
    assert distance.max() <= ball.radius**2 * (1 + 1e-12)
    assert ball.radius**2 == pytest.approx(ball.squared_from_below, rel=1e-5)
    assert ball.squared_from_below <= ball.radius**2


def test_radius_margin_needs_a_machine_without_slack():
    _, _, case = machine()
    with pytest.raises(criteria.NotForThis, match="squared_hinge"):
        criteria.get("radius-margin").score(case)
    _, _, case = machine(loss="squared_hinge")
    score = criteria.get("radius-margin").score(case)
    K = case.gram.array + np.eye(case.n) / 4.0
    assert score.components["squared norm"] == pytest.approx(case.coef @ K @ case.coef, rel=1e-4)


# -- the thesis' competitors -----------------------------------------------------------------------


def test_thesis_bounds_by_hand():
    _, _, case = machine()
    n, s = case.n, len(case.support)
    K = case.gram.centred.array
    radius, norm = K.diagonal().max(), case.coef @ K @ case.coef
    error = np.mean(np.sign(case.output) != case.target)
    assert criteria.get("rm").score(case).value == pytest.approx(
        error + math.sqrt(radius * norm * math.log2(n) / n)
    )
    assert criteria.get("trace").score(case).value == pytest.approx(
        error + math.sqrt(np.trace(K) / n)
    )
    assert criteria.get("cs").score(case).value == pytest.approx(
        math.log(math.comb(n, s)) / (n - s)
    )
    kappa = min(math.ceil(radius * norm + 1), n + 1)
    assert criteria.get("sm").score(case).value == pytest.approx(
        kappa * math.log(math.e * n / kappa) / (n - s)
    )
    values, vectors = np.linalg.eigh(K)
    total = sum(
        values[k] ** 2 * max(vectors[:, k] ** 2) * (vectors[:, k] @ case.coef) ** 2
        for k in range(n)
    )
    assert criteria.get("rrm").score(case).value == pytest.approx(
        error + math.sqrt(total * math.log2(n) / n)
    )


def test_every_row_a_support_vector_is_infinite():
    y = np.array([1.0, -1, 1, -1])
    case = Case(GramView(np.eye(4)), y, y.copy(), y.copy(), upper=np.ones(4), C=1.0)
    assert criteria.get("cs").score(case).value == math.inf
    assert criteria.get("sm").score(case).value == math.inf


def test_alignment_is_one_for_the_ideal_kernel():
    y = np.array([1.0, 1, -1, -1])
    case = Case(GramView(np.outer(y, y)), y, y, y)
    assert criteria.get("alignment").score(case).value == pytest.approx(0.0, abs=1e-12)


# -- every criterion -------------------------------------------------------------------------------


def test_facts_are_stated():
    for code, cls in criteria.available().items():
        assert cls.code == code
        assert cls.title
        assert cls.reference
        assert cls.__doc__
        assert cls.kind in ("estimate", "bound", "heuristic")
        assert cls.uses in ("fit", "folds")


def _estimator(code):
    from mercer.learners.regression import KernelRidge

    if code in ("gcv", "aic", "bic", "marginal-likelihood"):
        return KernelRidge(fit_intercept=True)
    options = {"radius-margin": {"loss": "squared_hinge"}}.get(code, {})
    if code in ("jaakkola-haussler", "stability"):
        options = {"fit_intercept": False}
    return SVC(certify=None, **options)


@pytest.mark.parametrize("code", sorted(criteria.available()))
def test_every_criterion_searches(code):
    """Each gives a number and components for every candidate, and the smallest one is chosen."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 2))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=50) > 0, 1, -1)
    grid = {"length_scale": [0.5, 2.0]}
    ridge = "regression" in str(type(_estimator(code)).__module__)
    grid["alpha" if ridge else "C"] = [0.1, 10.0]
    if not criteria.get(code).sees_cost:
        del grid["C"]
    target = y + X[:, 0] if ridge else y
    search = KernelSearch(_estimator(code), param_grid=grid, criterion=code).fit(X, target)
    table = search.results_
    usable = table["status"] == "done"
    assert usable.any()
    assert search.best_value_ == pytest.approx(table["value"][usable].min())
    assert repr(search.best_estimator_.kernel) == repr(search.best_kernel_)
