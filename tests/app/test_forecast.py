"""Forecasts know what a contest does, and how fast and how busy this machine is."""

import numpy as np
import pandas as pd
import pytest

from mercer import _pace
from mercer.app import forecast, train
from mercer.app.forecast import look_ahead
from mercer.app.options import FitOptions
from mercer.app.roles import make_fit_data
from mercer.tables.frames import dataset_of


def table(n=300, classes=2, text=False):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
    if text:
        words = np.array(["ship", "sail", "port", "corn", "cow", "barn", "grey", "stone", "tree"])
        frame["words"] = [" ".join(rng.choice(words, 6)) for _ in range(n)]
    frame["y"] = np.array(list("uvwxyz"))[np.arange(n) % classes]
    return make_fit_data(dataset_of(frame), target="y")


def ahead(data, learner="auto", train=200, **wishes):
    return look_ahead(data, FitOptions(target="y", **wishes), learner, train)


def test_every_search_over_kernels_is_counted():
    once, twice = ahead(table()), ahead(table(text=True))
    assert once.settings == forecast.SETTINGS["classification"]
    assert twice.settings == 2 * once.settings  # columns, and words and letters
    assert ahead(table(classes=5)).settings > 1.5 * once.settings
    assert ahead(table(), learner="linear").settings == 0.0
    assert ahead(table(), kernel="gaussian").settings == forecast.ASKED_FOR
    assert ahead(table(), kernel="gaussian").others == 0.0


def test_kernels_of_single_columns_cost_more():
    many = ahead(table(), train=2000, combine="sum").others
    assert ahead(table(), train=2000, combine="product").others == 0.0
    assert many == pytest.approx(forecast.COLUMNS_COST * 2000**2, rel=0.3)
    assert ahead(table(), train=400, combine="sum").others < 0.01 * many  # they grow steeply


def test_ways_to_certify_that_search_often_take_longer():
    assert [train.searches_of(mode) for mode in (None, "auto", "holdout", "progressive")] == [
        1, 1, 1, 21]  # fmt: skip
    data = table()
    seconds = {
        mode: train.plan_fit(data, FitOptions(target="y", kernel="gaussian", certify=mode)).seconds
        for mode in ("holdout", "progressive")
    }
    assert seconds["progressive"] > 1.5 * seconds["holdout"]


def test_a_machine_is_as_slow_as_its_interpreter_and_its_loops(monkeypatch):
    taken = {_pace._python: _pace.PYTHON, _pace._compiled: _pace.COMPILED}
    monkeypatch.setattr(_pace, "_least", lambda work: taken[work])
    monkeypatch.setattr(_pace, "waiting", lambda: 1.0)
    assert _pace.pace() == pytest.approx(1.0)
    taken[_pace._python] *= 4.0
    assert _pace.pace() == pytest.approx(2.0)
    taken[_pace._compiled] *= 4.0
    assert _pace.pace() == pytest.approx(4.0)
    monkeypatch.setattr(_pace, "waiting", lambda: 3.0)
    assert _pace.pace() == pytest.approx(12.0)


def test_only_a_load_that_lasts_and_is_still_there_counts(monkeypatch):
    if not hasattr(_pace.os, "getloadavg"):
        pytest.skip("no load average here")
    cores, load = 2, {"minute": 8.0, "now": 6.0}
    monkeypatch.setattr(_pace.os, "cpu_count", lambda: cores)
    monkeypatch.setattr(_pace.os, "getloadavg", lambda: (load["minute"], 0.0, 0.0))
    monkeypatch.setattr(_pace, "_running", lambda: load["now"])
    assert _pace.waiting() == pytest.approx(3.0)
    load["now"] = 1.0  # what made the load has ended
    assert _pace.waiting() == 1.0
    load.update(minute=0.5, now=9.0)  # a moment's crowd
    assert _pace.waiting() == 1.0


def test_tasks_that_run_are_read_or_unknown(monkeypatch, tmp_path):
    told = tmp_path / "loadavg"
    told.write_text("0.10 0.20 0.30 5/321 4711\n")
    monkeypatch.setattr(_pace, "RUNNING", str(told))
    assert _pace._running() == 5.0
    told.write_text("nothing like it")
    assert _pace._running() == float("inf")
    monkeypatch.setattr(_pace, "RUNNING", str(tmp_path / "missing"))
    assert _pace._running() == float("inf")
