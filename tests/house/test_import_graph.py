"""The graph of imports in ARCHITECTURE.md is the one of the code."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import import_graph


def test_the_page_shows_the_code_as_it_is():
    page = import_graph.PAGE.read_text()
    assert import_graph.drawn(page) == page, "run: python tools/import_graph.py"


@pytest.fixture
def small(tmp_path):
    """Three folders: `low`, `high`, which imports it in a function, and `errors`."""
    for name, code in (
        ("low", "from mercer import errors\nimport numpy.high\n"),
        ("high", "def f():\n    import_module('mercer.low.deep')\n"),
        ("errors", ""),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
        (tmp_path / name / "part.py").write_text(code)
    return tmp_path


def test_imports_inside_functions_and_by_string_count(small):
    imports = import_graph.graph(small)
    assert imports == {"low": set(), "high": {"low"}}
    assert import_graph.floors(imports) == {"low": 0, "high": 1}
    assert "| 1 | `high` | low |" in import_graph.table(imports)


def test_a_circle_is_an_error(small):
    (small / "low" / "back.py").write_text("from mercer.high.part import f\n")
    with pytest.raises(SystemExit, match="high, low"):
        import_graph.floors(import_graph.graph(small))
