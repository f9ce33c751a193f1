"""The table of versions: what is asked for, which wheel serves whom, what is kept between runs."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import version_matrix as matrix


def test_the_lowest_versions_are_those_of_the_project():
    asked = matrix.constraints(matrix.Row("3.11", (matrix.LOWEST,)))
    assert "numpy==2.0.*" in asked
    assert "scikit-learn==1.7.*" in asked
    assert not any(">" in line for line in asked)
    assert matrix.constraints(matrix.Row("3.12", ("numpy==2.0.*",))) == ["numpy==2.0.*"]


def test_a_wheel_serves_its_python_and_the_stable_one_all_later(tmp_path):
    for name in ("mercer-0.1.0-cp311-cp311-linux_x86_64.whl", "mercer-0.1.0-cp312-abi3-any.whl"):
        (tmp_path / name).touch()
    assert "cp311" in matrix.wheel_for(matrix.Row("3.11"), tmp_path).name
    assert "abi3" in matrix.wheel_for(matrix.Row("3.14"), tmp_path).name
    (tmp_path / "mercer-0.1.0-cp312-abi3-any.whl").unlink()
    with pytest.raises(SystemExit, match=r"no wheel for Python 3\.14"):
        matrix.wheel_for(matrix.Row("3.14"), tmp_path)


@pytest.mark.parametrize(
    ("code", "said", "shown"),
    [
        (0, "...\n== 7 passed, 1 skipped in 2.10s (0:02:17) ==", "7 passed, 1 skipped"),
        (1, "1 failed, 6 passed in 2.10s", "error: pytest ended with 1 1 failed, 6 passed"),
        (4, "", "error: pytest ended with 4 "),
        (0, "70/90 tests collected (20 deselected) in 5.1s", "70 tests collected"),
    ],
)
def test_the_last_word_of_pytest_is_shown_and_its_failure_is_not_lost(code, said, shown):
    assert matrix.summary(subprocess.CompletedProcess([], code, said, "")) == shown


def test_rows_of_former_runs_stay_in_the_page(tmp_path, monkeypatch):
    monkeypatch.setattr(matrix, "PLACE", tmp_path)
    row = matrix.Row("3.13", ("numpy==2.0.*",))
    before = "a\n<!-- matrix:begin -->\nold\n<!-- matrix:end -->\nb\n"
    assert "not run" in matrix.last(row, before)
    (tmp_path / f"{row.name}.line").write_text("| 3.13 | here |")
    page = matrix.filled(before, [matrix.last(row, before)])
    assert "| 3.13 | here |\n<!-- matrix:end -->\nb" in page
    assert "old" not in page


def test_rows_that_another_machine_ran_stay_in_the_page(tmp_path, monkeypatch):
    monkeypatch.setattr(matrix, "PLACE", tmp_path)
    others = ["| 3.13.0 | NumPy 2.5.4 | newest | 2 passed | 3 min |", "| 3.1 | x | newest | y | |"]
    page = "\n".join(["<!-- matrix:begin -->", *others, "<!-- matrix:end -->"])
    assert matrix.last(matrix.Row("3.13"), page) == others[0]
    assert "not run" in matrix.last(matrix.Row("3.13", ("numpy==2.0.*",)), page)
    assert "not run" in matrix.last(matrix.Row("3.14"), page)


def test_an_interpreter_that_is_missing_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(matrix, "PLACE", tmp_path)
    monkeypatch.setattr(matrix, "interpreter", lambda version: None)
    assert "not on this machine" in matrix.run(matrix.Row("3.99"), None)
