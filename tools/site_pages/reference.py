"""The reference: one page per public package, every public name once."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path
from typing import Any

import mercer
from mercer import bounds, kernels
from site_pages import common, learners, registries

_SKIPPED = ("mercer.cli", "mercer.learners", "mercer.demo")


def packages() -> list[str]:
    """Public packages, the top one first; learners have pages of their own."""
    found = ["mercer"]
    for info in pkgutil.walk_packages(mercer.__path__, "mercer."):
        private = any(part.startswith("_") for part in info.name.split("."))
        if info.ispkg and not private and not info.name.startswith(_SKIPPED):
            found.append(info.name)
    return found


def with_a_page() -> dict[int, str]:
    """Objects that have a page of their own, and where it is."""
    found = {id(c): f"kernels/{n}" for n, c in kernels.available().items()}
    found |= {id(c): f"bounds/{n}" for n, c in bounds.available().items()}
    for classes in learners.learners().values():
        found |= {id(c): f"learners/{n}" for n, c in classes.items()}
    for name, module in registries.registries().items():
        kind = name.rsplit(".", 1)[-1]
        found |= {id(c): f"{kind}/{n}" for n, c in module.available().items()}
    return found


def public(module: Any) -> list[str]:
    """What the package says is public."""
    return sorted(dict.fromkeys(getattr(module, "__all__", ())))


def entry(full: str, thing: Any) -> list[str]:
    """The directive for one object."""
    if inspect.isclass(thing):
        options = [] if issubclass(thing, BaseException) else ["   :members:"]
        return [f".. autoclass:: {full}", *options, ""]
    if inspect.ismodule(thing):
        return []
    return [f".. auto{'function' if callable(thing) else 'data'}:: {full}", ""]


def page(name: str, elsewhere: dict[int, str], done: set[int]) -> str | None:
    """One package; None if there is nothing to show."""
    module = importlib.import_module(name)
    links, body = [], []
    for public_name in public(module):
        thing = getattr(module, public_name)
        if id(thing) in elsewhere:
            links.append((public_name, f"../{elsewhere[id(thing)]}.md", common.summary(thing)))
        elif not inspect.ismodule(thing) and id(thing) not in done:
            done.add(id(thing))
            body += entry(f"{name}.{public_name}", thing)
    if not links and not body:
        return None
    lines = [f"# {name}", "", *(common.plain(p) + "\n" for p in common.paragraphs(module)[:3])]
    if links:
        lines += ["| with its own page | |", "|---|---|"]
        lines += [f"| [{n}]({where}) | {common.plain(said)} |" for n, where, said in links]
        lines.append("")
    if body:
        listed = [line.split(":: ")[1] for line in body if line.startswith(".. auto")]
        table = [".. autosummary::", "", *(f"   {item}" for item in listed), ""]
        lines += ["```{eval-rst}", *table, *body, "```", ""]
    return "\n".join(lines)


def make(target: Path) -> None:
    """All packages. The top one comes last: what it offers lives in another."""
    elsewhere, done, rows = with_a_page(), set(), []
    for name in [*packages()[1:], "mercer"]:
        text = page(name, elsewhere, done)
        if text is not None:
            common.write(target / "api" / f"{name}.md", text)
            said = common.paragraphs(importlib.import_module(name))
            rows.append((name, f"`{name}`", common.plain(said[0]) if said else ""))
    intro = ["Every public name, by package. Kernels, bounds and learners have pages of their own."]
    common.write(target / "api" / "index.md", common.listing("Reference", intro, sorted(rows)))
