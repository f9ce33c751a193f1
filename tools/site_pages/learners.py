"""A page for every learner: what it is, when, which bounds speak about it, how it looks."""

from __future__ import annotations

import importlib
import inspect
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import (
    is_classifier,
    is_clusterer,
    is_outlier_detector,
    is_regressor,
)

import mercer.learners
from mercer import datasets
from site_pages import common


def learners() -> dict[str, dict[str, type]]:
    """Group to name to class: every learner, by the folder it lives in."""
    found: dict[str, dict[str, type]] = {}
    for cls in mercer.learners.available().values():
        found.setdefault(cls.__module__.split(".")[2], {})[cls.__name__] = cls
    return {group: dict(sorted(classes.items())) for group, classes in sorted(found.items())}


def kind(cls: type) -> str:
    """Classifier, regressor, detector, clustering, embedding or learner."""
    model = cls()
    for name, test in (
        ("classifier", is_classifier),
        ("regressor", is_regressor),
        ("outlier detector", is_outlier_detector),
        ("clustering", is_clusterer),
    ):
        if test(model):
            return name
    return "embedding" if hasattr(model, "fit_transform") else "learner"


def draw(cls: type) -> tuple[Any, Any]:
    """A figure of the learner at its defaults on a small problem, and the fitted model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _DRAWERS.get(kind(cls), lambda c: (None, None))(cls)


def _plane(cls: type) -> tuple[Any, Any]:
    X, y, _ = datasets.make_moons(70, scale=0.25, random_state=1)
    model = cls().fit(X, y)
    figure, ax = common.pyplot().subplots(figsize=(4.8, 3.6), layout="constrained")
    xs, ys = (np.linspace(X[:, j].min() - 0.4, X[:, j].max() + 0.4, 70) for j in (0, 1))
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    answer = np.asarray(model.predict(grid))
    first = np.asarray(answer == np.unique(answer)[0], dtype=float).reshape(70, 70)
    ax.contourf(xs, ys, first, levels=[-0.5, 0.5, 1.5], colors=["#F6DFB5", "#BBD9EA"])
    for colour, mark, label in zip(common.LINES, "os", (-1, 1), strict=False):
        ax.plot(*X[y == label].T, mark, color=colour, ms=4, mec="white", mew=0.5)
    ax.set_title(f"{cls.__name__}() on 70 rows of two moons", loc="left", fontsize=9)
    ax.tick_params(labelsize=7)
    return figure, model


def _curve(cls: type) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = np.sort(rng.uniform(0, 6, (60, 1)), axis=0)
    y = np.sin(X[:, 0]) + 0.2 * rng.standard_normal(60)
    model = cls().fit(X, y)
    grid = np.linspace(-0.5, 6.5, 200)[:, None]
    figure, ax = common.pyplot().subplots(figsize=(5.2, 2.9), layout="constrained")
    if "return_std" in inspect.signature(model.predict).parameters:
        mean, std = model.predict(grid, return_std=True)
        band = (mean - 2 * std, mean + 2 * std)
        ax.fill_between(grid[:, 0], *band, color=common.LINES[0], alpha=0.18, lw=0)
    else:
        mean = model.predict(grid)
    ax.plot(X[:, 0], y, "o", color=common.LINES[1], ms=3.5)
    ax.plot(grid[:, 0], mean, color=common.LINES[0], lw=2)
    ax.set_title(f"{cls.__name__}() on 60 rows of a noisy sine", loc="left", fontsize=9)
    ax.tick_params(labelsize=7)
    return figure, model


def _rings(cls: type) -> tuple[Any, Any]:
    """Groups or coordinates of two rings."""
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, 160), np.repeat([1.0, 3.0], 80)
    X = np.column_stack([np.cos(angle), np.sin(angle)]) * radius[:, None]
    X += 0.12 * rng.standard_normal(X.shape)
    model = cls()
    if is_clusterer(model):
        colour, shown = np.asarray(model.fit_predict(X)), X
    else:
        colour, shown = np.repeat([0, 1], 80), np.asarray(model.fit_transform(X))
    if shown.ndim != 2 or shown.shape[1] < 2:
        shown = np.column_stack([shown.reshape(len(X), -1)[:, 0], np.zeros(len(X))])
    figure, ax = common.pyplot().subplots(figsize=(4.4, 3.4), layout="constrained")
    for i, label in enumerate(np.unique(colour)[:4]):
        at = shown[colour == label]
        ax.plot(at[:, 0], at[:, 1], "os^D"[i], color=common.LINES[i], ms=4)
    ax.set_title(f"{cls.__name__}() on two rings", loc="left", fontsize=9)
    ax.tick_params(labelsize=7)
    return figure, model


_DRAWERS = {
    "classifier": _plane,
    "outlier detector": _plane,
    "regressor": _curve,
    "clustering": _rings,
    "embedding": _rings,
}


def spoken(model: Any) -> list[str]:
    """Which bounds speak about the example, with their values."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = getattr(model, "certificates_", None) or {}
        except Exception:  # a certificate that needs more than the example has
            return []
    if not found:
        return []
    lines = ["## What bounds say about the example", "", "| bound | value |", "|---|---|"]
    for code, c in sorted(found.items(), key=lambda item: item[1].unclipped):
        sign = "about " if c.kind == "estimate" else "at most "
        rate = c.quantity != "mean loss"
        value = f"{100 * c.value:.3g} %" if rate else f"{c.value:.3g}"
        value = "says nothing" if c.vacuous else sign + value
        lines.append(f"| [{common.plain(c.title)}](../bounds/{code}.md) | {value} |")
    return [*lines, ""]


def page(group: str, name: str, cls: type, picture: bool, model: Any) -> str:
    """One learner."""
    lines = [f"# {name}", ""]
    lines += [line for text in common.paragraphs(cls) for line in (common.plain(text), "")]
    lines += [f"*{kind(cls)}* · `from mercer.learners.{group} import {name}`", ""]
    if picture:
        lines += [f"![{name}]({name}.png)", ""]
    lines += spoken(model) if model is not None else []
    lines += common.in_the_texts(f"mercer.learners.{group}.{name}", f"mercer.{name}")
    members = ":members:"
    return "\n".join([*lines, *common.auto("class", f"mercer.learners.{group}.{name}", members)])


def make(target: Path) -> None:
    """All pages and their list, in the groups of the source tree."""
    folder = target / "learners"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Learners",
        "",
        "Every estimator of `mercer.learners`, each at its defaults on a small problem. They "
        "follow scikit-learn's conventions; {doc}`../../add-a-learner` shows how to write one.",
        "",
    ]
    files = []
    for group, classes in learners().items():
        package = importlib.import_module(f"mercer.learners.{group}")
        lines += [f"## {group.capitalize()}", "", common.plain(common.summary(package)), ""]
        lines += ["| learner | kind | what it is |", "|---|---|---|"]
        for name, cls in classes.items():
            held: dict[str, Any] = {}

            def figure(c: type = cls, kept: dict[str, Any] = held) -> Any:
                drawing, kept["model"] = draw(c)
                return drawing

            picture = common.drawn(figure, folder / f"{name}.png")
            text = page(group, name, cls, picture, held.get("model"))
            common.write(folder / f"{name}.md", text)
            files.append(name)
            said = common.plain(common.summary(cls))
            lines.append(f"| [{name}]({name}.md) | {kind(cls)} | {said} |")
        lines.append("")
    lines += ["```{toctree}", ":hidden:", ":maxdepth: 1", "", *files, "```", ""]
    common.write(folder / "index.md", "\n".join(lines))
