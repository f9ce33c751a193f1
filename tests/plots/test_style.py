import sys

import pytest

from mercer.plots import _style


def test_missing_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"mercer\[app\]"):
        _style.pyplot()


def test_paler_mixes_with_white():
    assert _style.paler("#000000", 0.25) == (0.75, 0.75, 0.75)
    assert _style.paler("#ff0000", 1.0) == (1.0, 0.0, 0.0)


def test_colours_repeat_rather_than_fail():
    assert _style.class_colour(8) == _style.class_colour(0)
    assert _style.class_marker(9) == _style.class_marker(1)
