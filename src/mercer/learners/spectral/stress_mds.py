"""Multidimensional scaling by stress: metric, non-metric, and Sammon's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from mercer._random import seed_of
from mercer._types import RandomState, Samples
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, non_negative, one_of
from mercer.learners._unlabelled import EmbedsTraining, UnlabelledWeighted
from mercer.learners._watched import watched
from mercer.learners.spectral._compared import Compared, ComparesRows
from mercer.learners.spectral._eigen import Centred, largest_eigenpairs, per_row
from mercer.learners.spectral._rules import SPECTRAL_RULES
from mercer.learners.spectral._stress import FORMS, Knots, StressForm, StressRun, descend

Floats = NDArray[np.float64]
STARTS = ("classical", "random")
_PLACING = 300  # steps that place a new row


@dataclass(frozen=True, kw_only=True)
class StressFitted(Fitted):
    """Points, and what distances new rows should have to them."""

    rows: Compared
    embedding: Floats
    stresses: Floats
    form: str
    knots: Knots | None  # distance -> disparity, of the non-metric form
    least: float  # the shortest distance between rows that do not coincide
    weight: Floats | None = None  # of the rows, if they do not count alike

    def placed(self, D: Floats) -> Floats:
        """Places that minimise the stress of rows so far from the training rows, which stay put."""
        points = self.embedding
        wanted = D if self.knots is None else np.interp(D, *self.knots)
        weights = np.ones_like(D) if self.form != "sammon" else 1.0 / np.maximum(D, self.least)
        if self.weight is not None:
            weights = weights * self.weight
        weights /= weights.sum(axis=1, keepdims=True)
        found = points[D.argmin(axis=1)]
        for _ in range(_PLACING):
            steps = found[:, None, :] - points[None]
            lengths = np.linalg.norm(steps, axis=2)
            pull = np.divide(wanted, lengths, out=np.zeros_like(D), where=lengths > 1e-12)
            new = np.einsum("ij,ijc->ic", weights, points[None] + pull[:, :, None] * steps)
            moved = np.abs(new - found).max(initial=0.0)
            found = new
            if moved <= 1e-9 * max(1.0, float(np.abs(points).max())):
                break
        return found


class StressMDS(UnlabelledWeighted, EmbedsTraining, ComparesRows, Learner):
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
    verbose : bool, default=False
        Show progress on standard error.
    time_limit : float or None, default=None
        Seconds; the points found until then are the result.
    warm_start : bool, default=False
        Go on from the last embedding, if there are as many rows.
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

    _matrices: ClassVar[float] = 14.5
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
        verbose: bool = False,
        time_limit: float | None = None,
        warm_start: bool = False,
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.form = form
        self.metric = metric
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, form=form, max_iter=3000, tol=1e-12) for form in FORMS]

    def _train(self, sample: TrainingSample) -> StressFitted:
        rows, weight = self._compared(sample), sample.weight
        if not 1 <= self.n_components < sample.n:
            raise ValueError(f"n_components={self.n_components} needs 1 <= it < {sample.n} points")
        form = StressForm(rows.matrix, weight, self.form)
        best = self._best(form)
        return StressFitted(
            **rows_of(sample),
            rows=rows.stored(),
            embedding=best.points,
            stresses=np.array(best.history),
            form=self.form,
            knots=best.knots,
            least=form.least,
            weight=None if np.all(weight == 1.0) else weight,
        )

    def _best(self, form: StressForm) -> StressRun:
        """The run that ends lowest, of those that there is time for."""
        best: StressRun | None = None
        with watched(self) as watch:
            for points in self._starts(form):
                run = descend(form, points, max_iter=self.max_iter, tol=self.tol, watch=watch)
                if best is None or run.history[-1] < best.history[-1]:
                    best = run
                if watch.spent:
                    break
        assert best is not None
        return best

    def _starts(self, form: StressForm) -> list[Floats]:
        shape = len(form.D), int(self.n_components)
        last = self.__dict__.get("fitted_") if self.warm_start else None
        if last is not None and last.embedding.shape == shape:
            return [last.embedding]
        if not isinstance(self.init, str):
            points = np.array(self.init, dtype=np.float64)
            if points.shape != shape:
                raise ValueError(f"init has shape {points.shape}, expected {shape}")
            return [points]
        if self.init == "classical":
            return [_classical(form, shape[1])]
        rng = np.random.default_rng(seed_of(self.random_state))
        return [rng.uniform(size=shape) for _ in range(self.n_init)]

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, StressFitted)
        self.embedding_, self.stress_history_ = fitted.embedding, fitted.stresses
        self.stress_, self.n_iter_ = float(fitted.stresses[-1]), len(fitted.stresses)
        self._n_features_out = fitted.embedding.shape[1]

    def _outputs(self, X: Samples) -> Floats:
        """Places of rows that minimise their own stress, the training points staying put."""
        return self.fitted_.placed(self.fitted_.rows.to(X))

    @property
    def normalized_stress_(self) -> float:
        """√(Σ(d̂ − ‖p − q‖)²/Σ‖p − q‖²) of the metric and non-metric forms."""
        fitted = self.fitted_
        points = fitted.embedding
        weight = np.ones(len(points)) if fitted.weight is None else fitted.weight
        lengths = float(weight @ cdist(points, points) ** 2 @ weight)
        return float(np.sqrt(2.0 * self.stress_ / max(lengths, 1e-300)))


def _classical(form: StressForm, k: int) -> Floats:
    """The classical solution, which weights turn and shift."""
    weight, squares = form.weight, form.D**2
    values, vectors = largest_eigenpairs(
        Centred(lambda V: -0.5 * (squares @ V), weight), len(weight), k
    )
    return per_row(vectors, weight) * np.sqrt(np.maximum(values, 0.0)) / np.sqrt(weight)[:, None]
