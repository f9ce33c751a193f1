"""A page for every kernel: formula, facts, when to use it, how it looks."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from mercer import kernels
from site_pages import common

FACTS = ("psd", "bounded", "stationary", "universal")
WORDS = {True: "yes", False: "no", None: "unknown"}


def is_composite(kernel: Any) -> bool:
    """Whether it is built from other kernels."""
    return any(isinstance(value, kernels.Kernel) for value in kernel.get_params(False).values())


def instance(cls: type) -> Any:
    """The kernel with its default parameters, or its first example if it has none."""
    try:
        return cls()
    except TypeError:
        return next(iter(cls.examples()))  # type: ignore[attr-defined]


def on_a_line(kernel: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Points of a line and the kernel's matrix there; None if it does not take numbers."""
    if not {"vectors"} & set(kernel.accepts):
        return None
    for low in (-3.0, 0.0):  # some kernels are for histograms: no negative numbers
        x = np.linspace(low, 3.0, 181)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                matrix = np.asarray(kernel.resolve(x[:, None])(x[:, None]), dtype=float)
        except (ValueError, TypeError, IndexError):
            continue
        if matrix.shape == (181, 181) and np.isfinite(matrix).all():
            return x, matrix
    return None


def draw(kernel: Any) -> Any:
    """Two panels: the kernel seen from three points, and three functions it thinks likely."""
    if (found := on_a_line(kernel)) is None:
        return draw_matrix(kernel)
    x, matrix = found
    figure, (left, right) = common.pyplot().subplots(1, 2, figsize=(7.4, 2.3), layout="constrained")
    for colour, row in zip(common.LINES, (45, 90, 150), strict=False):
        left.plot(x, matrix[row], color=colour, lw=1.6)
        left.plot(x[row], matrix[row, row], "o", color=colour, ms=4)
    left.set_title("k(x, ·) from three points", loc="left", fontsize=9)
    if kernel.psd:
        values, vectors = np.linalg.eigh((matrix + matrix.T) / 2.0)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        draws = root @ np.random.default_rng(4).standard_normal((len(x), 3))
        for colour, function in zip(common.LINES, draws.T, strict=False):
            right.plot(x, function, color=colour, lw=1.4)
        right.set_title("three functions drawn with covariance k", loc="left", fontsize=9)
    else:
        right.set_axis_off()
        right.text(0.02, 0.5, "not a covariance: no functions to draw", fontsize=9)
    for ax in (left, right):
        ax.tick_params(labelsize=7)
        ax.spines[["top", "right"]].set_visible(False)
    return figure


WORD_LIST = ("kernel", "kernels", "colonel", "kern", "learn", "learner", "earn", "GATTACA", "ATTAC")


def draw_matrix(kernel: Any) -> Any:
    """Values between a few words, for kernels on strings."""
    if not {"strings", "objects"} & set(kernel.accepts) or is_composite(kernel):
        return None
    words = list(WORD_LIST)
    try:
        matrix = np.asarray(kernel.resolve(words)(words), dtype=float)
    except (TypeError, ValueError):
        return None  # objects of another kind than words
    size = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    cosine = matrix / np.outer(size, size)
    figure, ax = common.pyplot().subplots(figsize=(4.6, 3.8), layout="constrained")
    shown = ax.imshow(cosine, cmap="cividis", vmin=min(0.0, cosine.min()), vmax=1.0)
    places = range(len(WORD_LIST))
    ax.set_xticks(places, WORD_LIST, rotation=60, fontsize=8, ha="right")
    ax.set_yticks(places, WORD_LIST, fontsize=8)
    ax.set_title("normalised value between words", loc="left", fontsize=9)
    figure.colorbar(shown, shrink=0.8)
    return figure


def when(kernel: Any) -> list[str]:
    """What the kernel's own facts say about where it belongs."""
    takes = set(kernel.accepts)
    said = []
    if is_composite(kernel):
        said.append("It is made of other kernels: use it through the algebra or by name.")
    if "strings" in takes:
        said.append("For texts, sequences and other strings; see also the string kernels' page.")
    if kernel.psd is False:
        said.append(
            "It is not positive semi-definite in general, so a machine trained with it has no "
            "feature space and certificates that need one do not apply; check with "
            "`mercer.check_psd`."
        )
    if kernel.universal:
        said.append(
            "Universal: with enough rows it can follow any continuous function, so it is a safe "
            "first choice when nothing is known about the shape of the answer."
        )
    if kernel.stationary:
        said.append("It sees differences of inputs only: bring the columns to one scale first.")
    if kernel.bounded:
        said.append(
            "Bounded: the radius of the data in feature space is known before the data, as margin "
            "and stability bounds need it."
        )
    elif kernel.bounded is False:
        said.append(
            "Unbounded: normalise it (`k.normalized()`) where a bound needs a radius that does not "
            "depend on the data."
        )
    return said


def page(name: str, cls: type, picture: bool) -> str:
    """One kernel."""
    kernel, first = instance(cls), common.paragraphs(cls)
    lines = [f"# {cls.__name__}", ""]
    if first:
        lines += ["```text", first[0], "```", ""]
    lines += [line for text in first[1:] for line in (common.plain(text), "")]
    lines += ["| fact | |", "|---|---|", f"| takes | {', '.join(sorted(kernel.accepts))} |"]
    lines += [f"| {fact} | {WORDS[getattr(kernel, fact)]} |" for fact in FACTS]
    lines += [f"| on the command line | `{name}` |", ""]
    if picture:
        lines += [f"![{cls.__name__}]({name}.png)", ""]
    if said := when(kernel):
        lines += ["## When to use it", "", *(f"- {text}" for text in said), ""]
    lines += common.in_the_texts(f"mercer.kernels.{cls.__name__}")
    lines += common.auto("class", f"mercer.kernels.{cls.__name__}")
    return "\n".join(lines)


def make(target: Path) -> None:
    """All pages and their list."""
    rows = []
    for name, cls in kernels.available().items():
        kernel, folder = instance(cls), target / "kernels"
        folder.mkdir(parents=True, exist_ok=True)
        picture = common.drawn(lambda k=kernel: draw(k), folder / f"{name}.png")
        common.write(folder / f"{name}.md", page(name, cls, picture))
        rows.append((name, cls.__name__, common.plain(common.summary(cls))))
    intro = [
        f"The {len(rows)} kernels of `mercer.kernels.available()`. A new file in "
        "`src/mercer/kernels/` appears here by itself; {doc}`../../add-a-kernel` shows how."
    ]
    common.write(target / "kernels" / "index.md", common.listing("Kernel atlas", intro, rows))
