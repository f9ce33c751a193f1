"""Figures 3 to 6 of the thesis for a few sets, and the ranks of the users' question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.model_selection import thesis
from mercer.plots import ComponentsDisplay, CriterionCurvesDisplay, RankComparisonDisplay, _style

SHOWN = ("banana", "ringnorm", "twonorm")
CODES = ("C1", "C2", "C3", "C4", "C5")
RIVALS = ("C2", "C3", "span", "rm", "trace", "cs", "cv-smooth")


def draw(shapes: dict, users: dict, out: Path) -> None:
    """Write thesis.png and ranks.png."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    names = [n for n in SHOWN if n in shapes["sets"]]
    figure, axes = plt.subplots(4, len(names), figsize=(5.2 * len(names), 14.5), squeeze=False,
                                layout="constrained")  # fmt: skip
    for column, name in enumerate(names):
        _one_set(name, shapes, axes[:, column])
    for ax in axes[:, :-1].ravel():  # one legend per row, beside the last picture
        ax.get_legend().remove()
    for row, ax in enumerate(axes[:, -1]):
        ax.get_legend().remove()
        ax.legend(loc="upper left", bbox_to_anchor=(1.22 if row == 3 else 1.02, 1.0), fontsize=9,
                  frameon=False)  # fmt: skip
    figure.savefig(out / "thesis.png", dpi=80)
    plt.close(figure)
    if not users:
        return
    tall = max(len(part["ranked"]) for part in users.values())
    figure, axes = plt.subplots(1, len(users), figsize=(5.6 * len(users), 1.4 + 0.28 * tall),
                                squeeze=False, layout="constrained")  # fmt: skip
    for ax, (n, part) in zip(axes[0], users.items(), strict=True):
        RankComparisonDisplay(excess=np.array(part["excess"]), methods=part["ranked"]).plot(
            ax, title=f"n = {n}, {len(part['sets'])} sets"
        )
    figure.savefig(out / "ranks.png", dpi=80)
    plt.close(figure)


def _one_set(name: str, shapes: dict, axes: Any) -> None:
    part = shapes["sets"][name]
    costs, over = np.array(shapes["C"]), part["test error over C"]
    _errors(axes[0], costs, over, CODES, f"{name}: sigma chosen by compression")
    _errors(axes[1], costs, over, RIVALS, f"{name}: sigma chosen by others")
    bits = dict(zip(thesis.PARTS, np.array(part["parts of C3 over C"]), strict=True))
    shown = ComponentsDisplay(x=costs, components=bits, xlabel="C", ylabel="bits per label")
    shown.plot(axes[2], title=f"{name}: bits of C3")
    axes[2].set_ylim(0.0, 1.05 * shown.total.max())
    axes[2].margins(x=0.0)
    curves = {k: np.array(v) for k, v in part["over sigma at C=100"].items()}
    test = curves.pop("test")
    CriterionCurvesDisplay(x=np.array(shapes["sigma"]), curves=curves, test=test).plot(
        axes[3], title=f"{name}: shapes at C = 100"
    )


def _errors(ax: Any, costs: np.ndarray, over: dict, codes: tuple[str, ...], title: str) -> None:
    """Test error over C on a logarithmic scale: good criteria lie close to the best possible."""
    for k, code in enumerate(codes):
        ax.loglog(costs, over[code], color=_style.class_colour(k), marker=_style.class_marker(k),
                  ms=4, lw=1.3, label=code)  # fmt: skip
    ax.loglog(costs, over["test"], color=_style.INK, lw=2.4, label="best possible")
    low, high = min(over["test"]), max(max(over[c]) for c in codes)
    ticks = [t for t in (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5) if 0.9 * low <= t <= 1.1 * high]
    ax.set_yticks(ticks, [f"{t:g}" for t in ticks])
    ax.minorticks_off()
    _style.tidy(ax, title, "C", "test error")
    ax.legend()
