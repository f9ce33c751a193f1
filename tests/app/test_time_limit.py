"""A time limit is about the whole run, and what is told of the time is what somebody waited."""

import json
import time

import numpy as np
import pandas as pd
import pytest

import mercer.app.run as app
from helpers_cli import mercer as command
from mercer.app import baselines
from mercer.app.afterwards import SHARE, Afterwards
from mercer.app.answers import answer_questions
from mercer.app.roles import make_fit_data
from mercer.io.readers import read
from mercer.tables.frames import dataset_of


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"{a:.3f},{b:.3f},{'yes' if a + b > 0 else 'no'}" for a, b in rng.normal(size=(120, 2))]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a,b,y", *rows]) + "\n")
    return path


def test_what_comes_after_learning_has_its_time(monkeypatch):
    monkeypatch.setattr(app, "pace", lambda: 1.0)
    assert app._deadline(100.0, None) is None
    assert app._deadline(100.0, 10.0) == pytest.approx(100.0 + 10.0 - app.AFTER)
    assert app._deadline(100.0, 100.0) == pytest.approx(180.0)  # a fifth for the last training
    longer = app._deadline(100.0, 10.0, letters=10**6)  # texts are cut once more
    assert longer == pytest.approx(100.0 + 10.0 - app.AFTER - 1e6 * app.PER_LETTER)
    monkeypatch.setattr(app, "pace", lambda: 2.0)  # busy: the same work takes twice as long
    assert app._deadline(100.0, 10.0) == pytest.approx(100.0 + 10.0 - 2.0 * app.AFTER)
    assert app._deadline(100.0, 2.0) == pytest.approx(100.0 + 2.0 * (1.0 - app.MOST_AFTER))


def test_no_more_is_asked_of_a_model_than_time_allows(table):
    assert Afterwards().answers(1000) == 1000
    assert Afterwards(ends=time.monotonic() + 100.0, each=1e-6).answers(1000) == 1000
    some = Afterwards(ends=time.monotonic() + 100.0, each=0.1).answers(1000)
    assert some == pytest.approx(1000 * SHARE, rel=0.01)
    assert Afterwards(ends=time.monotonic() - 1.0, each=1e-9).answers(1000) == 0
    options = app.FitOptions(target="y", kernel="gaussian", certify="holdout")
    run = app.run_fit(read(table), options, quiet=True)
    assert run.record.answers["importance"]
    assert run.record.answers["effects"]
    answer_questions(run.record, run.data, run.model, 0, Afterwards(time.monotonic() + 1.0, 0.1))
    assert run.record.answers["importance"] == run.record.answers["effects"] == []
    assert run.record.answers["thresholds"]  # cost no answer of the model
    assert run.record.answers["guarantees"]
    answer_questions(run.record, run.data, run.model, 0, Afterwards(time.monotonic(), 0.1))
    assert run.record.answers["guarantees"] is None  # they check the rows once more


def test_the_time_told_begins_with_the_command_and_ends_with_its_files(table, tmp_path):
    begun = time.monotonic()
    ran = command("fit", table, "--target", "y", "--kernel", "gaussian", "-o", tmp_path / "out",
                  "--json")  # fmt: skip
    waited = time.monotonic() - begun
    told = json.loads(ran.out)["timings"]
    assert {"starting", "reading", "learning", "comparing", "writing"} <= set(told)
    assert 0.8 * waited <= sum(told.values()) <= waited


def test_learning_ends_early_enough_for_somebody_who_began_to_wait_before(table, monkeypatch):
    seen = {}

    class Watched(app.Progress):
        def __init__(self, quiet, stages, deadline, *more):
            seen["deadline"] = deadline
            super().__init__(quiet, stages, deadline, *more)

    monkeypatch.setattr(app, "Progress", Watched)
    monkeypatch.setattr(app, "pace", lambda: 1.0)
    options = app.FitOptions(target="y", time_limit=40.0, kernel="gaussian")
    begun = time.monotonic() - 3.0
    run = app.run_fit(read(table), options, quiet=True, begun=begun)
    assert seen["deadline"] == pytest.approx(begun + 32.0)
    assert run.record.timings["starting"] >= 3.0


def test_a_linear_model_beside_it_is_left_out_when_the_time_is_over(table):
    options = {"target": "y", "kernel": "gaussian", "certify": "holdout"}
    names = {}
    for late in (False, True):
        wish = app.FitOptions(**options, time_limit=300.0)
        begun = time.monotonic() - (1000.0 if late else 0.0)
        run = app.run_fit(read(table), wish, quiet=True, begun=begun)
        names[late] = [row["name"] for row in run.record.baselines]
    assert names[False][2:] == ["linear model"]
    assert len(names[True]) == 2


def test_a_linear_model_of_many_values_is_solved_roughly(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["y"] = np.where(X[:, 0] + 0.3 * rng.normal(size=300) > 0, "yes", "no")
    data = make_fit_data(dataset_of(frame), target="y")
    exact = baselines._linear(data, np.arange(300))
    monkeypatch.setattr(baselines, "MANY", 10.0)
    rough = baselines._linear(data, np.arange(300))
    assert np.mean(exact != rough) < 0.05
