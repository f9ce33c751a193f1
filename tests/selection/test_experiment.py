"""The thesis' experiment as a public call: cuts, choices and excess by hand."""

import numpy as np
import pytest

from mercer import SVC
from mercer.datasets import make_twonorm
from mercer.kernels import Gaussian
from mercer.selection import criteria, experiment

X, Y, _ = make_twonorm(330, d=4, random_state=0)
SIGMAS, COSTS = (0.5, 2.0, 8.0), (1.0, 10.0)


@pytest.fixture(scope="module")
def found():
    return experiment.compare_criteria(
        X, Y, ("C2", "span", "cs"), size=80, sigmas=SIGMAS, costs=COSTS
    )


def test_training_sets_are_disjoint_and_tested_on_their_complement():
    parts = experiment.disjoint_subsets(330, 80, 0)
    assert len(parts) == 4
    everyone = np.concatenate([train for train, _ in parts])
    assert len(np.unique(everyone)) == 320
    for train, rest in parts:
        assert sorted([*train, *rest]) == list(range(330))
    with pytest.raises(ValueError, match="size must lie"):
        experiment.disjoint_subsets(50, 50)


def test_values_and_errors_are_those_of_machines_trained_one_by_one(found):
    train, rest = experiment.disjoint_subsets(330, 80, 0)[2]
    for i, sigma in enumerate(SIGMAS):
        for j, cost in enumerate(COSTS):
            model = SVC(C=cost, kernel=Gaussian(sigma / np.sqrt(2)), tol=1e-3)
            model.fit(X[train], Y[train])
            error = np.mean(model.predict(X[rest]) != Y[rest])
            assert found.test[2, i, j] == pytest.approx(error, abs=0.013)
            for code in ("C2", "span", "cs"):
                own = criteria.get(code).score(model, X[train], Y[train]).value
                assert found.values[code][2, i, j] == pytest.approx(own, rel=0.1, abs=0.05)


def test_choices_and_excess(found):
    for code in ("C2", "span", "cs"):
        for run, (i, j) in enumerate(found.chosen(code)):
            assert found.values[code][run, i, j] == found.values[code][run].min()
            gap = found.test[run, i, j] - found.test[run].min()
            assert found.excess(code)[run] == pytest.approx(gap)
        assert np.all(found.excess(code) >= 0)
        assert np.all(found.per_cost(code) >= found.per_cost("test") - 1e-12)
    ties = experiment.Comparison(
        np.arange(2.0), np.arange(2.0), np.zeros((1, 2, 2)), {"C2": np.ones((1, 2, 2))}
    )
    assert ties.chosen("C2").tolist() == [[1, 0]]  # the smallest cost, then the widest kernel


def test_tables_and_ranks(found):
    both = {"a": found, "b": found}
    rows = experiment.summary(both)
    assert sum(row["rank"] for row in rows.values()) == pytest.approx(6.0)
    assert rows["C2"]["mean"] == pytest.approx(found.excess("C2").mean())
    text = experiment.table(both)
    assert f"| a | 4 | {found.oracle.mean():.3f} |" in text
    assert len({line.count("|") for line in text.splitlines()}) == 1


def test_without_an_offset_and_with_few_rows_to_test_on():
    seen = []
    found = experiment.compare_criteria(
        X, Y, ("rm",), size=60, sigmas=(2.0,), costs=(1.0,), runs=2, fit_intercept=False,
        most_test_rows=50, progress=seen.append,
    )  # fmt: skip
    assert seen == [0, 1]
    assert np.allclose(found.test * 50, np.round(found.test * 50))
    with pytest.raises(ValueError, match="two classes"):
        experiment.compare_criteria(X, np.arange(330), size=60)
