"""Landmarks are trained on all rows only where a first look says that they may win."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mercer.app.options import FitOptions
from mercer.app.streams import fit, low_rank, survey
from mercer.app.streams.options import StreamOptions
from mercer.io.readers import Options


def write(place, task, spots):
    """Labels in many spots, which are for cells, or by one smooth function, which is for both."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, size=(3000, 2))
        truth = np.sin(12 * X[:, 0]) * np.sin(12 * X[:, 1]) if spots else X[:, 0] - X[:, 1] ** 2
        y = truth + (0.02 if spots else 0.3) * rng.normal(size=3000)
        target = pa.array(np.where(y > 0, "a", "b")) if task == "labels" else pa.array(y)
        pq.write_table(
            pa.table({"u": X[:, 0], "v": X[:, 1], "y": target}), place / f"{seed}.parquet"
        )


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(survey, "PILOT", 1000)
    monkeypatch.setattr(fit, "FEW", 100)
    monkeypatch.setattr(fit, "HOPELESS", 1e9)  # the pilot rules nothing out
    monkeypatch.setattr(low_rank, "ENOUGH", 20)


def run(place, **options):
    options = {"kernel": "gaussian:length_scale=0.5", "rank": 40, "cells": 300} | options
    asked = FitOptions(target="y", reading=Options(), **options)
    return fit.fit_stream([str(place)], asked, StreamOptions(quiet=True))


@pytest.mark.parametrize("task", ["labels", "numbers"])
def test_landmarks_that_are_worse_are_not_trained_on_all_rows(task, tmp_path, monkeypatch):
    write(tmp_path, task, spots=True)

    def all_rows(*given, **options):
        raise AssertionError("a pass over all rows")

    monkeypatch.setattr(low_rank, "losses_of_part", all_rows)
    monkeypatch.setattr(low_rank, "moments_of_part", all_rows)
    found = run(tmp_path, kernel="gaussian:length_scale=0.15", rank=20)
    words = " ".join(check["message"] for check in found.record.checks)
    assert "landmarks were not trained on all rows" in words
    assert "cells was taken" in words
    assert "low-rank" not in words.partition("rows that choose")[2]


@pytest.mark.parametrize("task", ["labels", "numbers"])
def test_landmarks_that_may_win_are_trained_on_all_rows(task, tmp_path):
    write(tmp_path, task, spots=False)
    found = run(tmp_path)
    words = " ".join(check["message"] for check in found.record.checks)
    assert "not trained" not in words
    assert "low-rank" in words.partition("rows that choose")[2]


def test_the_rows_of_the_first_look_are_few_and_random(tmp_path):
    write(tmp_path, "labels", spots=False)
    seen, real = [], low_rank.few_of_part

    def few(part, **options):
        found = real(part, **options)
        seen.append([len(y) for _, y in found.values()])
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(low_rank, "few_of_part", few)
        run(tmp_path)
    learn, choose = np.sum(seen, axis=0)
    assert 650 < learn < 950  # 20 for each of 40 landmarks
    assert 800 < choose < 1000  # all of them, as they are fewer than the judges
    assert min(part[0] for part in seen) > 150


def test_a_limit_of_time_holds_for_the_whole_stream(tmp_path, monkeypatch):
    write(tmp_path, "labels", spots=False)
    monkeypatch.setattr(low_rank, "PASSES", 1e12)
    found = run(tmp_path, time_limit=1e6)
    words = " ".join(check["message"] for check in found.record.checks)
    assert "they learned from 800" in words
    assert "low-rank" in words.partition("rows that choose")[2]
    monkeypatch.setattr(fit, "COUNTING", 1.0)  # nothing is left for routes
    words = " ".join(check["message"] for check in run(tmp_path, time_limit=1e6).record.checks)
    assert "more than is left" in words
    assert "the pilot's was taken" in words
