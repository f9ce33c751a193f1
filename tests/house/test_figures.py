"""Scripts that draw the texts' figures: the numbers they draw, not that they end."""

import importlib.util
import itertools
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from helpers_drawn import EXAMPLES
from mercer import SVC
from mercer.kernels import Polynomial

pytest.importorskip("matplotlib.pyplot")


@cache
def script(name):
    """A file of examples/ as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# -- von Luxburg: the flip-book --------------------------------------------------------------------


def test_the_movie_has_a_point_more_in_every_frame():
    movie = script("spectral_movie")
    every = list(movie.frames(90))
    assert [len(points) for points, _, _ in every] == list(range(10, 100))
    grid = np.stack(
        np.meshgrid(np.linspace(*movie.BOX[0], 114), np.linspace(*movie.BOX[1], 69)), axis=-1
    ).reshape(-1, 2)
    for points, labels, regions in every[::30]:
        assert np.array_equal(points, every[-1][0][: len(points)])
        nearest = cdist(grid, points).argmin(axis=1)
        assert np.mean(labels[nearest].reshape(69, 114) == regions) > 0.999  # ties on a border
        # the Fiedler vector of I − D⁻¹K at σ = 0.2, from scratch
        K = np.exp(-cdist(points, points, "sqeuclidean") / (2 * 0.2**2))
        d = K.sum(axis=1)
        vector = np.linalg.eigh(K / np.sqrt(np.outer(d, d)))[1][:, -2] / np.sqrt(d)
        assert abs(adjusted_rand_score(vector > 0, labels)) == pytest.approx(1.0)
    X, moon = make_moons(99, noise=0.06, random_state=0)
    order = np.random.default_rng(0).permutation(99)
    assert np.array_equal(X[order], every[-1][0])
    assert adjusted_rand_score(moon[order], every[-1][1]) > 0.75


def test_the_movie_can_be_watched(tmp_path):
    from PIL import Image

    script("spectral_movie").movie(tmp_path / "short.gif", 4)
    with Image.open(tmp_path / "short.gif") as film:
        assert film.n_frames == 4
        shown = []
        for k in range(4):
            film.seek(k)
            shown.append(np.asarray(film.convert("RGB")))
    assert all((a != b).any() for a, b in itertools.pairwise(shown))


def test_convergence_as_it_is_drawn():
    drawn = script("spectral_convergence")
    found = drawn.studies(sizes=(60, 600), repeats=4)
    assert len(found) == 9
    for (law, kind), study in found.items():
        if law.startswith("uneven") and kind == "unnormalized":
            assert np.isnan(study.mean("sup")).all()
            continue
        few, many = study.mean("sup")[:, 0]
        assert many < 0.7 * few
    x, vectors = drawn.second_vectors(drawn.lab.uneven(), 200)
    assert np.all(np.diff(x) >= 0)
    vector, function = vectors["symmetric"]
    assert np.corrcoef(vector, function)[0, 1] ** 2 > 0.99
    spike, nothing = vectors["unnormalized"]
    assert nothing is None
    assert np.max(spike**2) > 0.5 * np.sum(spike**2)


@pytest.mark.slow
def test_the_counterexample_and_iris_as_they_are_drawn(drawn):
    """II.2 of the thesis and 12.1, 12.3, 12.6 of Peyré: what the axes of the picture hold."""
    axes = drawn("unlabelled_clusters")["axes"]
    curves = [line.get_xydata() for line in axes[9].lines[:6]]
    for (r, part), curve in zip(itertools.product((0.5, 1.0, 2.5), (0, 1)), curves, strict=True):
        x, g = curve[[3, -3]].T
        assert (x < 1.5).all() == (part == 0)
        for at, value in zip(x, g, strict=True):
            pieces = ((1, 4 / 3, (3 - r) / 2), (4 / 3, 5 / 3, r), (5 / 3, 2, (3 - r) / 2))
            exact = sum(
                p * quad(lambda y, at=at: y * y / (1.5 * y - at), low, high)[0]
                for low, high, p in pieces
            )
            assert value == pytest.approx(exact, rel=1e-6)
    bars = [bar.get_height() ** 2 for bar in axes[1].patches]
    assert bars == pytest.approx([4.2001, 0.2411, 0.0777, 0.0237], abs=5e-4)
    energy = axes[5].lines[0].get_ydata()
    assert np.all(np.diff(energy) <= 1e-9)
    assert energy[-1] == pytest.approx(78.85, abs=0.01)


# -- von Luxburg: the other figures ----------------------------------------------------------------


def test_rotation_regions_keep_every_label():
    """IV.1: every normal vector in the region, the codebook's among them, classifies alike."""
    found = script("thesis_figures").rotation_region()
    X, y = found["X"], found["y"]
    assert abs(found["nearest"] - found["angle"]) < found["half_width"]
    turns = found["angle"] + np.linspace(-1, 1, 201) * found["half_width"]
    for angle in [*turns, found["nearest"]]:
        assert np.all(y * (X @ [np.cos(angle), np.sin(angle)]) > 0)
    w = found["radius"] * np.array([np.cos(found["angle"]), np.sin(found["angle"])])
    edge = found["angle"] + found["half_width"]
    v = found["radius"] * np.array([np.cos(edge), np.sin(edge)])
    assert np.linalg.norm(w - v) == pytest.approx(found["rho"])
    assert np.min(y * (X @ w)) / found["radius"] == pytest.approx(found["rho"], rel=1e-3)


def test_balls_in_an_ellipse_by_hand():
    """IV.2: a point of the ellipse at distance rho turns over first, at atan(rho / its height)."""
    along_the_long, along_the_short = script("thesis_figures").ellipse_balls((3.0, 1.0), 0.5)
    assert along_the_long == pytest.approx(np.arctan(0.5 / np.sqrt(1 - 0.25 / 9)), abs=3e-3)
    assert along_the_short == pytest.approx(np.arctan(0.5 / (3 * np.sqrt(0.75))), abs=3e-3)
    assert along_the_short < along_the_long


def test_rates_and_bounds_over_n():
    drawn = script("thesis_figures")
    sizes = np.array((50, 200, 400))
    costs = drawn.matching_costs((2, 3), sizes, draws=6)
    for d, row in zip((2, 3), costs, strict=True):
        slope = np.polyfit(np.log(sizes), np.log(row), 1)[0]
        assert slope == pytest.approx(-0.43 if d == 2 else -1 / 3, abs=0.07)
    exact, bound, printed = drawn.complexities(sizes=(50, 200, 800, 10**5, 10**6))
    assert np.all(exact[:3] < bound[:3])
    assert np.all(printed <= bound)
    assert bound[4] / bound[3] == pytest.approx(10**-0.5, rel=0.1)  # d = 1: the rate is n^-1/2
    X, K = drawn.similarity_graph()
    assert pytest.approx(np.exp(-cdist(X, X, "sqeuclidean") / 0.72)) == K


def test_criteria_as_they_are_drawn():
    drawn = script("thesis_figures")
    found = drawn.criteria_on_twonorm(rows=500, runs=2)
    assert np.all(found.per_cost("test") <= found.per_cost("C2") + 1e-12)
    assert found.excess("span").mean() < found.excess("rm").mean()
    parts = drawn.parts_of_c3(found, rows=500)
    j = 2
    i = found.values["C3"][0, :, j].argmin()
    total = sum(values[j] for values in parts.values())
    assert total == pytest.approx(found.values["C3"][0, i, j], rel=0.02)


# -- Herbrich: figure 5.1 --------------------------------------------------------------------------


def test_normalised_kernels_over_splits():
    drawn = script("theory_normalised_kernels")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=60) > 0, "a", "b")
    found = drawn.errors(X, y, 40, (2, 3), splits=4, C=5.0)
    order = np.random.default_rng(0).permutation(60)
    train, test = order[:40], order[40:]
    Z = StandardScaler().fit(X[train]).transform(X) / np.sqrt(3)
    for kind, kernel in enumerate(
        (Polynomial(degree=3, coef0=1.0), Polynomial(degree=3, coef0=1.0).normalized())
    ):
        model = SVC(kernel=kernel, C=5.0).fit(Z[train], y[train])
        assert found[kind, 0, 1] == np.mean(model.predict(Z[test]) != y[test])


def test_the_paired_test_is_not_too_sure_of_itself():
    """Gains that are noise shared by all splits are not significant; clear ones are."""
    drawn = script("theory_normalised_kernels")
    rng = np.random.default_rng(1)
    raw = 0.2 + 0.02 * rng.normal(size=(100, 1))
    small, large = raw - 0.003 + 0.02 * rng.normal(size=(100, 1)), raw - 0.1
    gain, chance = drawn.paired_test(np.array([raw, small]), 100, 100)
    assert chance[0] > 0.5
    assert gain[0] == pytest.approx((raw - small).mean())
    large += 0.01 * rng.normal(size=(100, 1))
    assert drawn.paired_test(np.array([raw, large]), 100, 100)[1][0] < 1e-6
    assert drawn.paired_test(np.array([raw, raw]), 100, 100)[1][0] == 1.0


# -- all of them -----------------------------------------------------------------------------------

APPLICATIONS = {"texts", "strings", "dna", "series"}  # what the slides name and show no figure of


def test_every_script_that_draws_the_texts_is_held_to_values():
    """Scripts that docs/theory/figures.md names are read by tests of this folder."""
    here = Path(__file__).parent
    page = (here.parents[1] / "docs" / "theory" / "figures.md").read_text()
    named = set(re.findall(r"`([a-z_0-9]+)`", page))
    scripts = named & {path.stem for path in EXAMPLES.glob("*.py")} - APPLICATIONS
    assert len(scripts) >= 28
    tests = "".join(path.read_text() for path in here.glob("test_*.py"))
    assert scripts <= set(re.findall(r'(?:drawn|script)\("([a-z_0-9]+)"\)', tests))
