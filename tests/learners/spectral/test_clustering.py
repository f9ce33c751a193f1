"""k-means and relatives, Laplacians and spectral clustering, against brute force and algebra."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from mercer.kernels import Gaussian, Linear, Spectrum
from mercer.learners.spectral import (
    DiffusionMap,
    DisconnectedWarning,
    EmptyClusterError,
    KCenters,
    KernelKMeans,
    KMeans,
    LandmarkSpectralClustering,
    SpectralClustering,
    block_norms,
    cluster_table,
    perturbation,
    quantize_density,
    seeding_factor,
)
from mercer.learners.spectral._blocks import largest_eigenvalue_bound, leaving
from mercer.learners.spectral._seeding import seed_rows
from mercer.learners.spectral.laplacians import (
    convert_vectors,
    degree_radius,
    degrees,
    eigenpairs,
    extend,
    laplacian,
)
from mercer.metrics import Edit

RNG = np.random.default_rng(0)
IRIS = load_iris()


# --- k-means -------------------------------------------------------------------------------------


def test_published_clustering_of_iris():
    model = KMeans(3, n_init=10).fit(IRIS.data)
    assert model.inertia_ == pytest.approx(78.85, abs=0.01)
    assert sorted(np.bincount(model.labels_)) == [38, 50, 62]
    table = cluster_table(model.labels_, IRIS.target)[2]
    assert table.sum() == 150
    assert table.max(axis=1).sum() == 134


def test_energy_never_rises_and_labels_are_nearest():
    X = RNG.standard_normal((200, 3))
    model = KMeans(7, init="random", n_init=3).fit(X)
    assert np.all(np.diff(model.inertia_history_) <= 1e-9)
    assert np.array_equal(cdist(X, model.cluster_centers_).argmin(axis=1), model.labels_)
    assert -model.score(X) == pytest.approx(model.inertia_)
    weighted = KMeans(2, init=X[:2]).fit(X, sample_weight=np.r_[np.full(100, 5.0), np.ones(100)])
    repeated = KMeans(2, init=X[:2]).fit(np.vstack([np.repeat(X[:100], 5, axis=0), X[100:]]))
    assert weighted.cluster_centers_ == pytest.approx(repeated.cluster_centers_)


def brute_force_energy(X, k):
    best = np.inf
    for labels in product(range(k), repeat=len(X)):
        groups = [X[np.array(labels) == c] for c in range(k)]
        best = min(best, sum(((g - g.mean(axis=0)) ** 2).sum() for g in groups if len(g)))
    return best


def test_careful_seeding_keeps_its_promise():
    X = RNG.standard_normal((8, 2))
    optimum = brute_force_energy(X, 3)
    seeded = []
    for seed in range(60):
        rows = seed_rows(X, 3, "k-means++", np.random.default_rng(seed))
        seeded.append(cdist(X, X[rows], "sqeuclidean").min(axis=1).sum())
    assert np.mean(seeded) <= seeding_factor(3) * optimum
    assert KMeans(3, n_init=20).fit(X).inertia_ == pytest.approx(optimum)
    assert seeding_factor(3) == pytest.approx(24.789, abs=1e-3)
    assert seeding_factor(5) == pytest.approx(28.876, abs=1e-3)


def test_far_points_are_likelier_to_be_seeds():
    X = np.r_[np.zeros(9), 10.0][:, None]
    hits = [9 in seed_rows(X, 2, "k-means++", np.random.default_rng(s)) for s in range(40)]
    assert all(hits)
    assert seed_rows(X, 2, "farthest", np.random.default_rng(0))[1] in (9, 0)
    with pytest.raises(ValueError, match="init"):
        KMeans(2, init="best").fit(X)


def test_empty_clusters():
    X = np.array([[0.0], [0.1], [5.0], [5.1]])
    lonely = np.array([[0.0], [5.0], [100.0]])
    assert len(np.unique(KMeans(3, init=lonely).fit(X).labels_)) == 3
    assert len(KMeans(3, init=lonely, empty="drop").fit(X).cluster_centers_) == 2
    with pytest.raises(EmptyClusterError, match="1 clusters have no rows"):
        KMeans(3, init=lonely, empty="error").fit(X)
    with pytest.raises(ValueError, match="'empty' parameter"):
        KMeans(2, empty="ignore").fit(X)
    with pytest.raises(ValueError, match="n_clusters=9"):
        KMeans(9).fit(X)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\)"):
        assert KMeans(4).fit(np.ones((6, 2))).inertia_ == 0.0
    with pytest.warns(RuntimeWarning, match="only one init"):
        KMeans(3, init=lonely, n_init=5).fit(X)


def test_kernel_k_means():
    linear = KernelKMeans(3, kernel=Linear(), n_init=20).fit(IRIS.data)
    assert linear.inertia_ == pytest.approx(78.85, abs=0.01)
    assert np.all(np.diff(linear.inertia_history_) <= 1e-8)
    assert np.array_equal(linear.predict(IRIS.data), linear.labels_)
    given = KernelKMeans(3, kernel="precomputed", n_init=20).fit(IRIS.data @ IRIS.data.T)
    assert given.inertia_ == pytest.approx(linear.inertia_)


def test_k_centres_are_within_a_factor_of_two():
    X = RNG.standard_normal((14, 2))
    d = cdist(X, X)
    best = min(d[list(c)].min(axis=0).max() for c in product(range(14), repeat=3))
    for seed in range(10):
        model = KCenters(3, random_state=seed).fit(X)
        assert best - 1e-12 <= model.radius_ <= 2 * best + 1e-12
    given = KCenters(3, metric="precomputed", random_state=0).fit(d)
    assert given.radius_ == pytest.approx(KCenters(3, random_state=0).fit(X).radius_)
    assert np.array_equal(given.predict(d), given.labels_)


def test_quantising_a_density():
    found = quantize_density(np.ones((60, 60)), 24)
    assert np.all(np.diff(found.energy) <= 1e-12)
    hexagonal = 5 / (36 * np.sqrt(3)) * 2 / 24  # second moment of hexagons of area 1/24, two axes
    assert found.energy[-1] == pytest.approx(hexagonal, rel=0.15)
    ramp = np.linspace(0, 1, 50)[:, None] * np.ones((50, 50))
    assert np.mean(quantize_density(ramp, 30).centres[:, 0]) > 0.55
    with pytest.raises(ValueError, match="non-negative"):
        quantize_density(-np.ones((3, 3)), 2)


# --- Laplacians ----------------------------------------------------------------------------------


def similarities(n=30, seed=0, form=np.asarray):
    X = np.random.default_rng(seed).standard_normal((n, 2))
    return form(np.exp(-cdist(X, X, "sqeuclidean")))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("kind", ["unnormalized", "symmetric", "random-walk"])
def test_eigenpairs_are_eigenpairs(kind, form):
    K = similarities(form=form)
    values, vectors = eigenpairs(K, 6, kind)
    L = laplacian(K, kind)
    assert np.asarray(L @ vectors) == pytest.approx(vectors * values, abs=1e-9)
    assert np.all(np.diff(values) >= -1e-12)
    assert values[0] == pytest.approx(0.0, abs=1e-10)


def test_facts_about_the_three_laplacians():
    K = similarities()
    d = degrees(K)
    v = RNG.standard_normal(30)
    assert v @ laplacian(K, "unnormalized") @ v == pytest.approx(
        0.5 * np.sum(K * (v[:, None] - v[None]) ** 2)
    )
    values, vectors = eigenpairs(K, 30, "symmetric")
    assert values.max() <= 2.0
    root = vectors[:, 0] / np.sqrt(d)
    assert root == pytest.approx(np.full(30, root[0]))  # D^{1/2} 1, not 1
    walk = convert_vectors(vectors, d, "symmetric", "random-walk")
    assert laplacian(K, "random-walk") @ walk == pytest.approx(walk * values, abs=1e-9)
    assert convert_vectors(walk, d, "random-walk", "symmetric") == pytest.approx(vectors)
    assert eigenpairs(K, 30, "unnormalized")[0].max() <= 2 * d.max()
    with pytest.raises(ValueError, match="share their eigenvectors"):
        convert_vectors(vectors, d, "symmetric", "unnormalized")


@pytest.mark.parametrize("kind", ["unnormalized", "symmetric", "random-walk"])
def test_extension_reproduces_the_eigenvectors(kind):
    X = np.vstack([RNG.standard_normal((15, 2)) * 0.3, RNG.standard_normal((15, 2)) * 0.3 + 2])
    K = Gaussian(0.7)(X)
    values, vectors = eigenpairs(K, 2, kind)
    extended, fine = extend(K, degrees(K), values, vectors, kind)
    assert fine.all()
    assert extended == pytest.approx(vectors, abs=1e-12)
    nothing = extend(np.zeros((1, 30)), degrees(K), values, vectors, kind)[1]
    assert not nothing.any()


def test_components_are_zero_eigenvalues():
    K = np.kron(np.eye(3), np.ones((4, 4)))
    for kind in ("unnormalized", "symmetric"):
        assert np.sum(eigenpairs(K, 12, kind)[0] < 1e-10) == 3


def test_bad_similarities():
    K = similarities(6)
    for bad, match in (
        (K[:3], "square"),
        (-K, "not be negative"),
        (K + np.triu(np.ones((6, 6)), 1), "symmetric"),
        (np.where(np.eye(6) > 0, np.inf, K), "not finite|infinity"),
    ):
        with pytest.raises(ValueError, match=match):
            SpectralClustering(2, affinity="precomputed").fit(bad)
    K[0] = K[:, 0] = 0.0
    with pytest.raises(ValueError, match="similar to nothing"):
        SpectralClustering(2, affinity="precomputed").fit(K)


# --- spectral clustering -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["unnormalized", "symmetric", "random-walk"])
@pytest.mark.parametrize("assign", ["rows", "kmeans", "sign", "recursive"])
def test_every_variant_finds_the_moons(kind, assign):
    X, y = make_moons(200, noise=0.04, random_state=1)
    model = SpectralClustering(2, laplacian=kind, assign_labels=assign, affinity="knn").fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.95
    new, truth = make_moons(100, noise=0.04, random_state=2)
    assert adjusted_rand_score(truth, model.predict(new)) > 0.9
    assert adjusted_rand_score(model.labels_, model.predict(X)) > 0.9


def test_affinities_and_the_number_of_clusters():
    X, y = make_blobs(150, centers=4, cluster_std=0.4, random_state=3)
    for affinity in ("kernel", "knn", "mutual", "radius"):
        model = SpectralClustering("auto", affinity=affinity, radius=1.5, n_neighbors=12)
        try:
            model.fit(X)
        except ValueError:
            assert affinity in ("mutual", "radius")  # isolated points are refused, not hidden
            continue
        assert model.n_clusters_ == 4
        assert adjusted_rand_score(y, model.labels_) > 0.95
    with pytest.raises(ValueError, match="two clusters"):
        SpectralClustering(3, assign_labels="sign").fit(X)
    assert set(SpectralClustering(1).fit(X).labels_) == {0}


def test_block_norms_of_separated_groups():
    X = np.vstack([RNG.standard_normal((20, 1)) * 0.5, RNG.standard_normal((20, 1)) * 0.5 + 3])
    K = np.exp(-cdist(X, X, "sqeuclidean"))
    labels = np.repeat([0, 1], 20)
    blocks = block_norms(K, labels)
    assert blocks.staying.sum(axis=1) == pytest.approx(1.0)
    P = K / K.sum(axis=1, keepdims=True)
    assert blocks.worst[0, 1] == pytest.approx(P[:20, 20:].sum(axis=1).max())
    assert blocks.spectral[0, 1] == pytest.approx(np.linalg.norm(P[:20, 20:], 2))
    assert blocks.conductance < 0.05
    sparse_blocks = block_norms(sparse.csr_matrix(K), labels)
    assert sparse_blocks.spectral == pytest.approx(blocks.spectral)


def test_perturbation_theorem_holds():
    """The eigenspace really moves by no more than 4‖B‖/δ."""
    X = np.vstack([RNG.standard_normal((20, 2)) * 0.3, RNG.standard_normal((20, 2)) * 0.3 + 3])
    K = np.exp(-cdist(X, X, "sqeuclidean"))
    labels = np.repeat([0, 1], 20)
    found = perturbation(K, labels)
    assert found.certified
    d = K.sum(axis=1)
    H = K / np.sqrt(np.outer(d, d))
    ideal = H * (labels[:, None] == labels[None])
    spaces = [np.linalg.eigh(M)[1][:, -2:] for M in (H, ideal)]
    shift = np.linalg.norm(spaces[0] @ spaces[0].T - spaces[1] @ spaces[1].T, 2)
    assert 0 < shift <= found.shift
    mixed = perturbation(K, np.arange(40) % 2)
    assert not mixed.certified


def test_perturbation_from_the_eigenvalues_alone_is_never_sharper():
    """Rayleigh and Weyl instead of decomposing every cluster: a smaller gap, the same norm."""
    X = np.vstack([RNG.standard_normal((40, 2)) * 0.3 + c for c in ([0, 0], [3, 0], [0, 3])])
    K = np.exp(-cdist(X, X, "sqeuclidean"))
    labels = np.repeat([0, 1, 2], 40)
    exact = perturbation(K, labels)
    cheap = perturbation(K, labels, values=eigenpairs(K, 5, "symmetric")[0])
    assert cheap.certified
    assert cheap.norm == exact.norm
    assert 0.5 * exact.gap < cheap.gap <= exact.gap + 1e-12
    assert cheap.shift >= exact.shift
    d = K.sum(axis=1)
    between = K / np.sqrt(np.outer(d, d)) * (labels[:, None] != labels[None])
    norm = np.linalg.norm(between, 2)
    assert norm <= exact.norm <= 1.01 * norm
    sparse_one = perturbation(sparse.csr_matrix(K), labels)
    assert sparse_one.shift == pytest.approx(exact.shift)


@pytest.mark.parametrize("seed", range(5))
def test_norm_bound_is_a_bound(seed):
    """Sparse, several components, bipartite ones among them."""
    rng = np.random.default_rng(seed)
    B = np.triu(rng.random((40, 40)) * (rng.random((40, 40)) < 0.05), 1)
    B += B.T
    top = np.linalg.eigvalsh(B)[-1]
    assert top - 1e-12 <= largest_eigenvalue_bound(B) <= 1.05 * top
    assert largest_eigenvalue_bound(sparse.csr_matrix(B)) >= top - 1e-12
    assert largest_eigenvalue_bound(np.zeros((3, 3))) == 0.0


def test_conductance_alone():
    K = similarities(40)
    labels = np.arange(40) % 3
    for form in (np.asarray, sparse.csr_matrix):
        assert leaving(form(K), labels) == pytest.approx(block_norms(K, labels).conductance)


def test_landmarks_on_many_rows():
    X, y = make_moons(6000, noise=0.05, random_state=0)
    model = LandmarkSpectralClustering(2, n_landmarks=200).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.98
    assert model.eigenvalues_[0] == pytest.approx(1.0)
    assert np.array_equal(model.predict(X[:50]), model.labels_[:50])


def test_blocks_without_any_edge_between_them():
    """Large separate components: the part between the clusters is exactly zero."""
    X = np.vstack([RNG.standard_normal((250, 2)), RNG.standard_normal((250, 2)) + 50])
    model = SpectralClustering(2, affinity="knn").fit(X)
    assert perturbation(model.similarities_, model.labels_).norm == 0.0
    assert block_norms(model.similarities_, model.labels_).conductance == pytest.approx(0.0)


def test_degrees_stay_within_their_radius():
    """Uniform points, k = 1 within 0.2: the limit degree is known; δ covers all rows at once."""
    n, delta, wrong = 60, 0.2, 0
    rng = np.random.default_rng(0)
    for _ in range(200):
        x = rng.random(n)
        found = (np.abs(x[:, None] - x[None]) < 0.2).mean(axis=1)
        limit = np.minimum(x + 0.2, 1.0) - np.maximum(x - 0.2, 0.0)
        wrong += np.abs(found - limit).max() > degree_radius(n, delta)
    assert wrong <= 0.2 * 200
    assert degree_radius(n, delta) < degree_radius(n, delta / 100) < 2 * degree_radius(n, delta)
    with pytest.raises(ValueError, match="n >= 2"):
        degree_radius(1, 0.1)


def test_clustering_in_the_diffusion_map():
    """k = s + 1 clusters from s coordinates chosen by the gap."""
    X, y = make_blobs(150, centers=3, cluster_std=0.4, random_state=1)
    walk = DiffusionMap("gap", length_scale=2.0**0.5, cutoff=1e9, disconnected="warn")
    with pytest.warns(DisconnectedWarning, match="components"):  # which are clusters
        points = walk.fit_transform(X)
    assert points.shape[1] == 2
    labels = KMeans(points.shape[1] + 1, n_init=10).fit(points).labels_
    assert adjusted_rand_score(y, labels) > 0.95


def test_centres_among_objects():
    words = ["abc", "abd", "xyz", "xyy"]
    model = KCenters(2, metric=Edit()).fit(words)
    assert model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    assert model.predict(["abb"]) == model.labels_[0]


def test_strings_are_clustered_by_their_kernel():
    words = ["aaab", "aabb", "aaba", "xxyx", "xyyx", "yyxx"]
    model = SpectralClustering(2, kernel=Spectrum(1), random_state=0).fit(words)
    given = SpectralClustering(2, affinity="precomputed", random_state=0).fit(Spectrum(1)(words))
    assert adjusted_rand_score(model.labels_, [0, 0, 0, 1, 1, 1]) == 1
    assert np.array_equal(model.labels_, given.labels_)
    assert model.predict(["abab", "xyxy"]).tolist() == model.labels_[[0, 3]].tolist()


@pytest.mark.parametrize(
    ("learner", "changes"),
    [
        (
            SpectralClustering(3),
            {"assign_labels": "sign", "laplacian": "unnormalized", "affinity": "knn"},
        ),
        (LandmarkSpectralClustering(3), {"n_neighbors": 1}),
        (DiffusionMap(2, length_scale=1.0), {"t": 5.0, "cutoff": 1.0, "variable": True}),
        (KernelKMeans(3), {"kernel": "linear"}),
    ],
)
def test_arguments_changed_after_fit_change_no_answer(learner, changes):
    model = learner.fit(IRIS.data)
    ask = model.transform if hasattr(model, "transform") else model.predict
    answers = ask(IRIS.data + 0.1)
    model.set_params(**changes)
    assert np.array_equal(ask(IRIS.data + 0.1), answers, equal_nan=answers.dtype.kind == "f")


@pytest.mark.parametrize("learner", [SpectralClustering(2), DiffusionMap(2), KMeans(2)])
def test_numbers_whose_squares_overflow_are_refused(learner):
    with pytest.raises(ValueError, match="overflow"):
        learner.fit(IRIS.data * 1e200)
