"""Identities of the lecture notes and of the thesis that hold to rounding, each by its number.

The numbers are those of the catalogue of identities (1 to 34); docs/identities.md lists the test
that shows each. Here are those that no test of a single learner shows.
"""

import re
from itertools import product
from math import comb
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

from mercer import SVC
from mercer.datasets.published import MNIST_ERRORS
from mercer.kernels import Gaussian, Laplacian, Linear, Polynomial, Sigmoid
from mercer.learners.metric import KNNClassifier
from mercer.learners.spectral import (
    DiffusionMap,
    DisconnectedWarning,
    Isomap,
    SpectralClustering,
    block_norms,
    neighbor_graph,
    shortest_paths,
)
from mercer.learners.spectral.laplacians import degrees, eigenpairs, laplacian
from mercer.learners.spectral.quadrature import counterexample_sample

RNG = np.random.default_rng(0)


def test_5_the_inverse_of_a_ridge_is_bounded():
    K = Gaussian(1.0)(RNG.standard_normal((30, 2)))
    for ridge in (1e-3, 0.1, 2.0):
        assert np.linalg.norm(np.linalg.inv(K + ridge * np.eye(30)), 2) <= 1 / ridge + 1e-9


def two_groups(n=60, apart=2.0):
    X, y = make_blobs(n, centers=[[0, 0], [apart, apart]], random_state=0)
    return X, 2 * y - 1


def test_6_conditions_at_the_optimum_and_what_may_be_left_out():
    X, y = two_groups()
    model = SVC(kernel=Gaussian(1.0), C=1.5, tol=1e-8).fit(X, y)
    alpha = np.zeros(60)
    alpha[model.support_] = np.abs(model.dual_coef_.ravel())
    slack = np.maximum(0.0, 1 - y * model.decision_function(X))
    assert alpha @ y == pytest.approx(0.0, abs=1e-6)
    assert alpha * (1 - y * model.decision_function(X) - slack) == pytest.approx(0.0, abs=1e-5)
    assert (1.5 - alpha) * slack == pytest.approx(0.0, abs=1e-5)
    again = SVC(kernel=Gaussian(1.0), C=1.5, tol=1e-8).fit(X[model.support_], y[model.support_])
    assert again.decision_function(X) == pytest.approx(model.decision_function(X), abs=1e-5)


def test_7_the_cost_that_belongs_to_a_penalty():
    """(1/l)Σ hinge + λ‖w‖² is the machine with C = 1/(2λl), not with 2/(λl)."""
    X, y = two_groups(30)
    lam, rows = 0.1, len(y)

    def risk(w):
        return np.mean(np.maximum(0.0, 1 - y * (X @ w))) + lam * w @ w

    best = minimize(
        risk, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    )
    right, printed = (
        SVC(kernel=Linear(), C=c, fit_intercept=False, tol=1e-9).fit(X, y)
        for c in (1 / (2 * lam * rows), 2 / (lam * rows))
    )
    w = [m.dual_coef_.ravel() @ X[m.support_] for m in (right, printed)]
    assert risk(w[0]) == pytest.approx(best.fun, abs=1e-7)
    assert risk(w[1]) > best.fun + 1e-3


def test_8_and_9_hard_margins():
    X, y = two_groups(40, apart=8.0)
    hard = SVC(kernel=Linear(), C=1e6, tol=1e-9).fit(X, y)
    values = y * hard.decision_function(X)
    assert values.min() == pytest.approx(1.0, abs=1e-6)
    w = hard.dual_coef_.ravel() @ X[hard.support_]
    geometric = 2 * (values / np.linalg.norm(w)).min()
    assert geometric * np.linalg.norm(w) == pytest.approx(2.0, abs=1e-6)
    largest = np.abs(hard.dual_coef_).max()
    soft = SVC(kernel=Linear(), C=1.01 * largest, tol=1e-9).fit(X, y)
    assert soft.decision_function(X) == pytest.approx(hard.decision_function(X), abs=1e-5)


def squares_and_product(a):
    return np.column_stack([a[:, 0] ** 2, np.sqrt(2) * a[:, 0] * a[:, 1], a[:, 1] ** 2])


@pytest.mark.parametrize("c", [1.0, 0.3])
def test_12_expansions_of_polynomials(c):
    x, z = RNG.standard_normal((2, 5, 2))
    assert (x @ z.T) ** 2 == pytest.approx(squares_and_product(x) @ squares_and_product(z).T)
    whole = [
        np.column_stack([squares_and_product(a), np.sqrt(2 * c) * a, np.full(5, c)]) for a in (x, z)
    ]
    assert Polynomial(2, coef0=c)(x, z) == pytest.approx(whole[0] @ whole[1].T)


def test_13_width_of_the_gaussian_lift():
    """∫h(x−u)h(z−u)du/∫h² is the Gaussian of width σ for h of width σ/√2, not σ/2 as printed."""
    sigma, gap = 0.8, 0.9

    def overlap(width):
        h = lambda u: np.exp(-(u**2) / (2 * width**2))  # noqa: E731
        return quad(lambda u: h(u) * h(gap - u), -9, 9)[0] / quad(lambda u: h(u) ** 2, -9, 9)[0]

    wanted = np.exp(-(gap**2) / (2 * sigma**2))
    assert overlap(sigma / np.sqrt(2)) == pytest.approx(wanted, abs=1e-9)
    assert abs(overlap(sigma / 2) - wanted) > 0.1


def test_14_kernels_and_one_that_is_none():
    X = RNG.standard_normal((25, 3))
    for kernel in (Linear(), Polynomial(3, coef0=1.0), Gaussian(1.0), Laplacian(1.0)):
        assert np.linalg.eigvalsh(kernel(X)).min() > -1e-8
    assert np.linalg.eigvalsh(Sigmoid(gamma=1.0, coef0=-1.0)(X)).min() < -0.01
    sets = RNG.random((12, 8)) < 0.5
    assert np.linalg.eigvalsh(2.0 ** (sets.astype(float) @ sets.T)).min() > -1e-8


def test_15_reproducing_property_and_its_norm():
    """Rewriting a function with other centres changes neither its values nor inner products."""
    kernel = Polynomial(1, coef0=1.0)  # three functions span everything
    X, Z = RNG.standard_normal((6, 2)), RNG.standard_normal((4, 2))
    a = RNG.standard_normal(6)
    b = np.linalg.lstsq(kernel(X, Z), kernel(X, X) @ a, rcond=None)[0]
    new = RNG.standard_normal((9, 2))
    assert kernel(new, X) @ a == pytest.approx(kernel(new, Z) @ b)
    assert a @ kernel(X, X) @ a == pytest.approx(b @ kernel(Z, Z) @ b)
    g = RNG.standard_normal(4)
    assert a @ kernel(X, Z) @ g == pytest.approx(b @ kernel(Z, Z) @ g)
    f = kernel(new, X) @ a
    assert np.all(f**2 <= (a @ kernel(X, X) @ a) * kernel.diag(new) + 1e-9)


def test_16_eigenvectors_rebuild_the_matrix():
    G = Gaussian(0.7)(RNG.standard_normal((20, 2)))
    values, vectors = np.linalg.eigh(G)
    assert (vectors * values) @ vectors.T == pytest.approx(G, abs=1e-12)


@pytest.mark.parametrize("kernel", [Gaussian(0.9), Laplacian(0.9)])
def test_18_nearest_in_feature_space_is_nearest(kernel):
    X, Q = RNG.standard_normal((50, 3)), RNG.standard_normal((20, 3))
    squares = kernel.diag(Q)[:, None] + kernel.diag(X) - 2 * kernel(Q, X)
    metric = "euclidean" if isinstance(kernel, Gaussian) else "cityblock"
    assert np.array_equal(squares.argmin(axis=1), cdist(Q, X, metric).argmin(axis=1))


def test_19_one_neighbour_remembers():
    X, y = RNG.standard_normal((40, 2)), RNG.integers(0, 3, 40)
    assert KNNClassifier(n_neighbors=1).fit(X, y).score(X, y) == 1.0


def test_20_students():
    """η = x/(x + c), X uniform on [0, 4c]: L* = ¼ln(5e/4), L_NN = ½(ln 5 − 0.8)."""
    eta = lambda x: x / (x + 1)  # noqa: E731
    bayes = quad(lambda x: min(eta(x), 1 - eta(x)) / 4, 0, 4, points=[1])[0]
    neighbour = quad(lambda x: 2 * eta(x) * (1 - eta(x)) / 4, 0, 4)[0]
    assert bayes == pytest.approx(0.25 * np.log(5 * np.e / 4), abs=1e-9)
    assert bayes == pytest.approx(0.305786, abs=1e-6)
    assert neighbour == pytest.approx(0.404719, abs=1e-6)
    for _ in range(20):
        p = RNG.random(50)
        best, nearest = np.minimum(p, 1 - p).mean(), (2 * p * (1 - p)).mean()
        assert best <= nearest <= 2 * best * (1 - best) + 1e-12


def test_23_mean_over_all_labelings():
    X = RNG.standard_normal((8, 3))
    sums = [np.sum((np.array(y) @ X) ** 2) for y in product((-1, 1), repeat=8)]
    assert np.mean(sums) == pytest.approx(np.sum(X**2))


def test_27_the_sign_of_the_centred_squares():
    """−½HSH gives the points back; the printed HSH has no positive eigenvalue to scale by."""
    X = RNG.standard_normal((15, 2))
    H, S = np.eye(15) - 1 / 15, cdist(X, X, "sqeuclidean")
    centred = X - X.mean(axis=0)
    assert pytest.approx(centred @ centred.T) == -0.5 * H @ S @ H
    assert np.linalg.eigvalsh(H @ S @ H).max() < 1e-9


def test_28_paths_are_a_metric_and_no_shortcut():
    x = np.sort(RNG.random(60))[:, None]
    line = Isomap(1, n_neighbors=8).fit(x).embedding_
    assert cdist(line, line) == pytest.approx(cdist(x, x), abs=1e-6)
    X = RNG.random((80, 2))
    paths = shortest_paths(neighbor_graph(X, n_neighbors=10))
    assert np.all(paths >= cdist(X, X) - 1e-12)
    assert np.all(paths[:, :, None] + paths[None] >= paths[:, None] - 1e-9)


def test_30_the_generator_is_one():
    X = RNG.standard_normal((50, 2))
    for alpha in (0.0, 0.5, 1.0):
        model = DiffusionMap(2, length_scale=(1.0 / 2) ** 0.5, density_exponent=alpha).fit(X)
        L = np.column_stack([model.generator(e) for e in np.eye(50)])
        assert L.sum(axis=1) == pytest.approx(0.0, abs=1e-9)
        assert (L - np.diag(np.diag(L))).min() >= 0.0


def test_31_one_eigenvalue_one_per_part():
    X = np.vstack([RNG.standard_normal((20, 2)) + c for c in ([0, 0], [30, 0], [0, 30])])
    with pytest.warns(DisconnectedWarning, match="3 components of 20, 20, 20"):
        model = DiffusionMap(5, length_scale=1.0, disconnected="warn").fit(X)
    assert np.sum(model.eigenvalues_ > 1 - 1e-9) == 2  # beside the constant


# --- the thesis, chapter II ----------------------------------------------------------------------


@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize("r", [0.5, 1.0, 2.5])
def test_eigenvalues_interlace_the_degrees(n, r):
    """k(x, y) = xy has rank one: each eigenvalue lies between two degrees, and v₂ is a spike."""
    x = counterexample_sample(n, r, 1)
    K = np.outer(x, x)
    values, vectors = eigenpairs(K, n, "unnormalized")
    d = np.sort(degrees(K))
    assert np.all((values[1:] >= d[:-1] - 1e-8) & (values[1:] <= d[1:] + 1e-8))
    spike = vectors[:, 1] ** 2
    assert spike.max() > 0.4
    assert spike.argmax() == degrees(K).argmin()
    split = np.bincount((vectors[:, 1] > 0).astype(int), minlength=2)
    assert split.min() == 1
    assert eigenpairs(K, 2, "symmetric")[0][1] == pytest.approx(1.0)  # μ₂ = 0 as well


def test_bounds_on_both_ends_of_the_unnormalised_spectrum():
    """λ₂ ≤ n/(n−1) min(dᵢ − kᵢᵢ) (Fiedler) and λ_max ≤ 2 max Σ_{j≠i} kᵢⱼ."""
    for seed in range(5):
        X = np.random.default_rng(seed).standard_normal((30, 2))
        K = Gaussian(0.8)(X)
        values = eigenpairs(K, 30, "unnormalized")[0]
        others = degrees(K) - np.diag(K)
        assert values[1] <= 30 / 29 * others.min() + 1e-10
        assert values[-1] <= 2 * others.max() + 1e-10
        symmetric = np.linalg.eigvalsh(laplacian(K, "symmetric"))
        assert symmetric.min() >= -1e-10
        assert symmetric.max() <= 2 + 1e-10


def test_the_printed_extension_misses_the_eigenvector():
    """Equation (13) with k in place of h_n does not reproduce v at the sample points."""
    X = RNG.standard_normal((30, 2))
    K = Gaussian(1.0)(X)
    d = degrees(K)
    mu, V = np.linalg.eigh(K / np.sqrt(np.outer(d, d)))
    v, m = V[:, -2], mu[-2]
    assert (K / np.sqrt(np.outer(d, d))) @ v / m == pytest.approx(v, abs=1e-12)
    assert np.abs(K @ v / 30 / m - v).max() > 0.05


def test_block_norms_of_two_separated_groups():
    """The thesis' goodness criterion: diagonal norms close to 1, the others below 1 %."""
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(size=(20, 2)) * 0.5, rng.normal(size=(20, 2)) * 0.5 + 2.2])
    found = block_norms(np.exp(-cdist(X, X, "sqeuclidean")), np.repeat([0, 1], 20)).spectral
    assert np.diag(found) == pytest.approx(1.0, abs=0.05)
    assert found[0, 1] < 0.05
    assert found[1, 0] < 0.05


@pytest.mark.parametrize("kind", ["unnormalized", "symmetric", "random-walk"])
def test_degenerate_similarities(kind):
    """Constant similarity, duplicates, as many clusters as rows: a result, not a crash."""
    given = {"affinity": "precomputed", "laplacian": kind}
    same = SpectralClustering(2, **given).fit(np.ones((8, 8)))
    assert set(same.labels_) <= {0, 1}
    X = np.repeat([[0.0, 0.0], [5.0, 5.0]], 10, axis=0)
    twins = SpectralClustering(2, laplacian=kind).fit(X)
    assert len(set(twins.labels_[:10])) == len(set(twins.labels_[10:])) == 1
    assert twins.labels_[0] != twins.labels_[-1]
    every = SpectralClustering(4, **given).fit(np.eye(4) + 0.1)
    assert sorted(every.labels_) == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="n_clusters=5"):
        SpectralClustering(5, **given).fit(np.ones((4, 4)))


def test_known_spectra_of_product_graphs():
    """A grid is a product of paths: eigenvalues add, 4 sin²(πj/2a) + 4 sin²(πk/2b)."""
    a, b = 25, 30
    path = lambda m: np.diag(np.ones(m - 1), 1) + np.diag(np.ones(m - 1), -1)  # noqa: E731
    K = np.kron(path(a), np.eye(b)) + np.kron(np.eye(a), path(b))
    one = [4 * np.sin(np.pi * np.arange(m) / (2 * m)) ** 2 for m in (a, b)]
    exact = np.sort((one[0][:, None] + one[1]).ravel())[:8]
    for form in (np.asarray, sparse.csr_matrix):  # dense and iterative solvers
        assert eigenpairs(form(K), 8, "unnormalized")[0] == pytest.approx(exact, abs=1e-8)


# --- quoted numbers ------------------------------------------------------------------------------


def test_quoted_errors_on_digits():
    errors = [row.error for row in MNIST_ERRORS]
    assert errors == [0.084, 0.024, 0.014, 0.011, 0.011, 0.007, 0.0056]
    assert comb(792, 9) == pytest.approx(3.228e20, rel=1e-3)  # homogeneous, as the text counts
    assert comb(793, 9) == pytest.approx(3.265e20, rel=1e-3)  # with lower degrees


def test_every_identity_has_a_test():
    """docs/identities.md: 34 identities, and tests and scripts that exist."""
    root = Path(__file__).parents[2]
    text = (root / "docs" / "identities.md").read_text()
    numbers = [int(m) for m in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)]
    assert numbers == list(range(1, 35))
    for path, name in re.findall(r"`(tests/[\w/.]+)::(\w+)`", text):
        assert f"def {name}(" in (root / path).read_text(), f"{path}::{name}"
    for script in re.findall(r"`(examples/[\w.]+)`", text):
        assert (root / script).is_file(), script
