"""Risk against the number of training rows, beside the best that any rule can reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer.datasets import Law
from mercer.plots import _style


class LearningCurveDisplay:
    """How the true risk falls towards the Bayes risk of a law, over repeated training samples.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of training rows.
    risks : mapping of str to array of shape (sizes, repeats)
        True risks of the rules that each learner found.
    bayes_risk : float
    """

    def __init__(self, sizes: Sequence[int], risks: Mapping[str, Any], bayes_risk: float) -> None:
        self.sizes = np.asarray(sizes)
        self.risks = {name: np.atleast_2d(np.asarray(r, float)) for name, r in risks.items()}
        self.bayes_risk = float(bayes_risk)
        if not self.risks:
            raise ValueError("there is nothing to show")
        for name, table in self.risks.items():
            if len(table) != len(self.sizes):
                raise ValueError(f"{name}: {len(table)} rows of risks for {len(self.sizes)} sizes")

    @classmethod
    def from_law(
        cls,
        estimators: Any,
        law: Law,
        sizes: Sequence[int],
        *,
        repeats: int = 20,
        test_rows: int = 20_000,
        random_state: int = 0,
        ax: Any = None,
        **style: Any,
    ) -> LearningCurveDisplay:
        """Train on fresh samples of every size and take the risks from the law itself.

        ``estimators`` is one classifier or a mapping of names to classifiers; all see the same
        samples. ``test_rows`` fresh inputs judge each rule, their labels integrated out.
        """
        if not isinstance(estimators, Mapping):
            estimators = {type(estimators).__name__: estimators}
        if repeats < 1:
            raise ValueError(f"repeats must be at least 1, got {repeats}")
        risks = {name: np.empty((len(sizes), repeats)) for name in estimators}
        seeds = np.random.SeedSequence(random_state).spawn(len(sizes) * repeats)
        for place, seed in enumerate(seeds):
            row, column = divmod(place, repeats)
            X, y = law.sample(int(sizes[row]), np.random.default_rng(seed))
            for name, estimator in estimators.items():
                # a sample of one class teaches one thing only
                rule = clone(estimator).fit(X, y).predict if len(set(y)) > 1 else _constant(y[0])
                risks[name][row, column] = law.risk(rule, n=test_rows)
        return cls(sizes, risks, law.bayes_risk).plot(ax=ax, **style)

    def frame(self) -> dict[str, NDArray[Any]]:
        """One row per learner and size: mean risk, its standard error, quartiles, excess."""
        names = list(self.risks)
        tables = np.concatenate([self.risks[name] for name in names])
        repeats = np.concatenate([np.full(len(self.sizes), self.risks[k].shape[1]) for k in names])
        low, high = np.quantile(tables, [0.25, 0.75], axis=1)
        mean = tables.mean(axis=1)
        return {
            "name": np.repeat(names, len(self.sizes)),
            "n": np.tile(self.sizes, len(names)),
            "mean": mean,
            "standard_error": tables.std(axis=1) / np.sqrt(repeats),
            "lower": low,
            "upper": high,
            "excess": mean - self.bayes_risk,
        }

    def plot(
        self, ax: Any = None, *, title: str = "Risk against training rows"
    ) -> LearningCurveDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        self.ax_ = _style.new_axes(ax, (7.0, 4.2))
        self.figure_ = self.ax_.figure
        data = self.frame()
        for k, name in enumerate(self.risks):
            mine, colour = data["name"] == name, _style.class_colour(k)
            n = data["n"][mine]
            self.ax_.fill_between(
                n, data["lower"][mine], data["upper"][mine], color=colour, alpha=0.18, lw=0
            )
            marker = _style.class_marker(k)
            self.ax_.plot(n, data["mean"][mine], marker=marker, ms=4, color=colour, label=name)
        self.ax_.axhline(self.bayes_risk, color=_style.INK, lw=1.2, ls="--", label="Bayes risk")
        self.ax_.set_xscale("log")
        self.ax_.set_ylim(bottom=0.0)
        self.ax_.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
        self.ax_.legend(frameon=False, fontsize=9)
        _style.tidy(self.ax_, title, "training rows", "true risk: mean and middle half")
        return self


def _constant(label: Any) -> Any:
    return lambda X: np.full(len(X), label)
