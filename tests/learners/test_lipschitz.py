"""Lipschitz machines: linear programmes, the thesis' examples, the nearest neighbour."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier

from mercer import certified_fit
from mercer.bounds import Evidence
from mercer.learners.metric import (
    LipschitzClassifier,
    LipschitzRegressor,
    LPMachine,
    NoSeparatingSumError,
    NotAMetricWarning,
    _in_metric_space,
    extend,
    lipschitz_constant,
    nearest_difference,
    noise_fit,
    subspace_function,
)
from mercer.learners.metric._extension import hard_margin
from mercer.learners.metric._matching import solve_soft
from mercer.metrics import Edit, FromFunction

EXAMPLE_1 = np.array([[0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]], dtype=float)
EXAMPLE_2 = np.array(
    [[0, 2, 1, 1, 1], [2, 0, 1, 1, 1], [1, 1, 0, 2, 1], [1, 1, 2, 0, 2], [1, 1, 1, 2, 0]],
    dtype=float,
)
EXAMPLE_3 = np.array(
    [[0, 1, 1, 1, 1], [1, 0, 1, 1, 2], [1, 1, 0, 2, 1], [1, 1, 2, 0, 1], [1, 2, 1, 1, 0]],
    dtype=float,
)
LABELS = np.array([1.0, 1.0, -1.0, -1.0])


def linear_programme(D, y, C):
    """The soft problem with every constraint written out, same labels too."""
    n, rows, limits = len(y), [], []
    for i in range(n):
        row = np.zeros(2 * n + 1)
        row[i], row[n + i] = -y[i], -1
        rows.append(row)
        limits.append(-1)
        for j in range(n):
            if i != j:
                row = np.zeros(2 * n + 1)
                row[i], row[j], row[-1] = 1, -1, -D[i, j]
                rows.append(row)
                limits.append(0)
    cost = np.concatenate([np.zeros(n), np.full(n, C), [1.0]])
    free = [(None, None)] * n + [(0, None)] * (n + 1)
    return linprog(cost, A_ub=np.array(rows), b_ub=limits, bounds=free, method="highs")


@pytest.mark.parametrize("C", [0.01, 0.05, 0.1, 0.3, 1.0, 10.0])
@pytest.mark.parametrize("kind", ["plane", "edit"])
def test_matchings_solve_the_linear_programme(C, kind):
    rng = np.random.default_rng(int(100 * C))
    if kind == "plane":
        X = rng.normal(size=(22, 2))
        D = cdist(X, X)
    else:
        D = Edit()(["".join(rng.choice(list("ab"), size=rng.integers(1, 9))) for _ in range(22)])
    y = np.where(rng.random(22) < 0.4, 1.0, -1.0)
    exact = linear_programme(D, y, C)
    found = solve_soft(D[np.ix_(y > 0, y < 0)], C)
    assert found.objective == pytest.approx(exact.fun, rel=1e-7)
    assert abs(found.gap) < 1e-9 * max(1.0, found.objective)
    values = np.empty(22)
    values[y > 0], values[y < 0] = found.positive, found.negative
    # same-label pairs hold without having been asked for, in the extension from the others
    model = LipschitzClassifier("precomputed", C=C).fit(D, y)
    assert model.objective_ == pytest.approx(exact.fun, rel=1e-7)
    assert np.all(model.dual_coef_ <= C + 1e-9)
    positive = model.dual_coef_[y > 0].sum()
    assert positive == pytest.approx(model.dual_coef_[y < 0].sum())


def test_small_prices_give_a_constant():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.array([1] * 12 + [-1] * 18)
    model = LipschitzClassifier(C=1e-4).fit(X, y)
    assert model.constant_ == 0
    assert model.objective_ == pytest.approx(1e-4 * 2 * 12)
    assert np.all(model.predict(X) == -1)


def test_hard_margin_is_the_nearest_neighbour():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), np.where(rng.random(60) < 0.5, 1, -1)
    Q = rng.normal(size=(300, 3))
    model = LipschitzClassifier(C=np.inf).fit(X, y)
    D = cdist(X, X)
    L, _ = hard_margin(D, y)
    assert model.constant_ == L == 2 / D[np.ix_(y > 0, y < 0)].min()
    assert model.margin_ == pytest.approx(1 / L)
    nearest = KNeighborsClassifier(1).fit(X, y).predict(Q)
    np.testing.assert_array_equal(model.predict(Q), nearest)
    g = nearest_difference(cdist(Q, X), y, L)
    np.testing.assert_allclose(model.decision_function(Q), np.clip(g, -1, 1), atol=1e-12)
    soft = LipschitzClassifier(C=1e6).fit(X, y)
    assert soft.constant_ == pytest.approx(L)


def test_extensions_have_the_constant_on_the_whole_domain():
    rng = np.random.default_rng(2)
    X, Q = rng.normal(size=(15, 2)), rng.normal(size=(40, 2))
    a = rng.normal(size=15)
    L = lipschitz_constant(a, cdist(X, X))
    everything = np.vstack([X, Q])
    low, high = (extend(a, L, cdist(everything, X), alpha) for alpha in (0.0, 1.0))
    for alpha in (0.0, 0.3, 0.5, 1.0):
        f = extend(a, L, cdist(everything, X), alpha)
        np.testing.assert_allclose(f[:15], a, atol=1e-12)
        assert lipschitz_constant(f, cdist(everything, everything)) == pytest.approx(L)
        assert np.all(low <= f + 1e-12)
        assert np.all(f <= high + 1e-12)
    assert np.abs(extend(a, L, cdist(Q, X))).max() <= np.abs(a).max() + 1e-12


def test_more_classes_and_strings():
    words = ["cat", "bat", "rat", "house", "mouse", "louse", "12345", "12346", "22345"]
    y = ["animal"] * 3 + ["ouse"] * 3 + ["digits"] * 3
    model = LipschitzClassifier("edit", C=5.0).fit(words, y)
    assert model.predict(["hat", "rouse", "12340"]).tolist() == ["animal", "ouse", "digits"]
    assert model.decision_function(words).shape == (9, 3)
    D = Edit()(words)
    given = LipschitzClassifier("precomputed", C=5.0).fit(D, y)
    np.testing.assert_array_equal(given.predict(Edit()(["hat"], words)), ["animal"])
    function = LipschitzClassifier(lambda a, b: abs(len(a) - len(b)), C=5.0)
    with pytest.raises(ValueError, match="at distance zero"):
        function.set_params(C=np.inf).fit(["a", "b"], [0, 1])


def test_zero_distance_between_opposite_labels_is_bearable_when_soft():
    X, y = np.array([[0.0], [0.0], [1.0], [2.0]]), np.array([0, 1, 1, 1])
    model = LipschitzClassifier(C=3.0).fit(X, y)
    assert model.predict([[2.0]])[0] == 1
    assert model.values_[0] >= model.values_[1] - 1e-12
    exact = linear_programme(cdist(X, X), np.array([-1.0, 1, 1, 1]), 3.0)
    assert model.objective_ == pytest.approx(exact.fun)


def test_distances_that_are_no_metric_are_reported():
    D = np.array([[0, 1, 5, 5], [1, 0, 1, 4], [5, 1, 0, 1], [5, 4, 1, 0]], dtype=float)
    with pytest.warns(NotAMetricWarning, match="D5"):
        model = LipschitzClassifier("precomputed", C=1.0).fit(D, [0, 0, 1, 1])
    assert "lipschitz-rademacher" in model.not_applicable_
    with pytest.raises(ValueError, match="Negative values"):
        LipschitzClassifier("precomputed").fit(-D, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="NaN"):
        LipschitzClassifier("precomputed").fit(np.where(D == 5, np.nan, D), [0, 0, 1, 1])


def test_regression_interpolates_or_smooths():
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, size=(40, 1))
    y = np.abs(X[:, 0]) + 0.1 * rng.normal(size=40)
    exact = LipschitzRegressor(C=np.inf).fit(X, y)
    np.testing.assert_allclose(exact.predict(X), y, atol=1e-9)
    smooth = LipschitzRegressor(C=0.5).fit(X, y)
    assert smooth.constant_ < exact.constant_
    assert smooth.score(X, y) > 0.9
    D, n = cdist(X, X), 40
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    rows = np.zeros((len(pairs) + 2 * n, 2 * n + 1))
    limits = np.zeros(len(rows))
    for r, (i, j) in enumerate(pairs):
        rows[r, i], rows[r, j], rows[r, -1] = 1, -1, -D[i, j]
    for i in range(n):
        for k, sign in enumerate((1, -1)):
            r = len(pairs) + 2 * i + k
            rows[r, i], rows[r, n + i], limits[r] = sign, -1, sign * y[i]
    cost = np.concatenate([np.zeros(n), np.full(n, 0.5), [1.0]])
    free = [(None, None)] * n + [(0, None)] * (n + 1)
    whole = linprog(cost, A_ub=rows, b_ub=limits, bounds=free, method="highs")
    assert smooth.objective_ == pytest.approx(whole.fun, rel=1e-6)
    assert smooth.n_constraints_ < len(pairs)


def test_regression_within_known_limits():
    X, y = np.linspace(0, 1, 12)[:, None], np.linspace(0, 1, 12) ** 2
    free = LipschitzRegressor(C=1.0, balance=1.0).fit(X, y)
    kept = LipschitzRegressor(C=1.0, balance=1.0, target_range=(0, 1)).fit(X, y)
    far = np.array([[5.0]])
    assert free.predict(far)[0] > 1
    assert kept.predict(far)[0] == 1
    assert "a Lipschitz constant" in str(free.not_applicable_["lipschitz-regression"])
    assert "lipschitz-regression" in kept.certificates_
    with pytest.raises(ValueError, match="target of object 11 is 1, outside"):
        LipschitzRegressor(target_range=(0, 0.9)).fit(X, y)
    with pytest.raises(ValueError, match="finite low < high"):
        LipschitzRegressor(target_range=(1, 1)).fit(X, y)


# -- spans of distance functions -------------------------------------------------------------------


def test_example_one_has_no_separating_sum():
    with pytest.raises(NoSeparatingSumError):
        LPMachine("precomputed", C=np.inf).fit(EXAMPLE_1, LABELS)
    assert LipschitzClassifier("precomputed", C=np.inf).fit(EXAMPLE_1, LABELS).constant_ == 2


def test_example_two_separates_only_with_the_fifth_function():
    train = np.arange(4)
    with pytest.raises(NoSeparatingSumError):
        subspace_function(EXAMPLE_2[:, :4], EXAMPLE_2, train, LABELS)
    coef, b, constant = subspace_function(EXAMPLE_2, EXAMPLE_2, train, LABELS)
    values = EXAMPLE_2 @ coef + b
    assert np.all(LABELS * values[:4] >= 1 - 1e-9)
    assert lipschitz_constant(values, EXAMPLE_2) == pytest.approx(constant)
    # the labels printed in the thesis are separated by the first four
    subspace_function(EXAMPLE_2[:, :4], EXAMPLE_2, train, [-1, -1, -1, 1])


def test_example_three_grows_outside_the_sample():
    f = -2 * EXAMPLE_3[:, 0] - 2 * EXAMPLE_3[:, 1] + 3
    np.testing.assert_array_equal(f, [1, 1, -1, -1, -3])
    assert lipschitz_constant(f[:4], EXAMPLE_3[:4, :4]) == 2
    assert lipschitz_constant(f, EXAMPLE_3) == 4
    _, _, constant = subspace_function(EXAMPLE_3, EXAMPLE_3, np.arange(4), LABELS)
    assert constant <= 4


def test_penalty_limits_the_lipschitz_constant():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] ** 2 + X[:, 1] ** 2 < 1, 1, -1)
    Q = rng.normal(size=(50, 2))
    for profile in ("distance", "gaussian"):
        model = LPMachine(C=10.0, profile=profile).fit(X, y)
        f = model.decision_function(Q)
        assert lipschitz_constant(f, cdist(Q, Q)) <= model.penalty_ * (1 + 1e-9)
        assert model.score(X, y) > 0.9
        assert np.count_nonzero(np.abs(model.coef_) > 1e-9) < 20


def test_kuratowski_margin_is_the_lp_machine_without_offset():
    D = np.array([[0, 5, 3, 6], [5, 0, 4, 1], [3, 4, 0, 5], [6, 1, 5, 0]], dtype=float)
    y = np.array([1.0, -1, 1, -1])
    model = LPMachine("precomputed", C=np.inf).fit(D, y)
    values = D @ model.coef_ + model.intercept_
    from mercer.metrics import kuratowski_dual_norm

    assert kuratowski_dual_norm(values - model.intercept_, D) == pytest.approx(model.penalty_)


# -- evidence --------------------------------------------------------------------------------------


def test_noise_is_followed_as_the_programme_says():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(12, 2))
    D, signs = cdist(X, X), rng.choice([-1.0, 1.0], size=12)
    for constant in (0.2, 0.7, 3.0):
        pairs = [(i, j) for i in range(12) for j in range(12) if i != j]
        rows = np.zeros((len(pairs), 12))
        for r, (i, j) in enumerate(pairs):
            rows[r, i], rows[r, j] = 1, -1
        limits = [constant * D[p] for p in pairs]
        for limit in (1.0, 0.3, "diameter"):
            top = constant * D.max() if limit == "diameter" else limit
            exact = linprog(-signs, A_ub=rows, b_ub=limits, bounds=(-top, top), method="highs")
            assert noise_fit(D, signs, constant, limit) == pytest.approx(-exact.fun / 12)
    assert noise_fit(D, signs, 0.0, "diameter") == 0.0
    assert noise_fit(D, np.ones(12), 2.0, "diameter") == pytest.approx(2.0 * D.max())


def test_evidence_and_certificates():
    rng = np.random.default_rng(6)
    X = np.concatenate([rng.normal(-3, 0.3, size=(150, 1)), rng.normal(3, 0.3, size=(150, 1))])
    y = np.repeat([0, 1], 150)
    model = LipschitzClassifier(C=1.0).fit(X, y)
    evidence = model.evidence_
    assert evidence.errors == 0
    assert evidence.lipschitz.constant == model.constant_
    assert Evidence.from_dict(evidence.to_dict()) == evidence
    assert model.certificate_.value < 1
    exact, covering = (
        model.certificates_[f"lipschitz-{name}"].unclipped for name in ("rademacher", "covering")
    )
    assert exact < covering
    spent = certified_fit(LipschitzClassifier(C=1.0), X, y, mode="holdout")
    assert spent.certificate_.value < 0.2


def test_matching_of_two_samples_falls_as_the_theorem_says():
    from mercer.bounds.lipschitz import cube_rate
    from mercer.metrics import discrepancy

    rng = np.random.default_rng(7)
    for dimension, low, high in ((3, 0.7, 0.95), (5, 0.75, 1.0)):
        for n in (100, 400):
            draws = [
                discrepancy(cdist(rng.random((n, dimension)), rng.random((n, dimension))))
                for _ in range(3)
            ]
            assert low < np.mean(draws) / cube_rate(n, dimension) < high
    assert discrepancy(np.array([[1.0, 0.0], [0.0, 1.0]])) == 0
    assert cube_rate(100, 1) == 0.1
    with pytest.raises(ValueError, match="dimension"):
        cube_rate(10, 0)


@pytest.mark.parametrize("learner", [LipschitzClassifier, LipschitzRegressor, LPMachine])
@pytest.mark.parametrize("settings", [{"delta": -3}, {"C": "much"}, {"certify": 7}])
def test_bad_settings_are_named(learner, settings):
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match=f"'{next(iter(settings))}' parameter"):
        learner(**settings).fit(X, y)


def line(n):
    """Points on a line, in random order, with one distance that breaks triangles."""
    D = np.abs(np.subtract.outer(np.arange(float(n)), np.arange(float(n))))
    D[3, 7] = D[7, 3] = n
    order = np.random.default_rng(n).permutation(n)
    return D[np.ix_(order, order)], np.where(order < n // 2, -1, 1)


def test_every_triangle_of_some_hundred_objects_is_looked_at():
    D, y = line(450)
    with pytest.warns(NotAMetricWarning, match="D5"):
        model = LipschitzClassifier("precomputed").fit(D, y)
    assert model.metric_holds_ is False
    assert model.evidence_.lipschitz is None
    whole = np.abs(np.subtract.outer(np.arange(450.0), np.arange(450.0)))
    sound = LipschitzClassifier("precomputed").fit(whole, np.repeat([-1, 1], 225))
    assert sound.metric_holds_ is True
    assert sound.certificate_ is not None


def test_what_was_looked_at_in_part_neither_claims_nor_certifies(monkeypatch):
    monkeypatch.setattr(_in_metric_space, "LOOKED_AT", 20)
    monkeypatch.setattr(_in_metric_space, "EXACT", 200)
    D, y = line(120)  # the 20 objects looked at miss the wrong pair; all together do not
    model = LipschitzClassifier("precomputed").fit(D, y)
    assert model.metric_holds_ is False
    assert model.evidence_.lipschitz is None
    D, y = line(220)
    many = LipschitzClassifier("precomputed").fit(D, y)
    assert many.metric_holds_ is None
    assert many.evidence_.lipschitz is None


def test_a_distance_declared_no_metric_never_certifies():
    X, y = np.random.default_rng(0).normal(size=(40, 1)), np.arange(40) % 2
    said_no = FromFunction(lambda a, b: abs(float(a[0] - b[0])), symmetric=True, is_metric=False)
    model = LipschitzClassifier(said_no).fit(X, y)
    assert not model.metric_holds_
    assert model.evidence_.lipschitz is None
    asked = FromFunction(said_no.function, symmetric=True)
    assert LipschitzClassifier(asked).fit(X, y).evidence_.lipschitz is not None


def test_alpha_changed_after_fit_changes_no_answer():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    for learner in (LipschitzClassifier(balance=0.5), LipschitzRegressor(balance=0.5)):
        model = learner.fit(X, y)
        answers = model.predict(2 * X)
        assert np.array_equal(model.set_params(balance=0.0).predict(2 * X), answers)
