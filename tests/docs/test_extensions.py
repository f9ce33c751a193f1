"""What Sphinx is told beyond its own: formulas without a network, docstrings without accidents."""

import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))
import docstrings  # noqa: E402

PAGES = sorted([*DOCS.glob("*.md"), *(DOCS / "theory").glob("*.md")])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("|x - y|^2", r"\|x - y\|^2"),
        ("sets certificate_ here", r"sets certificate\_ here"),
        ("keeps ``a|b*`` and `c_`", "keeps ``a|b*`` and `c_`"),
        ("x*y", r"x\*y"),
        ("see\n* one *b*", "see\n* one \\*b\\*"),
        (":math:`|x|\n_2` z_", ":math:`|x|\n_2` z\\_"),
        ("snake_case stays", "snake_case stays"),
    ],
)
def test_formulas_in_docstrings_are_not_markup(text, expected):
    assert docstrings.escape(text) == expected


def test_fields_code_and_headings_are_left_alone():
    lines = ["Sum |x|.", "", "Parameters", "----------", "a_ : int", "    About |a|.", ""]
    lines += ["Examples", "--------", ">>> f(a_ * b) | c", "", "Code::", "", "    a | b_"]
    before = list(lines)
    docstrings.tidy(None, "", "", None, None, lines)
    assert lines[0] == r"Sum \|x\|."
    assert lines[5] == r"    About \|a\|."
    for i in (2, 3, 4, 9, 13):
        assert lines[i] == before[i]


def test_facts_become_notes():
    lines = [
        "Facts",
        "-----",
        "psd, bounded : yes |x|",
        "    and more_",
        "",
        "Examples",
        "--------",
    ]
    docstrings.tidy(None, "", "", None, None, lines)
    assert lines[:2] == ["Notes", "-----"]
    assert lines[2:4] == [r"- ``psd, bounded``: yes \|x\|", r"  and more\_"]
    assert lines[5:] == ["Examples", "--------"]


def test_names_continued_by_a_backslash_are_one_field():
    lines = ["Attributes", "----------", "a_, b_, \\", "c_", "    Text.", "d_ : array (m, n_)"]
    docstrings.tidy(None, "", "", None, None, lines)
    assert lines[2] == "a_, b_, c_"
    assert lines[4] == r"d_ : array (m, n\_)"


def test_generated_methods_of_scikit_learn_are_left_out():
    assert docstrings.skip(None, "", "set_fit_request", None, False, None)
    assert docstrings.skip(None, "", "fit", None, False, None) is None


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(DOCS)))
def test_every_formula_can_be_drawn(page):
    pytest.importorskip("docutils", reason="the formulas' writer is a part of Sphinx (extra docs)")
    from mathml import drawn as draw

    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.S)
    blocks = re.findall(r"\$\$(.+?)\$\$", text, re.S)
    rest = re.sub(r"\$\$.+?\$\$", "", text, flags=re.S)
    for formula in blocks + re.findall(r"\$([^$\n]+)\$", rest):
        drawn = draw(formula, "inline")
        assert "<math" in drawn
        assert "\\" not in re.sub(r"<[^>]+>", "", drawn), formula
