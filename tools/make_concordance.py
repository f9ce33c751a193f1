"""Write docs/concordance.md: what the texts ask for → public name → page → example.

Made from docs/coverage.md and tools/places.toml; a page or example is named if it mentions the
name. ``--check`` fails if the page is not current.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from check_coverage import ROOT, TRACKER, rows

PAGE = ROOT / "docs" / "concordance.md"
HEAD = """# From the texts to names, pages and examples

Made by `tools/make_concordance.py` from {doc}`coverage`; places of A and T are numbers of the
classifier book, of L those of Banisch's and Peyré's notes (the slides have none), of U those of von
Luxburg's thesis, where they speak of the row. Figures and tables are in
{doc}`theory/figures`, misprints in {doc}`corrections`. For who holds a number in hand, the tables
at the end go the other way.
"""
HEAD_OF_NUMBERS = """

## In the order of each text

Numbers of every text, and the rows above that answer to them, where the page and the example are.
"""
COLUMNS = ("| id | in the text | capability | name | page | example |", "|---|---|---|---|---|---|")
PLACES = Path(__file__).with_name("places.toml")
TEXTS = {"A": "Herbrich", "T": "Herbrich", "U": "von Luxburg"}  # rows of L name theirs
KINDS = ["section", "definition", "theorem", "lemma", "corollary", "proposition", "remark"]
KINDS += ["example", "algorithm", "equation", "figure", "table"]
NUMBER = re.compile(
    r"(?:(?P<text>Banisch|Peyré) )?(?:(?P<kind>[a-z]+) )?(?P<number>[0-9A-Z][\w.]*)"
)


def page() -> str:
    """The whole page."""
    pages = {p.stem: p.read_text() for p in sorted((ROOT / "docs").glob("*.md")) if _is_topic(p)}
    scripts = {p.stem: p.read_text() for p in sorted((ROOT / "examples").glob("*.py"))}
    places, lines = tomllib.loads(PLACES.read_text(encoding="utf-8")), [HEAD]
    for line in TRACKER.read_text().splitlines():
        if line.startswith("## "):
            lines += ["", line, "", *COLUMNS]
        for ident, what, names, _ in rows(line):
            found = re.findall(r"`(mercer[\w.]*)`", names)
            shown = ", ".join(f"`{name}`" for name in found)
            read = ", ".join(f"{{doc}}`{p}`" for p in _mentioning(found, pages)[:3])
            drawn = ", ".join(f"`{p}`" for p in _mentioning(found, scripts)[:3])
            lines.append(
                f"| {ident} | {places.get(ident, '')} | {what} | {shown} | {read} | {drawn} |"
            )
    return "\n".join([*lines, *_in_order(places)]) + "\n"


def _in_order(places: dict[str, str]) -> list[str]:
    """Number → rows → names, a table for each text."""
    names = {
        row: re.findall(r"`(mercer[\w.]*)`", shown)
        for line in TRACKER.read_text().splitlines()
        for row, _, shown, _ in rows(line)
    }
    found: dict[str, dict[tuple[str, str], list[str]]] = {}
    for row, place in places.items():
        for text, kind, number in numbers(place, TEXTS.get(row[0], "slides")):
            found.setdefault(text, {}).setdefault((kind, number), []).append(row)
    lines = HEAD_OF_NUMBERS.splitlines()
    for text, entries in found.items():
        lines += ["", f"### {text}", "", "| number | rows | names |", "|---|---|---|"]
        for kind, number in sorted(entries, key=_as_printed):
            own = entries[kind, number]
            shown = ", ".join(dict.fromkeys(f"`{name}`" for row in own for name in names[row]))
            lines.append(f"| {kind} {number} | {', '.join(own)} | {shown} |")
    return lines


def numbers(place: str, default: str) -> Iterator[tuple[str, str, str]]:
    """Text, kind and number of everything a place names; ranges in full."""
    for part in place.split("; "):
        text, kind = default, "section"  # a kind holds until another one is named
        for piece in re.split(", | and ", part):
            ends = [NUMBER.fullmatch(end) for end in piece.split(" to ")]
            if ends[0] is not None:  # not "slides" or "flip-book", where nothing is numbered
                text = ends[0]["text"] or text
                kind = _one(ends[0]["kind"]) or kind
                for number in _range(*(end["number"] for end in ends if end)):
                    yield text, kind, number


def _one(kind: str | None) -> str:
    """The singular."""
    return (kind or "").rstrip("s")


def _range(first: str, last: str = "") -> list[str]:
    head, _, start = first.rpartition(".")
    if not last:
        return [first]
    end = int(last.rpartition(".")[2])
    return [f"{head}.{i}" if head else str(i) for i in range(int(start), end + 1)]


def _as_printed(entry: tuple[str, str]) -> tuple[int, str, list[int]]:
    """Sections first, then what they contain; 2.9 before 2.10, the appendix last."""
    roman = {"I": 1, "II": 2, "III": 3, "IV": 4}
    parts = entry[1].split(".")
    places = [int(part) if part.isdigit() else roman.get(part, 0) for part in parts]
    appendix = parts[0] if places[0] == 0 else ""
    return KINDS.index(entry[0]), appendix, places


def _is_topic(path: Path) -> bool:
    return path.stem not in ("coverage", "concordance", "changelog", "corrections", "architecture")


def _mentioning(names: list[str], texts: dict[str, str]) -> list[str]:
    words = {name.rpartition(".")[2] for name in names}
    any_word = re.compile(r"\b(" + "|".join(map(re.escape, words)) + r")\b") if words else None
    return [stem for stem, text in texts.items() if any_word is not None and any_word.search(text)]


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.read_text() == page() else "run python tools/make_concordance.py")
    PAGE.write_text(page())
