"""Eigenmaps, locally linear embedding and stress, against scikit-learn and their definitions."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist
from sklearn.datasets import make_swiss_roll
from sklearn.manifold import MDS, SpectralEmbedding
from sklearn.manifold import LocallyLinearEmbedding as Peer

from mercer.kernels import Gaussian, Linear, Precomputed, Spectrum
from mercer.learners.spectral import (
    DisconnectedWarning,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    StressMDS,
)
from mercer.metrics import Edit

RNG = np.random.default_rng(0)
ROLL = make_swiss_roll(400, random_state=0)[0]
WORDS = ["".join(RNG.choice(list("ab" if i < 20 else "xy"), 6)) for i in range(40)]
BLOB = RNG.normal(size=(60, 3))


def same_space(one, other):
    """Columns span the same space."""
    q, r = (np.linalg.qr(part - part.mean(axis=0))[0] for part in (one, other))
    return np.linalg.svd(q.T @ r)[1].min() == pytest.approx(1.0, abs=1e-5)


# --- Laplacian eigenmaps -------------------------------------------------------------------------


def test_eigenmaps_solve_the_generalised_problem():
    """L y = λ D y, the smallest beside 0 (Belkin and Niyogi), on a graph of ones."""
    model = LaplacianEigenmaps(3, n_neighbors=9).fit(BLOB)
    D = cdist(BLOB, BLOB)
    near = np.zeros(D.shape, dtype=bool)
    np.put_along_axis(near, np.argsort(D, axis=1)[:, 1:10], True, axis=1)
    K = (near | near.T).astype(float)
    degree = np.diag(K.sum(axis=1))
    values, vectors = eigh(degree - K, degree)
    assert model.eigenvalues_ == pytest.approx(values[1:4], abs=1e-9)
    for ours, exact in zip(model.embedding_.T, vectors[:, 1:4].T, strict=True):
        assert abs(ours @ exact) / np.linalg.norm(exact) == pytest.approx(1.0)


def test_eigenmaps_of_scikit_learn():
    ours = LaplacianEigenmaps(2, affinity="nearest_neighbors", n_neighbors=12).fit(ROLL)
    peer = SpectralEmbedding(2, n_neighbors=12, random_state=0).fit_transform(ROLL)
    assert same_space(ours.embedding_, peer)
    peer = SpectralEmbedding(2, affinity="rbf", gamma=0.5, random_state=0).fit_transform(BLOB)
    others = np.exp(-0.5 * cdist(BLOB, BLOB) ** 2) - np.eye(60)  # where no row is like itself
    assert same_space(LaplacianEigenmaps(2, affinity="precomputed").fit(others).embedding_, peer)


def test_eigenmaps_of_anything_comparable():
    D = cdist(BLOB, BLOB)
    rows = LaplacianEigenmaps(2, affinity="rbf", gamma=0.5).fit(BLOB)
    given = LaplacianEigenmaps(2, affinity="rbf", gamma=0.5, metric="precomputed").fit(D)
    alike = LaplacianEigenmaps(2, affinity="precomputed").fit(np.exp(-0.5 * D**2))
    kernel = LaplacianEigenmaps(2, kernel=Gaussian(1.0)).fit(BLOB)
    new = RNG.normal(size=(5, 3))
    far = cdist(new, BLOB)
    for model, query in ((given, far), (alike, np.exp(-0.5 * far**2)), (kernel, new)):
        assert model.embedding_ == pytest.approx(rows.embedding_, abs=1e-8)
        assert model.transform(query) == pytest.approx(rows.transform(new), abs=1e-8)
    assert rows.transform(BLOB) == pytest.approx(rows.embedding_, abs=1e-8)
    with pytest.warns(DisconnectedWarning, match="closest pairs"):
        words = LaplacianEigenmaps(1, metric=Edit(), n_neighbors=5).fit(WORDS)
    side = words.embedding_[:, 0] > 0
    assert side[:20].all() != side[20:].all()
    with pytest.raises(ValueError, match="cannot be made wider"):
        LaplacianEigenmaps(1, kernel=Spectrum(1)).fit(WORDS)  # nothing in common between both


# --- locally linear embedding --------------------------------------------------------------------


def test_locally_linear_embedding_of_scikit_learn():
    ours = LocallyLinearEmbedding(n_neighbors=12).fit(ROLL)
    peer = Peer(n_neighbors=12, eigen_solver="dense").fit(ROLL)
    assert same_space(ours.embedding_, peer.embedding_)
    assert ours.reconstruction_error_ == pytest.approx(peer.reconstruction_error_, rel=1e-3)
    turn = np.linalg.lstsq(ours.embedding_, peer.embedding_)[0]
    new = ROLL[:7] + 0.01
    assert ours.transform(new) @ turn == pytest.approx(peer.transform(new), abs=1e-5)


@pytest.mark.parametrize(("k", "d"), [(12, 2), (5, 3)])  # fewer and more than columns
def test_several_weights_per_row_are_scikit_learns(k, d):
    options = {"n_neighbors": k, "n_components": d, "method": "modified"}
    ours = LocallyLinearEmbedding(**options).fit(ROLL)
    peer = Peer(**options, eigen_solver="dense").fit(ROLL)
    assert ours.embedding_ @ ours.embedding_.T == pytest.approx(
        peer.embedding_ @ peer.embedding_.T, abs=1e-8
    )
    assert ours.reconstruction_error_ == pytest.approx(peer.reconstruction_error_, rel=1e-6)


def test_tangent_spaces_are_aligned_as_zhang_and_zha_define_it():
    """Neighbourhoods hold the row itself; local coordinates by the singular vectors of the rows."""
    ours, n = LocallyLinearEmbedding(n_neighbors=12, method="ltsa").fit(ROLL), len(ROLL)
    M = np.zeros((n, n))
    for near in np.argsort(cdist(ROLL, ROLL), axis=1)[:, :13]:
        local = ROLL[near] - ROLL[near].mean(axis=0)
        basis = np.column_stack([np.full(13, 13**-0.5), np.linalg.svd(local)[0][:, :2]])
        M[np.ix_(near, near)] += np.eye(13) - basis @ basis.T
    values, vectors = np.linalg.eigh(M)
    assert ours.reconstruction_error_ == pytest.approx(values[1:3].sum(), rel=1e-6)
    assert same_space(ours.embedding_, vectors[:, 1:3])


def test_rows_that_are_nobodys_neighbor_do_not_take_a_coordinate():
    """Five far rows: nearest to none. Without themselves each would be free to go anywhere."""
    far = np.vstack([BLOB, 9.0 * np.eye(3), -9.0 * np.eye(3)[:2]])
    model = LocallyLinearEmbedding(n_neighbors=10, method="ltsa").fit(far)
    places = np.unique(np.round(model.embedding_, 6), axis=0)
    assert len(places) > 0.9 * len(far)


@pytest.mark.parametrize("method", ["modified", "ltsa", "hessian"])
def test_a_bent_sheet_comes_back_up_to_a_linear_map(method):
    """Length along the bend and height: what second derivatives cannot see."""
    angle, height = RNG.uniform(0, 2.5, 300), RNG.uniform(0, 2.0, 300)
    X = np.column_stack([np.sin(angle), height, np.cos(angle)])
    model = LocallyLinearEmbedding(n_neighbors=10, method=method).fit(X)
    known = np.column_stack([np.ones(300), model.embedding_])
    for wanted in (angle, height):
        off = wanted - known @ np.linalg.lstsq(known, wanted)[0]
        assert off.std() < 0.05 * wanted.std()


def test_local_inner_products_need_no_coordinates():
    rows = LocallyLinearEmbedding(n_neighbors=8).fit(BLOB)
    D, new = cdist(BLOB, BLOB), RNG.normal(size=(4, 3))
    given = LocallyLinearEmbedding(n_neighbors=8, metric="precomputed").fit(D)
    kernel = LocallyLinearEmbedding(n_neighbors=8, metric=Linear()).fit(BLOB)
    gram = LocallyLinearEmbedding(n_neighbors=8, metric=Precomputed()).fit(BLOB @ BLOB.T)
    for model in (given, kernel, gram):
        assert same_space(model.embedding_, rows.embedding_)
    assert given.transform(cdist(new, BLOB)) == pytest.approx(rows.transform(new), abs=1e-6)
    assert kernel.transform(new) == pytest.approx(rows.transform(new), abs=1e-6)
    with pytest.raises(ValueError, match="which a matrix of kernel values"):
        gram.transform(new @ BLOB.T)


def test_many_rows_by_inverse_iteration():
    X = make_swiss_roll(1300, random_state=1)[0]
    fast = LocallyLinearEmbedding(n_neighbors=10, random_state=0).fit(X)
    slow = LocallyLinearEmbedding(n_neighbors=10, eigen_solver="dense").fit(X)
    assert same_space(fast.embedding_, slow.embedding_)


def test_neighbourhoods_in_pieces():
    X = np.vstack([RNG.normal(size=(30, 2)), RNG.normal(size=(20, 2)) + 50])
    with pytest.warns(DisconnectedWarning, match="hang together by"):
        model = LocallyLinearEmbedding(n_neighbors=5).fit(X)
    assert model.n_neighbors_ >= 20
    with pytest.warns(DisconnectedWarning, match="largest"):
        part = LocallyLinearEmbedding(n_neighbors=5, disconnected="largest").fit(X)
    assert np.isnan(part.embedding_[30:]).all()
    assert same_space(
        part.embedding_[:30], LocallyLinearEmbedding(n_neighbors=5).fit(X[:30]).embedding_
    )
    with pytest.warns(DisconnectedWarning, match="wider kernels"):
        wide = LaplacianEigenmaps(2, affinity="kernel").fit(X)
    assert wide.eigenvalues_.min() > 1e-6
    assert wide.transform(X) == pytest.approx(wide.embedding_, abs=1e-8)
    for learner in (LocallyLinearEmbedding(), LaplacianEigenmaps(n_neighbors=5)):
        with pytest.raises(ValueError, match="2 components of 30, 20"):
            learner.set_params(disconnected="error").fit(X)


# --- stress --------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["metric", "nonmetric"])
def test_stress_of_scikit_learn(form):
    X = RNG.normal(size=(40, 5))
    start = RNG.normal(size=(40, 2))
    peer = MDS(2, metric_mds=form == "metric", init="random", n_init=1, eps=1e-9, max_iter=40)
    peer.set_params(normalized_stress=False).fit_transform(X, init=start.copy())
    ours = StressMDS(2, form=form, init=start, tol=1e-9, max_iter=40).fit(X)
    assert ours.stress_ == pytest.approx(peer.stress_, rel=1e-6)
    assert ours.embedding_ == pytest.approx(peer.embedding_, abs=1e-5)


@pytest.mark.parametrize("form", ["metric", "nonmetric", "sammon"])
def test_stress_never_rises_and_plane_points_come_back(form):
    X = RNG.normal(size=(30, 2))
    model = StressMDS(2, form=form, init="random", n_init=3, max_iter=2000, tol=1e-12).fit(X)
    if form != "nonmetric":  # whose disparities change too
        assert np.diff(model.stress_history_).max() <= 1e-12
    assert procrustes(X, model.embedding_)[2] < 1e-3
    placed = model.transform(X[:5])
    assert placed == pytest.approx(model.embedding_[:5], abs=0.05)


def test_sammon_minimises_its_sum():
    """The gradient of Σ(d − |p − q|)²/d vanishes where it stops."""
    D = cdist(BLOB, BLOB)
    points = StressMDS(2, form="sammon", metric="precomputed", max_iter=5000, tol=1e-13).fit(D)
    P = points.embedding_
    found = cdist(P, P) + np.eye(len(P))
    pull = (1.0 - D / found) / (D + np.eye(len(P)))
    np.fill_diagonal(pull, 0.0)
    gradient = pull.sum(axis=1)[:, None] * P - pull @ P
    assert np.abs(gradient).max() < 1e-3
    plain = StressMDS(2, metric="precomputed").fit(D).embedding_
    upper = np.triu_indices(len(D), 1)
    sums = [np.sum((D[upper] - cdist(E, E)[upper]) ** 2 / D[upper]) for E in (P, plain)]
    assert sums[0] < sums[1]
    assert points.stress_ == pytest.approx(sums[0] / D[upper].sum())
    words = StressMDS(2, metric=Edit()).fit(WORDS)
    assert words.normalized_stress_ < 0.5
