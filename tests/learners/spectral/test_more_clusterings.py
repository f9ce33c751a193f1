"""Linkage and mixtures as estimators, teleporting centres: against other code and brute force."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from mercer.kernels import Gaussian, Spectrum
from mercer.learners.spectral import (
    Agglomerative,
    DisconnectedWarning,
    KernelKMeans,
    KMeans,
    MixtureClustering,
    SpectralClustering,
)
from mercer.metrics import Edit

RNG = np.random.default_rng(0)
X, GROUP = make_blobs(90, centers=3, cluster_std=1.2, random_state=3)
WORDS = ["".join(RNG.choice(list("ab" if i < 15 else "xy"), 5)) for i in range(30)]
HALF = np.repeat([0, 1], 15)


@pytest.mark.parametrize("linkage", ["single", "complete", "average", "ward"])
def test_merges_of_scikit_learn(linkage):
    ours = Agglomerative(4, linkage=linkage).fit(X)
    peer = AgglomerativeClustering(4, linkage=linkage, compute_distances=True).fit(X)
    assert adjusted_rand_score(ours.labels_, peer.labels_) == 1.0
    assert np.sort(ours.distances_) == pytest.approx(np.sort(peer.distances_))
    given = Agglomerative(4, linkage=linkage, metric="precomputed").fit(cdist(X, X))
    assert np.array_equal(given.labels_, ours.labels_)
    new = RNG.normal(size=(6, 2)) * 5
    assert np.array_equal(given.predict(cdist(new, X)), ours.predict(new))
    cut = Agglomerative(None, linkage=linkage, distance_threshold=ours.distances_[-4] + 1e-9)
    assert cut.fit(X).n_clusters_ == 4


@pytest.mark.parametrize("linkage", ["single", "complete", "average", "ward"])
def test_a_new_row_joins_the_cluster_that_it_would_merge_with(linkage):
    model = Agglomerative(3, linkage=linkage).fit(X)
    groups = [X[model.labels_ == c] for c in range(3)]

    def far(x, rows):
        D = np.linalg.norm(rows - x, axis=1)
        if linkage == "ward":
            return len(rows) / (len(rows) + 1) * np.sum((rows.mean(axis=0) - x) ** 2)
        return {"single": D.min(), "complete": D.max(), "average": D.mean()}[linkage]

    new = RNG.normal(size=(20, 2)) * 6
    expected = [np.argmin([far(x, rows) for rows in groups]) for x in new]
    assert model.predict(new).tolist() == expected


@pytest.mark.parametrize("shape", ["full", "tied", "diag", "spherical"])
def test_mixtures_of_scikit_learn(shape):
    rows = load_iris().data
    ours = MixtureClustering(3, covariance_type=shape, tol=1e-6, max_iter=500, n_init=5)
    ours.set_params(random_state=0).fit(rows)
    peer = GaussianMixture(3, covariance_type=shape, tol=1e-6, max_iter=500, n_init=5)
    peer.set_params(random_state=0).fit(rows)
    assert ours.score(rows) == pytest.approx(peer.score(rows), abs=2e-3)
    assert ours.bic(rows) == pytest.approx(peer.bic(rows), rel=1e-3)
    assert adjusted_rand_score(ours.labels_, peer.predict(rows)) > 0.98
    assert np.diff(ours.log_likelihood_history_).min() > -1e-9
    assert ours.predict_proba(rows).sum(axis=1) == pytest.approx(1.0)
    assert np.array_equal(ours.predict(rows), ours.labels_)


def test_a_weight_is_so_many_copies_in_a_mixture():
    weight = RNG.integers(0, 4, len(X))
    settings = {"n_init": 4, "tol": 1e-9, "max_iter": 1000, "random_state": 0}
    weighted = MixtureClustering(3, **settings).fit(X, sample_weight=weight)
    copied = MixtureClustering(3, **settings).fit(np.repeat(X, weight, axis=0))
    assert weighted.log_likelihood_ == pytest.approx(copied.log_likelihood_)
    assert np.sort(weighted.weights_) == pytest.approx(np.sort(copied.weights_), abs=1e-4)
    with pytest.raises(ValueError, match="collapsed"):
        MixtureClustering(2, reg_param=0.0).fit(np.ones((6, 2)))


def test_teleporting_leaves_a_bad_minimum():
    """Two centres in one far group, one between two others: Lloyd's steps never leave it."""
    rows = np.vstack([RNG.normal(size=(40, 2)) + c for c in ([0, 0], [12, 0], [200, 0])])
    start = np.array([[6.0, 0.0], [199.0, 0.0], [201.0, 0.0]])
    stuck = KMeans(3, init=start).fit(rows)
    free = KMeans(3, init=start, teleport=True).fit(rows)
    best = KMeans(3, n_init=20, random_state=0).fit(rows)
    assert stuck.inertia_ > 5 * best.inertia_
    assert free.inertia_ == pytest.approx(best.inertia_)
    assert len(free.inertia_history_) > len(stuck.inertia_history_)
    for seed in range(5):  # never worse than without
        plain = KMeans(8, init="random", n_init=1, random_state=seed).fit(X)
        moved = KMeans(8, init="random", n_init=1, random_state=seed, teleport=True).fit(X)
        assert moved.inertia_ <= plain.inertia_ + 1e-9


def test_strings_are_clustered_through_every_door():
    D, K = Edit()(WORDS), Spectrum(1)(WORDS)
    for model, rows in (
        (Agglomerative(2, metric=Edit()), WORDS),
        (Agglomerative(2, metric=Spectrum(1)), WORDS),
        (Agglomerative(2, metric="precomputed"), D),
        (SpectralClustering(2, affinity="kernel", metric=Edit()), WORDS),
        (SpectralClustering(2, affinity="kernel", metric="precomputed"), D),
        (SpectralClustering(2, affinity="knn", metric=Edit()), WORDS),
        (SpectralClustering(2, kernel=Spectrum(1)), WORDS),
        (SpectralClustering(2, affinity="precomputed"), K),
        (KernelKMeans(2, kernel=Spectrum(1)), WORDS),
        (KernelKMeans(2, kernel="precomputed"), K),
    ):
        labels = model.fit(rows).labels_
        assert adjusted_rand_score(labels, HALF) == 1.0, model
        assert np.array_equal(model.predict(rows), labels), model


def test_similarities_of_a_distance_are_those_of_the_kernel():
    moons = make_moons(120, noise=0.05, random_state=0)[0]
    D = cdist(moons, moons)
    plain = SpectralClustering(2, gamma=20.0).fit(moons)
    given = SpectralClustering(2, gamma=20.0, metric="precomputed").fit(D)
    kernel = SpectralClustering(2, kernel=Gaussian(np.sqrt(0.5 / 20.0))).fit(moons)
    for other in (given, kernel):
        assert other.similarities_ == pytest.approx(plain.similarities_)
    assert np.array_equal(given.predict(D), plain.predict(moons))
    report = given.trust(subsamples=3, noise=2)
    assert report.verdict in ("trust", "caution", "do not trust")


def test_more_pieces_than_clusters_are_told():
    rows = np.vstack([RNG.normal(size=(15, 2)) + c for c in ([0, 0], [40, 0], [0, 40])])
    settings = {"affinity": "knn", "n_neighbors": 5}
    with pytest.warns(DisconnectedWarning, match="3 components of 15, 15, 15 points"):
        SpectralClustering(2, **settings).fit(rows)
    with pytest.warns(DisconnectedWarning, match="are connected"):
        joint = SpectralClustering(2, disconnected="connect", **settings).fit(rows)
    assert joint.connectivity_.components == 3
    assert joint.eigenvalues_[1] > 1e-6
    with pytest.raises(ValueError, match="3 components"):
        SpectralClustering(2, disconnected="error", **settings).fit(rows)
    three = SpectralClustering(3, **settings).fit(rows)  # pieces are clusters
    assert adjusted_rand_score(three.labels_, np.repeat([0, 1, 2], 15)) == 1.0
