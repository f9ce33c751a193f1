"""Counts of violations, from reports of ``make validity`` to a table in Markdown.

python tools/validity_table.py report.xml ... > benchmarks/certificates/results/validity.md
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from scipy.stats import binom


class Count(NamedTuple):
    """One statement, or one deliberately broken twin of it, over many draws."""

    test: str
    statement: str
    wrong: int
    draws: int
    delta: float
    broken: bool

    @property
    def p(self) -> float:
        """Probability of so many violations if the statement holds at its rate."""
        return float(binom.sf(self.wrong - 1, self.draws, self.delta))


def counts(*reports: Path) -> Iterator[Count]:
    """What the tests that passed counted, by name of the test."""
    for test, case in sorted(cases(*reports).items()):
        if not failed(case):
            for found in case.iter("property"):
                if found.get("name") == "counted":
                    yield Count(test, *json.loads(found.get("value", "")))


def cases(*reports: Path) -> dict[str, ElementTree.Element]:
    """The tests by name; one that ran again counts as in the last report."""
    found = {}
    for report in reports:
        for case in ElementTree.parse(report).iter("testcase"):
            file = case.get("classname", "").rpartition(".")[2]
            found[f"{file}::{case.get('name')}"] = case
    return found


def failed(case: ElementTree.Element) -> bool:
    return case.find("failure") is not None or case.find("error") is not None


def outcome(*reports: Path) -> str:
    """How many tests ran, and which failed: a table of what passed would hide that."""
    found = cases(*reports)
    bad = [test for test, case in found.items() if failed(case)]
    names = "".join(f"\n- {test}" for test in bad)
    skipped = sum(case.find("skipped") is not None for case in found.values())
    return f"{len(found)} tests, {len(bad)} failed, {skipped} skipped.{names}\n"


def table(found: list[Count]) -> str:
    """One line per test: its statement with the smallest p-value, and how its twins fared."""
    lines = [
        "| test | statements | violations of the worst | draws | δ | p | broken twin, at least |",
        "|---|---|---|---|---|---|---|",
    ]
    for test in dict.fromkeys(c.test for c in found):
        mine = [c for c in found if c.test == test]
        held = [c for c in mine if not c.broken]
        twins = [f"{c.wrong} of {c.draws}" for c in sorted(mine, key=rate) if c.broken]
        if held:
            worst = min(held, key=lambda c: c.p)
            numbers = f"{worst.wrong} | {worst.draws} | {worst.delta:g} | {worst.p:.2g}"
            name = test.replace("|", "/")
            lines.append(f"| {name} | {len(held)} | {numbers} | {twins[0] if twins else ''} |")
    return "\n".join(lines) + "\n"


def rate(count: Count) -> float:
    return count.wrong / max(1, count.draws)


if __name__ == "__main__":
    files = [Path(name) for name in sys.argv[1:]]
    print(outcome(*files))
    print(table(list(counts(*files))), end="")
