import numpy as np
import pytest

from mercer import SVC, KernelSearch
from mercer.plots import (
    ComponentsDisplay,
    CriterionCurvesDisplay,
    RankComparisonDisplay,
    SearchMapDisplay,
)


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    return X, np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=80) > 0, 1, -1)


GRID = {"C": [0.1, 1.0, 10.0], "length_scale": [0.3, 1.0, 3.0]}


def test_a_map_holds_every_candidate_in_the_order_of_trying():
    search = KernelSearch(SVC(certify=None), param_grid=GRID).fit(*data())
    display = SearchMapDisplay.from_search(search)
    frame = display.frame()
    assert len(frame["value"]) == 9
    assert set(frame["C"]) == {0.1, 1.0, 10.0}
    assert frame["value"][display.best] == search.best_value_
    way = display.path()
    assert way[-1] == display.best
    assert np.all(np.diff(display.value[way[:-1]]) < 0)
    assert display.ax_.get_xscale() == "log"


def test_the_map_of_the_default_search():
    search = KernelSearch(SVC(certify=None)).fit(*data())
    display = SearchMapDisplay.from_search(search)
    assert display.frame()["bandwidth"][display.best] == search.best_kernel_.length_scale


def test_a_map_needs_two_axes():
    search = KernelSearch(SVC(certify=None), criterion="alignment").fit(*data())
    with pytest.raises(ValueError, match="bandwidth and a cost"):
        SearchMapDisplay.from_search(search)


def test_components_add_up_to_the_criterion():
    search = KernelSearch(SVC(certify=None), param_grid=GRID, criterion="C3").fit(*data())
    frame = ComponentsDisplay.from_search(search).frame()
    parts = [frame[n] for n in ("position", "inside", "outside", "support vectors")]
    assert np.allclose(sum(parts), frame["total"])
    assert frame["total"].min() == pytest.approx(search.best_value_)
    plain = KernelSearch(SVC(certify=None), param_grid=GRID).fit(*data())
    with pytest.raises(ValueError, match="no parts"):
        ComponentsDisplay.from_search(plain)


def test_curves_are_brought_to_one_range():
    x = np.geomspace(0.1, 10, 5)
    display = CriterionCurvesDisplay(
        x=x, curves={"a": x, "b": np.array([3.0, 2, np.inf, 1, 5])}, test=x / 20
    ).plot()
    scaled = display.scaled()
    assert scaled["a"].min() == 0
    assert scaled["a"].max() == 1
    assert np.isnan(scaled["b"][2])
    assert np.array_equal(display.frame()["test error"], x / 20)


def test_ranks_and_the_critical_difference():
    """Demšar 2006, table 5: q = 2.569 for four methods at 0.05; 14 sets give CD = 1.25."""
    rng = np.random.default_rng(0)
    excess = rng.random((14, 4)) * [1, 2, 3, 4]
    display = RankComparisonDisplay(excess=excess, methods=list("abcd")).plot()
    assert display.critical_difference == pytest.approx(1.25, abs=0.005)
    assert display.ranks.sum() == pytest.approx(10.0)
    assert display.frame()["method"][0] == "abcd"[int(display.ranks.argmin())]
    tied = RankComparisonDisplay(excess=np.zeros((3, 2)), methods=["a", "b"])
    assert tied.ranks.tolist() == [1.5, 1.5]
    with pytest.raises(ValueError, match="columns"):
        RankComparisonDisplay(excess=np.zeros((3, 2)), methods=["a"])
