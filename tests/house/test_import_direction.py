"""Rule 3 of the house: imports point one way. Read from the syntax tree, so nothing is run."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "mercer"

# Who may import whom. Every folder may use itself, the private modules beside it and `datasets`.
MAY_IMPORT = {
    "datasets": set(),
    "engine": set(),
    "losses": set(),
    "kernels": set(),
    "metrics": {"kernels"},
    "gram": {"kernels", "engine"},
    "solvers": {"gram", "kernels", "losses", "engine"},
    "bounds": set(),
    "learners": {"solvers", "gram", "kernels", "losses", "metrics", "bounds", "engine"},
    "theory": {"bounds", "losses", "metrics", "kernels", "gram"},
    "certification": {"learners", "bounds", "kernels", "gram"},
    "selection": {
        "learners",
        "solvers",
        "gram",
        "kernels",
        "losses",
        "metrics",
        "bounds",
        "engine",
    },
}
EVERYONE = {"datasets"}
EDGES = {"plots", "report", "io", "cli", "lab", "demo", "__main__"}


def place(path: Path) -> str:
    """The folder (or top-level module) of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(tree: ast.AST) -> list[tuple[int, str]]:
    """Line and dotted name of everything of Mercer's own that a module imports, anywhere in it."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "mercer":
            found += [(node.lineno, f"mercer.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.lineno, node.module or ""))
    return [(line, name) for line, name in found if name.split(".")[0] == "mercer"]


def forbidden(here: str, target: str) -> str | None:
    """Why ``here`` may not import ``target``, or None."""
    there = target.split(".")[1] if "." in target else ""
    if here in EDGES or there == here or there.startswith("_") or there in EVERYONE:
        return None
    if here.startswith("_"):
        return f"{here} is below every folder, so it may not import {target}"
    if here not in MAY_IMPORT:
        return f"the folder {here} has no place in MAY_IMPORT of this test yet"
    if there not in MAY_IMPORT[here]:
        return f"{here} may not import {target or 'mercer'}"
    return None


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    here = place(path)
    if here == "__init__":  # the front door names everything, and loads it only when asked
        return
    wrong = [
        f"line {line}: {problem}"
        for line, name in imports(ast.parse(path.read_text()))
        if (problem := forbidden(here, name))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_relative_imports_and_no_print(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: write the full name of the module"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print", f"line {node.lineno}: a library does not print"


@pytest.mark.parametrize(
    ("here", "target"),
    [
        ("kernels", "mercer.gram"),
        ("gram", "mercer.solvers.smo"),
        ("solvers", "mercer.learners"),
        ("bounds", "mercer.learners.margin"),
        ("bounds", "mercer.kernels"),
        ("learners", "mercer.plots"),
        ("learners", "mercer.certification"),
        ("bounds", "mercer.certification"),
        ("datasets", "mercer.bounds"),
        ("_config", "mercer.kernels"),
        ("brand_new", "mercer.kernels"),
        ("kernels", "mercer"),
    ],
)
def test_the_rule_itself_can_fail(here, target):
    assert forbidden(here, target)


def test_imports_inside_functions_are_seen():
    tree = ast.parse("def f():\n    from mercer import plots\n    import mercer.gram as g\n")
    assert imports(tree) == [(2, "mercer.plots"), (3, "mercer.gram")]
