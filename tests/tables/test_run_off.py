"""Learners near the front meet again on rows that none of them was chosen by."""

from types import SimpleNamespace

import numpy as np
import pytest

from mercer.tables import TableMachine
from mercer.tables.contest import race
from mercer.tables.contest.entrants import all_entrants
from mercer.tables.contest.race import DONE, Contest, Entry
from mercer.tables.contest.run_off import FEWEST, FOLDS, MOST, run_off

SEEN, ALL = 400, 4000


class Answers:
    """Wrong on a share of the rows, whatever they are: ``Z`` holds the truth."""

    def __init__(self, share):
        self.share = share

    def predict(self, Z):
        rng = np.random.default_rng(1)
        return np.where(rng.random(len(Z)) < self.share, 1.0 - Z, Z)


def flattered(monkeypatch, n=ALL, left=None, over=False):
    """A race whose leader errs on 28 % in the contest and on 40 % of all rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n).astype(float)
    kernel = next(one for one in all_entrants() if one.kernel)
    others = [one for one in all_entrants() if not one.kernel][:2]
    told, true = {kernel: 0.28, others[0]: 0.31, others[1]: 0.5}, {kernel: 0.4, others[0]: 0.31}
    rows, contest = np.arange(min(SEEN, n)), Contest()
    for entrant, share in told.items():
        entry = Entry(entrant, "", status=DONE, once=1e-3)
        entry.losses = (np.arange(len(rows)) % 100 < 100 * share).astype(float)
        entry.losses = rng.permutation(entry.losses)
        contest.entries.append(entry)
    tried = []

    def trained(entry, Z, target):
        tried.append((entry.entrant, len(Z)))
        return Answers(true[entry.entrant])

    class Case:
        seed, X, task = 0, None, "classification"
        machine = SimpleNamespace(trained=trained, time_left=lambda: left)

    Case.y = y
    for entrant in told:
        monkeypatch.setattr(type(entrant), "prepared", lambda self, case: (None, y))
    return SimpleNamespace(case=Case, rows=rows, targets=y, truth=y[rows], contest=contest,
                           over=lambda: over, tried=tried,
                           losses_of=lambda a, b: (a != b).astype(float))  # fmt: skip


def test_who_was_flattered_by_the_rows_of_the_contest_is_found_out(monkeypatch):
    found = flattered(monkeypatch)
    leader, rival, far = found.contest.entries
    assert found.contest.best is leader
    run_off(found)
    assert found.contest.best is rival
    assert rival.loss == pytest.approx(0.31, abs=0.02)
    assert leader.loss == pytest.approx(0.4, abs=0.02)
    assert len(found.tried) == 2 * FOLDS
    assert all(abs(count - (1 - 1 / FOLDS) * ALL) <= 1 for _, count in found.tried)
    assert not far.again
    assert len(far.losses) == ALL
    assert np.isnan(far.losses[SEEN:]).all()
    assert far.behind(rival)[0] == pytest.approx(0.5 - rival.losses[:SEEN].mean())


@pytest.mark.parametrize("why", [{"left": 0.1}, {"over": True}, {"n": SEEN + FEWEST - 1}])
def test_nothing_changes_where_time_or_rows_are_short(monkeypatch, why):
    found = flattered(monkeypatch, **why)
    leader = found.contest.best
    run_off(found)
    assert found.contest.best is leader
    assert found.tried == []
    assert len(leader.losses) == min(SEEN, len(found.case.y))


def test_of_very_many_rows_some_are_enough(monkeypatch):
    found = flattered(monkeypatch, n=MOST + 2 * SEEN)
    run_off(found)
    assert len(found.contest.best.losses) == MOST


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_table_of_more_rows_than_a_contest_takes(monkeypatch, task):
    monkeypatch.setattr(race, "COMPARE_ROWS", 150)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(450, 3))
    y = X[:, 0] + X[:, 1] + rng.normal(size=450)
    machine = TableMachine(task, kernel="auto", search_rows=150)
    machine.fit(X, np.where(y > 0, "up", "down") if task == "classification" else y)
    best = machine.contest_.best
    assert best.again
    assert np.isfinite(best.losses).all()
    assert len(best.losses) == 450
    assert machine.contest_.table()[0]["rows"] == 450
    if task == "regression":  # every row was left out once: they say how wide an interval is
        inside = np.abs(machine.predict(X) - y) <= machine.tolerance_
        assert np.mean(inside) == pytest.approx(0.9, abs=0.04)
