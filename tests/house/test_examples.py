"""Every example runs as a user would run it, and README shows one of them word for word."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mercer.losses import Hinge, SquaredHinge, ZeroOne

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_there_are_examples():
    assert len(EXAMPLES) >= 5


FIGURES = {"1": 6, "2": 8, "3": 8, "4": 8, "5": 2, "A": 5, "C": 5}  # of Herbrich's book


def test_every_figure_has_a_script():
    """docs/theory/figures.md names all figures of the book, and only scripts that exist."""
    page = (ROOT / "docs" / "theory" / "figures.md").read_text()
    cells = [line.rsplit("|", 2)[1] for line in page.splitlines() if line.startswith("| ")]
    scripts = {name for cell in cells for name in re.findall(r"`([a-z_0-9]+)`", cell)}
    assert scripts <= {path.stem for path in EXAMPLES}
    book = page.split("## Banisch")[0]
    third = re.search(r"^Chapter 3: .*$", book, re.M)[0]
    rows = [line.split("|") for line in book.splitlines() if line.startswith("| ")]
    drawn = {number for row in rows for number in re.findall(r"\b[1-5AC]\.\d+", row[1])}
    for chapter, count in FIGURES.items():
        wanted = {f"{chapter}.{i}" for i in range(1, count + 1)}
        if chapter == "3":
            assert "3.1 to 3.3" in third
            assert "3.4 to 3.6" in third
            assert "3.7 and 3.8" in third
        else:
            assert wanted <= drawn, wanted - drawn


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
