"""Calculator, bounds and version space say what the library says."""

import numpy as np
import pytest

from helpers_lab import running_lab  # skips without the extra
from mercer import SVC, bounds, datasets, kernels
from mercer.bounds import Evidence, HoldOut
from mercer.errors import UserError
from mercer.lab.address import Address
from mercer.lab.room import Room
from mercer.lab.views.bounds import Bounds, Study
from mercer.lab.views.calculator import Aimed, Asked, Calculator, Swept
from mercer.lab.views.version_space import Shown, VersionSpace, perceptron_path

assert running_lab
ROOM = Room(Address())


@pytest.mark.parametrize("code", sorted(bounds.available()))
def test_the_calculator_knows_every_bound(code):
    """Its value, a slider that moves it, a curve; all as the bound itself says."""
    view = Calculator(ROOM)
    found = view.value(Asked(code=code))
    bound = bounds.get(code)()
    example = next(iter(bound.examples()))
    assert found["value"] == pytest.approx(bound.evaluate(example, 0.05).value)
    assert {knob["name"] for knob in found["knobs"]} >= {"n"}
    more = view.value(Asked(code=code, moved={"n": 4 * example.n}))
    assert more["value"] == pytest.approx(
        bound.evaluate(example.vary("n", 4 * example.n), 0.05).value
    )
    names: dict = {}
    exec(found["python"].replace("print(", "told = ("), names)  # our own words
    assert names["told"].split("\n")[0] == found["words"].split("\n")[0]


def test_rows_for_a_target():
    found = Calculator(ROOM).target(Aimed(code="vc", target=0.1))["rows"]
    example = next(iter(bounds.get("vc").examples()))
    vc = bounds.get("vc")()
    assert vc.evaluate(example.vary("n", found), 0.05).value <= 0.1
    assert vc.evaluate(example.vary("n", found - 1), 0.05).value > 0.1


def test_a_curve_falls_with_rows_and_is_refused_over_nothing():
    view = Calculator(ROOM)
    found = view.curve(Swept(code="vc", over="n"))
    assert found["values"][0] > found["values"][-1]
    with pytest.raises(UserError, match="not a number"):
        view.curve(Swept(code="vc", over="__class__"))
    with pytest.raises(UserError, match="not a number"):
        view.value(Asked(code="vc", moved={"task": 3}))


def test_the_axis_of_bounds_is_the_machines_own():
    asked = Study(law="two clouds", n=120, seed=4, kernel="linear")
    found = Bounds(ROOM).study(asked)
    X, y, law = datasets.make_gaussian(120, d=2, distance=3.0, random_state=4)
    model = SVC(kernel=kernels.Linear()).fit(X, np.where(y > 0, 1.0, -1.0))
    shown = {row["code"]: row["value"] for row in found["rows"]}
    for code, certificate in model.certificates_.items():
        assert shown[code] == pytest.approx(certificate.value), code
    exact = law.linear_risk(model.coef_[0], model.intercept_[0])
    assert found["truth"] == pytest.approx(exact, abs=0.01)
    for row in found["rows"]:
        if row["parts"] is not None and row["kind"] == "bound":
            assert sum(row["parts"].values()) == pytest.approx(row["unclipped"], rel=1e-6)


def test_looks_are_charged():
    """The second look at the same rows costs more than the first, the tenth still more."""
    view = Bounds(ROOM)
    values = [view.study(Study(n=120, look=k))["honest"] for k in (1, 2, 10)]
    assert values[0] < values[1] < values[2]
    alone = view.study(Study(n=120, look=10))["alone"]
    found = view.study(Study(n=120))
    held = Evidence(n=84, holdout=HoldOut(found["counted"], found["wrong"]))
    assert alone == pytest.approx(bounds.get("holdout")().evaluate(held, 0.05).value)


POINTS = np.array(
    [
        [-1.2, -0.6, -1],
        [-0.7, 0.9, -1],
        [-0.2, -1.1, -1],
        [0.9, 0.7, 1],
        [1.3, -0.4, 1],
        [0.5, 1.3, 1],
    ]
)


@pytest.mark.parametrize("weights", [2, 3])
def test_who_lives_in_version_space(weights):
    points = POINTS if weights == 3 else POINTS[[0, 3, 4, 5]]
    found = VersionSpace(ROOM).show(Shown(points=points, weights=weights))
    rows = np.column_stack([points[:, :2], np.ones(len(points))])[:, :weights]
    draws = np.random.default_rng(0).standard_normal((200_000, weights))
    consistent = np.all((draws @ rows.T) * points[:, 2] > 0, axis=1)
    assert found["separable"]
    assert found["volume"] == pytest.approx(consistent.mean(), rel=0.1)
    assert set(found["marks"]) == {"SVM", "Bayes point"}
    if weights == 2:
        angle = found["marks"]["SVM"]
        w = np.array([np.cos(angle), np.sin(angle)])
        inside = draws[consistent] / np.linalg.norm(draws[consistent], axis=1, keepdims=True)
        margins = np.min(points[:, 2] * (rows @ w) / np.linalg.norm(rows, axis=1))
        best = np.min((inside @ rows.T) * points[:, 2] / np.linalg.norm(rows, axis=1), axis=1).max()
        assert margins == pytest.approx(best, abs=1e-3)  # the centre of the largest ball
    assert all(0 < bound["value"] <= 1 for bound in found["bounds"])
    code = found["python"].replace("print(", "told = (").partition("\nplots.")[0]
    names: dict = {}
    exec(code, names)  # our own words
    assert names["told"] == pytest.approx(found["sine"])


def test_an_empty_version_space_is_said():
    points = np.array([[0.0, 1.0, 1.0], [0.0, 1.0, -1.0], [1.0, 0.0, 1.0]])
    found = VersionSpace(ROOM).show(Shown(points=points))
    assert not found["separable"]
    assert found["volume"] == 0


def test_the_perceptron_ends_in_version_space():
    rows = np.column_stack([POINTS[:, :2], np.ones(len(POINTS))])
    path = perceptron_path(rows, POINTS[:, 2], 1000)
    assert np.all((rows @ path[-1]) * POINTS[:, 2] > 0)
    assert np.allclose(np.linalg.norm(path, axis=1), 1.0)
