"""The benchmark harness: its objective is right, its report is honest."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks import data, report, text
from benchmarks.cases import CASES, Case
from benchmarks.libraries import LIBRARIES, Sklearn
from benchmarks.objective import objective
from sklearn import datasets
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.svm import SVC, SVR

ROOT = Path(__file__).resolve().parents[2]


def case(**more):
    return Case("x", "x", lambda: None, **more)


def test_binary_objective_against_the_whole_matrix():
    X, y = datasets.make_classification(60, random_state=0)
    model = SVC(gamma=0.05, C=2.0, tol=1e-6).fit(X, y)
    beta = model.dual_coef_[0]
    K = rbf_kernel(model.support_vectors_, gamma=0.05)
    expected = 0.5 * beta @ K @ beta - np.abs(beta).sum()
    found = objective(case(gamma=0.05, C=2.0), X, y, Sklearn().duals(model))
    assert found == pytest.approx(expected, rel=1e-12)


def test_multiclass_objective_is_the_sum_over_pairs():
    X, y = datasets.load_iris(return_X_y=True)
    whole = objective(case(gamma=0.5), X, y, Sklearn().duals(SVC(gamma=0.5, tol=1e-8).fit(X, y)))
    total = 0.0
    for i, j in ((0, 1), (0, 2), (1, 2)):
        rows = (y == i) | (y == j)
        pair = SVC(gamma=0.5, tol=1e-8).fit(X[rows], y[rows])
        total += objective(case(gamma=0.5), X[rows], y[rows], Sklearn().duals(pair))
    assert whole == pytest.approx(total, rel=1e-6)


def test_regression_objective():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.normal(size=50)
    model = SVR(gamma=1.0, epsilon=0.2).fit(X, y)
    beta = model.dual_coef_[0]
    K = rbf_kernel(model.support_vectors_, gamma=1.0)
    expected = 0.5 * beta @ K @ beta - y[model.support_] @ beta + 0.2 * np.abs(beta).sum()
    made = case(gamma=1.0, task="svr", epsilon=0.2)
    assert objective(made, X, y, Sklearn().duals(model)) == pytest.approx(expected, rel=1e-12)


def test_every_kernel_of_the_harness_is_the_peers_own():
    from benchmarks.objective import _kernel

    X = np.random.default_rng(0).normal(size=(20, 3))
    np.testing.assert_allclose(
        _kernel(case(gamma=0.3, kernel="laplacian"), X, X), laplacian_kernel(X, gamma=0.3)
    )
    np.testing.assert_allclose(_kernel(case(kernel="linear"), X, X), X @ X.T)


@pytest.mark.parametrize("name", ["mercer", "sklearn"])
def test_a_worker_reports_everything(name):
    command = [sys.executable, "-m", "benchmarks.worker", "iris", name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["objective"] == pytest.approx(-31.3247, abs=1e-3)
    assert result["score"] > 0.95
    assert 0 < result["train_wall"] <= result["train_first_wall"] < 5
    assert result["memory_peak_mb"] > 10


def test_text_data_are_unit_length_sparse_rows():
    made = text.synthetic(300, words=500)
    assert made.X.format == "csr"
    np.testing.assert_allclose(np.asarray(made.X.multiply(made.X).sum(axis=1)).ravel(), 1.0)
    assert "synthetic" in made.note


def test_blobs_recipe_is_fixed():
    """The same numbers as in the published tables: do not change the recipe."""
    made = data.blobs(1000, 5)
    assert made.X.shape == (1000, 5)
    assert len(made.y_test) == 2000
    np.testing.assert_allclose(made.X.mean(axis=0), 0.0, atol=1e-12)
    assert made.X[0, 0] == pytest.approx(0.7697787974836421, abs=1e-12)


def outcome(mercer, sklearn):
    results = {}
    for name, (seconds, value, memory) in {"mercer": mercer, "sklearn": sklearn}.items():
        results[name] = dict.fromkeys(
            ("train_wall", "train_first_wall", "train_cpu", "predict_wall", "predict_cpu"), seconds
        ) | {
            "objective": value,
            "memory_peak_mb": memory,
            "support_vectors": 3,
            "score": 0.5,
            "version": "1",
            "load": 0.1,
            "note": "",
        }
    return {
        "started": "2026-01-01T00:00:00",
        "repeats": 1,
        "machine": {"processor": "p", "cores": 2, "python": "3"},
        "cases": {"blobs-20k-C1": {"title": "blobs", "results": results}},
    }


def row(made, words):
    return next(line for line in report.bars(made) if words in line)


def test_bars_are_judged():
    good = outcome((0.5, -100.0, 300), (12.0, -100.0, 200))
    assert "24.0× | met" in row(good, "train ≥ 20× sklearn")
    assert "missed: 48% of it" in row(good, "predict ≥ 50× sklearn")
    assert row(good, "never slower").endswith("| met |")
    assert row(good, "peak memory").endswith("| met |")
    assert "not measured" in row(good, "sklearnex-f32")


def test_a_quick_wrong_answer_does_not_count():
    worse = outcome((0.5, -99.0, 500), (12.0, -100.0, 200))
    assert "objectives differ" in row(worse, "train ≥ 20× sklearn")
    assert "missed on blobs-20k-C1" in row(worse, "peak memory")
    slower = outcome((13.0, -100.0, 200), (12.0, -100.0, 200))
    assert "missed on blobs-20k-C1" in row(slower, "never slower")


def test_markdown_lists_skipped_libraries_with_the_reason():
    made = outcome((0.5, -100.0, 300), (12.0, -100.0, 200))
    made["cases"]["blobs-20k-C1"]["results"]["thundersvm"] = {"skipped": "not available: no"}
    page = report.markdown(made)
    assert "| thundersvm | not available: no |" in page
    assert "| sklearn 1 | 12.00 | 12.00 | 12.00 | 24 |" in page


def test_every_case_names_known_libraries():
    assert all(set(made.libraries) <= set(LIBRARIES) for made in CASES.values())
    assert all("mercer" in made.libraries for made in CASES.values())
