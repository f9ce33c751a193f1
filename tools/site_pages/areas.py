"""Lists for the front page that nobody has to keep: pages and registries as they are found."""

from __future__ import annotations

import re
from pathlib import Path

from site_pages import common, registries

DOCS = common.ROOT / "docs"


def named_in_index(index: str) -> set[str]:
    """Pages that the front page lists by name."""
    found: set[str] = set()
    for block in re.findall(r"```\{toctree\}\n(.*?)```", index, re.S):
        lines = [line.strip() for line in block.splitlines()]
        found.update(line for line in lines if line and not line.startswith(":"))
    return found


def unlisted() -> list[str]:
    """Pages of docs/ that the front page does not name."""
    named = named_in_index((DOCS / "index.md").read_text(encoding="utf-8")) | {"index"}
    for page in list(named):  # a folder with an index of its own lists its pages there
        inner = DOCS / f"{page}.md"
        if inner.parent != DOCS and inner.stem == "index" and inner.exists():
            listed = named_in_index(inner.read_text(encoding="utf-8"))
            named |= {f"{inner.parent.relative_to(DOCS)}/{name}" for name in listed}
    pages = [p.relative_to(DOCS) for p in sorted(DOCS.rglob("*.md"))]
    own = [p for p in pages if p.parts[0] != "generated" and not p.parts[0].startswith("_")]
    return [name for p in own if (name := str(p.with_suffix(""))) not in named]


def toctree(caption: str, pages: list[str]) -> str:
    """A hidden table of contents for the side bar."""
    head = ["```{toctree}", ":hidden:", ":maxdepth: 1", f":caption: {caption}", ""]
    return "\n".join([*head, *pages, "```", ""]) if pages else ""


def make(target: Path) -> None:
    """Two files that docs/index.md includes."""
    common.write(target / "more-topics.txt", toctree("More topics", unlisted()))
    atlases = ["learners", "kernels", "bounds"]
    atlases += sorted(name.rsplit(".", 1)[-1] for name in registries.registries())
    pages = [f"generated/{name}/index" for name in atlases]
    common.write(target / "atlases.txt", toctree("Atlas", pages))
