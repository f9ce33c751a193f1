"""Every example runs as a user would run it, and README shows one of them word for word."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from helpers_examples import run_script
from mercer.losses import Hinge, SquaredHinge, ZeroOne

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


# Scripts that draw the texts; the others are what users start from, and run every time.
OF_TEXTS = ("book_", "lecture_", "theory_")


def example(path):
    marks = pytest.mark.slow if path.stem.startswith(OF_TEXTS) else ()
    return pytest.param(path, marks=marks, id=path.stem)


@pytest.mark.parametrize("path", [example(path) for path in EXAMPLES])
def test_example_runs(path, tmp_path):
    done = run_script(path, tmp_path)
    assert done.code == 0, done.err
    assert done.out.strip()


def test_a_script_that_fails_or_warns_is_seen(tmp_path):
    for words in ("raise SystemExit(3)", "1 / 0", "import warnings; warnings.warn('no')"):
        script = tmp_path / "script.py"
        script.write_text(f"print('begun')\n{words}\n")
        done = run_script(script, tmp_path)
        assert done.code == (3 if "SystemExit" in words else 1), words
        assert done.out == "begun\n"


def test_there_are_examples():
    assert len(EXAMPLES) >= 5


FIGURES = {  # of each text, by the heading of its section: chapter → how many
    "Herbrich": {"1": 6, "2": 8, "3": 8, "4": 8, "5": 2, "A": 5, "C": 5},
    "Banisch": {"1": 2, "2": 4, "3": 5, "4": 5},
    "Peyré": {"12": 19},
    "Von Luxburg": {"II": 2, "III": 1, "IV": 6},
}
TABLES = ("table 2.1", "table IV.1", "flip-book", "slides")


def numbers_named(text):
    """Figure numbers in a text; "3.1 to 3.3" names all between."""
    pattern = r"\b(\d+|[AC]|[IV]+)\.(\d+)(?:\s+(?:to|and)\s+(?:\1)\.(\d+))?"
    found = set()
    for chapter, first, last in re.findall(pattern, text):
        found |= {f"{chapter}.{i}" for i in range(int(first), int(last or first) + 1)}
    return found


def test_every_figure_has_a_script():
    """docs/theory/figures.md names all figures of the texts, and only scripts that exist."""
    page = (ROOT / "docs" / "theory" / "figures.md").read_text()
    cells = [line.rsplit("|", 2)[1] for line in page.splitlines() if line.startswith("| ")]
    scripts = {name for cell in cells for name in re.findall(r"`([a-z_0-9]+)`", cell)}
    assert scripts <= {path.stem for path in EXAMPLES}
    sections = page.split("\n## ")[1:]
    for text, chapters in FIGURES.items():
        own = "\n".join(section for section in sections if section.startswith(text))
        rows = [line.split("|")[1] for line in own.splitlines() if line.startswith("| ")]
        rows += [line for line in own.splitlines() if line.startswith("Chapter 3: ")]
        named = numbers_named("\n".join(rows))
        wanted = {f"{c}.{i}" for c, count in chapters.items() for i in range(1, count + 1)}
        assert wanted <= named, (text, wanted - named)
    assert all(f"| {name} |" in page for name in TABLES)


def test_figure_numbers_are_counted():
    assert numbers_named("3.1 to 3.3, II.2 and 12.4") == {"3.1", "3.2", "3.3", "II.2", "12.4"}
    assert numbers_named("3.7 and 3.8") == {"3.7", "3.8"}


def test_losses_of_figure_2_7_are_those_of_the_text():
    """The values drawn: (2.47) is max{1 − y f, 0}², not (1 − y f)²."""
    plt = pytest.importorskip("matplotlib.pyplot")
    source = (ROOT / "examples" / "book_chapter_2.py").read_text()
    section = source.split("# 2.7: ")[1].split("\n", 1)[1].split("# table 2.1")[0]
    figure = plt.figure()
    exec(section, {"np": np, "figure": figure, "grid": figure.add_gridspec(3, 5)})
    lines = {line.get_label(): line.get_xydata().T for line in figure.axes[0].lines}
    plt.close(figure)
    wanted = {"zero-one": ZeroOne(), "hinge": Hinge(), "quadratic": SquaredHinge()}
    assert lines.keys() == wanted.keys()
    for label, (minus_margin, drawn) in lines.items():
        assert minus_margin.min() <= -2  # where a square without the maximum would be 1 again
        np.testing.assert_allclose(drawn, wanted[label].value(-minus_margin, 1.0), atol=1e-12)


def test_readme_shows_the_first_example():
    code = (ROOT / "examples" / "first_fit.py").read_text().split('"""', 2)[2].strip()
    assert code in (ROOT / "README.md").read_text()


def test_readme_shows_what_the_first_example_prints():
    readme = (ROOT / "README.md").read_text()
    shown = readme.split("## Ten lines")[1].split("```text\n")[1].split("```")[0]
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "first_fit.py")], capture_output=True, text=True
    )
    assert done.stdout.startswith(shown)


@pytest.mark.parametrize("name", ["your_own_kernel", "your_own_learner", "your_own_bound"])
def test_contributing_shows_a_class_that_runs(name):
    code = (ROOT / "examples" / f"{name}.py").read_text()
    _, rest = code.split('"""', 2)[2].split("\n\n\nclass ")
    shown = "class " + rest.split("\n\n\n")[0]
    assert shown in (ROOT / "CONTRIBUTING.md").read_text()
