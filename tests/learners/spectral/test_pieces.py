"""Graphs that fall apart: one policy for every learner, and no map that hides it."""

import warnings

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_iris, make_moons
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from mercer.kernels import Gaussian
from mercer.learners.spectral import (
    DiffusionMap,
    DisconnectedWarning,
    Isomap,
    LandmarkDiffusionMap,
    bridge_components,
    connectivity,
    neighbor_graph,
)

BREAST = StandardScaler().fit_transform(load_breast_cancer().data)
IRIS = load_iris().data
MOONS = make_moons(300, noise=0.05, random_state=0)[0]
TWO = np.vstack(
    [np.random.default_rng(1).random((30, 2)), np.random.default_rng(2).random((20, 2)) + 9]
)


def places(embedding):
    """How many points are told apart when a thousandth of the range is not."""
    return len(np.unique(np.round(embedding / np.abs(embedding).max(axis=0), 3), axis=0))


@pytest.mark.parametrize("settings", [{}, {"n_neighbors": 10}, {"cutoff": 100.0}])
@pytest.mark.parametrize(
    ("X", "least"), [(BREAST, 200), (IRIS, 75), (MOONS, 100)], ids=["breast", "iris", "moons"]
)
def test_no_map_puts_most_rows_on_one_point_in_silence(X, least, settings):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = DiffusionMap(2, **settings).fit(X)
    assert [w.category for w in said] == [DisconnectedWarning]
    assert said[0].filename == __file__
    assert f"{model.connectivity_.components} components" in str(said[0].message)
    assert connectivity(model.kernel_matrix_).connected
    assert model.eigenvalues_.max() < 1.0 - 1e-7
    assert places(model.embedding_) > least


def test_the_map_of_the_audit_is_of_use():
    with pytest.warns(DisconnectedWarning, match=r"21 components of 549, 1, 1, 1, 1, … points"):
        model = DiffusionMap(2).fit(BREAST)
    scaled = model.embedding_ / model.embedding_.std(axis=0)
    votes = cross_val_score(KNeighborsClassifier(5), scaled, load_breast_cancer().target)
    assert votes.mean() > 0.88
    with pytest.warns(DisconnectedWarning):
        few = LandmarkDiffusionMap(2, n_landmarks=250, random_state=0).fit(BREAST)
    assert few.eigenvalues_.max() < 1.0 - 1e-7
    assert places(few.embedding_[np.isfinite(few.embedding_).all(axis=1)]) > 200


def test_a_given_width_is_raised_as_far_as_needed():
    with pytest.warns(DisconnectedWarning, match="a length scale of"):
        model = DiffusionMap(2, length_scale=0.07).fit(MOONS)
    longest = float(minimum_spanning_tree(cdist(MOONS, MOONS)).data.max())
    assert 2 * model.length_scale_**2 == pytest.approx(longest**2 / 3.0)
    assert "raised from 0.0098" in model.bandwidth_.reason
    assert model.transform(MOONS) == pytest.approx(model.embedding_, abs=1e-6)


def test_the_other_policies():
    with pytest.warns(DisconnectedWarning, match="largest is embedded"):
        model = DiffusionMap(2, length_scale=0.16, disconnected="largest").fit(TWO)
    alone = DiffusionMap(2, length_scale=0.16).fit(TWO[:30])
    assert model.embedding_[:30] == pytest.approx(alone.embedding_, abs=1e-8)
    assert np.isnan(model.embedding_[30:]).all()
    assert model.transform(TWO[:5]) == pytest.approx(alone.transform(TWO[:5]), abs=1e-8)
    given = DiffusionMap(2, length_scale=0.16, metric="precomputed", disconnected="largest")
    with pytest.warns(DisconnectedWarning):
        given.fit(cdist(TWO, TWO))
    assert given.embedding_ == pytest.approx(model.embedding_, abs=1e-8, nan_ok=True)
    assert given.transform(cdist(TWO[:5], TWO)) == pytest.approx(model.transform(TWO[:5]))
    for learner in (
        DiffusionMap(2, length_scale=0.16),
        LandmarkDiffusionMap(2, length_scale=0.16),
        Isomap(2),
    ):
        with pytest.raises(ValueError, match="2 components of 30, 20 points"):
            learner.set_params(disconnected="error").fit(TWO)
    with pytest.raises(ValueError, match="cannot be made wider"):
        DiffusionMap(2, kernel="precomputed").fit(
            np.exp(-(cdist(TWO, TWO) ** 2) * 50) * (cdist(TWO, TWO) < 3)
        )


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", Gaussian(3.0), "precomputed"])
def test_bridges_are_a_minimum_spanning_tree_of_the_pieces(metric):
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(size=(k, 2)) + 20 * rng.normal(size=2) for k in (40, 9, 1, 1, 5, 2)])
    D = {"cityblock": cdist(X, X, "cityblock"), "euclidean": cdist(X, X)}.get(metric, cdist(X, X))
    if isinstance(metric, Gaussian):
        D = metric.distance(X)
    rows = D if metric == "precomputed" else X
    graph = neighbor_graph(rows, "radius", radius=float(np.quantile(D, 0.02)), metric=metric)
    found = connectivity(graph)
    assert found.components > 5
    joint = bridge_components(graph, rows, metric=metric)
    assert connectivity(joint).connected
    added = joint.nnz - graph.nnz
    assert added == 2 * (found.components - 1)
    between = np.full((found.components, found.components), np.inf)
    np.minimum.at(between, (found.labels[:, None], found.labels[None]), D)
    np.fill_diagonal(between, 0.0)
    shortest = minimum_spanning_tree(between).sum()
    assert (joint.sum() - graph.sum()) / 2 == pytest.approx(shortest)
