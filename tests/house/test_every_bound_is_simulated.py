"""No bound without a Monte-Carlo test that a broken twin fails: a new one cannot be forgotten."""

import ast
from pathlib import Path

import pytest

from mercer.bounds import available

FOLDER = Path(__file__).parents[1] / "validity"
FILES = {path.name: path.read_text() for path in sorted(FOLDER.glob("test_*.py"))}
BOUNDS = [code for code, bound in available().items() if bound.kind == "bound"]


def simulations_of(code):
    """Test functions in whose text, or in whose decorators, the code stands as a string."""
    found = []
    for name, text in FILES.items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                strings = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)}
                if code in strings:
                    called = {getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(node)}
                    found.append((f"{name}::{node.name}", called))
    return found


@pytest.mark.parametrize("code", BOUNDS)
def test_a_bound_is_simulated_and_its_broken_twin_is_caught(code):
    naming = simulations_of(code)
    assert any("check_valid" in called for _, called in naming), (
        f"{code} is in no test of tests/validity: draw from a law of known risk and count"
    )
    assert any("check_caught" in called for _, called in naming), (
        f"{code} has no broken twin in tests/validity: {[where for where, _ in naming]}"
    )
