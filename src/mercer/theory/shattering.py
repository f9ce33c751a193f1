"""Which labelings of given points a machine can reach, by exact tests where they exist.

A *reach* function takes points and a ±1 labeling and says whether some rule of the class produces
it without error. `linear`, `affine`, `half_lines`, `circles`, `signed_circles`, `boxes` are exact;
`searched` asks a fitted estimator, which can prove "yes" but not "no".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from mercer._types import Estimator, Samples

Floats = NDArray[np.float64]
Reach = Callable[[Floats, Floats], bool]
_MOST_POINTS = 20


def linear(points: Floats, labels: Floats) -> bool:
    """Hyperplanes through the origin: a linear programme y⟨w,x⟩ ≥ 1."""
    signed = labels[:, None] * points
    found = linprog(
        np.zeros(points.shape[1]),
        A_ub=-signed,
        b_ub=-np.ones(len(points)),
        bounds=[(None, None)] * points.shape[1],
        method="highs",
    )
    return found.status == 0


def affine(points: Floats, labels: Floats) -> bool:
    """Hyperplanes with an offset."""
    return linear(np.column_stack([points, np.ones(len(points))]), labels)


def half_lines(points: Floats, labels: Floats) -> bool:
    """+1 exactly on (−∞, b]."""
    x = points.ravel()
    inside = labels > 0
    return bool(not inside.any() or inside.all() or x[inside].max() < x[~inside].min())


def circles(points: Floats, labels: Floats) -> bool:
    """Rules sign(|x|² − b): −1 inside a circle around the origin, +1 outside."""
    return half_lines(np.einsum("ij,ij->i", points, points)[:, None], -labels)


def signed_circles(points: Floats, labels: Floats) -> bool:
    """Rules sign(q|x|² − b): a circle with either side positive."""
    return circles(points, labels) or circles(points, -labels)


def boxes(points: Floats, labels: Floats) -> bool:
    """+1 exactly in an axis-parallel box: the smallest box of the positives must hold no other."""
    inside = labels > 0
    if not inside.any():
        return True
    low, high = points[inside].min(axis=0), points[inside].max(axis=0)
    return not np.all((points[~inside] >= low) & (points[~inside] <= high), axis=1).any()


def searched(estimator: Estimator) -> Reach:
    """Reach by fitting a clone of ``estimator``: "yes" is a proof, "no" only a failed attempt."""
    from sklearn.base import clone

    def reach(points: Floats, labels: Floats) -> bool:
        if np.all(labels == labels[0]):
            return True  # a constant rule; most estimators refuse to be trained on one class
        model = clone(estimator).fit(points, labels)
        return bool(np.all(model.predict(points) == labels))

    return reach


CLASSES: dict[str, Reach] = {
    "linear": linear,
    "affine": affine,
    "half-lines": half_lines,
    "circles": circles,
    "signed circles": signed_circles,
    "boxes": boxes,
}


def dichotomies(points: Samples, machine: str | Reach) -> Iterator[tuple[Floats, bool]]:
    """Every labeling of the points, and whether the machine reaches it."""
    points, reach = _prepared(points, machine)
    for signs in product((-1.0, 1.0), repeat=len(points)):
        labels = np.array(signs)
        yield labels, bool(reach(points, labels))


def count_dichotomies(points: Samples, machine: str | Reach) -> int:
    """How many of the 2^m labelings are reached."""
    return sum(reached for _, reached in dichotomies(points, machine))


def is_shattered(points: Samples, machine: str | Reach) -> bool:
    """Whether every labeling is reached."""
    return all(reached for _, reached in dichotomies(points, machine))


def unreachable(points: Samples, machine: str | Reach) -> Floats | None:
    """A labeling on which every rule of the class errs, or None if the points are shattered."""
    return next((labels for labels, reached in dichotomies(points, machine) if not reached), None)


def empirical_vc_dimension(points: Samples, machine: str | Reach) -> int:
    """Size of the largest shattered subset of the points, by trying all subsets.

    For hyperplanes through the origin it is the rank of the Gram matrix, for hyperplanes with an
    offset one more than the dimension of the affine hull: no search is needed there.
    """
    points, reach = _prepared(points, machine, limit=None)
    if reach is linear:
        return int(np.linalg.matrix_rank(points))
    if reach is affine:
        return affine_rank(points)
    _check_size(len(points))
    best = 0
    for size in range(1, len(points) + 1):
        if not any(
            is_shattered(points[list(i)], reach) for i in combinations(range(len(points)), size)
        ):
            break
        best = size
    return best


def affine_rank(points: Samples) -> int:
    """Largest number of affinely independent points among the rows: what hyperplanes shatter."""
    points = np.atleast_2d(np.asarray(points, dtype=float))
    return (
        1 + int(np.linalg.matrix_rank(points[1:] - points[0])) if len(points) > 1 else len(points)
    )


def shatter_coefficient(
    m: int, machine: str | Reach, *, d: int = 2, draws: int = 200, random_state: int = 0
) -> int:
    """Most labelings reached over random arrangements of m points: a lower limit of growth."""
    rng = np.random.default_rng(random_state)
    best = 0
    for _ in range(draws):
        best = max(best, count_dichotomies(rng.standard_normal((m, d)), machine))
        if best == 2**m:
            break
    return best


def _prepared(
    points: Samples, machine: str | Reach, limit: int | None = _MOST_POINTS
) -> tuple[Floats, Reach]:
    points = np.asarray(points, dtype=float)
    points = points[:, None] if points.ndim == 1 else points
    if points.ndim != 2 or len(points) == 0 or not np.all(np.isfinite(points)):
        raise ValueError("points must be a table of finite numbers with at least one row")
    if limit is not None:
        _check_size(len(points), limit)
    if isinstance(machine, str):
        if machine not in CLASSES:
            raise ValueError(
                f"unknown class {machine!r}; there are {sorted(CLASSES)}, or pass a function"
            )
        return points, CLASSES[machine]
    return points, machine


def _check_size(m: int, limit: int = _MOST_POINTS) -> None:
    if m > limit:
        raise ValueError(f"{m} points have 2^{m} labelings; at most {limit} points can be tried")
