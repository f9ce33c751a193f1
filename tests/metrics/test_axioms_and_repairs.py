"""Reports, repairs, conversions and embeddings of distance matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from mercer import metrics
from mercer.metrics import DTW, Edit, Hamming, Hausdorff, Wasserstein, report

EXAMPLE_1 = np.array([[0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]], dtype=float)
EXAMPLE_6 = np.array([[0, 5, 3, 6], [5, 0, 4, 1], [3, 4, 0, 5], [6, 1, 5, 0]], dtype=float)


def random_dissimilarity(seed, n=8):
    A = np.random.default_rng(seed).random((n, n))
    A = (A + A.T) / 2
    np.fill_diagonal(A, 0)
    return A


# -- axioms ----------------------------------------------------------------------------------------


def test_every_violation_is_found_with_its_place():
    D = cdist(*[np.random.default_rng(0).normal(size=(6, 2))] * 2)
    assert report(D).kind == "Euclidean metric"
    assert report(D).signature == (2, 0)
    assert report(D).dimension == 2
    broken = D.copy()
    broken[2, 2] = 0.5
    assert report(broken)["D1"].place == (2, 2)
    assert report(broken).kind == "no distance"
    broken = D.copy()
    broken[1, 4] = broken[4, 1] = -0.3
    found = report(broken)["D2"]
    assert (found.worst, found.count) == (pytest.approx(0.3), 2)
    broken = D.copy()
    broken[1, 4] += 0.25
    found = report(broken)["D3"]
    assert (found.worst, found.place, found.count) == (pytest.approx(0.25), (1, 4), 1)
    broken = D.copy()
    broken[0] = broken[3]
    broken[:, 0] = broken[:, 3]
    broken[0, 0] = 0
    found = report(broken)
    assert found.kind == "semi-metric"
    assert found.zero_pairs == ((0, 3),)


def test_triangles_are_counted_as_by_hand():
    D = np.array([[0, 1, 5], [1, 0, 1], [5, 1, 0]], dtype=float)
    found = report(D)["D5"]
    assert (found.worst, found.count) == (3.0, 2)
    assert set(found.place) == {0, 1, 2}
    assert found.place[1] == 1
    assert "NO" in report(D).explain()
    assert report(D).to_dict()["kind"] == "distance function"


@given(st.integers(0, 10**6))
@settings(max_examples=25)
def test_worst_triangle_against_three_loops(seed):
    D = random_dissimilarity(seed, 6)
    worst = max(D[i, k] - D[i, j] - D[j, k] for i in range(6) for j in range(6) for k in range(6))
    found = report(D)["D5"]
    assert found.holds == (worst <= 1e-9)
    if not found.holds:
        assert found.worst == pytest.approx(worst)
        i, j, k = found.place
        assert D[i, k] - D[i, j] - D[j, k] == pytest.approx(worst)


def test_similarities():
    S = np.array([[1, 0.5, -0.2], [0.5, 1, 0.3], [-0.2, 0.3, 1]])
    found = metrics.similarity_report(S)
    assert [found[c].holds for c in ("S1", "S2", "S3", "S4")] == [True, True, False, True]
    assert found["S3"].place in ((0, 2), (2, 0))
    assert found.kernel
    assert found.normalised
    bad = metrics.similarity_report(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert bad["S4"].worst == pytest.approx(1.0)
    assert not bad.kernel
    shifted, constant = metrics.shift_to_nonnegative(S)
    assert constant == pytest.approx(0.2)
    assert metrics.similarity_report(shifted).kernel


@pytest.mark.parametrize(
    ("D", "message"),
    [
        (np.zeros((2, 3)), "square"),
        (np.array([[0, np.nan], [1, 0]]), r"D\[0, 1\] is nan"),
        (np.zeros((0, 0)), "square"),
    ],
)
def test_bad_matrices(D, message):
    with pytest.raises(ValueError, match=message):
        report(D)


# -- repairs ---------------------------------------------------------------------------------------


def test_constants_of_the_catalogue():
    assert metrics.lingoes(EXAMPLE_6).constant == pytest.approx(0.08583, abs=5e-6)
    assert metrics.cailliez(EXAMPLE_6).constant == pytest.approx(0.04424, abs=5e-6)
    assert metrics.lingoes(EXAMPLE_1).constant == pytest.approx(2)
    assert metrics.cailliez(EXAMPLE_1).constant == pytest.approx(np.sqrt(2))


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_repairs_of_random_non_metrics(seed):
    D = random_dissimilarity(seed)
    for repair in (metrics.additive_constant, metrics.shortest_paths):
        assert report(repair(D).matrix, tol=1e-9).is_metric
    constants = [
        metrics.additive_constant(D, rule).constant for rule in ("tight", "gower", "printed")
    ]
    assert constants[0] <= constants[1] <= constants[2]
    for repair in (metrics.lingoes, metrics.cailliez):
        fixed = repair(D)
        assert report(fixed.matrix).smallest_eigenvalue > -1e-8
        # and no smaller constant does
        less = 0.98 * fixed.constant
        smaller = np.sqrt(D**2 + less) if repair is metrics.lingoes else D + less
        np.fill_diagonal(smaller, 0)
        assert report(smaller).smallest_eigenvalue < -1e-6
    assert report(metrics.landmark(D, 3).matrix, tol=1e-9)["D5"].holds


def test_tight_constant_is_the_smallest():
    D = random_dissimilarity(3)
    c = metrics.additive_constant(D).constant
    assert c > 0
    assert not report(metrics.additive_constant(D, 0.99 * c).matrix)["D5"].holds


def test_shortest_paths_are_the_largest_metric_below():
    D = random_dissimilarity(5)
    closed = metrics.shortest_paths(D).matrix
    assert np.all(closed <= D + 1e-12)
    again = metrics.shortest_paths(closed).matrix
    np.testing.assert_allclose(again, closed, atol=1e-12)
    line = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0))) ** 0.5
    geodesic = metrics.shortest_paths(line, neighbours=1).matrix
    np.testing.assert_allclose(geodesic, line**2)
    with pytest.raises(ValueError, match="2 parts"):
        metrics.shortest_paths(cdist(*[np.array([[0.0], [1], [9], [10]])] * 2), radius=2)


def test_zero_distances_are_edges_too():
    D = np.array([[0, 0, 5], [0, 0, 1], [5, 1, 0]], dtype=float)
    assert metrics.shortest_paths(D).matrix[0, 2] == 1
    merged = metrics.merge_zero_distances(metrics.shortest_paths(D).matrix)
    assert merged.matrix.shape == (2, 2)
    assert merged.groups.tolist() == [0, 0, 1]
    assert merged.after.is_metric


@pytest.mark.parametrize("how", ["add", "root", "saturate", "arctan", "log", np.sqrt])
def test_transforms_keep_a_metric(how):
    D = cdist(*[np.random.default_rng(1).normal(size=(9, 2))] * 2)
    assert metrics.metric_transform(D, how, 2.0).after.is_metric


def test_asymmetric_and_negative_input():
    D = random_dissimilarity(0)
    D[0, 1] += 1
    with pytest.raises(ValueError, match="symmetrise"):
        metrics.lingoes(D)
    assert metrics.symmetrise(D, "max").matrix[1, 0] == D[0, 1]
    with pytest.raises(ValueError, match="negative"):
        metrics.shortest_paths(-random_dissimilarity(0))


# -- conversions and embeddings --------------------------------------------------------------------


def test_there_and_back():
    X = np.random.default_rng(2).normal(size=(7, 3))
    D = cdist(X, X)
    for K in (metrics.kernel_from_distance(D), metrics.kernel_from_distance(D, origin=4)):
        assert metrics.similarity_report(K + 1e-12 * np.eye(7)).kernel
        np.testing.assert_allclose(metrics.distance_from_kernel(K), D, atol=1e-7)
    S = metrics.similarity_from_distance(D, "gaussian", 2.0)
    assert metrics.similarity_report(S).kernel
    assert metrics.distance_from_similarity(S).max() < 1
    inverse = metrics.similarity_from_distance(D, "inverse")
    np.testing.assert_allclose(inverse, 1 / (1 + D))
    with pytest.raises(ValueError, match="not a kernel"):
        metrics.distance_from_kernel(np.array([[0.0, 1], [1, 0]]))
    with pytest.raises(ValueError, match="between 0 and 1"):
        metrics.distance_from_similarity(2 * S)


def test_classical_and_pseudo_euclidean_points():
    X = np.random.default_rng(2).normal(size=(9, 3))
    D = cdist(X, X)
    exact = metrics.classical_mds(D)
    assert exact.points.shape == (9, 3)
    np.testing.assert_allclose(cdist(exact.points, exact.points), D, atol=1e-8)
    signed = metrics.pseudo_euclidean(EXAMPLE_1)
    assert sorted(signed.signs) == [-1, 1, 1]
    from mercer.metrics._embeddings import signed_squares

    np.testing.assert_allclose(signed_squares(signed.points, signed.signs), EXAMPLE_1**2, atol=1e-9)


def test_stress_falls_below_the_classical_solution():
    D = random_dissimilarity(1, 12) + 0.2
    np.fill_diagonal(D, 0)
    classical, better = metrics.classical_mds(D, 2).stress, metrics.stress_mds(D, 2).stress
    assert better < classical
    X = np.random.default_rng(0).normal(size=(20, 2))
    found = metrics.stress_mds(cdist(X, X), dimensions=range(1, 5))
    assert found.elbow == 2
    assert found.stress < 1e-3


def test_kuratowski_of_example_six():
    assert metrics.kuratowski_dual_norm([-1] * 4, EXAMPLE_6) == pytest.approx(26 / 71)
    assert metrics.kuratowski_dual_norm([1, 0, 1, 0], EXAMPLE_6) == pytest.approx(20 / 71)
    closed = np.abs(np.linalg.solve(EXAMPLE_6, [-1.0] * 4)).sum()
    assert metrics.kuratowski_dual_norm([-1] * 4, EXAMPLE_6) == pytest.approx(closed)
    rows = metrics.kuratowski(EXAMPLE_6)
    np.testing.assert_allclose(cdist(rows, rows, "chebyshev"), EXAMPLE_6)
    assert metrics.kuratowski_dual_norm([1, 1, -1, -1], EXAMPLE_1) == np.inf


def test_arens_eells_is_transport():
    D = EXAMPLE_6
    for i in range(4):
        for j in range(4):
            m = np.zeros(4)
            m[i] += 1
            m[j] -= 1
            assert metrics.arens_eells_norm(m, D) == pytest.approx(D[i, j])
    single = np.array([1.0, 0, 0, 0])
    assert metrics.arens_eells_norm(single, D) == D.max()  # to the base point
    mixed = metrics.arens_eells_norm([1.0, 0.5, -0.75, -0.75], D, base=False)
    assert mixed == pytest.approx(0.75 * 3 + 0.25 * 6 + 0.5 * 1)
    with pytest.raises(ValueError, match="add up to zero"):
        metrics.arens_eells_norm(single, D, base=False)


def test_covering_numbers_between_their_limits():
    D = np.abs(np.subtract.outer(np.arange(10.0), np.arange(10.0)))
    low, high = metrics.covering_number(D, 1.0)
    assert low <= 4 <= high  # balls of radius 1 hold three of ten points in a row
    assert metrics.covering_number(D, 9.0) == (1, 1)
    low, high = metrics.packing_number(D, 1.5)
    assert low <= 5 <= high
    order, radii = metrics.farthest_first(D)
    assert sorted(order) == list(range(10))
    assert np.all(np.diff(radii[1:]) <= 0)


# -- the distances themselves ----------------------------------------------------------------------


def test_edit_distances_against_the_table():
    def twin(u, v):
        table = np.add.outer(np.arange(len(u) + 1), np.arange(len(v) + 1))
        for i, a in enumerate(u, 1):
            for j, b in enumerate(v, 1):
                table[i, j] = min(
                    table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a != b)
                )
        return table[-1, -1]

    words = ["kitten", "sitting", "", "saturday", "sunday", "ünïcode"]
    exact = [[twin(u, v) for v in words] for u in words]
    np.testing.assert_array_equal(Edit()(words), exact)
    np.testing.assert_array_equal(Edit()([list(w) for w in words]), exact)


def test_a_warped_copy_is_at_distance_zero():
    slow, fast = (0.0, 0.0, 1.0, 1.0, 2.0), (0.0, 1.0, 2.0)
    assert DTW()([slow], [fast])[0, 0] == 0
    assert DTW(window=0)([(0.0, 1.0, 2.0)], [(0.0, 0.0, 1.0)])[0, 0] == pytest.approx(np.sqrt(2))
    plane = [np.zeros((4, 2)), np.ones((3, 2))]
    assert DTW()(plane)[0, 1] == pytest.approx(np.sqrt(4 * 2))


def test_sets_and_samples():
    assert Wasserstein()([(0.0, 1.0)], [(2.0, 3.0)])[0, 0] == pytest.approx(2)
    assert Hausdorff()([(0.0, 1.0)], [(0.0, 5.0)])[0, 0] == 4
    assert Hamming()(["abc"], ["abd"])[0, 0] == 1
    with pytest.raises(ValueError, match="one length"):
        Hamming()(["abc", "ab"])


def test_connected_and_centred():
    line = np.linspace(0, 1, 21)[:, None]
    D = np.abs(line - line.T)
    assert metrics.chain_step(D) == pytest.approx(0.05)
    assert metrics.center_defect(D) == pytest.approx(0.025)  # half a gap
    two = np.concatenate([line, line + 3])
    assert metrics.chain_step(np.abs(two - two.T)) == pytest.approx(2.0)
    angles = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    circle = np.abs(angles[:, None] - angles[None, :])
    chords = 2 * np.sin(np.minimum(circle, 2 * np.pi - circle) / 2)
    assert metrics.chain_step(chords) < 0.2
    assert metrics.center_defect(chords) > 0.4  # opposite points have no midpoint on the circle
    assert metrics.chain_step([[0.0]]) == 0


def test_a_negative_distance_is_no_zero_pair():
    D = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    D[0, 1] = D[1, 0] = -1.0
    found = report(D)
    assert found.zero_pairs == ()
    assert found["D4"].holds
    assert not found["D2"].holds


def test_what_was_looked_at_in_part_is_said_so():
    D = np.abs(np.subtract.outer(np.arange(60.0), np.arange(60.0)))
    found = report(D, max_rows=10)
    assert found.kind == "Euclidean metric on 10 objects"
    assert not found.is_metric
    assert "no violation among 10 objects" in found.explain()
    assert report(D).is_metric
    D[3, 7] = D[7, 3] = 50.0
    assert not report(D)["D5"].holds


@pytest.mark.parametrize("symmetric", [True, False])
def test_triangles_are_those_of_three_loops(symmetric):
    rng = np.random.default_rng(2)
    for spread in (0.0, 0.2, 1.0):
        D = 1.0 + spread * rng.random((12, 12))
        D = np.triu(D, 1) + (np.triu(D, 1).T if symmetric else np.tril(D, -1))
        D[4, 5] = D[5, 4] = 0.0
        triples = [(x, y, z) for x in range(12) for y in range(12) for z in range(12)]
        excess = [D[x, z] - D[x, y] - D[y, z] for x, y, z in triples if len({x, y, z}) == 3]
        found = report(D)["D5"]
        assert found.holds == (max(excess) <= 1e-9 * D.max())
        assert found.count == np.sum(np.array(excess) > 1e-9 * D.max())


def test_inner_products_of_distances_that_have_none_are_told():
    D = 1.0 - np.eye(5)
    D[0, 1:] = D[1:, 0] = 0.5  # a star: a metric, and not Euclidean
    with pytest.warns(metrics.NotEuclideanWarning, match="smallest eigenvalue"):
        metrics.kernel_from_distance(D)


def test_paths_go_through_objects_that_are_almost_equal():
    D = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 1e-10], [5.0, 1e-10, 0.0]])
    assert metrics.shortest_paths(D).matrix[0, 2] == 1.0 + 1e-10
