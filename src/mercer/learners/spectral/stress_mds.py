"""Multidimensional scaling by stress: metric, non-metric, and Sammon's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.isotonic import IsotonicRegression

from mercer._random import seed_of
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, non_negative, one_of
from mercer.learners._unlabelled import EmbedsTraining
from mercer.learners.spectral._compared import Compared, ComparesRows
from mercer.learners.spectral._rules import SPECTRAL_RULES
from mercer.metrics import classical_mds

Floats = NDArray[np.float64]
FORMS = ("metric", "nonmetric", "sammon")
STARTS = ("classical", "random")
_PLACING = 300  # steps that place a new row


@dataclass(frozen=True, kw_only=True)
class StressFitted(Fitted):
    """Points, and what distances new rows should have to them."""

    rows: Compared
    embedding: Floats
    stresses: Floats
    form: str
    knots: tuple[Floats, Floats] | None  # distance -> disparity, of the non-metric form
    least: float  # the shortest distance between rows that do not coincide

    def weights(self, D: Floats) -> Floats:
        """How much the distance of a new row to each training row counts; they sum to one."""
        weights = np.ones_like(D) if self.form != "sammon" else 1.0 / np.maximum(D, self.least)
        return weights / weights.sum(axis=1, keepdims=True)

    def wanted(self, D: Floats) -> Floats:
        """The lengths that stand for these distances."""
        return D if self.knots is None else np.interp(D, *self.knots)


class StressMDS(EmbedsTraining, ComparesRows, Learner):
    """Points whose distances are close to the given ones, by majorisation (SMACOF).

    Each step minimises a quadratic that lies above the stress and touches it, so the stress never
    rises.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the points.
    form : {"metric", "nonmetric", "sammon"}, default="metric"
        Σ(d − ‖p − q‖)²; the same with the best rising function of d in place of d (Kruskal); or
        Σ(d − ‖p − q‖)²/d, which cares for short distances (Sammon).
    metric : str, callable, Metric or Kernel, default="euclidean"
        scikit-learn's names, a function of two objects or a `mercer.metrics.Metric`, a
        `mercer.kernels.Kernel` for the distance in its feature space, or "precomputed".
    init : {"classical", "random"} or array, default="classical"
        Where it starts: the classical solution, random points, or these.
    n_init : int, default=1
        Runs from random points; the smallest stress is kept.
    max_iter : int, default=300
        Steps of each run.
    tol : float, default=1e-6
        A run ends when the stress falls by less, relative to the sum of squared distances.
    random_state : int, generator or None, default=None
        Of random points.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    stress_ : float
        The sum that was minimised, over pairs i < j; for Sammon's form over Σd, as is usual.
    normalized_stress_ : float
        √(Σ(d̂ − ‖p − q‖)²/Σ‖p − q‖²), Kruskal's stress-1.
    stress_history_ : ndarray
        After every step of the best run.
    n_iter_ : int
    """

    _rules: ClassVar[dict[str, Rule]] = (
        SPECTRAL_RULES
        | ComparesRows._rules
        | {
            "form": one_of(*FORMS),
            "tol": non_negative,
            "init": (
                lambda v: v in STARTS if isinstance(v, str) else np.ndim(v) == 2,
                f"one of {STARTS}, or an array of points",
            ),
        }
    )
    fitted_: StressFitted

    def __init__(
        self,
        n_components: int = 2,
        *,
        form: str = "metric",
        metric: Any = "euclidean",
        init: Any = "classical",
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.form = form
        self.metric = metric
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, form=form, max_iter=3000, tol=1e-12) for form in FORMS]

    def _train(self, sample: TrainingSample) -> StressFitted:
        rows = self._compared(sample)
        if not 1 <= self.n_components < sample.n:
            raise ValueError(f"n_components={self.n_components} needs 1 <= it < {sample.n} points")
        D = rows.matrix
        runs = [self._descend(D, points) for points in self._starts(D)]
        points, history, knots = min(runs, key=lambda run: run[1][-1])
        return StressFitted(
            **rows_of(sample),
            rows=rows.stored(),
            embedding=points,
            stresses=np.array(history),
            form=self.form,
            knots=knots,
            least=_least(D),
        )

    def _starts(self, D: Floats) -> list[Floats]:
        shape = len(D), int(self.n_components)
        if not isinstance(self.init, str):
            points = np.array(self.init, dtype=np.float64)
            if points.shape != shape:
                raise ValueError(f"init has shape {points.shape}, expected {shape}")
            return [points]
        if self.init == "classical":
            return [classical_mds(D, shape[1]).points]
        rng = np.random.default_rng(seed_of(self.random_state))
        return [rng.uniform(size=shape) for _ in range(self.n_init)]

    def _descend(self, D: Floats, points: Floats) -> tuple[Floats, list[float], Any]:
        weights = _weights(D, self.form)
        inverse = None if self.form != "sammon" else _inverse(weights)
        found, knots, history = cdist(points, points), None, []
        for step in range(self.max_iter):
            wanted = D
            if self.form == "nonmetric":
                wanted, knots = _disparities(D, found, first=step == 0)
            ratio = np.divide(wanted, found, out=np.zeros_like(D), where=found > 1e-12) * weights
            B = -ratio
            B[np.diag_indices_from(B)] += ratio.sum(axis=1)
            points = B @ points / len(D) if inverse is None else inverse @ (B @ points)
            found = cdist(points, points)
            history.append(_stress(wanted, found, weights))
            size = float(np.sum(weights * found**2)) / 2.0
            if step and history[-2] - history[-1] < self.tol * max(size, 1e-300):
                break
        return points, history, knots

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, StressFitted)
        self.embedding_, self.stress_history_ = fitted.embedding, fitted.stresses
        self.stress_, self.n_iter_ = float(fitted.stresses[-1]), len(fitted.stresses)
        self._n_features_out = fitted.embedding.shape[1]

    def _outputs(self, X: Any) -> Floats:
        """Places of rows that minimise their own stress, the training points staying put."""
        fitted = self.fitted_
        D = fitted.rows.to(X)
        points, wanted, weights = fitted.embedding, fitted.wanted(D), fitted.weights(D)
        placed = points[D.argmin(axis=1)]
        for _ in range(_PLACING):
            steps = placed[:, None, :] - points[None]
            lengths = np.linalg.norm(steps, axis=2)
            pull = np.divide(wanted, lengths, out=np.zeros_like(D), where=lengths > 1e-12)
            new = np.einsum("ij,ijc->ic", weights, points[None] + pull[:, :, None] * steps)
            moved = np.abs(new - placed).max(initial=0.0)
            placed = new
            if moved <= 1e-9 * max(1.0, float(np.abs(points).max())):
                break
        return placed

    @property
    def normalized_stress_(self) -> float:
        """√(Σ(d̂ − ‖p − q‖)²/Σ‖p − q‖²) of the metric and non-metric forms."""
        found = cdist(self.embedding_, self.embedding_)
        return float(np.sqrt(2.0 * self.stress_ / max(float(np.sum(found**2)), 1e-300)))


def _weights(D: Floats, form: str) -> Floats:
    """1, or 1/d for Sammon's form; rows that coincide count as much as the closest that do not."""
    if form != "sammon":
        return np.ones_like(D)
    return 1.0 / (np.maximum(D, _least(D)) * max(float(D.sum()) / 2.0, 1e-300))


def _least(D: Floats) -> float:
    positive = D[D > 0]
    return float(positive.min()) if positive.size else 1.0


def _inverse(weights: Floats) -> Floats:
    """Of the weighted graph's Laplacian, away from constants."""
    off = weights - np.diag(np.diagonal(weights))
    n = len(off)
    inverse = np.linalg.inv(np.diag(off.sum(axis=1)) - off + 1.0 / n) - 1.0 / n
    return np.asarray(inverse, dtype=np.float64)


def _stress(wanted: Floats, found: Floats, weights: Floats) -> float:
    return float(np.sum(weights * (wanted - found) ** 2)) / 2.0


def _disparities(D: Floats, found: Floats, first: bool) -> tuple[Floats, tuple[Floats, Floats]]:
    """The rising function of D closest to what was found, of mean square one; equal stay equal."""
    upper = np.triu_indices(len(D), 1)
    given = D[upper]
    target = given if first else found[upper]
    fitted = target if first else IsotonicRegression().fit_transform(given, target)
    scale = np.sqrt(len(given) / max(float(np.sum(fitted**2)), 1e-300))
    wanted = np.zeros_like(D)
    wanted[upper] = fitted * scale
    places, index = np.unique(given, return_index=True)
    return wanted + wanted.T, (places, fitted[index] * scale)
