"""Every kind of page at three widths, in light and dark: silent, readable, nothing runs off it."""

import numpy as np
import pytest

from helpers_cli import mercer
from helpers_lab import browser, complaints
from helpers_pages import FAINT, SMALL, THEMES, WIDE, WIDTHS, show

QUICK = ("--kernel", "gaussian", "--combine", "product", "-q")


def clinic(n=120):
    """Numbers, levels, dates, gaps, and two targets."""
    rng = np.random.default_rng(0)
    age, dose = rng.integers(20, 90, n), rng.normal(50, 10, n)
    ward = rng.choice(["north wing of the old house", "south", "west"], n)
    cost = 10 * age + dose + 300 * (ward == "south") + rng.normal(0, 60, n)
    sick = np.where(cost > np.median(cost), "yes", "no")
    rows = zip(age, dose, ward, cost, sick, strict=True)
    lines = [
        f"{a},{'' if i % 9 == 0 else round(b, 2)},{c},20{10 + i % 9}-03-{1 + i % 28:02},{d:.0f},{e}"
        for i, (a, b, c, d, e) in enumerate(rows)
    ]
    return "\n".join(["age of the patient in years,dose,ward,seen,cost,sick", *lines]) + "\n"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages of the commands, by name."""
    folder = tmp_path_factory.mktemp("pages")
    path = folder / "clinic.csv"
    path.write_text(clinic())
    commands = [
        ("fit", path, "-t", "sick", "--ignore", "cost", "-o", folder / "sick", *QUICK),
        ("fit", path, "-t", "cost", "--ignore", "sick", "-o", folder / "cost", *QUICK),
        ("inspect", path, "-t", "sick", "-o", folder / "inspect.html"),
        ("embed", path, "--colour", "ward", "-o", folder),
        ("cluster", path, "-k", "3", "-o", folder),
    ]
    for words in commands:
        ran = mercer(*words)
        assert ran.code == 0, ran.err
    return {
        "fit, classes": folder / "sick" / "report.html",
        "fit, numbers": folder / "cost" / "report.html",
        "inspect": folder / "inspect.html",
        "embed": folder / "clinic-embedding.html",
        "cluster": folder / "clinic-clusters.html",
    }


@pytest.fixture(scope="module")
def tab():
    with browser() as opened:
        yield opened


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", ["fit, classes", "fit, numbers", "inspect", "embed", "cluster"])
def test_a_page_can_be_read(tab, pages, name, theme):
    for width in WIDTHS:
        show(tab, pages[name], width, theme)
        assert complaints(tab) == []
        assert tab.execute_script(FAINT) == []
        assert tab.execute_script(WIDE) == [], width
        assert tab.execute_script(SMALL) == [], width


def test_the_measures_see_what_they_look_for(tab, tmp_path):
    page = tmp_path / "bad.html"
    page.write_text(
        "<meta name='viewport' content='width=device-width'><body style='background:#fff'>"
        "<p style='color:#bbb'>faint</p><p style='color:#555'>fine</p>"
        "<div style='width:900px'>wide</div><svg width='90' viewBox='0 0 300 100'>"
        "<text y='20' font-size='13'>tiny</text></svg><script>nothing()</script>"
    )
    show(tab, page, 390, "light")
    assert any("nothing is not defined" in words for words in complaints(tab))
    assert [words.split()[1] for words in tab.execute_script(FAINT)] == ["faint"]
    assert tab.execute_script(WIDE)
    assert [words.split()[1] for words in tab.execute_script(SMALL)] == ["tiny"]


def test_advice_at_a_terminal_is_in_options(pages):
    for name in ("fit, classes", "fit, numbers"):
        words = pages[name].read_text(encoding="utf-8")
        assert "order=" not in words
        assert "groups=" not in words
        assert "checks=True" not in words
