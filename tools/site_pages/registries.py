"""Pages for every other registry: a package of Mercer with ``available()`` gets them by itself."""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import mercer
from site_pages import common
from site_pages.kernels import WORD_LIST

OWN_PAGES = ("mercer.kernels", "mercer.bounds", "mercer.learners")  # have writers of their own
_HIDDEN = ("mercer.report", "mercer.cli", "mercer.io")  # what they list is not for the theory


def registries() -> dict[str, ModuleType]:
    """Every package with a function ``available()`` that returns classes by name."""
    found = {}
    for info in pkgutil.walk_packages(mercer.__path__, "mercer."):
        parts = info.name.split(".")
        if not info.ispkg or any(p.startswith("_") for p in parts) or info.name in OWN_PAGES:
            continue
        if info.name.startswith(_HIDDEN):
            continue
        module = importlib.import_module(info.name)
        listed = getattr(module, "available", None)
        if callable(listed) and listed.__module__ == module.__name__:
            found[info.name] = module
    return found


def facts(cls: type) -> list[tuple[str, str]]:
    """Public plain facts that the class or one of its bases states."""
    shown: dict[str, str] = {}
    for base in reversed(cls.__mro__[:-1]):
        for name in vars(base):
            value = getattr(cls, name, None)
            plain = isinstance(value, bool | int | float | str | tuple | frozenset | list)
            if not name.startswith("_") and plain and name not in ("title", "reference"):
                shown[name] = _words(value)
    return [(name, text) for name, text in shown.items() if text]


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | frozenset | list):
        return ", ".join(sorted(map(str, value)))
    return str(value)


def draw(module: ModuleType, name: str, cls: type) -> Any:
    """A picture where the kind of thing is known to have one."""
    kind = module.__name__.rsplit(".", 1)[-1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "losses":
            return _draw_loss(cls)
        if kind == "criteria":
            return _draw_criterion(name, cls)
        if kind == "metrics":
            return _draw_metric(cls)
    return None


def _axes(wide: float = 5.6, tall: float = 2.7) -> tuple[Any, Any]:
    figure, ax = common.pyplot().subplots(figsize=(wide, tall), layout="constrained")
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)
    return figure, ax


def _draw_loss(cls: Any) -> Any:
    loss, t = cls(), np.linspace(-2.5, 2.5, 301)
    label = "margin y·f" if cls.task == "classification" else "residual f − y"
    values = np.asarray(loss._value(t), dtype=float)
    figure, ax = _axes()
    ax.plot(t, values, color=common.LINES[0], lw=2)
    ax.set_xlabel(label, fontsize=9)
    ax.set_ylabel("loss", fontsize=9)
    return figure


def _draw_criterion(code: str, cls: Any) -> Any:
    """The criterion against the width of a Gaussian kernel, beside 5-fold cross-validation."""
    problem: Exception = ValueError(f"{code} speaks about none of the machines tried")
    for estimator, params in machines():
        try:
            mine = _searched(estimator, params, code)
        except ValueError as reason:  # it speaks about other machines
            problem = reason
            continue
        figure, ax = _axes()
        curves = {code: mine} | ({} if code == "cv" else {"cv": _searched(estimator, params, "cv")})
        for colour, (name, (width, value)) in zip(common.LINES, curves.items(), strict=False):
            ax.plot(width, value, "o-", color=colour, lw=1.6, ms=3, label=name)
        ax.set_xscale("log")
        what = type(estimator).__name__
        ax.set_xlabel(f"length scale of a Gaussian kernel ({what}, 80 rows)", fontsize=9)
        ax.legend(frameon=False, fontsize=8)
        return figure
    raise problem


def machines() -> list[tuple[Any, dict[str, Any]]]:
    """Machines to show a criterion on; the first that it speaks about is taken."""
    fixed = {"C": [1.0]}
    return [
        (mercer.SVC(certify=None), fixed),
        (mercer.SVC(certify=None, fit_intercept=False), fixed),
        (mercer.SVC(certify=None, loss="squared_hinge"), fixed),
        (mercer.KernelRidge(), {"alpha": [0.1]}),
        (mercer.SVR(certify=None), fixed),
    ]


def _searched(estimator: Any, params: Any, criterion: str) -> tuple[np.ndarray, np.ndarray]:
    """Widths and values of the criterion."""
    X, y, _ = mercer.datasets.make_moons(80, scale=0.3, random_state=0)
    if "classifier" not in str(estimator.__sklearn_tags__().estimator_type):
        X, y = X[:, :1], np.sin(2 * X[:, 0])
    search = mercer.KernelSearch(
        estimator, kernels="gaussian", param_grid=params, criterion=criterion, refit=False
    ).fit(X, y)
    table = search.results_
    order = np.argsort(table["bandwidth"])
    return table["bandwidth"][order], np.asarray(table["value"], dtype=float)[order]


def _draw_metric(cls: Any) -> Any:
    """Distances between words, or the circles of radius 1 and 2 in the plane."""
    try:
        metric = cls()
    except TypeError:
        return None  # it wraps something of the user's
    try:
        D = np.asarray(metric(list(WORD_LIST)), dtype=float)
    except (TypeError, ValueError):
        grid = np.linspace(-2.4, 2.4, 81)
        points = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
        try:
            values = np.asarray(metric(np.zeros((1, 2)), points), dtype=float).reshape(81, 81)
        except (TypeError, ValueError):
            return None  # neither for words of different lengths nor for points
        figure, ax = _axes(3.4, 3.2)
        ax.contour(grid, grid, values, levels=[0.5, 1.0, 1.5, 2.0], colors=common.LINES)
        ax.set_aspect("equal")
        ax.set_title("points at distance ½, 1, 1½, 2", loc="left", fontsize=9)
        return figure
    figure, ax = _axes(4.6, 3.8)
    shown = ax.imshow(D, cmap="cividis")
    ax.set_xticks(range(len(WORD_LIST)), WORD_LIST, rotation=60, fontsize=8, ha="right")
    ax.set_yticks(range(len(WORD_LIST)), WORD_LIST, fontsize=8)
    figure.colorbar(shown, shrink=0.8)
    return figure


def page(module: ModuleType, name: str, cls: Any, picture: bool) -> str:
    """One entry of a registry."""
    title = getattr(cls, "title", "") or cls.__name__
    lines = [f"# {title[0].upper() + title[1:]}", ""]
    lines += [line for text in common.paragraphs(cls) for line in (common.plain(text), "")]
    lines += ["| fact | |", "|---|---|", f"| name | `{name}` |"]
    lines += [f"| {common.plain(fact)} | {common.plain(text)} |" for fact, text in facts(cls)]
    if getattr(cls, "reference", ""):
        lines.append(f"| source | {common.plain(cls.reference)} |")
    lines.append("")
    if picture:
        lines += [f"![{cls.__name__}]({name}.png)", ""]
    for heading, section in (("Notes", "Notes"), ("When to use it", "When to use it")):
        if found := common.doc_section(cls, section):
            lines += [f"## {heading}", "", *(common.plain(line.strip()) for line in found), ""]
    lines += common.in_the_texts(f"{module.__name__}.{cls.__name__}", _long(cls))
    return "\n".join([*lines, *common.auto("class", _long(cls), ":members:")])


def _long(cls: type) -> str:
    return f"{cls.__module__}.{cls.__name__}"


def make(target: Path) -> None:
    """All pages of all registries."""
    for module_name, module in registries().items():
        kind = module_name.rsplit(".", 1)[-1]
        folder, rows = target / kind, []
        folder.mkdir(parents=True, exist_ok=True)
        items: Mapping[str, Any] = module.available()
        for name, cls in items.items():
            figure = partial(draw, module, name, cls)
            picture = common.drawn(figure, folder / f"{name}.png")
            common.write(folder / f"{name}.md", page(module, name, cls, picture))
            said = getattr(cls, "title", "") or common.summary(cls)
            rows.append((name, f"`{name}`", common.plain(said)))
        intro = [
            f"The {len(rows)} entries of `{module_name}.available()`. A new file in the folder "
            "appears here by itself."
        ]
        common.write(folder / "index.md", common.listing(_title(kind), intro, rows))


def _title(kind: str) -> str:
    return kind.capitalize()
