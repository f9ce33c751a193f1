"""Write docs/generated/: atlases of the kernels (with pictures) and bounds, from the registries."""

from __future__ import annotations

import inspect
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from mercer import bounds, kernels

TARGET = Path(__file__).resolve().parent.parent / "docs" / "generated"
LINES = ("#0072B2", "#E69F00", "#009E73")
FACTS = ("psd", "bounded", "stationary", "universal")


def is_composite(kernel: Any) -> bool:
    """Whether it is built from other kernels."""
    return any(isinstance(value, kernels.Kernel) for value in kernel.get_params(False).values())


def instance(cls: type) -> Any:
    """The kernel with its default parameters, or its first example if it has none."""
    try:
        return cls()
    except TypeError:
        return cls.examples()[0]  # type: ignore[attr-defined]


def on_a_line(kernel: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Points of a line and the kernel's matrix there; None if it does not take numbers."""
    for low in (-3.0, 0.0):  # some kernels are for histograms: no negative numbers
        x = np.linspace(low, 3.0, 181)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                matrix = np.asarray(kernel(x[:, None]))
        except (ValueError, TypeError, IndexError):
            continue
        if matrix.shape == (181, 181) and np.isfinite(matrix).all():
            return x, matrix
    return None


def draw(kernel: Any, path: Path) -> bool:
    """Two panels: the kernel seen from three points, and three functions it thinks likely."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    if (found := on_a_line(kernel)) is None:
        return False
    x, matrix = found
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.4, 2.3), layout="constrained")
    for colour, row in zip(LINES, (45, 90, 150), strict=True):
        left.plot(x, matrix[row], color=colour, lw=1.6)
        left.plot(x[row], matrix[row, row], "o", color=colour, ms=4)
    left.set_title("k(x, ·) from three points", loc="left", fontsize=9)
    if kernel.psd:
        values, vectors = np.linalg.eigh((matrix + matrix.T) / 2.0)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        draws = root @ np.random.default_rng(4).standard_normal((len(x), 3))
        for colour, function in zip(LINES, draws.T, strict=True):
            right.plot(x, function, color=colour, lw=1.4)
        right.set_title("three functions drawn with covariance k", loc="left", fontsize=9)
    else:
        right.set_axis_off()
        right.text(0.02, 0.5, "not a covariance: no functions to draw", fontsize=9)
    for ax in (left, right):
        ax.tick_params(labelsize=7)
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=90)
    plt.close(figure)
    return True


def formula(cls: type) -> str:
    """The first paragraph of the docstring, on one line."""
    return " ".join((inspect.getdoc(cls) or "").split("\n\n")[0].split())


def section(name: str, cls: type) -> list[str]:
    """One kernel: what it computes, what is known about it, how it looks."""
    kernel = instance(cls)
    words = {True: "yes", False: "no", None: "unknown"}
    facts = [f"{fact}: {words[getattr(kernel, fact)]}" for fact in FACTS]
    lines = [
        f"## {cls.__name__}",
        "",
        f"    {formula(cls)}",
        "",
        f"`mercer.kernels.{cls.__name__}` · takes {', '.join(sorted(kernel.accepts))} · "
        + " · ".join(facts),
        "",
    ]
    if draw(kernel, TARGET / f"kernel-{name}.png"):
        lines += [f"![{cls.__name__}](kernel-{name}.png)", ""]
    return lines


def atlas() -> str:
    found = kernels.available()
    simple = {n: c for n, c in found.items() if not is_composite(instance(c))}
    built = {n: c for n, c in found.items() if n not in simple}
    lines = [
        "# Kernel atlas",
        "",
        f"The {len(simple)} kernels that stand alone. This page is made from the registry: "
        "a new file in `src/mercer/kernels/` appears here by itself.",
        "",
    ]
    for name, cls in simple.items():
        lines += section(name, cls)
    lines += [
        "## Kernels made of kernels",
        "",
        "Written `k1 + k2`, `2 * k`, `k ** 3`, `k.normalised()`, `k.centred()`, `k.on([0, 1])`:",
        "",
    ]
    lines += ["| class | computes |", "|---|---|"]
    for cls in built.values():
        text = formula(cls).replace("|", "\\|")
        lines.append(f"| `{cls.__name__}` | {text} |")
    return "\n".join(lines) + "\n"


KINDS = {
    "bound": "Bounds",
    "conditional": "Bounds under a further condition",
    "estimate": "Estimates: useful numbers, no guarantee",
}


def bound_section(code: str, cls: Any) -> list[str]:
    """One bound: what it says about what, from which evidence, on which assumptions."""
    needs = ", ".join(f"`{name}`" for name in cls.needs) or "nothing beyond the sample size"
    return [
        f"### {cls.title}",
        "",
        f"`{code}` · {cls.quantity} · {' and '.join(cls.tasks)} · {cls.classifier} rule · "
        f"reads {needs}",
        "",
        *(f"- {assumption}" for assumption in cls.assumptions),
        "",
        f"{cls.reference}.",
        "",
    ]


def bound_atlas() -> str:
    found = bounds.available()
    lines = [
        "# Bound atlas",
        "",
        f"The {len(found)} entries of `mercer.bounds.available()`. This page is made from the "
        "registry: a new file in `src/mercer/bounds/` appears here by itself. A bound reads "
        "`mercer.bounds.Evidence` and never sees an estimator.",
        "",
    ]
    for kind, title in KINDS.items():
        lines += [f"## {title}", ""]
        for code, cls in found.items():
            if cls.kind == kind:
                lines += bound_section(code, cls)
    return "\n".join(lines) + "\n"


def main() -> int:
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "kernels.md").write_text(atlas(), encoding="utf-8")
    (TARGET / "bounds.md").write_text(bound_atlas(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
