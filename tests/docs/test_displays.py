"""Every display class is on the page of pictures, where people look for one."""

from pathlib import Path

from mercer import plots

PAGE = Path(__file__).parents[2] / "docs" / "plots.md"


def test_every_display_is_listed():
    text = PAGE.read_text()
    displays = [name for name in dir(plots) if name.endswith("Display")]
    assert len(displays) > 20
    assert [name for name in displays if f"`{name}`" not in text] == []
