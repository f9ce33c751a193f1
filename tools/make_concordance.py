"""Write docs/concordance.md: what the texts ask for → public name → page → example.

Made from docs/coverage.md and tools/places.toml; a page or example is named if it mentions the
name. ``--check`` fails if the page is not current.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from check_coverage import ROOT, TRACKER, rows

PAGE = ROOT / "docs" / "concordance.md"
HEAD = """# From the texts to names, pages and examples

Made by `tools/make_concordance.py` from {doc}`coverage`; places of A and T are numbers of the
classifier book, of L those of Banisch's and Peyré's notes (the slides have none), of U those of von
Luxburg's thesis, where they speak of the row. Figures and tables are in
{doc}`theory/figures`, misprints in {doc}`corrections`.
"""
COLUMNS = ("| id | in the text | capability | name | page | example |", "|---|---|---|---|---|---|")
PLACES = Path(__file__).with_name("places.toml")


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
    return "\n".join(lines) + "\n"


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
