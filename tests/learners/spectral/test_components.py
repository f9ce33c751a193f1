"""PCA, kernel PCA, MDS, Isomap against algebra, scikit-learn and brute force."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist
from sklearn import decomposition
from sklearn.datasets import load_iris, make_swiss_roll

from mercer.kernels import Gaussian, Polynomial
from mercer.learners.spectral import (
    PCA,
    ClassicalMDS,
    DisconnectedWarning,
    Isomap,
    KernelPCA,
    KMeans,
    bridge_components,
    connectivity,
    density_lengths,
    neighbor_graph,
    shortest_paths,
)
from mercer.metrics import Edit

RNG = np.random.default_rng(0)
IRIS = load_iris().data


# --- PCA -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("route", ["full", "covariance_eigh", "gram", "arpack", "randomized"])
@pytest.mark.parametrize("shape", [(60, 8), (12, 30)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_every_route_agrees_with_scikit_learn(route, shape, form):
    X = RNG.standard_normal(shape) * np.arange(1, shape[1] + 1)
    ours = PCA(3, svd_solver=route, random_state=0).fit(form(X))
    theirs = decomposition.PCA(3, svd_solver="full").fit(X)
    assert ours.explained_variance_ == pytest.approx(theirs.explained_variance_)
    assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_)
    assert ours.score(X) == pytest.approx(theirs.score(X))
    assert ours.get_covariance() == pytest.approx(theirs.get_covariance())
    assert ours.explained_variance_ratio_ == pytest.approx(theirs.explained_variance_ratio_)
    assert np.abs(np.sum(ours.components_ * theirs.components_, axis=1)) == pytest.approx(1.0)
    assert np.abs(ours.transform(form(X))) == pytest.approx(np.abs(theirs.transform(X)), abs=1e-8)


def test_published_eigenvalues_of_iris():
    model = PCA().fit(IRIS)
    published = model.explained_variance_ * 149 / 150  # over n, where scikit-learn has n − 1
    assert published == pytest.approx([4.2001, 0.2411, 0.0777, 0.0237], abs=5e-5)
    assert model.explained_variance_ratio_ == pytest.approx([0.925, 0.053, 0.017, 0.005], abs=6e-4)
    assert PCA(0.95).fit(IRIS).n_components_ == 2


def test_no_other_projection_is_better():
    """Theorem 20: the error is n − 1 times the variance left out; no other of rank 2 is less."""
    model = PCA(2).fit(IRIS)
    left_out = PCA().fit(IRIS).explained_variance_[2:].sum() * (len(IRIS) - 1)
    assert model.reconstruction_error(IRIS) == pytest.approx(left_out)
    centred = IRIS - IRIS.mean(axis=0)
    for seed in range(50):
        A = np.random.default_rng(seed).standard_normal((4, 2))
        decode = np.linalg.lstsq(centred @ A, centred, rcond=None)[0]
        assert np.sum((centred - centred @ A @ decode) ** 2) >= left_out - 1e-9
    scores = model.transform(IRIS)
    assert np.cov(scores.T)[0, 1] == pytest.approx(0.0, abs=1e-10)
    white = PCA(2, whiten=True).fit(IRIS)
    assert white.transform(IRIS).std(axis=0, ddof=1) == pytest.approx(1.0)
    assert white.inverse_transform(white.transform(IRIS)) == pytest.approx(
        model.inverse_transform(scores)
    )


def test_bad_requests():
    for bad in (0, 5, 1.5, True):
        with pytest.raises(ValueError, match="n_components"):
            PCA(bad).fit(IRIS)
    with pytest.raises(ValueError, match="svd_solver"):
        PCA(svd_solver="magic").fit(IRIS)
    constant = PCA(2, svd_solver="gram").fit(np.ones((5, 7)))
    assert constant.explained_variance_ == pytest.approx(0.0)
    assert constant.components_ @ constant.components_.T == pytest.approx(np.eye(2))


# --- kernel PCA ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [Gaussian(1.5), Polynomial(2, coef0=1.0)])
def test_kernel_pca_agrees_with_scikit_learn(kernel):
    X, new = RNG.standard_normal((80, 3)), RNG.standard_normal((7, 3))
    ours = KernelPCA(4, kernel=kernel).fit(X)
    theirs = decomposition.KernelPCA(4, kernel="precomputed").fit(kernel(X))
    assert ours.eigenvalues_ == pytest.approx(theirs.eigenvalues_)
    assert np.abs(ours.transform(new)) == pytest.approx(
        np.abs(theirs.transform(kernel(new, X))), abs=1e-8
    )
    assert ours.transform(X) == pytest.approx(ours.fit_transform(X), abs=1e-8)


def test_linear_kernel_pca_is_pca():
    ours = KernelPCA(2).fit_transform(IRIS)
    assert np.abs(ours) == pytest.approx(np.abs(PCA(2).fit_transform(IRIS)), abs=1e-8)
    plain = KernelPCA(2, center=False).fit(IRIS)
    assert plain.eigenvalues_ == pytest.approx(np.linalg.svd(IRIS)[1][:2] ** 2)


def test_empirical_mercer_map():
    """All components together give the centred kernel matrix back."""
    X = RNG.standard_normal((30, 2))
    scores = KernelPCA(kernel=Gaussian(1.0)).fit_transform(X)
    H = np.eye(30) - 1 / 30
    assert scores @ scores.T == pytest.approx(H @ Gaussian(1.0)(X) @ H, abs=1e-8)


def test_projection_error_and_pre_images():
    angle = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    model = KernelPCA(6, kernel=Gaussian(0.7)).fit(circle)
    assert model.reconstruction_error(circle).max() < 0.02
    assert model.reconstruction_error([[0.0, 0.0]])[0] > 0.1
    noisy = circle[::10] * 1.25
    back = model.inverse_transform(model.transform(noisy))
    assert np.abs(np.linalg.norm(back, axis=1) - 1).max() < 0.05
    poly = KernelPCA(5, kernel=Polynomial(2, coef0=1.0)).fit(circle)
    assert poly.inverse_transform(poly.transform(circle)) == pytest.approx(circle, abs=0.05)
    given = KernelPCA(2, kernel="precomputed").fit(Gaussian(1.0)(circle))
    with pytest.raises(ValueError, match="pre-images"):
        given.inverse_transform(np.zeros((1, 2)))


def test_iterative_and_dense_routes_agree():
    X = RNG.standard_normal((700, 4))
    few = KernelPCA(3, kernel=Gaussian(2.0)).fit(X)
    K = Gaussian(2.0)(X)
    H = np.eye(700) - 1 / 700
    assert few.eigenvalues_ == pytest.approx(np.linalg.eigvalsh(H @ K @ H)[::-1][:3], rel=1e-8)


# --- graphs and paths ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["knn", "mutual", "radius"])
def test_graphs_against_the_definition(kind):
    X = RNG.standard_normal((40, 2))
    d = cdist(X, X)
    order = np.argsort(d + 1e9 * np.eye(40), axis=1)[:, :4]
    near = np.zeros((40, 40), dtype=bool)
    np.put_along_axis(near, order, True, axis=1)
    expected = {"knn": near | near.T, "mutual": near & near.T, "radius": (d <= 0.8) & (d > 0)}
    graph = neighbor_graph(X, kind, n_neighbors=4, radius=0.8)
    assert np.array_equal(graph.toarray() > 0, expected[kind])
    assert graph.toarray() == pytest.approx(np.where(expected[kind], d, 0.0))
    unit = neighbor_graph(X, kind, n_neighbors=4, radius=0.8, weights="unit")
    assert set(unit.data) == {1.0}


def test_coinciding_points_are_neighbours():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    graph = neighbor_graph(X, "knn", n_neighbors=1)
    assert connectivity(graph).components == 2
    assert graph[0, 1] > 0


def test_disconnected_graphs_are_diagnosed_and_bridged():
    X = np.array([[0.0], [1.0], [10.0], [11.0], [30.0]])
    graph = neighbor_graph(X, "radius", radius=2.0)
    found = connectivity(graph)
    assert (found.components, found.sizes.tolist(), found.isolated.tolist()) == (3, [2, 2, 1], [4])
    assert "3 components" in found.advice()
    joined = bridge_components(graph, X)
    assert connectivity(joined).connected
    assert joined[3, 4] == 19.0
    assert joined[1, 2] == 9.0


def test_paths_agree_with_scipy():
    X = RNG.standard_normal((200, 3))
    graph = neighbor_graph(X, n_neighbors=5)
    assert shortest_paths(graph) == pytest.approx(dijkstra(graph, directed=False))
    some = shortest_paths(graph, [3, 199])
    assert some == pytest.approx(dijkstra(graph, directed=False, indices=[3, 199]))
    apart = neighbor_graph(np.array([[0.0], [1.0], [50.0], [51.0]]), n_neighbors=1)
    assert np.isinf(shortest_paths(apart)[0, 2])
    with pytest.raises(ValueError, match="negative length"):
        shortest_paths(-graph)
    with pytest.raises(ValueError, match="square"):
        shortest_paths(graph[:5])


def test_geodesics_under_a_density():
    """Crossing a dense middle costs more once the density is charged."""
    x = np.linspace(0, 1, 101)[:, None]
    graph = neighbor_graph(x, n_neighbors=2)
    density = np.where(np.abs(x.ravel() - 0.5) < 0.2, 4.0, 1.0)
    plain = shortest_paths(density_lengths(graph, density, 0.0), [0])[0, -1]
    charged = shortest_paths(density_lengths(graph, density, 1.0), [0])[0, -1]
    assert plain == pytest.approx(1.0)
    assert charged == pytest.approx(0.6 + 4 * 0.4, abs=0.05)


# --- MDS and Isomap ------------------------------------------------------------------------------


def test_classical_mds_recovers_a_configuration():
    X = RNG.standard_normal((25, 2))
    model = ClassicalMDS(2).fit(X)
    assert procrustes(X, model.embedding_)[2] == pytest.approx(0.0, abs=1e-12)
    assert "are Euclidean" in model.euclidean_report()
    given = ClassicalMDS(2, metric="precomputed").fit(cdist(X, X))
    assert cdist(given.embedding_, given.embedding_) == pytest.approx(cdist(X, X))
    new = RNG.standard_normal((4, 2))
    placed = given.transform(cdist(new, X))
    assert cdist(placed, given.embedding_) == pytest.approx(cdist(new, X), abs=1e-8)


def test_distances_that_are_not_euclidean_are_reported():
    D = np.ones((4, 4)) - np.eye(4)
    D[0, 1] = D[1, 0] = 1.95
    model = ClassicalMDS(2, metric="precomputed").fit(D)
    assert model.negative_ < -0.01
    assert "not Euclidean" in model.euclidean_report()
    refined = ClassicalMDS(2, metric="precomputed", refine=True).fit(D)
    assert refined.stress_ < model.stress_
    with pytest.raises(ValueError, match="new rows cannot be placed"):
        refined.transform(D)
    D[2, 3] = 5.0
    with pytest.raises(ValueError, match="not symmetric"):
        ClassicalMDS(2, metric="precomputed").fit(D)


def test_isomap_unrolls_and_places_new_points():
    X, position = make_swiss_roll(900, random_state=0)
    model = Isomap(2, n_neighbors=10).fit(X)
    r = np.corrcoef(model.embedding_[:, 0], position)[0, 1]
    assert abs(r) > 0.97
    assert model.residual_variance_ < 0.03
    assert model.transform(X[:20]) == pytest.approx(model.embedding_[:20], abs=1e-6)
    few = Isomap(2, n_neighbors=10, n_landmarks=80).fit(X)
    assert procrustes(few.embedding_, model.embedding_)[2] < 0.01


def test_isomap_on_a_flat_sheet_and_hop_counts():
    X = RNG.random((250, 2))
    flat = Isomap(2, n_neighbors=12).fit(X)
    assert procrustes(X, flat.embedding_)[2] < 0.02
    hops = Isomap(2, n_neighbors=12, weights="unit").fit(X)
    assert np.isfinite(hops.embedding_).all()


def test_isomap_in_pieces():
    rng = np.random.default_rng(5)
    X = np.vstack([rng.random((30, 2)), rng.random((20, 2)) + 10])
    with pytest.warns(DisconnectedWarning, match="components"):
        bridged = Isomap(2, n_neighbors=6).fit(X)
    assert np.isfinite(bridged.embedding_).all()
    with pytest.warns(DisconnectedWarning):
        largest = Isomap(2, n_neighbors=6, disconnected="largest").fit(X)
    assert np.isnan(largest.embedding_[30:]).all()
    with pytest.raises(ValueError, match="components"):
        Isomap(2, n_neighbors=6, disconnected="error").fit(X)


@pytest.mark.parametrize("learner", [PCA, KernelPCA, ClassicalMDS, Isomap])
@pytest.mark.parametrize(
    "settings", [{"n_components": "nonsense"}, {"n_components": -3}, {"random_state": -3}]
)
def test_bad_settings_are_named(learner, settings):
    if learner is PCA and "random_state" in settings:
        settings = settings | {"svd_solver": "arpack", "n_components": 1}
    with pytest.raises(ValueError, match=next(iter(settings))):
        learner(**settings).fit(IRIS[50:])  # connected neighbours


def test_generators_are_taken_as_seeds():
    for state in (None, np.random.RandomState(3), np.random.default_rng(3)):
        assert KMeans(3, n_init=1, random_state=state).fit(IRIS).labels_.max() == 2


def test_rows_may_be_sparse_or_dense_whatever_was_fitted():
    rows = np.maximum(IRIS - 2.0, 0.0)
    dense, thin = PCA(2).fit(rows), PCA(2).fit(sparse.csr_array(rows))
    for model in (dense, thin):
        assert_allclose(model.transform(sparse.csr_array(rows)), model.transform(rows), atol=1e-9)


def test_objects_are_placed_by_their_distances():
    words = ["abc", "abd", "xyz", "xyy", "xyyz"]
    model = ClassicalMDS(2, metric=Edit()).fit(words)
    given = ClassicalMDS(2, metric="precomputed").fit(Edit()(words))
    assert_allclose(model.embedding_, given.embedding_)
    assert_allclose(model.transform(words[:2]), given.transform(Edit()(words[:2], words)))


@pytest.mark.parametrize("learner", [PCA(2), ClassicalMDS(2), KernelPCA(2)])
def test_numbers_whose_squares_overflow_are_refused(learner):
    with pytest.raises(ValueError, match="overflow"):
        learner.fit(IRIS * 1e200)


def test_arguments_changed_after_fit_change_no_score():
    model = PCA(2, whiten=True).fit(IRIS)
    scores = model.transform(IRIS)
    assert_array_equal(model.set_params(whiten=False).transform(IRIS), scores)
    model = KernelPCA(2, kernel=Gaussian(1.0)).fit(IRIS)
    scores = model.transform(IRIS)
    assert_array_equal(model.set_params(center=False, kernel="linear").transform(IRIS), scores)


def test_variances_of_random_products_are_those_of_the_scores():
    X = np.random.default_rng(0).standard_normal((100, 80))  # no gap: the directions are rough
    model = PCA(2, svd_solver="randomized", iterated_power=1, random_state=0)
    scores = model.fit_transform(X)
    np.testing.assert_allclose(model.explained_variance_, scores.var(axis=0, ddof=1), rtol=1e-10)
    exact = PCA(2, svd_solver="full").fit(X).explained_variance_
    assert model.explained_variance_[0] < exact[0]
