"""What both neighbour rules share: every training row is asked, and weights are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from mercer._types import Samples
from mercer.learners._door import TrainingSample
from mercer.learners.metric._neighbours import Floats, NeighbourFitted, NeighbourLearner, Rows
from mercer.learners.metric._votes import neighbour_weights

Asked = tuple[Floats, Rows, Floats]  # distances, rows and weights of neighbours


def mass_of(sample: TrainingSample) -> Floats | None:
    """Weights of the rows, if they differ from one."""
    return None if np.all(sample.weight == 1.0) else sample.weight


@dataclass(frozen=True, kw_only=True)
class EveryRowFitted(NeighbourFitted):
    """All rows are asked, and one's own answer can be left out.

    ``mass`` are the weights of the rows, if they are not all one: the nearest rows that weigh as
    much as there are neighbours asked for are looked at, the last of them in part.
    """

    weights: Any
    mass: Floats | None = None

    def near(self, Q: Any) -> Asked:
        """The neighbours of checked rows."""
        return self._weighed(partial(self.search.query, Q), self.n)

    def others(self) -> Asked:
        """The neighbours of each row, itself left out."""
        return self._weighed(self.search.others, self.n - 1)

    def _weighed(self, look: Callable[[int], tuple[Floats, Rows]], most: int) -> Asked:
        count = min(self.k, most)
        while True:
            distances, rows = look(count)
            if self.mass is None:
                return distances, rows, neighbour_weights(distances, self.weights)
            own = self.mass[rows]
            before = np.cumsum(own, axis=1) - own
            if count == most or np.all(before[:, -1] + own[:, -1] >= self.k):
                break
            count = min(2 * count, most)
        share = np.clip(self.k - before, 0.0, own)
        return distances, rows, share * neighbour_weights(distances, self.weights)


class AsksEveryRow(NeighbourLearner):
    """Answers come from neighbours among all rows."""

    def _asked(self, X: Samples | None) -> Asked:
        """Neighbours of new rows, or of the training rows themselves."""
        check_is_fitted(self)
        found: EveryRowFitted = self.fitted_
        return found.others() if X is None else found.near(self._known(X))

    def kneighbors(
        self, X: Samples | None = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Distances and training rows of the nearest neighbours, nearest first.

        Parameters
        ----------
        X : array-like, optional
            New points; None for the training rows, none of which is its own neighbour.
        n_neighbors : int, optional
            How many; as fitted by default.
        return_distance : bool, default=True
            Whether the distances are wanted too.

        Returns
        -------
        distances, rows : ndarray of shape (n_queries, n_neighbors)
            Neighbours in order; only the rows without ``return_distance``.
        """
        check_is_fitted(self)
        search, count = self.fitted_.search, n_neighbors or self.fitted_.k
        most = self.fitted_.n - (X is None)
        if count > most:
            raise ValueError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {count}, n_samples_fit "
                f"= {most}."
            )
        found = search.others(count) if X is None else search.query(self._known(X), count)
        return found if return_distance else found[1]

    def kneighbors_graph(
        self, X: Samples | None = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> Any:
        """The same as a sparse matrix of queries by training rows.

        Parameters
        ----------
        X, n_neighbors
            As of ``kneighbors``.
        mode : {"connectivity", "distance"}, default="connectivity"
            Ones, or distances.

        Returns
        -------
        csr_matrix of shape (n_queries, n_samples_fit)
            With ``n_neighbors`` entries in each row.
        """
        if mode not in ("connectivity", "distance"):
            raise ValueError(f"mode must be 'connectivity' or 'distance'; got {mode!r}")
        distances, rows = self.kneighbors(X, n_neighbors)
        values = distances.ravel() if mode == "distance" else np.ones(rows.size)
        starts = np.arange(0, rows.size + 1, rows.shape[1])
        return sparse.csr_matrix((values, rows.ravel(), starts), (len(rows), self.fitted_.n))
