"""Draw the import graph of the package into ARCHITECTURE.md: ``python tools/import_graph.py``.

A folder stands one floor above the highest folder that it imports from, in any of its files,
inside functions too. `mercer/_*`, `datasets` and `errors` may be imported by everybody and are
left out.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "mercer"
PAGE = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- imports:begin -->", "<!-- imports:end -->"
EVERYBODY = {"datasets", "errors"}


def graph(package: Path = PACKAGE) -> dict[str, set[str]]:
    """Which folders each folder imports from."""
    folders = {path.parent.name for path in package.glob("*/__init__.py")}
    found: dict[str, set[str]] = {folder: set() for folder in folders - EVERYBODY}
    for folder, theirs in found.items():
        for path in (package / folder).rglob("*.py"):
            theirs |= {place for name in names(ast.parse(path.read_text())) for place in top(name)}
        theirs &= found.keys() - {folder}
    return found


def names(tree: ast.AST) -> list[str]:
    """Dotted names of what a module imports, by string too."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            function = node.func
            name = getattr(function, "attr", None) or getattr(function, "id", "")
            found += [str(node.args[0].value)] if name == "import_module" else []
    return found


def top(name: str) -> list[str]:
    """The folder in `mercer.folder.module`; nothing for other packages."""
    parts = name.split(".")
    return parts[1:2] if parts[0] == "mercer" else []


def floors(imports: dict[str, set[str]]) -> dict[str, int]:
    """The floor of each folder; an import in a circle has none and is an error."""
    placed: dict[str, int] = {}
    while left := imports.keys() - placed:
        ready = [folder for folder in left if imports[folder] <= placed.keys()]
        if not ready:
            raise SystemExit(f"these import each other: {', '.join(sorted(left))}")
        placed |= {f: 1 + max((placed[t] for t in imports[f]), default=-1) for f in ready}
    return placed


def table(imports: dict[str, set[str]]) -> str:
    """The graph from the top floor down."""
    at = floors(imports)
    lines = ["| floor | folder | imports from |", "|---|---|---|"]
    for folder in sorted(at, key=lambda f: (-at[f], f)):
        below = sorted(imports[folder], key=lambda f: (-at[f], f))
        lines.append(f"| {at[folder]} | `{folder}` | {', '.join(below) or 'nothing'} |")
    return "\n".join(lines)


def drawn(page: str) -> str:
    """The page with the graph as it is now between its markers."""
    inside = re.compile(f"(?<={BEGIN}\n).*(?=\n{END})", re.DOTALL)
    if not inside.search(page):
        raise SystemExit(f"the page has no {BEGIN} and {END}")
    return inside.sub(lambda _: table(graph()), page)


def main() -> int:
    PAGE.write_text(drawn(PAGE.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
