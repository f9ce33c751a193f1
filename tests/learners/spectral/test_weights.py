"""A row of weight k is k copies of it, one of weight zero is not there but has an answer."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform

from mercer.kernels import Gaussian
from mercer.learners.spectral import (
    PCA,
    Agglomerative,
    ClassicalMDS,
    DiffusionMap,
    KernelKMeans,
    KernelPCA,
    KMeans,
    LandmarkDiffusionMap,
    LandmarkSpectralClustering,
    LaplacianEigenmaps,
    MixtureClustering,
    SpectralClustering,
    StressMDS,
)
from mercer.learners.spectral._weighed_merges import merge_weighed

RNG = np.random.default_rng(5)
X = np.vstack([RNG.normal(c, 0.6, (8, 3)) for c in ((0, 0, 0), (3, 0, 1), (0, 3, -1))])
N = len(X)
WEIGHT = RNG.integers(1, 4, N).astype(float)
COPIES = np.repeat(np.arange(N), WEIGHT.astype(int))
FIRST = np.flatnonzero(np.diff(COPIES, prepend=-1))

EMBEDDINGS = {
    "pca": PCA(2),
    "pca, whitened": PCA(2, whiten=True, svd_solver="full"),
    "pca, gram": PCA(2, svd_solver="gram"),
    "pca, lanczos": PCA(2, svd_solver="arpack", random_state=0),
    "kernel pca": KernelPCA(3, kernel="rbf", gamma=0.3),
    "kernel pca, not centred": KernelPCA(3, kernel="rbf", gamma=0.3, center=False),
    "mds": ClassicalMDS(2),
    "mds, other distance": ClassicalMDS(2, metric="cityblock"),
    "mds, refined": ClassicalMDS(2, metric="cityblock", refine=True),
    **{f"stress, {form}": StressMDS(2, form=form, tol=1e-10) for form in ("metric", "sammon")},
    "stress, nonmetric": StressMDS(2, form="nonmetric", max_iter=20, tol=0.0),
    "diffusion": DiffusionMap(2, length_scale=1.5),
    "diffusion, kernel": DiffusionMap(2, kernel=Gaussian(1.5), density_exponent=0.5),
    **{
        f"eigenmaps, {kind}": LaplacianEigenmaps(2, affinity="rbf", gamma=0.3, laplacian=kind)
        for kind in ("random-walk", "symmetric", "unnormalized")
    },
}
CLUSTERINGS = {
    "k-means": KMeans(3, n_init=5, random_state=0),
    "kernel k-means": KernelKMeans(3, gamma=0.3, random_state=0),
    "mixture": MixtureClustering(3, random_state=0, tol=1e-8, reg_param=1e-3),
    **{f"linkage, {how}": Agglomerative(4, linkage=how) for how in ("average", "ward", "complete")},
    **{
        f"spectral, {how}": SpectralClustering(3, gamma=0.3, assign_labels=how, random_state=0)
        for how in ("kmeans", "rows", "cluster_qr", "discretize", "recursive")
    },
}


@pytest.mark.parametrize("name", EMBEDDINGS)
def test_places_are_those_with_copies(name):
    heavy = EMBEDDINGS[name].fit_transform(X, sample_weight=WEIGHT)
    copied = EMBEDDINGS[name].fit_transform(X[COPIES])[FIRST]
    assert_allclose(heavy, copied, atol=1e-5 * np.ptp(copied))


@pytest.mark.parametrize("name", [n for n in EMBEDDINGS if "refined" not in n])
def test_new_rows_are_placed_as_with_copies(name):
    model, new = EMBEDDINGS[name], X[:5] + 0.1
    heavy = model.fit(X, sample_weight=WEIGHT).transform(new)
    assert_allclose(heavy, model.fit(X[COPIES]).transform(new), atol=1e-4 * np.ptp(heavy))


@pytest.mark.parametrize("name", CLUSTERINGS)
def test_clusters_are_those_with_copies(name):
    heavy = CLUSTERINGS[name].fit(X, sample_weight=WEIGHT)
    copied = CLUSTERINGS[name].fit(X[COPIES]).labels_[FIRST]
    labels = CLUSTERINGS[name].fit(X, sample_weight=WEIGHT).labels_
    assert_array_equal(labels[:, None] == labels, copied[:, None] == copied)
    new = heavy.fit(X, sample_weight=WEIGHT).predict(X + 0.01)
    copied = heavy.fit(X[COPIES]).predict(X + 0.01)
    assert_array_equal(new[:, None] == new, copied[:, None] == copied)


@pytest.mark.parametrize("name", [*EMBEDDINGS, *CLUSTERINGS])
def test_rows_of_weight_zero_are_not_there_and_have_answers(name):
    model = (EMBEDDINGS | CLUSTERINGS)[name]
    if "refined" in name:
        pytest.skip("a refined embedding places no new rows")
    weight = np.where(np.arange(N) % 5 == 0, 0.0, 1.0)
    kept = weight > 0
    how = "fit_predict" if name in CLUSTERINGS else "fit_transform"
    with_zero = getattr(model, how)(X, sample_weight=weight)
    without = getattr(model, how)(X[kept])
    if name in CLUSTERINGS:
        without = without[:, None] == without
        with_zero = with_zero[kept][:, None] == with_zero[kept]
        assert_array_equal(with_zero, without)
    else:
        assert_allclose(with_zero[kept], without, atol=1e-6 * np.ptp(without))
        assert np.isfinite(with_zero).all()
        assert len(with_zero) == N


def test_given_distances_and_similarities_of_rows_of_weight_zero():
    D, weight = squareform(pdist(X)), np.where(np.arange(N) % 5 == 0, 0.0, 1.0)
    kept = weight > 0
    for model in (
        StressMDS(2, metric="precomputed"),
        ClassicalMDS(2, metric="precomputed"),
        DiffusionMap(2, metric="precomputed", length_scale=1.5),
    ):
        places = model.fit_transform(D, sample_weight=weight)
        assert_allclose(places[kept], model.fit_transform(D[np.ix_(kept, kept)]), atol=1e-8)
    K = np.exp(-0.3 * D**2)
    model = SpectralClustering(3, affinity="precomputed", random_state=0)
    labels = model.fit(K, sample_weight=weight).labels_
    assert_array_equal(model.predict(K), labels)


@pytest.mark.parametrize("how", ["average", "ward"])
def test_the_tree_of_rows_that_weigh_one_is_scipys(how):
    ours, theirs = merge_weighed(squareform(pdist(X)), np.ones(N), how), linkage(pdist(X), how)
    assert_allclose(ours[:, 2:], theirs[:, 2:])
    assert_array_equal(np.sort(ours[:, :2], axis=1), np.sort(theirs[:, :2], axis=1))


def test_a_tree_of_copies_has_the_same_heights():
    D = squareform(pdist(X))
    for how in ("average", "ward"):
        with_copies = linkage(pdist(X[COPIES]), how)[:, 2]
        assert_allclose(merge_weighed(D, WEIGHT, how)[:, 2], with_copies[-(N - 1) :])


def test_graphs_of_neighbors_refuse_weights():
    for model in (LaplacianEigenmaps(2), SpectralClustering(3, affinity="knn")):
        with pytest.raises(ValueError, match="counted, not weighed"):
            model.fit(X, sample_weight=WEIGHT)


def test_heavy_rows_pull_landmarks():
    weight = np.where(np.arange(N) < 8, 1.0, 1e-6)
    model = LandmarkDiffusionMap(1, n_landmarks=6, random_state=0, disconnected="warn")
    assert model.fit(X, sample_weight=weight).weights_.sum() == pytest.approx(weight.sum())
    near = np.linalg.norm(model.landmarks_ - X[:8].mean(axis=0), axis=1) < 2.0
    assert model.weights_[near].sum() > 0.99 * weight.sum()
    clusters = LandmarkSpectralClustering(2, n_landmarks=10, random_state=0)
    assert len(clusters.fit(X, sample_weight=WEIGHT).labels_) == N


def test_weights_of_a_variance_are_counts():
    with pytest.raises(ValueError, match="more than one"):
        PCA(1).fit(X, sample_weight=np.full(N, 1.0 / N))


@pytest.mark.parametrize(
    "model",
    [
        KMeans(3, n_init=3),
        KernelKMeans(3, gamma=0.3),
        MixtureClustering(3, reg_param=1e-3),
        StressMDS(2),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_warm_start_goes_on_and_a_limit_ends_early(model):
    model.set_params(random_state=0, max_iter=2, tol=1e-12)
    history = {
        KMeans: "inertia_history_",
        KernelKMeans: "inertia_history_",
        MixtureClustering: "log_likelihood_history_",
        StressMDS: "stress_history_",
    }[type(model)]
    sign = -1.0 if isinstance(model, MixtureClustering) else 1.0
    short = sign * getattr(model.fit(X), history)[-1]
    longer = sign * getattr(model.set_params(warm_start=True).fit(X), history)
    assert longer[-1] <= short + 1e-6
    assert longer[0] <= short + 1e-6
    limited = model.set_params(warm_start=False, max_iter=500, time_limit=1e-9).fit(X)
    assert len(getattr(limited, history)) <= 3
