"""In a notebook a fitted thing shows what came of its fit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import mercer
from mercer.tables import TableMachine


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    return X, np.where(X[:, 0] > 0, "yes", "no")


def shown(thing):
    """What Jupyter asks for first."""
    return thing._repr_mimebundle_()["text/html"]


def test_before_the_fit_there_is_no_card(rows):
    for thing in (mercer.SVC(), mercer.KernelSearch(), TableMachine(),
                  mercer.Certified(LogisticRegression())):  # fmt: skip
        assert "mercer-card" not in shown(thing)


def test_a_learner_and_a_certified_model_show_their_guarantee(rows):
    learner = mercer.SVC().fit(*rows)
    assert learner.certificate_.first_line()[:40] in shown(learner)
    assert "mercer-card" not in shown(mercer.SVC(certify=None).fit(*rows))
    model = mercer.certified_fit(LogisticRegression(), *rows, random_state=0)
    assert "80: trained on" in shown(model)
    assert model.certificate_.first_line()[:20] in shown(model)
    plain = mercer.certified_fit(LogisticRegression(), *rows, mode=None)
    assert "none was asked for" in shown(plain)


def test_a_search_shows_its_best_settings(rows):
    search = mercer.KernelSearch(random_state=0).fit(*rows)
    page = shown(search)
    assert f"of {search.n_candidates_} tried" in page
    assert page.count("rank ") == 5
    assert f"{search.best_value_:.4g} with" in page


def test_a_table_machine_shows_who_competed(rows, tmp_path):
    frame = pd.DataFrame({"<b>a</b>": rows[0][:, 0], "b": rows[0][:, 1]})
    machine = TableMachine(learner="trees", names=list(frame)).fit(frame, rows[1])
    assert "Who competed" in shown(machine)
    assert machine.contest_.best.title in shown(machine)
    mercer.save(machine, tmp_path / "m.mercer")
    assert "mercer-card" not in shown(mercer.load(tmp_path / "m.mercer"))


def test_a_whole_run_shows_target_model_and_guarantee(rows):
    model = mercer.fit(pd.DataFrame(rows[0], columns=["a", "b"]), rows[1], kernel="gaussian")
    for words in ("target", "guarantee", "rows"):
        assert words in shown(model)
