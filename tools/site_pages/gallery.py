"""The examples, copied with a title on top, as the gallery wants them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from site_pages import common

EXAMPLES = common.ROOT / "examples"


def titled(path: Path) -> str:
    """The script with the first sentence of its docstring as a title."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    told = ast.get_docstring(tree) or path.stem
    first = tree.body[0]
    has_docstring = ast.get_docstring(tree) is not None
    rest = "\n".join(source.splitlines()[first.end_lineno if has_docstring else 0 :])
    if re.match(r"^(=+\n)?.+\n[=\-~]{3,}\s*(\n|$)", told):
        return source  # has a title already
    heading = path.stem.replace("_", " ").capitalize()
    text = told.replace("\\", "\\\\").replace('"""', "'''")
    return f'"""\n{heading}\n{"=" * len(heading)}\n\n{text}\n"""\n{rest}\n'


def make(target: Path) -> None:
    """Copies of all examples, and the page above them."""
    folder = target / "gallery_source"
    names = set()
    for path in sorted(EXAMPLES.glob("*.py")):
        common.write(folder / path.name, titled(path))
        names.add(path.name)
    for old in folder.glob("*.py"):
        if old.name not in names:
            old.unlink()
    head = "Examples"
    text = f"{head}\n{'=' * len(head)}\n\nReal scripts from ``examples/``; the tests run each.\n"
    common.write(folder / "README.rst", text)
