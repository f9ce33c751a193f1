"""What every distance promises; a new metric file is tested here without being named."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from mercer import _config
from mercer.metrics import as_metric, available, report

CLASSES = {n: kind for n, kind in available().items() if n != "precomputed_distances"}
CASES = [(name, i) for name, kind in CLASSES.items() for i in range(len(kind.examples()))]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def case(request):
    name, i = request.param
    kind, rng = CLASSES[name], np.random.default_rng(7)
    return kind.examples()[i], kind.example_data(13, rng)


def test_facts_hold(case):
    metric, X = case
    found = report(metric(X))
    assert found["D1"].holds
    assert found["D2"].holds
    assert found["D3"].holds
    if metric.is_metric:
        assert found.is_metric, found.explain()
    if metric.is_metric is False:
        assert not found.is_metric
    if metric.euclidean:
        assert found.euclidean


def test_tiles_make_the_whole(case):
    metric, X = case
    D = metric(X)
    assert D.shape == (13, 13)
    assert D.dtype == np.float64
    np.testing.assert_allclose(metric(X[:5], X[5:]), D[:5, 5:], rtol=1e-9, atol=1e-12)
    order = np.random.default_rng(0).permutation(13)
    np.testing.assert_allclose(metric(X[order]), D[np.ix_(order, order)], rtol=1e-9, atol=1e-12)


def test_compiled_and_numpy_twin_agree(case):
    metric, X = case
    with _config.config(compiled=False):
        slow = metric(X)
    np.testing.assert_allclose(metric(X), slow, rtol=1e-12, atol=1e-12)


def test_clone_and_pickle(case):
    metric, X = case
    for twin in (clone(metric), pickle.loads(pickle.dumps(metric))):
        np.testing.assert_array_equal(twin(X), metric(X))


@pytest.mark.parametrize("name", sorted(available()))
def test_constructor_only_stores(name):
    kind = available()[name]
    markers = {p: object() for p in inspect.signature(kind.__init__).parameters if p != "self"}
    markers = {p: m for p, m in markers.items() if p not in ("args", "kwargs")}
    built = kind(**markers)
    assert all(getattr(built, p) is marker for p, marker in markers.items())


def test_memory_is_refused_before_it_is_taken(case):
    metric, X = case
    with (
        _config.config(memory_limit=1000),
        pytest.raises(_config.MemoryLimitError, match="13 x 13"),
    ):
        metric(X)


def test_names_and_functions():
    assert type(as_metric("edit")).__name__ == "Edit"
    assert as_metric("cityblock").is_metric
    assert as_metric(lambda a, b: abs(a - b))([1.0, 3.0]).tolist() == [[0, 2], [2, 0]]
    metric = as_metric("dtw")
    assert as_metric(metric) is metric
    with pytest.raises(ValueError, match="not known"):
        as_metric("nonsense")
    with pytest.raises(ValueError, match="must be a name"):
        as_metric(3)
