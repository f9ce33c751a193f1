"""Check docs/coverage.md: every id once, every public name imports, every test exists,
every learner is in it.

Run by ``make check``. Exits with status 1 and one line per problem when something does not hold.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path

from mercer.learners import available

ROOT = Path(__file__).resolve().parent.parent
TRACKER = ROOT / "docs" / "coverage.md"
LAST_ID = {"A": 72, "T": 86, "L": 109, "U": 72}
ROW = re.compile(r"^\|\s*([ATLU]\d+)\s*\|(.*)\|(.*)\|(.*)\|\s*$")
CODE = re.compile(r"`([^`]+)`")
# Learners that none of the texts asks for, and why they are there.
OF_NO_TEXT = {
    "CellClassifier": "exact machines in cells, for more rows than one machine takes",
    "CellDetector": "the same for rows without labels",
    "CellRegressor": "the same for numbers",
    "CrammerSingerSVC": "several classes in one programme, beside the schemes of the texts",
    "FourierFeatures": "random features, in place of scikit-learn's",
    "LandmarkDiffusionMap": "diffusion maps of more rows than fit in memory",
    "LandmarkSpectralClustering": "spectral clustering of more rows than fit in memory",
    "NuSVR": "in place of scikit-learn's",
    "Nystroem": "landmark features, in place of scikit-learn's",
    "NystroemClassifier": "landmark machines from sums over rows that need not fit in memory",
    "NystroemKMeans": "kernel k-means in the span of landmarks, in passes over the rows",
    "NystroemPCA": "kernel PCA from the same sums",
    "NystroemRidge": "kernel ridge regression from the same sums",
}


def expected_ids() -> list[str]:
    return [f"{letter}{i}" for letter, last in LAST_ID.items() for i in range(1, last + 1)]


def rows(text: str) -> list[tuple[str, str, str, str]]:
    """Every table row that starts with a capability id, as stripped cells."""
    found = []
    for line in text.splitlines():
        if match := ROW.match(line):
            cells = [cell.strip() for cell in match.groups()]
            found.append((cells[0], cells[1], cells[2], cells[3]))
    return found


@cache
def resolve(dotted: str) -> str | None:
    """Import the longest module prefix of ``dotted`` and follow the rest; say what is missing."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            thing = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[cut:]:
            if not hasattr(thing, attribute):
                return f"{dotted}: no attribute {attribute!r}"
            thing = getattr(thing, attribute)
        return None
    return f"{dotted}: cannot be imported"


@cache
def test_names(path: Path) -> frozenset[str]:
    """Names of test functions, and ``Class::method`` for test classes, without running the file."""
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef):
            inner = (item.name for item in node.body if isinstance(item, ast.FunctionDef))
            names.update(f"{node.name}::{name}" for name in inner)
    return frozenset(names)


def test_problem(where: str) -> str | None:
    """Why ``path::name`` is not an existing test, or None."""
    path, _, name = where.partition("::")
    if not name:
        return f"{where}: write it as path::test_name"
    if not (ROOT / path).is_file():
        return f"{where}: no such file"
    if name not in test_names(ROOT / path) or not name.split("::")[-1].startswith("test_"):
        return f"{where}: no such test in that file"
    return None


def row_problems(names: str, tests: str) -> list[str]:
    """What is wrong with one row's last two cells."""
    if names == "open" or tests == "open":
        return [] if names == tests else ["name and test must both be given, or both be open"]
    listed, shown = CODE.findall(names), CODE.findall(tests)
    missing = [] if listed and shown else ["needs a `name` and a `path::test`, or open in both"]
    found = [resolve(name) for name in listed] + [test_problem(where) for where in shown]
    return missing + [problem for problem in found if problem]


def learner_problems(table: list[tuple[str, str, str, str]], learners: Iterable[str]) -> list[str]:
    """Learners that no row names, and exceptions that are none."""
    listed = {part for row in table for name in CODE.findall(row[2]) for part in name.split(".")}
    learners = set(learners)
    forgotten = sorted(learners - listed - set(OF_NO_TEXT))
    idle = sorted(name for name in OF_NO_TEXT if name in listed or name not in learners)
    return [f"{name}: a learner without a row; see OF_NO_TEXT" for name in forgotten] + [
        f"{name}: has a row or is no learner; take it out of OF_NO_TEXT" for name in idle
    ]


def problems(text: str) -> list[str]:
    """Every fault of the tracker, as lines for a person."""
    table = rows(text)
    ids = [row[0] for row in table]
    found = [f"{key}: row is missing" for key in expected_ids() if key not in ids]
    found += [f"{key}: unknown id" for key in sorted(set(ids) - set(expected_ids()))]
    found += [f"{key}: {ids.count(key)} rows" for key in sorted(set(ids)) if ids.count(key) > 1]
    for key, capability, names, tests in table:
        if not capability:
            found.append(f"{key}: says nothing about the capability")
        found += [f"{key}: {problem}" for problem in row_problems(names, tests)]
    return found + learner_problems(table, [cls.__name__ for cls in available().values()])


def main() -> int:
    text = TRACKER.read_text()
    if found := problems(text):
        print("\n".join(found))
        print(f"{TRACKER.relative_to(ROOT)}: {len(found)} problems")
        return 1
    table = rows(text)
    done = sum(names != "open" for _, _, names, _ in table)
    print(f"{TRACKER.relative_to(ROOT)}: {len(table)} capabilities, {done} with a name and a test")
    return 0


if __name__ == "__main__":
    sys.exit(main())
