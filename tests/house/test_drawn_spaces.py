"""Values in the pictures of version spaces, maps of shapes, kernels, losses and bounds."""

import math

import numpy as np
import pytest
from scipy import linalg
from scipy.spatial.distance import cdist
from scipy.stats import norm
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.manifold import Isomap
from sklearn.svm import SVC

from helpers_drawn import curves, seen, told

pytest.importorskip("matplotlib.pyplot")
pytestmark = pytest.mark.slow


def turned(value):
    """Unit length."""
    return value / np.linalg.norm(value)


def test_billiard_and_fisher_direction(drawn):
    """3.7 and 3.8: the ball is turned back at the walls; the direction is Fisher's."""
    found = drawn("bayes_points")
    Z, path = found["Z"], np.column_stack(found["figure"].axes[0].lines[0].get_data_3d())
    np.testing.assert_allclose(np.linalg.norm(path, axis=1), 1, atol=1e-9)
    assert np.min(path @ Z.T) > -1e-9
    walls = np.argmin(path[1:] @ Z.T, axis=1)
    np.testing.assert_allclose(np.min(path[1:] @ Z.T, axis=1), 0, atol=1e-9)
    mirrored = []
    for before, at, after, wall in zip(path, path[1:], path[2:], walls, strict=False):
        arriving = turned((before @ at) * at - before)  # along great circles
        leaving = turned(after - (after @ at) * at)
        assert leaving @ Z[wall] > 0
        own = arriving - 2 * (arriving @ Z[wall]) * Z[wall]
        mirrored.append(np.allclose(leaving, own, atol=1e-9))
    assert any(mirrored)  # a flight that would meet no wall takes a new direction instead
    assert np.all(walls[1:] != walls[:-1])
    sphere = np.random.default_rng(0).normal(size=(200_000, 3))
    inside = np.all(sphere @ Z.T > 0, axis=1)
    low, high = found["low"], found["high"]
    assert low < inside.mean() < high
    heart = turned((sphere[inside] / np.linalg.norm(sphere[inside], axis=1)[:, None]).mean(axis=0))
    assert heart @ turned(found["centre"]) > 0.999

    X, y = found["points"], found["label"]
    own = turned(LinearDiscriminantAnalysis().fit(X, y).coef_[0])
    line = curves(found["figure"].axes[1])["Fisher's discriminant"]
    np.testing.assert_allclose(own @ (line - line[:, :1]), 0, atol=1e-9)
    axis = curves(found["figure"].axes[2])["Fisher's direction"]
    assert abs(turned(axis[:, 1] - axis[:, 0]) @ own) == pytest.approx(1)
    for segment in found["figure"].axes[2].lines[1:]:
        point, foot = segment.get_xydata()[[0, -1]]
        if len(segment.get_xydata()) == 2:  # a row and its foot
            assert (point - foot) @ own == pytest.approx(0, abs=1e-9)


def walk(X, length):
    """The diffusion of Coifman and Lafon from scratch: transition probabilities, their limit."""
    far = cdist(X, X, "sqeuclidean") / (2 * length**2)
    K = np.where(far <= 9, np.exp(-far), 0)
    q = K.sum(axis=1)
    K /= np.outer(q, q)
    return K / K.sum(axis=1, keepdims=True), K.sum(axis=1) / K.sum()


def test_a_roll_flattened(drawn):
    """Components and geodesics as scikit-learn's; distances of a walk from its probabilities."""
    found = drawn("unlabelled_manifolds")
    axes, X, position = found["axes"], found["X"], found["position"]
    plane = PCA(2).fit_transform(X)
    np.testing.assert_allclose(np.abs(seen(axes[0])), np.abs(plane), atol=1e-8)
    flat = Isomap(n_components=2, n_neighbors=10).fit_transform(X)
    np.testing.assert_allclose(np.abs(seen(axes[1])), np.abs(flat), atol=1e-6)
    for ax in axes[:3]:
        r = abs(np.corrcoef(seen(ax)[:, 0], position)[0, 1])
        assert told(ax, "r = ") == pytest.approx(r, abs=0.006)
    P, limit = walk(X, 3.0**0.5)
    root = np.sqrt(limit)
    _, vectors = linalg.eigh(P * root[:, None] / root, subset_by_index=[1197, 1198])
    own = vectors[:, 1] / root
    assert abs(np.corrcoef(own, seen(axes[2])[:, 0])[0, 1]) == pytest.approx(1, abs=1e-6)

    P, limit = walk(found["room"], 0.1)
    P = np.linalg.matrix_power(P, 40)
    distance = [math.sqrt(np.sum((P[i] - P[j]) ** 2 / limit)) for i, j in ((-2, -4), (-2, -3))]
    assert [found["across"], found["inside"]] == pytest.approx(distance, rel=0.02)


def test_moons_and_noise(drawn):
    """The spectrum and the second vector, from similarities as wide as seven neighbours reach."""
    found = drawn("unlabelled_moons")
    for row, name in zip(found["axes"], ("moons", "noise"), strict=True):
        clusters = seen(row[0]), seen(row[0], 1)
        shown = {tuple(point) for part in clusters for point in part.round(9)}
        assert shown == {tuple(point) for point in found[name].round(9)}
        apart = cdist(found[name], found[name])
        W = np.exp(-((apart / np.median(np.sort(apart, axis=1)[:, 7])) ** 2) / 2)
        root = np.sqrt(W.sum(axis=1))
        values, vectors = np.linalg.eigh(np.eye(300) - W / np.outer(root, root))
        np.testing.assert_allclose(row[1].lines[0].get_ydata(), values[:4], atol=1e-9)
        drawn_sorted = np.concatenate([line.get_ydata() for line in row[2].lines[:2]])
        same = [
            np.corrcoef(drawn_sorted, np.sort(sign * vectors[:, 1] / root))[0, 1]
            for sign in (-1, 1)
        ]
        assert max(same) == pytest.approx(1, abs=1e-9)


def test_kernels_margins_and_features_of_chapter_two(drawn):
    """2.1 to 2.6, 2.8 and table 2.1; the losses of 2.7 have a test of their own."""
    found = drawn("book_chapter_2")
    axes = found["figure"].axes
    X, signs = found["X"], np.array([1, 1, 1, -1])
    own = SVC(kernel="linear", C=1e9, tol=1e-10)  # through the origin: every row and its mirror
    w = turned(own.fit(np.vstack([X, -X]), np.r_[signs, -signs]).coef_[0])
    np.testing.assert_allclose(found["w"], w, atol=1e-5)
    assert found["inner"] == pytest.approx(np.min(X * signs[:, None] @ w), abs=1e-6)
    assert found["inner"] >= np.min(X * signs[:, None] @ w) - 1e-9
    x = axes[4].lines[0].get_xdata()
    shapes = [(a, c, s) for a in (-1, 0, 1) for c in (-1, 0, 1) for s in (1, -1)]
    for line, (a, c, _) in zip(axes[4].lines, shapes, strict=True):
        y = line.get_ydata()
        real = (c * x) ** 2 >= 4 * a * x
        np.testing.assert_array_equal(np.isnan(y), ~real)
        np.testing.assert_allclose((a * x + y**2 + c * x * y)[real], 0, atol=1e-12)
    centres, plane = found["centres"], found["plane"].reshape(-1, 2)
    sums = np.exp(-cdist(plane, centres, "sqeuclidean") / (2 * 2.0**2)).sum(axis=1)
    np.testing.assert_allclose(found["values"], sums, atol=1e-12)  # of the last width
    points, y = found["points"], found["y"]
    for line, degrees in zip(axes[9].lines, (0, 25), strict=True):
        along = turned(np.diff(line.get_xydata(), axis=0)[0])
        margin = np.min(np.abs(points @ np.array([along[1], -along[0]])))
        assert float(line.get_label().split()[-1]) == pytest.approx(margin, abs=0.006), degrees
    words = CountVectorizer(token_pattern=r"\S+", lowercase=False)
    counts = words.fit_transform(found["sentences"]).toarray().astype(float)
    counts /= np.linalg.norm(counts, axis=1, keepdims=True)
    pieces = CountVectorizer(analyzer="char", ngram_range=(5, 5), lowercase=False)
    grams = pieces.fit_transform(found["sentences"]).toarray().astype(float)
    grams /= np.linalg.norm(grams, axis=1, keepdims=True)
    for place, own in ((10, counts @ counts.T), (12, grams @ grams.T)):
        shown = np.asarray(axes[place].images[0].get_array())
        np.testing.assert_allclose(np.sort(shown, axis=None), np.sort(own, axis=None), atol=1e-9)
    for n, row in zip((2, 10, 100, 784), found["text"][1:], strict=False):
        told_here = [int(cell.replace(",", "")) for cell in row.split()]
        assert told_here == [n, math.comb(n + 3, 3), math.comb(n + 2, 3)]


def test_losses_as_curves(drawn):
    """Of the margin and of the residual, beside the formulas of the texts."""
    found = drawn("loss_curves")
    labels, numbers = (curves(ax) for ax in found["axes"])
    t = found["t"]
    formulas = {
        "hinge": np.maximum(1 - t, 0),
        "squared_hinge": np.maximum(1 - t, 0) ** 2,
        "zero_one": (t <= 0).astype(float),
        "exponential": np.exp(-t),
        "logistic": np.log1p(np.exp(-t)),
    }
    known = {
        "square": t**2,
        "epsilon_insensitive": np.maximum(np.abs(t) - 0.1, 0),
        "huber": np.where(np.abs(t) <= 1, t**2 / 2, np.abs(t) - 0.5),
    }
    for drawn_here, wanted in ((labels, formulas), (numbers, known)):
        assert wanted.keys() <= drawn_here.keys()
        for name, curve in drawn_here.items():
            formula = wanted.get(name)
            if formula is not None:
                np.testing.assert_allclose(curve[1], formula, atol=1e-12)


def test_bounds_and_the_risk_under_them(drawn):
    """Every bound lies over the risk, which falls to Bayes' of two Gaussian classes."""
    found = drawn("theory_bounds_against_risk")
    shown, sizes = curves(found["ax"]), found["sizes"]
    risk = shown["risk"][1]
    assert np.all(risk > norm.cdf(-1.5))
    assert risk[-1] == pytest.approx(norm.cdf(-1.5), abs=0.002)
    for name, (rows, values) in shown.items():
        np.testing.assert_array_equal(rows, sizes)
        assert np.all(values >= risk), name
        assert values[-1] < values[0], name
    held = shown["hold-out"][1]
    assert np.all(held - risk < np.sqrt(np.log(1 / 0.05) / (2 * 0.1 * np.array(sizes))))
