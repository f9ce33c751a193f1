"""Values in the pictures of proofs and of shapes, beside closed forms and brute force."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.spatial.distance import pdist, squareform

pytest.importorskip("matplotlib.pyplot")
pytestmark = pytest.mark.slow


def test_proofs(drawn):
    """4.1, 4.3, A.1 and C.1 to C.4."""
    axes = drawn("theory_proofs")["axes"]
    wrong = [line.get_ydata()[-1] for line in axes[0].lines[1:]]
    np.testing.assert_allclose(wrong, [0.75, 0.25], atol=0.01)

    dimensions, seen = axes[1].lines[1].get_xydata().T
    cells = 10.0**dimensions
    np.testing.assert_allclose(seen, 1 - (1 - 1 / cells) ** 1000, rtol=0.05)

    one, twice, unseen, rest = (line.get_xydata().T for line in axes[2].lines)
    exact = 2 * stats.binom.sf(np.floor(200 * (0.5 + one[0]) + 1e-9), 200, 0.5)
    np.testing.assert_allclose(one[1], exact, atol=0.002)
    # each of 40 equal atoms is seen, by inclusion and exclusion
    terms = [(-1) ** (k + 1) * math.comb(40, k) * (1 - k / 40) ** 200 for k in range(1, 41)]
    np.testing.assert_allclose(unseen[1], sum(terms), atol=0.02)
    assert np.all(one[1] <= twice[1])
    assert np.all(unseen[1] <= rest[1])

    title = axes[3].get_title()
    assert float(title.split(": ")[-1].split(" ")[0]) == pytest.approx(0.25, abs=0.01)
    heights = [bar.get_height() for bar in axes[4].patches]
    single = [math.comb(6, k) / 64 for k in range(7)]
    paired = [math.comb(4, k - 1) / 16 if 1 <= k <= 5 else 0.0 for k in range(7)]
    np.testing.assert_allclose(heights, single + paired, atol=1e-12)

    cone, points = axes[5].lines[2].get_xydata(), axes[5].lines[3].get_xydata()
    assert np.min(points @ cone[[0, 2]].T) == pytest.approx(0.0, abs=1e-12)  # its edge just holds

    p, q = stats.norm(0, 1).pdf, stats.norm(1.2, 1.5).pdf
    area = quad(lambda x: max(p(x) - q(x), 0.0), -12, 14, limit=200)[0]
    assert float(axes[7].get_title().split(": ")[-1]) == pytest.approx(area, abs=6e-4)


def test_shapes_seen_through_distances(drawn):
    """The roll, the walk, the factor of the generator and the cities."""
    found = drawn("unlabelled_geometry")
    axes = found["axes"]
    position, roll, ends = found["position"], found["roll"], found["ends"]
    arc = quad(lambda t: math.hypot(1, t), *position[ends])[0]  # of the spiral t (cos t, sin t)
    length = found["lengths"][ends[1]]
    assert length == pytest.approx(math.hypot(arc, np.diff(roll[ends, 1]).item()), rel=0.06)
    assert float(axes[3].get_title("left").split("straight ")[1].split(",")[0]) < length / 5

    P = found["P"]
    for line, (t, start) in zip(
        axes[6].lines, [(4, 90), (4, 200), (64, 90), (64, 200)], strict=True
    ):
        law = np.eye(300)[start]
        for _ in range(t):
            law = law @ P
        np.testing.assert_allclose(line.get_ydata(), law, atol=1e-12)
        assert law.sum() == pytest.approx(1)

    for line in axes[8].lines[::2]:
        assert float(line.get_label().split("ratio ")[1]) == pytest.approx(0.25, rel=0.01)

    degrees = np.radians(list(found["cities"].values()))
    to_space = np.column_stack(
        [
            np.cos(degrees[:, 0]) * np.cos(degrees[:, 1]),
            np.cos(degrees[:, 0]) * np.sin(degrees[:, 1]),
            np.sin(degrees[:, 0]),
        ]
    )
    sphere = 2 * 6371 * np.arcsin(squareform(pdist(to_space)) / 2)
    np.testing.assert_allclose(found["distances"], sphere, atol=1e-3)
    town = axes[10].collections[0].get_offsets()
    np.testing.assert_allclose(pdist(town), squareform(sphere, checks=False), rtol=0.05)
    heights = [bar.get_height() for bar in axes[11].patches]
    assert sum(heights) == pytest.approx(np.sum(sphere**2) / 20)  # the trace
    np.testing.assert_allclose(np.sum(np.asarray(town) ** 2, axis=0), heights[:2], rtol=1e-6)
    assert heights[-1] < 0
