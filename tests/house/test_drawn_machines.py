"""Values in the pictures of machines, beside scikit-learn's, small loops and linear programmes."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC

from helpers_drawn import curves, region, seen, told
from mercer import datasets

pytest.importorskip("matplotlib.pyplot")
pytestmark = pytest.mark.slow


def moons(n, scale, seed):
    return datasets.make_moons(n, scale=scale, random_state=seed)[:2]


def updates(X, y, sweeps):
    """Rosenblatt's rule through the origin, row by row."""
    w, made = np.zeros(X.shape[1]), 0
    for _ in range(sweeps):
        before = made
        for x, label in zip(X, y, strict=True):
            if label * (w @ x) <= 0:
                w, made = w + label * x, made + 1
        if made == before:
            return made
    raise AssertionError("not separated")


def test_machines_of_the_lectures(drawn):
    """2.1 to 2.2, 3.1 to 3.4 of Banisch, and the slides."""
    found = drawn("lecture_machines")
    axes = found["axes"]
    x, curve = axes[0].lines[1].get_xydata().T
    np.testing.assert_allclose(curve, np.sin(x))
    assert told(axes[1], "from ") == pytest.approx(-0.15)  # −0.35 + 0.2
    assert told(axes[1], "to ") == pytest.approx(0.61)  # + 0.1225 + 0.64, rounded

    angles, made = axes[2].lines[0].get_xydata().T
    limits = axes[2].lines[1].get_ydata()
    turn = np.linspace(0, 2 * np.pi, 200_001)
    normals = np.column_stack([np.cos(turn), np.sin(turn)])
    for degrees, count, limit in zip(angles, made, limits, strict=True):
        half = np.radians(degrees) / 2
        X = np.array([[np.cos(half), np.sin(half)], [np.cos(half), -np.sin(half)]])
        X[1] *= 0.07
        assert updates(np.vstack([X, -X]), [1, 1, -1, -1], 5000) == count
        assert limit == pytest.approx(1 / np.min(normals @ X.T, axis=1).max() ** 2, rel=1e-3)
    same = axes[3].lines[0].get_xydata()
    np.testing.assert_allclose(same[:, 0], same[:, 1], atol=1e-10)

    phi, rings = seen(axes[4]), found["phi"]
    np.testing.assert_allclose(np.sort(phi, axis=0), np.sort(rings, axis=0))
    np.testing.assert_allclose(phi[:, 1] ** 2, 2 * phi[:, 0] * phi[:, 2], atol=1e-12)
    assert found["gap"] < 1e-12
    t, hinge = curves(axes[5])["hinge"]
    np.testing.assert_allclose(hinge, np.where(t < 1, 1 - t, 0))

    X, y, _ = datasets.make_gaussian(80, random_state=3)
    own = SVC(kernel="linear", C=1.0, tol=1e-8).fit(X[:, :2], y)
    width = told(axes[6], "‖w‖ = ")
    assert width == pytest.approx(2 / np.linalg.norm(own.coef_), abs=0.006)
    X, y = moons(100, 0.35, 2)
    for ax, sigma in zip(axes[7:10], (2.0, 0.5, 0.15), strict=True):
        own = SVC(C=5.0, gamma=1 / (2 * sigma**2)).fit(X, y)
        wrong = np.sum(own.predict(X) != y)
        assert told(ax, f"σ = {sigma:g}, ") == pytest.approx(wrong, abs=1)
        plane, shown = region(ax)
        clear = np.abs(shown) > 0.02
        np.testing.assert_array_equal(shown[clear] > 0, own.decision_function(plane[clear]) > 0)
    # the last point inside is at 6/7, the first outside at 8/7: the line is half way up
    height = axes[10].lines[0].get_ydata()
    np.testing.assert_allclose(height, (36 + 64) / 98, atol=1e-3)
    last = {name: errors[1][-1] for name, errors in curves(axes[11]).items()}
    for name, C, near in (("hard margin", 1e6, 0.01), ("C = 1", 1.0, 0.002)):
        own = SVC(C=C, gamma=2.0).fit(moons(150, 0.2, 5)[0], found["spoiled"])
        fresh, truth = moons(3000, 0.2, 6)
        assert last[name] == pytest.approx(np.mean(own.predict(fresh) != truth), abs=near)
    assert last["hard margin"] > 2 * last["C = 1"]
    assert np.count_nonzero(found["spoiled"] != moons(150, 0.2, 5)[1]) == 16
    plane, shown = region(axes[14])
    truth = plane[:, 0] + 2 * plane[:, 1] ** 2 - plane[:, 0] * plane[:, 1] > 0.5
    assert np.mean((shown > 0) == truth) > 0.95


def test_machines_on_digits(drawn):
    """3.5 of Banisch and the sparsity of digits: errors and rows kept, by other code."""
    found = drawn("lecture_digits")
    X, y, test, truth = (found[name] for name in ("X", "y", "test", "truth"))

    def nine(A, B):
        inner = lambda P, Q: (P @ Q.T + 1.0) ** 9  # noqa: E731
        scale = [np.sqrt(np.diagonal(inner(P, P))) for P in (A, B)]
        return inner(A, B) / np.outer(*scale)

    twins = {
        "linear classifier": SVC(kernel="linear").fit(X, y).predict(test),
        "3 nearest neighbours": KNeighborsClassifier(3).fit(X, y).predict(test),
        "support vector machine": SVC(kernel=nine, C=10.0).fit(X, y).predict(test),
    }
    for name, answer in twins.items():
        assert found["errors"][name] == pytest.approx(np.mean(answer != truth), abs=1.5 / len(test))
    own = {kind: 100 * error for kind, error in found["errors"].items()}
    quoted = {one.method: 100 * one.error for one in found["MNIST_ERRORS"]}
    widths = [bar.get_width() for bar in found["left"].patches]
    expected = [[quoted[name], *([own[name]] if name in own else [])] for name in quoted]
    np.testing.assert_allclose(widths, list(itertools.chain(*expected)))
    assert own["translation-invariant SVM"] <= own["support vector machine"]

    bars = np.array([bar.get_height() for bar in found["right"].patches]).reshape(2, 10)
    target, n = np.where(y == 3, 1, -1), len(y)
    K = (X @ X.T + 1.0) ** 4
    scale = np.sqrt(np.diagonal(K))
    K /= np.outer(scale, scale)
    alpha, mistaken = np.zeros(n), 1
    while mistaken:
        mistaken = 0
        for i in range(n):
            if target[i] * (K[i] @ (alpha * target)) <= 0:
                alpha[i], mistaken = alpha[i] + 1, mistaken + 1
    machine = SVC(kernel="precomputed", C=1e10, tol=1e-4).fit(K, target)
    for size, bar, slack in (
        (np.count_nonzero(alpha), bars[0, 3], 0),
        (len(machine.support_), bars[1, 3], 3),
    ):
        between = [
            100 * (math.log(math.comb(n, d)) + math.log(n / 0.05)) / (n - d)
            for d in (size - slack, size + slack)
        ]
        assert between[0] - 1e-9 <= bar <= between[1] + 1e-9
    assert np.all(bars[0] < bars[1])


def test_three_classes_from_machines_of_two(drawn):
    """What is painted is what the binary machines say, put together by hand."""
    found = drawn("multiclass")
    models, X, y = found["models"], found["X"], found["table"].y
    plane, painted = region(found["axes"][0])
    rest = np.column_stack(
        [m.decision_function(plane) for m in models["against the rest"].estimators_]
    )
    np.testing.assert_array_equal(painted, rest.argmax(axis=1))
    pairs = list(itertools.combinations(range(3), 2))
    _, painted = region(found["axes"][1])
    wins = np.zeros((len(plane), 3))
    for (first, second), machine in zip(pairs, models["pairs"].estimators_, strict=True):
        value = machine.decision_function(plane)  # positive for the first of the pair
        np.add.at(wins, (slice(None), first), value > 0)
        np.add.at(wins, (slice(None), second), value <= 0)
    clear = np.ptp(np.sort(wins, axis=1)[:, 1:], axis=1) > 0
    assert clear.mean() > 0.9
    np.testing.assert_array_equal(painted[clear], wins.argmax(axis=1)[clear])
    _, painted = region(found["axes"][2])
    ask = {pair: machine.decision_function(plane) > 0
           for pair, machine in zip(pairs, models["graph"].estimators_, strict=True)}  # fmt: skip
    one = np.where(ask[0, 2], np.where(ask[0, 1], 0, 1), np.where(ask[1, 2], 1, 2))
    np.testing.assert_array_equal(painted, one)
    own = LinearSVC(multi_class="crammer_singer", C=10.0, tol=1e-6, max_iter=10**6).fit(X, y)
    plane, painted = region(found["axes"][3])
    assert np.mean(own.classes_[painted.astype(int)] == own.predict(plane)) > 0.998
    for ax, model in zip(found["axes"], models.values(), strict=True):
        assert told(ax, ": ") == np.sum(model.predict(X) != y)


def test_perceptrons_that_vote(drawn):
    """The last rule, the mean rule and the vote of all rules, by a loop over the rows."""
    found = drawn("perceptrons")
    noisy, labels, fresh, truth = (found[k] for k in ("noisy", "labels", "fresh", "truth"))
    K, across = (np.exp(-cdist(A, noisy, "sqeuclidean") / 0.5) for A in (noisy, fresh))
    n = len(labels)
    alpha, average, vote = np.zeros(n), np.zeros(n), np.zeros(len(fresh))
    made, now = 0, np.zeros(len(fresh))
    for _ in range(10):
        for i in range(n):
            if labels[i] * (K[i] @ alpha) <= 0:
                alpha[i] += labels[i]
                made += 1
                now = across @ alpha
            average += alpha
            vote += np.sign(now)
    assert found["model"].mistakes_.n_updates == made
    rules = (across @ alpha, across @ average, vote)
    for ax, value in zip(found["axes"], rules, strict=True):
        error = np.mean(np.where(value > 0, 1, -1) != truth)
        assert told(ax, "error ") == pytest.approx(error, abs=0.0015)


def test_adaptive_margins_by_a_linear_programme(drawn):
    """Σξ over λ, and the rows that are left."""
    found = drawn("adaptive_margin")
    X, y, path = found["X"], found["y"], found["path"]
    K, n = np.exp(-cdist(X, X, "sqeuclidean") / 0.72), len(found["y"])
    A = K * np.outer(y, y)
    for place in (2, 5, 10):
        lam = path.lambdas[place]
        cost = np.r_[np.zeros(n), np.ones(n)]
        limits = np.hstack([-(A - lam * np.diag(np.diagonal(K))), -np.eye(n)])
        best = linprog(cost, limits, -np.ones(n), method="highs")
        assert path.objectives[place] == pytest.approx(best.fun, abs=2e-4)
    assert path.objectives[0] < 1e-3 < path.objectives[1] + 1e-3
    assert np.all(np.diff(path.objectives) > -1e-6)
    for ax, lam in zip(found["axes"], (0.05, 0.5, 1.0), strict=True):
        plane, painted = region(ax)
        cost = np.r_[np.full(n, 1e-8), np.ones(n)]
        limits = np.hstack([-(A - lam * np.diag(np.diagonal(K))), -np.eye(n)])
        alpha = linprog(cost, limits, -np.ones(n), method="highs").x[:n]
        value = np.exp(-cdist(plane, X, "sqeuclidean") / 0.72) @ (alpha * y)
        assert np.mean((value > 0) == (painted > 0)) > 0.98


def test_hulls_margin_and_ball(drawn):
    """The nearest points of two hulls are the hard margin apart; nothing smaller holds all rows."""
    found = drawn("hulls")
    X, y, ax = found["X"], found["y"], found["ax"]
    own = SVC(kernel="linear", C=1e8, tol=1e-8).fit(X, y)
    ends = next(line for line in ax.lines if line.get_label() == "nearest points").get_xydata()
    length = np.linalg.norm(ends[1] - ends[0])
    assert length == pytest.approx(2 / np.linalg.norm(own.coef_), rel=1e-5)
    np.testing.assert_allclose(own.decision_function(ends), [-1, 1], atol=1e-3)
    line = next(line for line in ax.lines if line.get_label() == "hard margin").get_xydata()
    np.testing.assert_allclose(own.decision_function(line), 0, atol=1e-3)
    circle = next(patch for patch in ax.patches if hasattr(patch, "get_radius"))
    far = np.linalg.norm(X - circle.center, axis=1)
    assert far.max() == pytest.approx(circle.get_radius(), rel=1e-6)
    smallest = minimize(
        lambda c: np.linalg.norm(X - c, axis=1).max(),
        X.mean(axis=0),
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000},
    )
    assert circle.get_radius() == pytest.approx(smallest.fun, rel=1e-6)
