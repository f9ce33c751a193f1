"""Leave-one-out estimates against refits, spans against geometry, ridge against its definition."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import SVC

from mercer.bounds import (
    Compression,
    Evidence,
    NotApplicable,
    get,
    ridge_loo_residuals,
    span_estimate,
    squared_spans,
)


def value(code, evidence):
    return get(code)().evaluate(evidence).unclipped


def machine(seed=0, n=60, C=1.0):
    """A small SVC and its evidence, by scikit-learn."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1, -1)
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(-1))
    model = SVC(C=C, kernel="precomputed", tol=1e-9).fit(K, y)
    alphas = np.zeros(n)
    alphas[model.support_] = np.abs(model.dual_coef_[0])
    return K, y, model, alphas


def refit_errors(K, y, C):
    n, wrong = len(y), 0
    for i in range(n):
        rest = np.delete(np.arange(n), i)
        model = SVC(C=C, kernel="precomputed", tol=1e-9).fit(K[np.ix_(rest, rest)], y[rest])
        wrong += y[i] * model.decision_function(K[i, rest][None])[0] <= 0
    return wrong / n


@pytest.mark.parametrize(("seed", "C"), [(0, 1.0), (1, 10.0), (2, 0.3)])
def test_estimates_over_count_the_true_leave_one_out_error(seed, C):
    K, y, model, alphas = machine(seed, C=C)
    margins = y * model.decision_function(K)
    evidence = Evidence(
        len(y),
        formulation="c-svc",
        loss="hinge",
        margins=margins,
        slacks=np.maximum(0, 1 - margins),
        alphas=alphas,
        point_norms=np.ones(len(y)),
        offset=float(model.intercept_[0]),
        kernel_range=1.0,
        compression=Compression(len(y), int((alphas > 0).sum())),
    )
    truth = refit_errors(K, y, C)
    assert truth <= value("xi-alpha", evidence) <= value("support-vector-count", evidence)
    sv = model.support_
    span = span_estimate(K[np.ix_(sv, sv)], alphas[sv], margins[sv], C, n=len(y))
    assert abs(span - truth) < 4.5 / len(y)
    with pytest.raises(NotApplicable, match="offset"):
        get("jaakkola-haussler")().evaluate(evidence)
    with pytest.raises(NotApplicable, match="slack"):
        get("radius-margin")().evaluate(replace(evidence, norm=1.0))
    with pytest.raises(NotApplicable, match="C-SVM"):
        get("xi-alpha")().evaluate(replace(evidence, formulation="nu-svc"))


def test_spans_are_distances_to_the_other_free_points():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4, 6))
    alphas = np.array([0.5, 0.4, 0.3, 1.0])
    for offset in (False, True):
        spans = squared_spans(X @ X.T, alphas, 1.0, offset=offset)
        for p in range(4):
            others = [i for i in range(3) if i != p]
            if offset:  # affine combinations: weights sum to one
                A = (X[others[1:]] - X[others[0]]).T
                b = X[p] - X[others[0]]
            else:
                A, b = X[others].T, X[p]
            best = np.linalg.lstsq(A, b, rcond=None)[0]
            assert spans[p] == pytest.approx(((b - A @ best) ** 2).sum(), rel=1e-6)
    with pytest.raises(ValueError, match="shape"):
        squared_spans(np.eye(3), alphas, 1.0)
    assert span_estimate(np.empty((0, 0)), [], [], 1.0) == 0.0
    assert squared_spans(np.eye(2), [1.0, 1.0], 1.0).tolist() == [1.0, 1.0]


def test_ridge_leave_one_out_is_exact():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(15, 2)), rng.normal(size=15)
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1))
    residuals = ridge_loo_residuals(K, y, 0.3)
    for i in range(15):
        rest = np.delete(np.arange(15), i)
        alpha = np.linalg.solve(K[np.ix_(rest, rest)] + 0.3 * np.eye(14), y[rest])
        assert residuals[i] == pytest.approx(y[i] - K[i, rest] @ alpha, rel=1e-9)


def origin_machine(K, y, C, sweeps=400):
    """A hinge machine without offset by coordinate ascent on its dual."""
    Q, a = K * np.outer(y, y), np.zeros(len(y))
    for _ in range(sweeps):
        for i in range(len(y)):
            a[i] = np.clip(a[i] + (1 - Q[i] @ a) / Q[i, i], 0, C)
    return a


@pytest.mark.parametrize(("noise", "C"), [(0.5, 1.0), (0.0, 1e6)])
def test_estimates_without_an_offset(noise, C):
    """Jaakkola-Haussler and its relatives over-count the leave-one-out errors of refits."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 2)) + 0.0
    X[:, 0] += np.sign(X[:, 0])
    y = np.where(X[:, 0] + noise * 2 * rng.normal(size=30) > 0, 1.0, -1.0)
    K = X @ X.T + 1e-3 * np.eye(30)
    a = origin_machine(K, y, C)
    margins = y * (K @ (a * y))
    truth = 0
    for i in range(30):
        rest = np.delete(np.arange(30), i)
        left = origin_machine(K[np.ix_(rest, rest)], y[rest], C)
        truth += y[i] * (K[i, rest] @ (left * y[rest])) <= 0
    evidence = Evidence(
        30,
        formulation="c-svc",
        loss="hinge",
        margins=margins,
        slacks=np.where(margins < 1 - 1e-6, 1 - margins, 0.0),
        alphas=np.where(a > 1e-9, a, 0.0),
        point_norms=np.sqrt(np.diag(K)),
        norm=float(np.sqrt((a * y) @ K @ (a * y))),
        compression=Compression(30, int((a > 1e-9).sum())),
    )
    counted = value("jaakkola-haussler", evidence)
    assert truth / 30 <= counted <= value("xi-alpha", evidence) + 1e-12
    assert counted <= value("support-vector-count", evidence)
    if noise == 0:
        assert truth / 30 <= value("radius-margin", evidence)
