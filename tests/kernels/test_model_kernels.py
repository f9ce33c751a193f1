"""Kernels from generative models, graphs, sets and distances."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import expm
from scipy.sparse.csgraph import laplacian

from mercer import SVC
from mercer.kernels import (
    Diffusion,
    Fisher,
    FromDistance,
    Gaussian,
    Marginalized,
    SetKernel,
    check_psd,
)
from mercer.kernels.structured.fisher import GaussianMixture, MarkovChain
from mercer.learners.margin import IndefiniteKernelWarning
from mercer.metrics import DTW, Edit, Named


def book_mixture():
    return GaussianMixture(np.array([0.3, 0.7]), np.array([[-1.0], [2.0]]), np.ones((2, 1, 1)))


def test_scores_of_the_catalogue():
    scores = book_mixture().scores(np.array([[0.4], [1.0]]))
    expected = [
        [1.22163851, 0.90501207, 0.51308817, -1.01361352],
        [0.29093598, 1.30388458, 0.17456159, -0.91271921],
    ]
    np.testing.assert_allclose(scores, expected, atol=5e-9)
    naive = Fisher(book_mixture())([[0.4]], [[1.0]])[0, 0]
    assert naive == pytest.approx(2.55015988, abs=5e-9)


def test_information_of_the_catalogue():
    model = book_mixture()

    def entry(i, j):
        def integrand(x):
            point = np.array([[x]])
            density = np.exp(model.log_components(point))[0] @ model.weights
            score = model.scores(point)[0, 2:]
            return score[i] * score[j] * density

        return quad(integrand, -12, 12, limit=200)[0]

    information = np.array([[entry(i, j) for j in range(2)] for i in range(2)])
    expected = [[0.2018734, -0.0792371], [-0.0792371, 0.5590418]]
    np.testing.assert_allclose(information, expected, atol=5e-8)

    class MeansOnly:
        accepts = frozenset({"vectors"})

        def scores(self, X):
            return model.scores(X)[:, 2:]

        def sample(self, n, rng):
            return model.sample(n, rng)

    full = Fisher(MeansOnly(), information)([[0.4]], [[1.0]])[0, 0]
    assert full == pytest.approx(1.74245309, abs=5e-8)
    drawn = Fisher(MeansOnly(), "model", n_draws=40_000).information_matrix()
    np.testing.assert_allclose(drawn, information, atol=0.02)


def test_markov_chains_tell_sequences_apart():
    a = MarkovChain(("x", "y"), np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.2, 0.8]]), 30)
    b = MarkovChain(("x", "y"), np.array([0.5, 0.5]), np.array([[0.2, 0.8], [0.9, 0.1]]), 30)
    rng = np.random.default_rng(0)
    X = [*a.sample(30, rng), *b.sample(30, rng)]
    y = np.repeat([0, 1], 30)
    model = MarkovChain.fit(X)
    kernel = Fisher(model)
    assert SVC(kernel=kernel.normalized()).fit(X, y).score(X, y) > 0.95
    refitted = MarkovChain.fit(a.sample(2000, rng))
    order = [refitted.alphabet.index(s) for s in ("x", "y")]
    np.testing.assert_allclose(refitted.transition[np.ix_(order, order)], a.transition, atol=0.02)
    # the expected score under the model is zero
    scores = model.scores(model.sample(4000, rng))
    assert np.abs(scores.mean(axis=0)).max() < 0.15
    assert np.isfinite(model.scores(["zzz", ""])).all()


def test_shared_components():
    X = np.array([[-1.0], [2.0], [2.1]])
    K = Marginalized(book_mixture())(X)
    share = book_mixture().posterior(X)
    np.testing.assert_allclose(K, share @ share.T)
    inner = Marginalized(book_mixture(), Gaussian(1.0))(X)
    np.testing.assert_allclose(inner, K * Gaussian(1.0)(X))


def test_heat_on_a_graph():
    rng = np.random.default_rng(0)
    A = np.triu(rng.random((6, 6)) < 0.5, 1).astype(float)
    A = A + A.T
    L = laplacian(A)
    nodes = np.arange(6)
    np.testing.assert_allclose(Diffusion(A, 0.3)(nodes), expm(-0.3 * L), atol=1e-12)
    regular = Diffusion(A, 0.3, "regularised")(nodes)
    np.testing.assert_allclose(regular, np.linalg.inv(np.eye(6) + 0.3 * L), atol=1e-12)
    two = np.kron(np.eye(2), np.ones((4, 4)) - np.eye(4))
    model = SVC(kernel=Diffusion(two, 1.0)).fit([0, 1, 4, 5], [0, 0, 1, 1])
    assert model.predict([2, 3, 6, 7]).tolist() == [0, 0, 1, 1]
    with pytest.raises(ValueError, match="node 9"):
        Diffusion(A)([0, 9])
    with pytest.raises(ValueError, match="symmetric"):
        Diffusion(np.triu(A))([0])


def test_sets_are_mean_images():
    A, B = np.array([[0.0], [1.0]]), np.array([[0.5], [2.0], [3.0]])
    inner = Gaussian(0.8)
    plain = SetKernel(inner, normalize=False)([A], [B])[0, 0]
    assert plain == pytest.approx(inner(A, B).mean())
    model = SVC(kernel=SetKernel(Gaussian("median"))).fit([A, A + 0.1, B, B + 0.1], [0, 0, 1, 1])
    assert model.predict([A - 0.1, B - 0.1]).tolist() == [0, 1]


def test_distances_as_kernels():
    X = np.random.default_rng(0).normal(size=(8, 2))
    known = FromDistance(Named("euclidean"), scale=np.sqrt(2) * 0.7)
    assert known.psd is True
    np.testing.assert_allclose(known(X), Gaussian(0.7)(X), rtol=1e-10)
    words = ["kitten", "sitting", "mitten", "sunday", "monday", "runway"]
    unknown = FromDistance(Edit(), "exponential", 2.0)
    assert unknown.psd is None
    model = SVC(kernel=unknown).fit(words, [0, 0, 0, 1, 1, 1])
    assert model.predict(["bitten", "someday"]).tolist() == [0, 1]


def test_an_indefinite_distance_kernel_is_announced():
    rng = np.random.default_rng(4)
    series = [np.cumsum(rng.normal(size=rng.integers(3, 12))) for _ in range(40)]
    kernel = FromDistance(DTW(), scale=4.0)
    assert not check_psd(kernel, series).ok
    with pytest.warns(IndefiniteKernelWarning):
        SVC(kernel=kernel, C=100.0).fit(series, np.arange(40) % 2)
