"""What a kernel matrix looks like: spectrum, rank, conditioning, diagonal dominance."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from mercer._types import RandomState, Samples
from mercer.gram._base import Gram
from mercer.gram.build import build_gram
from mercer.gram.dense import DenseGram

Floats = NDArray[np.float64]


class DiagonalDominanceWarning(UserWarning):
    """Most objects resemble nothing but themselves."""


@dataclass(frozen=True)
class GramReport:
    """Diagnostics of a kernel matrix.

    Attributes
    ----------
    n, n_used : objects in the matrix, and how many of them (a random subset) were looked at
    rank : eigenvalues above rounding
    effective_rank : exp of the entropy of the normalised spectrum
    condition_number : largest over smallest eigenvalue; infinite if the matrix is singular
    directions : how many eigenvalues make up 50, 90 and 99 percent of the trace
    diagonal_dominance : 1 minus the mean absolute cosine of different objects. Close to 1 is the
        ridge problem: every object resembles itself only, and nothing can be learned.
    diagonal : smallest and largest k(x, x)
    normalised : whether k(x, x) = 1 throughout
    offset : squared length of the mean image over the mean squared length; 0 if centred
    smallest_eigenvalue : negative (beyond rounding) if this is no kernel
    alone : share of the objects whose cosines with all others add up to less than 1, so that each
        of them outweighs the rest of the sample in its own row
    eigenvalues : the spectrum, descending
    """

    n: int
    n_used: int
    rank: int
    effective_rank: float
    condition_number: float
    directions: dict[str, int]
    diagonal_dominance: float
    diagonal: tuple[float, float]
    normalised: bool
    offset: float
    smallest_eigenvalue: float
    alone: float
    eigenvalues: Floats = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        return {**asdict(self), "eigenvalues": self.eigenvalues.tolist()}


def gram_report(
    gram: Any, X: Samples | None = None, max_rows: int = 2000, random_state: RandomState = 0
) -> GramReport:
    """Diagnose a Gram object, a matrix, or a kernel on a sample.

    More than ``max_rows`` objects are represented by a random subset of that size. A
    `DiagonalDominanceWarning` says that the diagonal dwarfs the rest: most objects are more alike
    to themselves than to all others together.
    """
    if not isinstance(gram, Gram):
        gram = DenseGram(gram) if X is None else build_gram(gram, X)
    n = gram.n
    if n > max_rows:
        index = check_random_state(random_state).choice(n, max_rows, replace=False)
        gram = gram.subset(np.sort(index))
    epsilon = np.finfo(gram.dtype).eps
    K = gram.dense().astype(np.float64)
    values = np.linalg.eigvalsh((K + K.T) / 2)[::-1]
    rounding = gram.n * epsilon * float(np.max(np.abs(values)))
    positive = values[values > rounding]
    share = positive / positive.sum() if positive.size else np.ones(1)
    diagonal, cosines = K.diagonal(), _cosines(K)
    there = diagonal > 0  # an object at the origin resembles nothing, itself included
    alone = float(np.mean(cosines[there].sum(axis=1) < 1.0)) if there.sum() > 1 else 0.0
    mean = float(cosines.sum() / max(gram.n * (gram.n - 1), 1))
    if alone > 0.5:
        _warn_of_diagonal(alone, mean)
    singular = positive.size < gram.n
    return GramReport(
        n=n,
        n_used=gram.n,
        rank=int(np.sum(np.abs(values) > rounding)),
        effective_rank=float(np.exp(-np.sum(share * np.log(share)))),
        condition_number=float("inf") if singular else float(values[0] / values[-1]),
        directions={
            f"{level}%": int(np.searchsorted(np.cumsum(share), level / 100 - 1e-12)) + 1
            for level in (50, 90, 99)
        },
        diagonal_dominance=1.0 - mean,
        diagonal=(float(diagonal.min()), float(diagonal.max())),
        normalised=bool(np.all(np.abs(diagonal - 1.0) <= 10 * epsilon)),
        offset=float(K.mean() / diagonal.mean()) if diagonal.mean() else 0.0,
        smallest_eigenvalue=float(values[-1]),
        alone=alone,
        eigenvalues=values,
    )


def _cosines(K: Floats) -> Floats:
    """Absolute cosines of different objects; 0 on the diagonal and where a length is 0."""
    length = np.sqrt(np.maximum(K.diagonal(), 0.0))
    inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    cosines = np.abs(K * inverse[:, None] * inverse[None, :])
    np.fill_diagonal(cosines, 0.0)
    return cosines


def _warn_of_diagonal(alone: float, mean: float) -> None:
    warnings.warn(
        f"the diagonal dwarfs the rest of the kernel matrix: {alone:.0%} of the objects are more "
        f"alike to themselves than to all others together (mean cosine {mean:.2g}), so a machine "
        "learns them by heart. Widen the kernel (a larger length_scale, shorter substrings), or "
        "leave out features that tell every object apart.",
        DiagonalDominanceWarning,
        stacklevel=3,
    )


def embed_gram(K: ArrayLike) -> Floats:
    """Points whose inner products are K: one row per object (Herbrich, Example 2.16).

    Only the strictly positive eigenvalues have coordinates, so for a matrix that is not a kernel
    the result represents its nearest positive semi-definite matrix.
    """
    gram = K if isinstance(K, Gram) else DenseGram(K)
    values, vectors = gram.eigh()
    keep = values > gram.n * np.finfo(gram.dtype).eps * float(np.max(np.abs(values)))
    return vectors[:, keep] * np.sqrt(values[keep])
