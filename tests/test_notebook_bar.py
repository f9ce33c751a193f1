"""Progress of a fit in a notebook."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import mercer
from mercer import _notebook_bar as notebook_bar
from mercer.app.progress import Progress
from mercer.tables import TableMachine


class Page:
    """Stands in for a notebook: keeps what is displayed, as one cell does."""

    def __init__(self, monkeypatch, kernel=True):
        self.shown = []
        shell = SimpleNamespace(kernel=object()) if kernel else SimpleNamespace()
        package, display = ModuleType("IPython"), ModuleType("IPython.display")
        package.get_ipython = lambda: shell
        display.HTML = str
        display.display = self._display
        monkeypatch.setitem(sys.modules, "IPython", package)
        monkeypatch.setitem(sys.modules, "IPython.display", display)

    def _display(self, html, display_id):
        assert display_id
        self.shown.append(html)
        return SimpleNamespace(update=self.shown.append)


def searched(progress):
    with progress:
        for finished in range(3):
            progress({"finished": finished, "candidates": 4, "best_value": 0.25})


def test_a_bar_is_drawn_again_in_place_and_taken_away(monkeypatch):
    monkeypatch.setattr(notebook_bar, "SHORTEST", 0.0)
    page = Page(monkeypatch)
    searched(Progress(quiet=False))
    assert [html.partition("value=")[2][:7] for html in page.shown[:3]] == [
        '"0.000"', '"0.250"', '"0.500"'
    ]  # fmt: skip
    assert "search: 50 %, 2 settings, best 0.25" in page.shown[2]
    assert page.shown[3:] == [""]


def test_it_is_not_drawn_more_often_than_one_can_see(monkeypatch):
    page = Page(monkeypatch)
    searched(Progress(quiet=False))
    assert len(page.shown) < 4


def test_nothing_is_drawn_if_quiet_or_without_a_notebook(monkeypatch):
    page = Page(monkeypatch)
    searched(Progress(quiet=True))
    Page(monkeypatch, kernel=False)
    assert not notebook_bar.in_notebook()
    searched(Progress(quiet=False))
    assert page.shown == []


def test_a_search_draws_its_own_unless_it_is_told_not_to(monkeypatch):
    monkeypatch.setattr(notebook_bar, "SHORTEST", 0.0)
    X, y = mercer.datasets.make_twonorm(60, random_state=0)[:2]
    asked = {"kernels": ["gaussian"], "param_grid": {"C": [0.1, 1.0]}, "cv": 2, "random_state": 0}
    page = Page(monkeypatch)
    mercer.KernelSearch(mercer.SVC(), **asked).fit(X, y)
    assert "KernelSearch: 0 %" not in page.shown[-2]
    assert "candidates, best" in page.shown[-2]
    assert page.shown[-1] == ""
    page.shown.clear()
    mercer.KernelSearch(mercer.SVC(), progress=False, **asked).fit(X, y)
    heard = []
    mercer.KernelSearch(mercer.SVC(), progress=heard.append, **asked).fit(X, y)
    assert page.shown == []
    assert heard


def test_a_table_machine_leaves_drawing_to_the_run(monkeypatch):
    page = Page(monkeypatch)
    X = np.random.default_rng(0).normal(size=(60, 2))
    TableMachine(learner="kernel", effort="trial").fit(X, np.sign(X[:, 0]))
    assert page.shown == []


@pytest.mark.parametrize(("verbose", "drawn"), [(None, True), (False, False)])
def test_a_fit_draws_a_bar_in_notebooks_unless_it_is_told_not_to(monkeypatch, verbose, drawn):
    page = Page(monkeypatch)
    X = np.random.default_rng(0).normal(size=(60, 2))
    mercer.fit(X, X[:, 0] > 0, kernel="gaussian", certify="holdout", verbose=verbose)
    assert bool(page.shown) == drawn


def test_names_are_shown_as_text():
    bar = notebook_bar.NotebookBar()
    drawn = []
    bar._draw = drawn.append
    bar.show(0.5, "<b>", "a & b")
    assert "&lt;b&gt;" in drawn[0]
    assert "a &amp; b" in drawn[0]
