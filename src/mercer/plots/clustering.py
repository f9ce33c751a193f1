"""Pictures of a clustering: the second eigenvector, the similarities in order, the trust report."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer.plots import _style

_OUTCOME = {"good": "#009E73", "caution": "#E69F00", "bad": "#D55E00"}


class FiedlerDisplay:
    """The second eigenvector, sorted: steps are clusters, a slope is none.

    Parameters
    ----------
    vector : array-like
        Entries of the eigenvector.
    labels : array-like
        Cluster of each row.
    """

    def __init__(self, *, vector: Any, labels: Any) -> None:
        self.vector, self.labels = np.asarray(vector, dtype=float), np.asarray(labels)
        if len(self.vector) != len(self.labels):
            raise ValueError(f"{len(self.labels)} labels for {len(self.vector)} entries")

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> FiedlerDisplay:
        """Of a fitted `SpectralClustering` with at least two clusters."""
        if estimator.eigenvectors_.shape[1] < 2:
            raise ValueError("one cluster has no second eigenvector")
        display = cls(vector=estimator.eigenvectors_[:, 1], labels=estimator.labels_)
        display.plot(ax)
        return display

    def plot(self, ax: Any = None) -> FiedlerDisplay:
        """Draw."""
        self.ax_ = ax = _style.new_axes(ax, (5.5, 3.5))
        self.figure_ = ax.figure
        order = np.argsort(self.vector, kind="stable")
        place = np.arange(len(order))
        for i, name in enumerate(np.unique(self.labels)):
            rows = self.labels[order] == name
            ax.plot(place[rows], self.vector[order][rows], ".", color=_style.class_colour(i),
                    markersize=4, label=f"cluster {name}")  # fmt: skip
        ax.axhline(0.0, color=_style.FAINT, linewidth=0.8)
        ax.legend(frameon=False, fontsize=9)
        _style.tidy(ax, "Second eigenvector, sorted", "row", "entry")
        return self

    def frame(self) -> dict[str, NDArray[Any]]:
        """Every number shown."""
        order = np.argsort(self.vector, kind="stable")
        return {"entry": self.vector[order], "cluster": self.labels[order], "row": order}


class TrustDisplay:
    """The checks of a trust report as bars, and the similarities in the order of the clusters.

    Parameters
    ----------
    report : TrustReport
        From ``SpectralClustering.trust()``.
    similarities : matrix
        What was clustered; at most 400 rows are drawn.
    labels : array-like
        Cluster of each row.
    """

    def __init__(self, *, report: Any, similarities: Any, labels: Any) -> None:
        self.report = report
        self.labels = np.asarray(labels)
        order = np.argsort(self.labels, kind="stable")
        order = order[:: max(1, len(order) // 400)]
        part = similarities[order][:, order]
        self.ordered = part.toarray() if sparse.issparse(part) else np.asarray(part)

    @classmethod
    def from_estimator(
        cls, estimator: Any, report: Any = None, *, axes: Any = None
    ) -> TrustDisplay:
        """Of a fitted `SpectralClustering`; the report is made if it is not given."""
        report = estimator.trust() if report is None else report
        display = cls(report=report, similarities=estimator.similarities_, labels=estimator.labels_)
        display.plot(axes)
        return display

    def plot(self, axes: Any = None) -> TrustDisplay:
        """Draw; ``axes`` are two."""
        if axes is None:
            self.figure_, axes = _style.pyplot().subplots(
                1, 2, figsize=(10, 4), layout="constrained"
            )
        left, right = axes
        self.axes_ = axes
        left.imshow(self.ordered, cmap="Greys", interpolation="nearest")
        _style.tidy(left, "Similarities, by cluster", "row", "row")
        names = [check.name for check in self.report.checks][::-1]
        marks = [check.outcome for check in self.report.checks][::-1]
        right.barh(names, [1] * len(names), color=[_OUTCOME[m] for m in marks])
        for place, mark in enumerate(marks):
            right.text(0.5, place, mark, ha="center", va="center", color="white", fontweight="bold")
        right.set_xticks([])
        _style.tidy(right, f"Verdict: {self.report.verdict}")
        return self

    def frame(self) -> dict[str, list[Any]]:
        """Every check shown."""
        checks = self.report.checks
        return {
            "check": [c.name for c in checks],
            "value": [c.value for c in checks],
            "outcome": [c.outcome for c in checks],
        }
