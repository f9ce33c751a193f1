"""Scripts that draw the texts' figures: the numbers they draw, not that they end."""

import importlib.util
import itertools
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

ROOT = Path(__file__).resolve().parents[2]
pytest.importorskip("matplotlib")


@cache
def script(name):
    """A file of examples/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
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
