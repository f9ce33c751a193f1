"""Diffusion maps: the walk's identities, the Laplacian limit, new points."""

import numpy as np
import pytest
from scipy import sparse

from mercer.kernels import Gaussian
from mercer.learners.spectral import (
    DiffusionMap,
    DisconnectedWarning,
    LandmarkDiffusionMap,
    connectivity,
)
from mercer.learners.spectral.quadrature import (
    PiecewiseConstant,
    counterexample_density,
    counterexample_g,
    counterexample_sample,
    operator_spectrum,
)

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_identities_of_the_walk(alpha):
    X = RNG.standard_normal((60, 2))
    model = DiffusionMap(59, length_scale=1.0, density_exponent=alpha, cutoff=1e9, t=3).fit(X)
    P = (sparse.diags_array(1 / model.fitted_.walk.degree) @ model.kernel_matrix_).toarray()
    pi = model.stationary_
    assert P.sum(axis=1) == pytest.approx(1.0)
    assert pi @ P == pytest.approx(pi)
    assert pi[:, None] * P == pytest.approx((pi[:, None] * P).T)
    psi = np.column_stack([np.ones(60), model.eigenvectors_])
    assert psi.T @ (pi[:, None] * psi) == pytest.approx(np.eye(60), abs=1e-7)
    stretched = model.eigenvectors_ * model.eigenvalues_
    assert P @ model.eigenvectors_ == pytest.approx(stretched, abs=1e-8)
    exact, spectral = model.diffusion_distances(exact=True), model.diffusion_distances()
    assert spectral == pytest.approx(exact, abs=1e-7)


def test_laplacian_limit_on_the_circle():
    """q ∝ 1 + ½cos θ, f = sin θ: a quarter of Δf + (2−2α) f'q'/q."""
    u = (np.arange(3000) + 0.5) / 3000
    grid = np.linspace(0, 2 * np.pi, 20001)
    mass = (grid + 0.5 * np.sin(grid)) / (2 * np.pi)
    theta = np.interp(u, mass, grid)
    X = np.column_stack([np.cos(theta), np.sin(theta)])
    f, df, q, dq = np.sin(theta), np.cos(theta), 1 + 0.5 * np.cos(theta), -0.5 * np.sin(theta)
    for alpha in (0.0, 0.5, 1.0):
        model = DiffusionMap(2, length_scale=0.1, density_exponent=alpha, cutoff=20).fit(X)
        limit = -f + (2 - 2 * alpha) * df * dq / q
        clear = np.abs(limit) > 0.3
        ratio = model.generator(f)[clear] / limit[clear]
        assert np.median(ratio) == pytest.approx(0.25, rel=0.01)


def test_new_points_continue_the_map():
    X = RNG.standard_normal((150, 2))
    model = DiffusionMap(3, length_scale=(1.0 / 2) ** 0.5, cutoff=1e9).fit(X)
    assert model.transform(X) == pytest.approx(model.embedding_, abs=1e-8)
    assert np.isfinite(model.transform([[6.0, 6.0]])).all()
    cut = DiffusionMap(3, length_scale=(1.0 / 2) ** 0.5, cutoff=4.0).fit(X)
    assert np.isnan(cut.transform([[50.0, 50.0]])).all()
    variable = DiffusionMap(2, variable=True).fit(X)
    assert np.isfinite(variable.transform(X[:5])).all()


def test_the_width_comes_with_a_reason():
    line = np.column_stack([np.linspace(0, 1, 500), np.zeros(500)])
    model = DiffusionMap(1).fit(line)
    assert model.bandwidth_.dimension == pytest.approx(1.0, abs=0.3)
    assert "grows fastest" in model.bandwidth_.reason
    assert (
        abs(np.corrcoef(np.argsort(np.argsort(model.embedding_[:, 0])), np.arange(500))[0, 1])
        > 0.99
    )


def test_the_width_does_not_jump_between_the_turns_of_a_roll():
    """Over all pairs the kernel sum grows fastest at a width that joins neighbouring turns."""
    angle = np.sqrt(RNG.uniform(20, 200, 1500))
    X = np.column_stack([angle * np.cos(angle), 10 * RNG.random(1500), angle * np.sin(angle)])
    found = DiffusionMap(1).fit(X).embedding_[:, 0]
    ranks = [np.argsort(np.argsort(v)) for v in (found, angle)]
    assert abs(np.corrcoef(*ranks)[0, 1]) > 0.99


def settings(sigma, alpha):
    """The texts' names of the kernel's width and of how much density is divided out."""
    return {"length_scale": (sigma / 2) ** 0.5, "density_exponent": alpha}


def dense_walk(X, k, sigma, alpha):
    """The definition, slowly: neighbours, kernel, division by the density, row sums."""
    squares = np.sum((X[:, None] - X[None]) ** 2, axis=2)
    near = np.zeros(squares.shape, dtype=bool)
    np.put_along_axis(near, np.argsort(squares, axis=1)[:, : k + 1], True, axis=1)
    K = np.where(near | near.T, np.exp(-squares / sigma), 0.0)
    q = K.sum(axis=1) ** -alpha
    K = q[:, None] * K * q
    return K / K.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_neighbour_walk_against_its_definition(alpha):
    X = RNG.standard_normal((450, 2))
    model = DiffusionMap(
        4, length_scale=(0.3 / 2) ** 0.5, density_exponent=alpha, n_neighbors=12
    ).fit(X)
    P = dense_walk(X, 12, 0.3, alpha)
    root = np.sqrt(model.stationary_)
    symmetric = root[:, None] * P / root
    assert symmetric == pytest.approx(symmetric.T)
    exact = np.linalg.eigvalsh(symmetric)[::-1][1:5]
    assert model.eigenvalues_ == pytest.approx(exact, abs=1e-10)
    stretched = model.eigenvectors_ * model.eigenvalues_
    assert P @ model.eigenvectors_ == pytest.approx(stretched, abs=1e-7)
    walk = sparse.diags_array(1 / model.fitted_.walk.degree) @ model.kernel_matrix_
    assert walk.toarray() == pytest.approx(P, abs=1e-12)
    near = model.transform(X + 1e-9)  # its own neighbours, without those that list it
    assert np.abs(near - model.embedding_).max() < 0.2 * np.abs(model.embedding_).max()


def test_separate_parts_give_separate_ones():
    X = np.vstack([RNG.standard_normal((300, 2)), RNG.standard_normal((300, 2)) + 50])
    with pytest.warns(DisconnectedWarning, match="tell them apart"):
        model = DiffusionMap(2, length_scale=0.5, disconnected="warn").fit(X)
    assert connectivity(model.kernel_matrix_).components >= 2
    assert model.eigenvalues_[0] == pytest.approx(1.0)


# --- landmarks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_every_row_a_landmark_is_the_full_map(alpha):
    X = RNG.standard_normal((500, 2))
    full = DiffusionMap(3, **settings(0.8, alpha), t=2).fit(X)
    few = LandmarkDiffusionMap(
        3, length_scale=(0.8 / 2) ** 0.5, density_exponent=alpha, t=2, n_landmarks=500
    ).fit(X)
    assert few.eigenvalues_ == pytest.approx(full.eigenvalues_)
    assert few.embedding_ == pytest.approx(full.embedding_, abs=1e-6)
    assert few.weights_.sum() == 500
    assert few.transform(X[:9]) == pytest.approx(full.transform(X[:9]), abs=1e-6)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_few_landmarks_come_close_to_the_full_map(alpha):
    """Uneven density: landmarks that were not weighted would be off, most of all for α = 0."""
    X = np.column_stack([RNG.beta(1, 3, 2500) * 6, RNG.random(2500)])
    full = DiffusionMap(3, **settings(0.3, alpha)).fit(X)
    few = LandmarkDiffusionMap(
        3, length_scale=(0.3 / 2) ** 0.5, density_exponent=alpha, n_landmarks=500
    ).fit(X)
    assert few.eigenvalues_ == pytest.approx(full.eigenvalues_, abs=0.012)
    r = [np.corrcoef(full.embedding_[:, j], few.embedding_[:, j])[0, 1] for j in range(2)]
    assert np.abs(r).min() > 0.995
    assert few.landmarks_.shape == (500, 2)
    assert np.isfinite(few.embedding_).all()


def test_landmarks_of_odd_data():
    same = LandmarkDiffusionMap(1, n_landmarks=5).fit(np.ones((40, 2)))
    assert np.isfinite(same.embedding_).all()
    with pytest.raises(ValueError, match="landmarks"):
        LandmarkDiffusionMap(6, n_landmarks=5).fit(RNG.standard_normal((40, 2)))
    single = LandmarkDiffusionMap(2, n_landmarks=50).fit(
        RNG.standard_normal((300, 2)).astype(np.float32)
    )
    assert np.isfinite(single.embedding_).all()


def test_gap_and_time():
    X = np.vstack([RNG.standard_normal((60, 2)) * 0.2 + c for c in ([0, 0], [5, 0], [0, 5])])
    model = DiffusionMap("gap", length_scale=(4.0 / 2) ** 0.5, cutoff=1e9).fit(X)
    assert model.embedding_.shape[1] == 2
    slow, fast = (
        DiffusionMap(4, length_scale=(4.0 / 2) ** 0.5, t=1).fit(X),
        DiffusionMap(4, length_scale=(4.0 / 2) ** 0.5, t=8).fit(X),
    )
    assert fast.embedding_ == pytest.approx(slow.embedding_ * slow.eigenvalues_**7, abs=1e-10)


def test_bad_input():
    X = RNG.standard_normal((20, 2))
    for bad, match in (
        ({"density_exponent": 2}, "density_exponent"),
        ({"t": -1}, "'t' parameter"),
        ({"length_scale": 0}, "length_scale"),
    ):
        with pytest.raises(ValueError, match=match):
            DiffusionMap(2, **bad).fit(X)
    with pytest.raises(ValueError, match="n_components"):
        DiffusionMap(20).fit(X)
    same = DiffusionMap(1).fit(np.ones((6, 2)))
    assert "coincide" in same.bandwidth_.reason


# --- limit operators -----------------------------------------------------------------------------


def test_known_spectrum_of_an_integral_operator():
    """min(x, y) on [0, 1]: eigenvalues 1/((j − ½)π)², eigenfunctions √2 sin((j − ½)πx)."""
    found = operator_spectrum(np.minimum, lambda x: np.ones_like(x), 0.0, 1.0, k=4, n=400)
    j = np.arange(1, 5)
    assert found.values == pytest.approx(1 / ((j - 0.5) * np.pi) ** 2, rel=3e-4)
    x = np.linspace(0.05, 0.95, 7)
    exact = np.sqrt(2) * np.sin((j - 0.5) * np.pi * x[:, None])
    assert np.abs(found.extend(x)) == pytest.approx(np.abs(exact), abs=2e-3)
    assert found.extend(found.nodes) == pytest.approx(found.at_nodes, abs=1e-6)


@pytest.mark.parametrize("operator", ["symmetric", "random-walk"])
def test_samples_converge_to_the_operator(operator):
    kernel = lambda a, b: np.exp(-((a - b) ** 2) / 0.1)  # noqa: E731
    limit = operator_spectrum(kernel, lambda x: np.ones_like(x), 0.0, 1.0, operator=operator, k=3)
    x = RNG.random(700)
    K = kernel(x[:, None], x[None])
    d = K.sum(axis=1)
    values = np.linalg.eigvalsh(K / np.sqrt(np.outer(d, d)))[::-1][:3]
    assert limit.values[0] == pytest.approx(1.0)
    assert values == pytest.approx(limit.values, abs=0.04)


def test_a_rule_split_at_jumps_is_exact_on_the_thesis_density():
    """k(x, y) = xy: the only eigenvalue is ∫y²p, in closed form; one rule over the jumps is off."""
    exact = 0.25 * 2.5 * ((4 / 3) ** 3 - 1 + 8 - (5 / 3) ** 3) / 3 * 2
    exact += 0.5 * ((5 / 3) ** 3 - (4 / 3) ** 3) / 3
    density = counterexample_density(0.5)
    split = operator_spectrum(np.multiply, density, 1.0, 2.0, k=1, n=40)
    assert split.values[0] == pytest.approx(exact, rel=1e-13)
    plain = operator_spectrum(np.multiply, density, 1.0, 2.0, k=1, n=40, breaks=())
    assert abs(plain.values[0] - exact) > 1e-5
    cells = operator_spectrum(np.multiply, density, 1.0, 2.0, k=1, n=300, rule="cells")
    assert cells.values[0] == pytest.approx(exact, rel=1e-4)
    given = operator_spectrum(
        np.multiply, lambda x: density(x), 1.0, 2.0, k=1, n=40, breaks=(4 / 3, 5 / 3)
    )
    assert given.values[0] == pytest.approx(exact, rel=1e-13)
    assert density(np.array([1.1, 1.5, 1.9])) == pytest.approx([1.25, 0.5, 1.25])


@pytest.mark.parametrize("rule", ["gauss", "cells"])
def test_operators_on_a_square_are_products(rule):
    """min(x, y) min(x', y') with independent coordinates: eigenvalues are products."""

    def both(X, Y):
        first, second = (np.minimum(X[:, None, j], Y[None, :, j]) for j in (0, 1))
        return first * second

    flat = PiecewiseConstant(((0.0, 1.0), (0.0, 1.0)), [[1.0]])
    found = operator_spectrum(both, flat, (0, 0), (1, 1), k=4, n=30, rule=rule)
    single = 1 / ((np.arange(1, 6) - 0.5) * np.pi) ** 2
    expected = np.sort(np.multiply.outer(single, single).ravel())[::-1][:4]
    assert found.values == pytest.approx(expected, rel=0.02)
    x = np.array([[0.25, 0.7], [0.9, 0.4]])
    exact = 2 * np.prod(np.sin(0.5 * np.pi * x), axis=1)
    assert np.abs(found.extend(x)[:, 0]) == pytest.approx(exact, abs=0.05)
    assert found.weights @ found.at_nodes**2 == pytest.approx(np.ones(4))


def test_a_density_of_cells_in_the_plane():
    law = PiecewiseConstant(((0.0, 1.0, 2.0), (0.0, 3.0)), [[1.0], [3.0]])
    assert law.mass == pytest.approx(np.array([[0.25], [0.75]]))
    assert law(np.array([[0.5, 1.0], [1.5, 2.9]])) == pytest.approx([0.25 / 3, 0.75 / 3])
    x = law.sample(4000, 0)
    assert np.mean(x[:, 0] > 1) == pytest.approx(0.75, abs=0.03)
    assert x[:, 1].max() <= 3.0
    kernel = Gaussian(0.7)
    found = operator_spectrum(kernel, law, (0, 0), (2, 3), operator="random-walk", k=3, n=16)
    assert found.values[0] == pytest.approx(1.0)
    assert np.ptp(found.at_nodes[:, 0]) < 1e-10
    with pytest.raises(ValueError, match="rule must be"):
        operator_spectrum(kernel, law, (0, 0), (2, 3), rule="simpson")


G = {
    0.5: ".5348 .6954 1 1.2911 1.8678 2.5043 3.3709 5.4506 -13.1225 -6.1961 -2.6303 -1.6292 -.6713",
    1.0: ".5338 .6948 1 1.2901 1.8552 2.4564 3.2324 4.9626 -11.1310 -5.5169 -2.4762 -1.5661 -.6583",
    2.5: ".5309 .6931 1 1.2871 1.8174 2.3129 2.8168 3.4986 -5.1566 -3.4792 -2.0137 -1.3768 -.6193",
}
AT = [-2, -1, 0, 0.5, 1, 1.25, 1.4, 1.49, 3.01, 3.1, 3.5, 4, 6]


@pytest.mark.parametrize("r", sorted(G))
def test_counterexample_table(r):
    expected = [float(v) for v in G[r].split()]
    assert [counterexample_g(lam, r) for lam in AT] == pytest.approx(expected, abs=6e-5)
    with pytest.raises(ValueError, match="range of the degree"):
        counterexample_g(2.0, r)
    x = counterexample_sample(20000, r)
    assert np.mean((x >= 4 / 3) & (x < 5 / 3)) == pytest.approx(r / 3, abs=0.02)
    density = counterexample_density(r)
    grid = np.linspace(1, 2, 3001)[:-1] + 1 / 6000
    assert density(grid).mean() == pytest.approx(1.0, abs=1e-3)
