"""Clusters by merging the two closest, again and again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster
from scipy.cluster.hierarchy import linkage as merge
from scipy.spatial.distance import squareform

from mercer._types import Samples
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, non_negative, none_or, one_of, positive_whole
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners._unlabelled import Clusters, UnlabelledWeighted
from mercer.learners.spectral._compared import Compared, ComparesRows
from mercer.learners.spectral._rules import SPECTRAL_RULES
from mercer.learners.spectral._weighed_merges import merge_weighed
from mercer.learners.spectral.linkage import METHODS

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class AgglomerativeFitted(Fitted):
    """The tree of merged rows, and the clusters it was cut into."""

    rows: Compared
    labels: NDArray[np.int32]
    tree: Floats
    linkage: str
    weight: Floats | None = None  # of the rows, if they do not count alike


class Agglomerative(UnlabelledWeighted, Clusters, ComparesRows, Learner):
    """Agglomerative clustering of anything whose rows can be compared; new rows get clusters too.

    A row of weight w counts as w copies, which merge first: it changes means and sums of squares,
    not the smallest and the largest distance.

    Parameters
    ----------
    n_clusters : int or None, default=2
        Number of clusters (fewer where merges tie); None with ``distance_threshold``.
    linkage : {"average", "single", "complete", "ward"}, default="average"
        The distance of two clusters: the mean over pairs, the smallest, the largest, or the growth
        of the within-cluster sum of squares (distances in a Euclidean or feature space).
    metric : str, callable, Metric or Kernel, default="euclidean"
        scikit-learn's names, a function of two objects or a `mercer.metrics.Metric`, a
        `mercer.kernels.Kernel` for the distance in its feature space, or "precomputed".
    distance_threshold : float or None, default=None
        Merge no clusters farther apart than this, instead of stopping at ``n_clusters``.

    Attributes
    ----------
    labels_ : ndarray of int
    n_clusters_ : int
    children_ : ndarray of shape (n_samples - 1, 2)
        What each merge joined: rows are 0 to n − 1, the i-th merge makes n + i.
    distances_ : ndarray of shape (n_samples - 1,)
        How far apart both were.
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE
    _matrices: ClassVar[float] = 3.6
    _rules: ClassVar[dict[str, Rule]] = (
        SPECTRAL_RULES
        | ComparesRows._rules
        | {
            "n_clusters": none_or(positive_whole),
            "linkage": one_of(*METHODS),
            "distance_threshold": none_or(non_negative),
        }
    )
    fitted_: AgglomerativeFitted

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        linkage: str = "average",
        metric: Any = "euclidean",
        distance_threshold: float | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.metric = metric
        self.distance_threshold = distance_threshold

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(3), cls(3, linkage="single"), cls(3, linkage="ward")]

    def _train(self, sample: TrainingSample) -> AgglomerativeFitted:
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError("give n_clusters or distance_threshold, and None for the other")
        if self.n_clusters is not None and not self.n_clusters <= sample.n:
            raise ValueError(f"n_clusters={self.n_clusters} needs 1 <= it <= {sample.n} rows")
        rows = self._compared(sample)
        weight = None if np.all(sample.weight == 1.0) else sample.weight
        if weight is None or self.linkage in ("single", "complete"):
            tree = merge(squareform(rows.matrix, checks=False), self.linkage)
        else:
            tree = merge_weighed(rows.matrix, weight, self.linkage)
        if self.n_clusters is not None:
            labels = fcluster(tree, self.n_clusters, "maxclust")
        else:
            labels = fcluster(tree, self.distance_threshold, "distance")
        return AgglomerativeFitted(
            **rows_of(sample),
            rows=rows if self.linkage == "ward" else rows.stored(),
            labels=(labels - 1).astype(np.int32),
            tree=tree,
            linkage=self.linkage,
            weight=weight,
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, AgglomerativeFitted)
        self.labels_, self.n_clusters_ = fitted.labels, int(fitted.labels.max()) + 1
        self.children_ = fitted.tree[:, :2].astype(np.intp)
        self.distances_ = fitted.tree[:, 2]

    def _outputs(self, X: Samples) -> NDArray[np.int32]:
        """The cluster that the linkage would merge each row with first."""
        fitted = self.fitted_
        D = fitted.rows.to(X)
        groups = [np.flatnonzero(fitted.labels == c) for c in range(fitted.labels.max() + 1)]
        weight = np.ones(fitted.n) if fitted.weight is None else fitted.weight
        if fitted.linkage == "ward":
            far = [_growth(D[:, g], fitted.rows, g, weight[g]) for g in groups]
        elif fitted.linkage == "average":
            far = [D[:, g] @ weight[g] / weight[g].sum() for g in groups]
        else:
            how: Any = {"single": np.min, "complete": np.max}[fitted.linkage]
            far = [how(D[:, g], axis=1) for g in groups]
        return np.argmin(far, axis=0).astype(np.int32)


def _growth(D: Floats, rows: Compared, group: Any, weight: Floats) -> Floats:
    """What the sum of squares grows by when each new row joins the group, from distances."""
    m = float(weight.sum())
    inner = float(weight @ rows.taken(group).matrix ** 2 @ weight) / (2.0 * m * m)
    to_mean = D**2 @ weight / m - inner
    return to_mean * m / (m + 1.0)
