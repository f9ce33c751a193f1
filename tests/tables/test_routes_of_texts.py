"""Many texts: an exact machine on some of them, or landmarks, and rows kept apart decide."""

import numpy as np
import pytest

from mercer.app.plan import make_plan
from mercer.errors import UserError
from mercer.learners.large import nystroem_classifier
from mercer.tables import TableMachine, routes


def texts(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    words = np.array(["ab", "ba", "aab", "abb"])
    found = np.empty(n, dtype=object)
    for i in range(n):
        share = [0.5, 0.1, 0.2, 0.2] if y[i] else [0.1, 0.5, 0.2, 0.2]
        found[i] = "".join(rng.choice(words, 12, p=share))
    return found, np.where(y, "yes", "no")


def machine(route):
    return TableMachine(
        "classification", prepare="objects", kernel="spectrum:length=3", learner="kernel",
        route=route, rank=60, search_rows=150, random_state=0,
    )  # fmt: skip


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(routes, "PILOT_OF_OBJECTS", 200)


def test_exact_machines_and_landmarks_meet_on_rows_kept_apart():
    X, y = texts(600)
    model = machine("measured").fit(X, y)
    told = {(one.route, one.rows) for one in model.chosen_.tried}
    assert {("exact", 200), ("low-rank", 200)} <= told
    assert not any(route == "cells" for route, _ in told)
    assert "exact" in model.chosen_.words
    fresh, truth = texts(300, seed=1)
    assert np.mean(model.predict(fresh) == truth) > 0.75
    assert model.predict_proba(fresh).shape == (300, 2)


def test_landmarks_are_trained_on_all_texts_and_stored(tmp_path):
    import mercer

    X, y = texts(600)
    model = machine("low-rank").fit(X, y)
    assert [(one.route, one.rows) for one in model.chosen_.tried] == [("low-rank", 540)]
    again = mercer.load(mercer.save(model, tmp_path / "m.mercer"))
    assert np.array_equal(again.predict(X), model.predict(X))


def test_coordinates_of_texts_are_made_once_and_are_those_of_each_pass(monkeypatch):
    X, y = texts(300)
    held = machine("low-rank").fit(X, y).predict_proba(X)
    monkeypatch.setattr(nystroem_classifier, "MOST_HELD", 0)
    assert np.array_equal(machine("low-rank").fit(X, y).predict_proba(X), held)


def test_texts_have_no_cells():
    with pytest.raises(ValueError, match="texts have no cells"):
        machine("cells").fit(*texts(100))
    with pytest.raises(UserError, match="texts have no coordinates"):
        make_plan(1000, 50, 5, 10**5, cells=False, route="cells")


def test_many_texts_are_measured_and_few_are_not():
    def seconds(searched, trained):
        return 1e-6 * trained**2

    few = make_plan(5000, 50, 5, 10**6, cells=False, kernel_seconds=seconds)
    many = make_plan(60_000, 50, 5, 10**7, cells=False, kernel_seconds=seconds)
    assert few.kind == "exact"
    assert many.kind == "measured"
    assert "cells" not in many.words
    exact = make_plan(60_000, 50, 5, 10**7, route="exact", cells=False, kernel_seconds=seconds)
    assert many.seconds < 0.1 * exact.seconds
