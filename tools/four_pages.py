"""Fill the tables of docs/four-pages.md from the files of results: ``python tools/four_pages.py``.

A test compares, so the page cannot say what was not measured.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "four-pages.md"
RESULTS = ROOT / "benchmarks"

Row = list[str]


def table(text: str, heading: str) -> tuple[Row, list[Row]]:
    """Header and rows of the first table below a heading; the whole text has the heading ""."""
    lines = text.splitlines()
    if heading:
        at = [i for i, line in enumerate(lines) if line.lstrip("# ") == heading]
        if not at:
            raise SystemExit(f"there is no heading {heading!r}")
        lines = lines[at[0] :]
    first = next(i for i, line in enumerate(lines) if line.startswith("|"))
    body = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        body.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    return body[0], body[2:]


def part(source: str, heading: str, columns: Row, rows: str = ".*") -> list[str]:
    """Some columns of a table of a results file, and the rows whose first cells match."""
    header, body = table((RESULTS / source).read_text(), heading)
    missing = set(columns) - set(header)
    if missing:
        raise SystemExit(f"{source} has no column {', '.join(sorted(missing))}")
    at = [header.index(column) for column in columns]
    kept = [[row[i] for i in at] for row in body if re.fullmatch(rows, row[0])]
    if not kept:
        raise SystemExit(f"{source} has no row like {rows}")
    return [line(columns), "|" + "---|" * len(columns), *map(line, kept)]


def line(cells: Row) -> str:
    return f"| {' | '.join(cells)} |"


def tables() -> dict[str, list[str]]:
    """What goes between the markers of the page."""
    sets = r"(twonorm|breast cancer|spambase|phoneme|magic|geometric).*"
    certificates = "certificates/results/latest.md"
    return {
        "spending": part(
            certificates,
            "Certificates that spend rows",
            ["data", "draws", "error, all rows", "80/20 bar", "auto", "compress", "progressive"],
            sets,
        ),
        "violations": part(
            certificates, "Violations and seconds", ["way", "violations, known risk"]
        ),
        "in-sample": part(
            certificates,
            "The model trained on all rows",
            ["data", "error", "80/20 bar", "transfer", "bound: declared set", "bound: rademacher",
             "bound: gaussian-margin", "estimate: loo-span"],
            sets,
        ),
        "intervals": part(
            "guarantees/results/latest.md",
            "Intervals with coverage 0.9",
            ["held-out rows", "tool", "mean coverage", "P(coverage < 0.9)", "half-width / oracle"],
        ),
        "contest": part(
            "tables/results/contest.md",
            "Against single learners",
            ["learner", "mean rank", "mean error", "mean above the best", "CPU seconds, median"],
        ),
        "speed": part(
            "../README.md", "Speed", ["case", "Mercer", "scikit-learn", "sklearnex float32"]
        ),
        "scale": part("scale/results/latest.md", "", ["case", "bar", "measured"], ".*300k|.*1m"),
    }  # fmt: skip


def drawn(page: str) -> str:
    """The page with its tables as the results are now."""
    for name, lines in tables().items():
        begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
        head, found, rest = page.partition(begin)
        if not found or end not in rest:
            raise SystemExit(f"{PAGE.name} has no place for the table {name!r}")
        page = "\n".join([head + begin, *lines, end + rest.partition(end)[2]])
    return page


if __name__ == "__main__":
    PAGE.write_text(drawn(PAGE.read_text()))
    sys.stdout.write(f"updated {PAGE.relative_to(ROOT)}\n")
