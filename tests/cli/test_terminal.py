"""Names and labels come from other people's files: a terminal must show them, not obey them."""

import re
from pathlib import Path

import pytest

import mercer.cli
from mercer.cli._echo import shown
from mercer.cli._main import main

CLEAR, TITLE = "\x1b[2J", "\x1b]0;owned\x07"


@pytest.fixture
def hostile(tmp_path):
    rows = "\n".join(f"{i},{i % 7},{'yes' if i % 2 else 'no' + CLEAR}" for i in range(60))
    place = tmp_path / "hostile.csv"
    place.write_text(f"a{CLEAR},b{TITLE},y\n{rows}\n")
    return place


@pytest.mark.parametrize(
    "words",
    [
        ["inspect", "FILE"],
        ["inspect", "FILE", "--target", "y"],
        ["fit", "FILE", "--target", "nothing"],
        ["fit", "FILE", "--target", "y", "--report", "none", "-o", "OUT"],
    ],
    ids=" ".join,
)
def test_no_control_character_reaches_the_terminal(hostile, tmp_path, capsys, words):
    places = {"FILE": str(hostile), "OUT": str(tmp_path / "out")}
    main([places.get(word, word) for word in words])
    seen = capsys.readouterr()
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", seen.out + seen.err)
    assert "a" in seen.out + seen.err


def test_what_is_harmless_stays():
    assert shown("naïve 日本\tβ → 7 %\n") == "naïve 日本\tβ → 7 %\n"
    assert (
        shown("a\x1b[31m\x9b\u202eb") == "a␛[31m\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b"
    )


def test_every_command_prints_through_the_gate():
    """``click.echo`` would print what it is given."""
    folder = Path(mercer.cli.__file__).parent
    users = {p.name for p in folder.glob("*.py") if re.search(r"click\.(s?echo)\(", p.read_text())}
    assert users == {"_echo.py"}
