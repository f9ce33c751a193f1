"""A table of what was tried, file by file, and what is said about the changes that survive."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
BEGIN, END = "<!-- mutants:begin -->", "<!-- mutants:end -->"


def filled(page: str, results: Path) -> str:
    """The page with the table between its markers."""
    head, _, rest = page.partition(BEGIN)
    rows = [row for path in sorted(results.glob("*.json")) for row in json.loads(path.read_text())]
    return "\n".join([head + BEGIN, *table(rows), END + rest.partition(END)[2]])


def table(rows: list[dict[str, str]]) -> Iterator[str]:
    """One line per file, and one for all."""
    explained = tomllib.loads((HERE / "explained.toml").read_text())["survives"]
    yield "| file | changes tried | noticed | alive, no promise at stake | alive, to be looked at |"
    yield "|---|---|---|---|---|"
    paths = sorted({row["path"] for row in rows})
    for path in [*paths, ""]:
        here = [row for row in rows if path in ("", row["path"])]
        killed = sum(row["came"] == "killed" for row in here)
        known = sum(row["came"] != "killed" and is_explained(row, explained) for row in here)
        name = f"`{path.removeprefix('src/mercer/')}`" if path else "**all**"
        yield f"| {name} | {len(here)} | {killed} | {known} | {len(here) - killed - known} |"


def is_explained(row: dict[str, str], explained: list[dict[str, str]]) -> bool:
    """Whether a reason is given for this function, and for this text where one is named."""
    return any(
        row["path"].endswith(one["file"])
        and row["function"] == one["function"]
        and one.get("before", row["before"]) == row["before"]
        for one in explained
    )
