"""Losses, probabilities, cells, projections and the sphere of classifiers, as displays."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from mercer import SVC
from mercer.datasets import make_moons
from mercer.learners.discriminant import KernelLogistic
from mercer.learners.margin import Perceptron
from mercer.losses import Hinge, Logistic, Square
from mercer.plots import (
    LossDisplay,
    ProbabilityDisplay,
    ProjectionDisplay,
    VersionSpaceDisplay,
    VoronoiDisplay,
)

X, Y, _ = make_moons(60, random_state=0)
RNG = np.random.default_rng(0)
A = np.concatenate([RNG.normal((1.5, 1), 0.5, (8, 2)), RNG.normal((-1.5, -1), 0.5, (8, 2))])
B = np.repeat([1, 0], 8)


def test_losses_over_the_margin_and_the_residual():
    display = LossDisplay(losses=("hinge", Logistic()), at=[-1.0, 0.0, 2.0]).plot()
    table = display.frame()
    assert next(iter(table)) == "margin"
    assert table[str(Hinge())].tolist() == [2.0, 1.0, 0.0]
    assert len(display.ax_.lines) == 2
    assert display.ax_.lines[1].get_ydata() == pytest.approx(table[str(Logistic())])
    numbers = LossDisplay(losses=("square", "huber"), at=[-2.0, 2.0]).frame()
    assert numbers["residual"].tolist() == [-2.0, 2.0]
    assert numbers[str(Square())] == pytest.approx(Square().value([-2.0, 2.0], 0.0))
    with pytest.raises(ValueError, match="no common axis"):
        LossDisplay(losses=("hinge", "square"))


def test_probabilities_are_the_models():
    model = KernelLogistic(C=5.0).fit(X, Y)
    display = ProbabilityDisplay.from_estimator(model, X, Y, resolution=20)
    table = display.frame()
    rows = np.column_stack([table["x"], table["y"]])
    assert table["probability"] == pytest.approx(model.predict_proba(rows)[:, 1])
    other = ProbabilityDisplay.from_estimator(model, X, target=model.classes_[0], resolution=20)
    assert other.probability == pytest.approx(1 - display.probability)
    shown = np.asarray(display.ax_.images[0].get_array())
    assert shown == pytest.approx(display.probability)
    with pytest.raises(ValueError, match="no probabilities"):
        ProbabilityDisplay.from_estimator(Perceptron(), X)
    with pytest.raises(ValueError, match="target must be"):
        ProbabilityDisplay.from_estimator(model, X, target="third")


def test_cells_are_those_of_the_nearest_point():
    display = VoronoiDisplay(points=X, labels=Y).plot()
    table = display.frame()
    ends = np.column_stack([table["x0"], table["y0"]])
    for column in ("point", "other"):  # a corner is as far from both points as the border says
        table[f"far {column}"] = np.linalg.norm(ends - X[table[column]], axis=1)
    assert table["far point"] == pytest.approx(table["far other"])
    nearest = np.linalg.norm(ends[:, None] - X[None], axis=2).min(axis=1)
    assert table["far point"] == pytest.approx(nearest)
    mesh = RNG.uniform(-1, 1, size=(300, 2))
    model = KNeighborsClassifier(1).fit(X, Y)
    assert np.array_equal(Y[display.nearest(mesh)], model.predict(mesh))
    assert np.array_equal(table["classes differ"], Y[table["point"]] != Y[table["other"]])
    drawn = [len(lines.get_segments()) for lines in display.ax_.collections[:2]]
    assert sum(drawn) == len(table["x0"])
    assert drawn[1] == table["classes differ"].sum()
    twice = VoronoiDisplay(points=np.concatenate([X, X]), labels=np.concatenate([Y, Y]))
    assert len(twice.frame()["x0"]) == len(table["x0"])
    assert len(VoronoiDisplay(points=[[0, 0], [1, 1]]).plot().frame()["x0"]) == 0
    with pytest.raises(ValueError, match="two numbers"):
        VoronoiDisplay(points=np.ones((4, 3)))


def test_projections_show_outputs_and_what_they_miss():
    wide = np.column_stack([X, 5 * RNG.normal(size=60)])
    model = SVC(kernel="linear").fit(wide, Y)
    table = ProjectionDisplay.from_estimator(model, wide, Y).frame()
    assert table["output"] == pytest.approx(model.decision_function(wide))
    assert abs(np.corrcoef(table["output"], table["rest"])[0, 1]) < 1e-10
    assert abs(np.corrcoef(table["rest"], wide[:, 2])[0, 1]) > 0.9
    with pytest.raises(ValueError, match="one output"):
        ProjectionDisplay.from_estimator(
            SVC(decision_function_shape="ovr").fit(wide, np.arange(60) % 3), wide
        )


def test_the_sphere_of_classifiers():
    machines = [SVC(kernel="linear", C=1e6).fit(A, B), Perceptron().fit(A, B)]
    display = VersionSpaceDisplay.from_estimator(*machines, X=A, y=B)
    for model in machines:
        w = display.marks[type(model).__name__]
        assert display.errors(w)[0] == np.count_nonzero(model.predict(A) != B) == 0
        place = display.to_disc(w)
        assert display.from_disc(place)[0] == pytest.approx(w)
    table = display.frame(60)
    inside = ~np.isnan(table["errors"])
    vectors = display.from_disc(np.column_stack([table["x"], table["y"]])[inside])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(inside.sum()))
    lifted = VersionSpaceDisplay.lifted(A)
    signs = np.where(B == 1, 1, -1)
    counted = np.count_nonzero((vectors @ lifted.T) * signs <= 0, axis=1)
    assert np.array_equal(table["errors"][inside], counted)
    for row in (0, 9):
        on = display.from_disc(display.circle(row)[~np.isnan(display.circle(row)).any(axis=1)])
        assert np.abs(on @ lifted[row]).max() < 1e-6


def test_areas_are_shares_of_the_classifiers():
    """Monte Carlo: the share of directions of the hemisphere that make no error."""
    display = VersionSpaceDisplay(X=VersionSpaceDisplay.lifted(A), signs=np.where(B == 1, 1, -1))
    draws = np.random.default_rng(1).normal(size=(200_000, 3))
    draws[draws @ display.pole < 0] *= -1
    share = np.mean(display.errors(draws) == 0)
    assert display.volume() == pytest.approx(share, abs=0.003)
    with pytest.raises(ValueError, match="three dimensions"):
        VersionSpaceDisplay(X=A, signs=np.ones(16))
    with pytest.raises(ValueError, match="two classes"):
        VersionSpaceDisplay.from_estimator(X=A, y=np.arange(16))
