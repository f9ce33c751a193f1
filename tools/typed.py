"""How many parameters and results of the library say their type, and how many say `Any`.

    python tools/typed.py [--names]

`Any` inside another type (``list[Any]``) counts as a type. What is left is mostly what comes out of
libraries without types, and arguments whose attributes are read before anybody has checked them.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "src" / "mercer"


def annotations(tree: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Every parameter by its name, and every result as ``->``, with what is written beside it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            a = node.args
            extra = [one for one in (a.vararg, a.kwarg) if one]
            for one in (*a.posonlyargs, *a.args, *a.kwonlyargs, *extra):
                if one.arg not in ("self", "cls"):
                    yield one.arg, one.annotation
            yield "->", node.returns


def counted(folder: Path = SOURCES) -> tuple[Counter[str], Counter[str]]:
    """How often each name stands in the sources, and how often with `Any`."""
    everywhere: Counter[str] = Counter()
    unsaid: Counter[str] = Counter()
    for path in sorted(folder.rglob("*.py")):
        for name, kind in annotations(ast.parse(path.read_text())):
            everywhere[name] += 1
            unsaid[name] += isinstance(kind, ast.Name) and kind.id == "Any"
    return everywhere, unsaid


def shares(everywhere: Counter[str], unsaid: Counter[str]) -> tuple[float, float]:
    """Of the parameters and of the results: the share that says `Any`."""
    parameters = everywhere.total() - everywhere["->"]
    return (unsaid.total() - unsaid["->"]) / parameters, unsaid["->"] / everywhere["->"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--names", action="store_true", help="which parameters they are")
    given = parser.parse_args()
    everywhere, unsaid = counted()
    parameters, results = shares(everywhere, unsaid)
    print(f"{parameters:.1%} of {everywhere.total() - everywhere['->']} parameters are Any")
    print(f"{results:.1%} of {everywhere['->']} results are Any")
    if given.names:
        for name, count in unsaid.most_common(40):
            print(f"{count:5} of {everywhere[name]:5} {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
