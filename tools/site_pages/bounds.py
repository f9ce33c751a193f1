"""A page for every bound: what it says, from which evidence, on which assumptions, how it falls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mercer import bounds
from mercer.bounds.fields import MEANINGS
from site_pages import common

KINDS = {
    "bound": "Bounds",
    "conditional": "Bounds under a further condition",
    "estimate": "Estimates: useful numbers, no guarantee",
}
WHO = {
    "deterministic": "the fitted model itself",
    "gibbs": "a randomised classifier that draws a rule for every row",
    "vote": "the majority vote",
    "mixture": "the mixture of the models of a progressive run",
    "one-of": "at least one, unnamed, of several models",
}


def draw(cls: Any) -> Any:
    """The value against the number of rows, at the rates of the bound's own examples."""
    figure, ax = common.pyplot().subplots(figsize=(6.4, 2.9))
    figure.subplots_adjust(left=0.1, right=0.98, bottom=0.19, top=0.96)  # constrained is slow
    drawn = 0
    for colour, evidence in zip(common.LINES, cls.examples(), strict=False):
        rows = np.unique(np.geomspace(max(10, evidence.n / 10), 1e3 * evidence.n, 40).round())
        limit = 1e5 if evidence.repeats_rows else np.inf
        curve = bounds.curve(cls(), evidence, "n", rows[rows <= limit].tolist(), 0.05)
        known = np.isfinite(curve.values)
        if known.any():
            ax.plot(curve.at[known], curve.values[known], color=colour, lw=1.8)
            ax.plot(evidence.n, np.interp(evidence.n, curve.at, curve.values), "o", color=colour)
            drawn += 1
            ceiling = curve.ceiling
    if not drawn:
        return None
    ax.axhline(ceiling, color="#888888", lw=1, ls=":")
    ax.set_xscale("log")
    ax.set_ylim(0, min(ax.get_ylim()[1], 1.6 * ceiling))
    ax.set_xlabel("rows, at the same observed rates", fontsize=9)
    ax.set_ylabel(cls.quantity, fontsize=9)
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)
    return figure


def when(cls: Any) -> list[str]:
    """What the bound's own facts say about where it belongs."""
    said = []
    if cls.kind == "estimate":
        said.append("For comparing settings, not for promising: it is an estimate.")
    if cls.kind == "conditional":
        said.append("Only where its last assumption can be argued for: no data can check it.")
    if "train" in cls.covers:
        free = "Whatever was chosen from the training rows (kernel, C, scaler, features) is covered"
        own = cls.covered is not bounds.Bound.covered
        said.append(f"{free} if those are not the rows that count." * own or f"{free} at no price.")
    elif cls.kind != "estimate":
        said.append(
            "Everything about the model except what was fitted has to be fixed before the data; a "
            "certificate that misses a choice says so in its first words."
        )
    if cls.classifier != "deterministic":
        said.append(f"It speaks about {WHO[cls.classifier]}, which is not always what you ship.")
    if cls.by_machine:
        said.append("With several classes the failure probability is divided over the machines.")
    return said


def reads(cls: Any) -> list[str]:
    """Fields of the evidence, and what they are."""
    lines = ["- `n`: the number of training rows"]
    for name in (*cls.needs, *(extra for extra in cls.reads if extra not in cls.needs)):
        text = f"- `{name}`: {common.plain(MEANINGS[name])}"
        if name in cls.instead:
            text += f"; without it `{cls.instead[name]}`, at a price"
        elif name not in cls.needs and name not in cls.instead.values():
            text += " (where known)"
        lines.append(text)
    return lines


def means_something(cls: Any) -> str:
    """From which number of rows on, at the rates of the bound's first example."""
    if cls.kind == "estimate":
        return "an estimate promises nothing at any number of rows"
    rows, half = cls.informative_from(), cls.informative_from(share=0.5)
    first = cls().evaluate(next(iter(cls.examples())))
    rates = common.plain(first.counted)
    if rows is None:
        return f"at no number of rows, at the rates of its first example ({rates})"
    later = "never below half of that" if half is None else f"below half of that from {half:,} on"
    return (
        f"{rows:,} row{'s' * (rows > 1)} on it is below {first.loss_range[1]:g}, {later}; at the "
        f"rates of its first example ({rates}) and 95 % confidence"
    )


def page(code: str, cls: Any, picture: bool) -> str:
    """One bound."""
    told = common.paragraphs(cls)
    first = cls.title[0]
    title = (first.upper() if first.isascii() else first) + cls.title[1:]
    lines = [f"# {title}", "", common.plain(told[0]), ""]
    lines += [line for text in told[1:] for line in (common.plain(text), "")]
    lines += [
        *("| | |", "|---|---|"),
        f"| code | `{code}` |",
        f"| kind | {cls.kind} |",
        f"| says something about | the {cls.quantity} of {WHO[cls.classifier]} |",
        f"| for | {' and '.join(cls.tasks)} |",
        f"| means something from | {means_something(cls)} |",
        f"| source | {common.plain(cls.reference)} ({cls.provenance}) |",
        *([f"| the text prints otherwise | {common.plain(cls.erratum)} |"] if cls.erratum else []),
        "",
        *("## What it assumes", ""),
        *(f"- {common.plain(assumption)}" for assumption in cls.assumptions),
        *("", "## What it reads from a model", ""),
        *reads(cls),
        *("", "## When to use it", ""),
        *(f"- {text}" for text in when(cls)),
        "",
    ]
    if picture:
        lines += [
            f"![Value against the number of rows]({code}.png)",
            "",
            "How the value falls with more rows at the rates of the bound's own examples (dots), "
            "95 % confidence. Above the dotted line it says nothing.",
            "",
        ]
    lines += ["## Try it", "", "```python", *example(code), "```", ""]
    name = f"{cls.__module__}.{cls.__name__}"
    lines += common.in_the_texts(name, f"mercer.bounds.{cls.__name__}")
    return "\n".join([*lines, *common.auto("class", name)])


def example(code: str) -> list[str]:
    """Three lines that run."""
    return [
        "from mercer import bounds",
        "",
        f'Bound = bounds.get("{code}")',
        "evidence = next(iter(Bound.examples()))",
        "print(Bound().evaluate(evidence, delta=0.05).explain())",
    ]


def make(target: Path) -> None:
    """All pages and their list."""
    found, folder = bounds.available(), target / "bounds"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Bound atlas",
        "",
        f"The {len(found)} entries of `mercer.bounds.available()`. A new file in "
        "`src/mercer/bounds/` appears here by itself; {doc}`../../add-a-bound` shows how. A bound "
        "reads `mercer.bounds.Evidence` and never sees an estimator.",
        "",
    ]
    for kind, title in KINDS.items():
        lines += [f"## {title}", "", "| bound | says | source |", "|---|---|---|"]
        for code, cls in found.items():
            if cls.kind == kind:
                picture = common.drawn(lambda c=cls: draw(c), folder / f"{code}.png")
                common.write(folder / f"{code}.md", page(code, cls, picture))
                says = common.plain(common.summary(cls))
                reference = common.plain(cls.reference)
                lines.append(f"| [{common.plain(cls.title)}]({code}.md) | {says} | {reference} |")
        lines.append("")
    lines += ["```{toctree}", ":hidden:", ":maxdepth: 1", "", *found, "```", ""]
    common.write(folder / "index.md", "\n".join(lines))
