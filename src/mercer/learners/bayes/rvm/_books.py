"""Bookkeeping of the sequential relevance vector regression: one change at a time, nothing anew.

With C the covariance of the targets, S_m = φ_m'C^-1φ_m and Q_m = φ_m'C^-1t price every change of
column m. Adding, re-estimating or deleting one column changes C by rank one, so S and Q of n
columns follow in O(nk) for k active ones (Tipping and Faul 2003, appendix A).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dger

from mercer.learners.bayes.rvm._posterior import WeightPosterior

Floats = NDArray[np.float64]
ALIGNED = 1e-9  # of its own length: a column with less left outside the model is not added


@dataclass
class Action:
    """The best change of one column: its number, its new θ (zero: take it out), and the gain."""

    column: int
    theta: float
    gain: float


def best_action(
    S: Floats,
    Q: Floats,
    lengths: Floats,
    places: NDArray[np.intp],
    theta: Floats,
    mean: Floats,
    variance: Floats,
    barred: NDArray[np.bool_],
    tol: float = 0.0,
) -> Action:
    """The change that raises the evidence most.

    ``places`` says where the active columns stand in S and Q; what their own S and Q hold is not
    read. Prior variances of their weights are ``theta``, posterior ones ``variance``. ``lengths``
    are the values of S without any model, and ``barred`` columns are left alone. Where no change
    gains ``tol`` it is the best removal, if there is one: what gains nothing need not be there.
    """
    s, q, old = S.copy(), Q.copy(), np.zeros(len(S))
    # 1/variance = 1/θ + s, and mean = variance q: exact where S - S²/(S - 1/θ) is a difference
    # of nearly equal numbers
    s[places] = np.maximum(1.0 / variance - 1.0 / theta, 0.0)
    q[places] = mean / variance
    old[places] = theta
    useful = (s > 0) & (q**2 > s) & ((old > 0) | (s > ALIGNED * lengths))
    new = np.zeros_like(s)
    new[useful] = (q[useful] ** 2 - s[useful]) / s[useful] ** 2
    np.maximum(s, 0.0, out=s)
    gain = _profile(s, q, new) - _profile(s, q, old)
    gain[((old == 0) & (new == 0)) | barred] = 0.0
    column = int(np.argmax(gain))
    if gain[column] < tol:
        out = (old > 0) & (new == 0) & ~barred
        column = int(np.argmax(np.where(out, gain, -np.inf))) if np.any(out) else column
    return Action(column, float(new[column]), float(gain[column]))


def _profile(s: Floats, q: Floats, theta: Floats) -> Floats:
    """The part of the log evidence that depends on one column's θ."""
    grown = 1.0 + theta * s
    return 0.5 * (theta * q**2 / grown - np.log(grown))


class Weights:
    """Posterior of the active weights under changes of their prior variances."""

    def __init__(self, columns: list[int], theta: Floats, posterior: WeightPosterior) -> None:
        self.columns, self.theta = list(columns), theta.copy()
        self.mean, self.covariance = posterior.mean.copy(), posterior.covariance.copy()

    def best(self, tol: float = 0.0) -> Action:
        """The change of one active column that raises the evidence most, by its place.

        Where none gains ``tol``, the best removal if there is one.
        """
        k = len(self.columns)
        unread, nobody = np.zeros(k), np.zeros(k, dtype=bool)
        variance = np.diagonal(self.covariance)
        return best_action(
            unread, unread, unread, np.arange(k), self.theta, self.mean, variance, nobody, tol
        )

    def change(self, j: int, theta: float) -> None:
        """Give the active column at place j another prior variance; zero takes it out."""
        own = self.covariance[:, j].copy()
        weight, share = self.mean[j], 1.0 / own[j]
        if theta > 0:
            rise = 1.0 / theta - 1.0 / self.theta[j]
            share = rise / (1.0 + rise * own[j])
            self.theta[j] = theta
        self._shadow(own, weight, share)
        self.mean -= share * weight * own
        # in place: the matrix is symmetric, so its transpose is it as BLAS wants it
        dger(-share, own, own, a=self.covariance.T, overwrite_a=1)
        if theta == 0:
            self._forget(j)

    def _shadow(self, own: Floats, weight: float, share: float) -> None:
        """Nothing but the weights is kept up to date here."""

    def _forget(self, j: int) -> None:
        """Drop a column whose weight is zero by now."""
        kept = np.arange(len(self.columns)) != j
        del self.columns[j]
        self.theta, self.mean = self.theta[kept], self.mean[kept]
        self.covariance = self.covariance[np.ix_(kept, kept)]


class Books(Weights):
    """The same, and S and Q of all columns.

    Parameters
    ----------
    cross : array of shape (n_columns, n_active)
        Inner products of all columns with the active ones.
    S, Q, lengths : arrays of shape (n_columns,)
        As above, and what S would be without any model. What S and Q of active columns hold is
        not read.
    """

    def __init__(
        self,
        cross: Floats,
        S: Floats,
        Q: Floats,
        lengths: Floats,
        active: list[int],
        theta: Floats,
        b: float,
        posterior: WeightPosterior,
    ) -> None:
        super().__init__(active, theta, posterior)
        self.S, self.Q, self.lengths, self.b = S, Q, lengths, b
        self._cross, self._full = cross, cross.shape[1]

    @property
    def cross(self) -> Floats:
        """Products of all columns with the active ones."""
        return self._cross[:, : self._full]

    def best_of_all(self, barred: NDArray[np.bool_]) -> Action:
        """The change of one column that raises the evidence most, by its number."""
        places = np.asarray(self.columns, dtype=np.intp)
        variance = np.diagonal(self.covariance)
        return best_action(
            self.S, self.Q, self.lengths, places, self.theta, self.mean, variance, barred
        )

    def add(self, column: int, theta: float, products: Floats) -> None:
        """Take in a column; ``products`` are its inner products with all of them."""
        k = len(self.columns)
        variance = 1.0 / (1.0 / theta + self.S[column])
        weight = variance * self.Q[column]
        along = self.b * (self.covariance @ self.cross[column])
        shadow = self.b * (products - self.cross @ along)
        self.S -= variance * shadow**2
        self.Q -= weight * shadow
        grown = np.empty((k + 1, k + 1))
        grown[:k, :k] = self.covariance + variance * np.outer(along, along)
        grown[:k, k] = grown[k, :k] = -variance * along
        grown[k, k] = variance
        self.covariance = grown
        self.mean = np.append(self.mean - weight * along, weight)
        self.columns.append(column)
        self.theta = np.append(self.theta, theta)
        self._take_in(products)

    def _take_in(self, products: Floats) -> None:
        """One more column of products, in room for many."""
        if self._full == self._cross.shape[1]:
            roomy = np.empty((len(products), self._full + max(32, self._full // 8)), order="F")
            roomy[:, : self._full] = self._cross
            self._cross = roomy
        self._cross[:, self._full] = products
        self._full += 1

    def _shadow(self, own: Floats, weight: float, share: float) -> None:
        shadow = self.b * (self.cross @ own)
        self.S += share * shadow**2
        self.Q += share * weight * shadow

    def _forget(self, j: int) -> None:
        super()._forget(j)
        self._cross = np.delete(self.cross, j, axis=1)
        self._full -= 1
