"""What tests of drawn values share."""

import pytest

from helpers_drawn import draw


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """Runs a script without writing its picture, and gives the names it leaves."""
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *_, **__: None)
    yield lambda name: draw(name, tmp_path)
    plt.close("all")
