"""Rule 3 of the house: imports point one way. Read from the syntax tree, so nothing is run."""

import ast
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "mercer"

# Who may import whom. Every folder may use itself, the private modules beside it and `datasets`.
MAY_IMPORT = {
    "datasets": set(),
    "engine": set(),
    "rows": set(),
    "losses": set(),
    "kernels": set(),
    "metrics": {"kernels"},
    "gram": {"kernels", "engine"},
    "solvers": {"gram", "kernels", "losses", "engine"},
    "bounds": set(),
    "learners": {
        "solvers",
        "gram",
        "kernels",
        "losses",
        "metrics",
        "bounds",
        "engine",
        "rows",
    },
    "theory": {"bounds", "losses", "metrics", "kernels", "gram"},
    "certification": {"learners", "bounds", "kernels", "gram"},
    "selection": {
        "certification",
        "learners",
        "solvers",
        "gram",
        "kernels",
        "losses",
        "metrics",
        "bounds",
        "engine",
    },
    "tables": {"selection", "learners", "kernels"},
    "io": {
        "rows",
        "tables",
        "selection",
        "certification",
        "learners",
        "kernels",
        "metrics",
        "bounds",
    },
    "app": {
        "engine",
        "rows",
        "solvers",
        "losses",
        "io",
        "report",
        "tables",
        "selection",
        "certification",
        "learners",
        "gram",
        "kernels",
        "metrics",
        "bounds",
        "plots",
    },
    "errors": set(),
}
EVERYONE = {"datasets", "errors"}
# Files that import names made up at run time, and why they may.
LOADERS = {
    "__init__.py": "the front door names everything, and loads it only when asked",
    "_discover.py": "the files of a plug-in folder",
    "_storable.py": "classes that a model file or a skops file names",
    "cli/_main.py": "the command that was typed",
    "io/readers/_extra.py": "an optional package of somebody else's, with its extra",
    "io/export/_errors.py": "an optional package of somebody else's, with its extra",
    "io/model_file/_classes.py": "classes that a model file names",
    "io/readers/__init__.py": "the readers of the folder",
    "io/streams/__init__.py": "the formats of the folder",
}
EDGES = {"plots", "report", "cli", "lab", "serving", "demo", "__main__"}


def place(path: Path) -> str:
    """The folder (or top-level module) of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def parsed(path: Path) -> ast.AST:
    """The syntax tree of a file, for all tests of this page."""
    return ast.parse(path.read_text())


@cache
def imports(tree: ast.AST) -> list[tuple[int, str]]:
    """Line and dotted name of everything of Mercer's own that a module imports, anywhere in it.

    An import by string counts like any other. ``mercer.*`` stands for a name that is only made up
    when the programme runs: then nothing here can tell what it is.
    """
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(node.lineno, f"{node.module or ''}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Call) and called(node) in BY_STRING and node.args:
            found.append((node.lineno, spelt(node.args[0])))
    return [(line, name) for line, name in found if name.split(".")[0] == "mercer"]


BY_STRING = {"import_module", "__import__"}


def called(node: ast.Call) -> str:
    """The last name of what is called, ``import_module`` for ``importlib.import_module(...)``."""
    function = node.func
    return getattr(function, "attr", None) or getattr(function, "id", "")


def spelt(node: ast.expr) -> str:
    """The dotted name in a string, as far as it is written there."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
        start = str(node.values[0].value)
        return f"{start.rpartition('.')[0]}.*" if "." in start else "mercer.*"
    return "mercer.*"


def forbidden(here: str, target: str) -> str | None:
    """Why ``here`` may not import ``target``, or None."""
    there = target.split(".")[1] if "." in target else ""
    if there == "*":
        return f"{here} imports a name made up at run time; write it out, or say why in LOADERS"
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
    here, name = place(path), path.relative_to(PACKAGE).as_posix()
    if name == "__init__.py":  # the front door names everything
        return
    wrong = [
        f"line {line}: {problem}"
        for line, target in imports(parsed(path))
        if (problem := forbidden(here, target)) and not (target == "mercer.*" and name in LOADERS)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", sorted(LOADERS))
def test_only_files_that_need_it_may_import_made_up_names(name):
    path = PACKAGE / name
    if path.exists():
        found = [target for _, target in imports(parsed(path))]
        assert any(target.endswith(".*") for target in found), f"take {name} out of LOADERS"


# -- a leading underscore means "not imported from another top folder" ----------------------------


def crossings(here: str, tree: ast.AST) -> list[str]:
    """Private modules and names of other top folders that a file of ``here`` imports."""
    found = []
    for line, name in imports(tree):
        top, *inside = name.split(".")[1:]
        private = any(part.startswith("_") for part in inside)
        if private and top != here and not top.startswith("_"):
            found.append(f"line {line}: {name}")
    return found


def test_private_names_stay_in_their_folder():
    found = [
        f"{path.relative_to(PACKAGE)}, {one}"
        for path in FILES
        if place(path) != "__init__"
        for one in crossings(place(path), parsed(path))
    ]
    assert not found, "give it a public name:\n" + "\n".join(found)


def test_crossings_are_counted():
    tree = ast.parse(
        "from mercer.gram._base import Gram, helper\nfrom mercer.gram import _base, Dense\n"
        "from mercer.kernels import _psd\nfrom mercer import _config\nimport mercer.io._x.y\n"
    )
    assert len(crossings("kernels", tree)) == 4
    assert len(crossings("gram", tree)) == 2


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_relative_imports_and_no_print(path):
    for node in ast.walk(parsed(path)):
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


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ('import_module("mercer.certification.modes")', "mercer.certification.modes"),
        ('importlib.import_module("mercer.app")', "mercer.app"),
        ('__import__("mercer.cli")', "mercer.cli"),
        ('import_module(f"mercer.{name}")', "mercer.*"),
        ('import_module(f"mercer.cli.{name}")', "mercer.cli.*"),
        ('import_module(f"mercer.cli._{name}_run")', "mercer.cli.*"),
        ('import_module(f"{where}.svc")', "mercer.*"),
        ("import_module(where)", "mercer.*"),
        ('import_module("mercer." + name)', "mercer.*"),
    ],
)
def test_imports_by_string_are_seen(line, target):
    assert imports(ast.parse(line)) == [(1, target)]
    assert forbidden("kernels", target)


def test_strings_of_other_packages_are_nobodys_business():
    assert imports(ast.parse('import_module("dask.array")')) == []
