"""What every kind of page shares: docstrings taken apart, sources in the texts, pictures."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LINES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
_SECTION = re.compile(r"\n[A-Z][A-Za-z ]+\n-{3,}\n")
_ROW = re.compile(r"^\|\s*([ATLU]\d+)\s*\|(.*?)\|(.*?)\|", re.M)


def paragraphs(thing: Any) -> list[str]:
    """The prose of a docstring, before its first section, one entry per paragraph."""
    text = inspect.getdoc(thing) or ""
    prose = _SECTION.split("\n" + text + "\n")[0]
    return [" ".join(p.split()) for p in prose.strip().split("\n\n") if p.strip()]


def summary(thing: Any) -> str:
    """The first paragraph on one line."""
    found = paragraphs(thing)
    return found[0] if found else ""


def doc_section(thing: Any, name: str) -> list[str]:
    """The lines of one numpydoc section, without its heading."""
    text = "\n" + (inspect.getdoc(thing) or "") + "\n"
    found = re.search(rf"\n{name}\n-+\n(.*?)(?=\n[A-Z][A-Za-z ]+\n-{{3,}}\n|\Z)", text, re.S)
    return found[1].strip().splitlines() if found else []


@cache
def sources() -> dict[str, list[tuple[str, str, str]]]:
    """Public name to (id, capability, text) of docs/coverage.md."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    text = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        said = re.search(r"^Source: (.+?)\n\n", part, re.M | re.S)
        origin = " ".join(said[1].split()) if said else ""
        for key, capability, names in _ROW.findall(part):
            for name in re.findall(r"`([\w.]+)`", names):
                found.setdefault(name, []).append((key, capability.strip(), origin))
    return found


def in_the_texts(*names: str) -> list[str]:
    """Lines that say which capability of which text a public name delivers."""
    rows = dict.fromkeys(row for name in names for row in sources().get(name, ()))
    if not rows:
        return []
    lines = ["## In the texts", ""]
    lines += [f"- {origin.rstrip('.')}. {key}: {what}." for key, what, origin in rows]
    return [*lines, ""]


def auto(kind: str, name: str, *options: str) -> list[str]:
    """The reference of one object."""
    body = [f".. auto{kind}:: {name}", *(f"   {option}" for option in options)]
    return ["## Reference", "", "```{eval-rst}", *body, "```", ""]


def code(text: str) -> str:
    """Inline code that survives a table."""
    return "`" + text.replace("|", "\\|") + "`"


def plain(text: str) -> str:
    """Prose whose stars, bars, dollars and angles are meant as such."""
    pieces = re.split(r"(:[a-z:]+:`[^`]*`|``.*?``|`[^`]*`)", text)
    for i in range(0, len(pieces), 2):
        pieces[i] = re.sub(r"([*|<>$\[\]_~#])", r"\\\1", pieces[i])
    for i in range(1, len(pieces), 2):
        inner = pieces[i].split("`", 1)[1].strip("`~")
        pieces[i] = f"${inner}$" if pieces[i].startswith(":math:") else f"`{inner}`"
    return "".join(pieces)


def listing(title: str, intro: list[str], rows: list[tuple[str, str, str]]) -> str:
    """An index page: file, name and one sentence each, with a hidden table of contents."""
    lines = [f"# {title}", "", *intro, "", "| name | what it is |", "|---|---|"]
    lines += [f"| [{name}]({file}.md) | {text} |" for file, name, text in rows]
    lines += ["", "```{toctree}", ":hidden:", ":maxdepth: 1", ""]
    return "\n".join([*lines, *(file for file, _, _ in rows), "```", ""])


def pyplot() -> Any:
    """Matplotlib without a screen."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def drawn(draw: Callable[[], Any], path: Path) -> bool:
    """Save what ``draw`` returns; a picture that fails is reported, not fatal."""
    plt = pyplot()
    try:
        figure = draw()
    except Exception as problem:
        first = str(problem).strip().split("\n")[0]
        sys.stderr.write(f"no picture for {path.stem}: {type(problem).__name__}: {first[:160]}\n")
        plt.close("all")
        return False
    if figure is None:
        return False
    figure.savefig(path, dpi=90)
    plt.close("all")
    return True


def write(path: Path, text: str) -> None:
    """Only if it changed: what is older than its page is not built again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
