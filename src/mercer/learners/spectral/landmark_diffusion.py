"""Diffusion maps of hundreds of thousands of rows through a few landmarks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer._random import seed_of
from mercer._types import Samples
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._passes import InPasses, Passes, RowsInMemory
from mercer.learners._reasons import COORDINATES, DRAWN
from mercer.learners.spectral._compared import Compared
from mercer.learners.spectral._diffusion_walk import DiffusionWalk
from mercer.learners.spectral._landmarks import filled, place_landmarks, rows_per_landmark
from mercer.learners.spectral.diffusion_map import DiffusionFitted, DiffusionMap, powers

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class LandmarkDiffusionFitted(DiffusionFitted):
    """The walk between landmarks."""

    block: int


class LandmarkDiffusionMap(InPasses, DiffusionMap):
    """Diffusion map of the walk between landmarks, extended to all rows by one step.

    Sums over rows become sums over landmarks, each weighted by the number of rows nearest to it, in
    the density as well as in the walk. So the normalisations are those of `DiffusionMap`, which it
    equals when every row is a landmark; time and memory grow linearly with the rows.

    The kernel cannot be narrower than the spacing of the landmarks: with a given ``length_scale``
    take enough of them, with "auto" the width is chosen on them.

    Parameters
    ----------
    n_components : int or "gap", default=2
        Coordinates; "gap" stops where λᵗ falls most, among at most ten.
    n_landmarks : int, default=2000
        Random rows, moved to the means of their cells once.
    t : float, default=1
        Steps of the walk.
    length_scale : float or "auto", default="auto"
        Width of the kernel (squared distance).
    density_exponent : float in [0, 1], default=1.0
        How much of the sampling density is divided out.
    cutoff : float, default=9.0
        Kernel values are dropped where ‖x−y‖² > cutoff·σ. A row that no landmark reaches gets NaN.
    n_neighbors : int or None, default=None
        Neighbouring landmarks that are joined, instead of the cut-off.
    variable : bool, default=False
        Wider kernels where landmarks are thin.
    block : int, default=20000
        Rows treated at once.
    disconnected : {"connect", "largest", "warn", "error"}, default="connect"
        What to do with a graph of landmarks in several pieces, as in `DiffusionMap`.
    random_state : int, generator or None, default=None
        Of the landmarks and of the eigen-solver.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        λᵗψ at the training rows.
    landmarks_ : ndarray of shape (n_landmarks, n_features)
    weights_ : ndarray of shape (n_landmarks,)
        Weight of the rows that are nearest to each landmark.
    eigenvalues_ : ndarray
        Without the trivial 1, sorted by size.
    eigenvectors_, stationary_, kernel_matrix_
        As in `DiffusionMap`, at the landmarks; so are ``generator`` and exact diffusion distances.
    length_scale_ : float
    bandwidth_ : Bandwidth
        How σ was chosen.
    """

    _matrices: ClassVar[float] = 0.0
    lacks: ClassVar[Mapping[str, str]] = COORDINATES | DRAWN
    _door: ClassVar[Door] = Door(weights="drop", least=3)
    fitted_: LandmarkDiffusionFitted

    def __init__(
        self,
        n_components: Any = 2,
        *,
        n_landmarks: int = 2000,
        t: float = 1.0,
        length_scale: Any = "auto",
        density_exponent: float = 1.0,
        cutoff: float = 9.0,
        n_neighbors: int | None = None,
        variable: bool = False,
        block: int = 20_000,
        disconnected: str = "connect",
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_components,
            t=t,
            length_scale=length_scale,
            density_exponent=density_exponent,
            cutoff=cutoff,
            n_neighbors=n_neighbors,
            variable=variable,
            disconnected=disconnected,
            random_state=random_state,
        )
        self.n_landmarks = n_landmarks
        self.block = block

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, n_landmarks=12, random_state=0)]

    def _train(self, sample: TrainingSample) -> LandmarkDiffusionFitted:
        return self._train_in_passes(RowsInMemory(sample))

    def _train_in_passes(self, rows: Passes) -> LandmarkDiffusionFitted:
        sample = rows.sample
        m = min(self.n_landmarks, sample.n)
        if m < 3 or (self.n_components != "gap" and not self.n_components < m):
            raise ValueError(f"n_components={self.n_components} needs more than {m} landmarks")
        rng = np.random.default_rng(seed_of(self.random_state))
        landmarks = place_landmarks(sample.X, m, rng, sample.weight)
        (counts,) = rows.sum(partial(rows_per_landmark, landmarks=landmarks), int(self.block))
        used = counts > 0  # a landmark that moved may have lost its rows to others
        walk, _ = self._walk(Compared(landmarks[used]), counts[used])
        places = None
        if isinstance(rows, RowsInMemory):
            places = _in_blocks(walk, sample.X, self.t, self.block)
        return LandmarkDiffusionFitted(
            **rows_of(sample) | {"n": rows.n},
            walk=walk,
            t=float(self.t),
            block=int(self.block),
            embedding=places,
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, LandmarkDiffusionFitted)
        self.landmarks_, self.weights_ = fitted.walk.joined.points.rows, fitted.walk.mass

    def _outputs(self, X: Samples) -> Floats:
        """Coordinates of rows: one step of the walk onto the landmarks (Nyström)."""
        fitted = self.fitted_
        return _in_blocks(fitted.walk, X, fitted.t, fitted.block)


def _in_blocks(walk: DiffusionWalk, X: Any, t: float, block: int) -> Floats:
    out = np.empty((X.shape[0], len(walk.eigenvalues)))
    for start in range(0, len(out), block):
        out[start : start + block] = walk.extended(filled(X[start : start + block]))
    out *= powers(walk.eigenvalues, t)
    return out
