"""Turn a dissimilarity into a (better) metric, with the smallest constant that does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvals
from scipy.sparse.csgraph import connected_components
from scipy.sparse.csgraph import shortest_path as _graph_paths

from mercer._types import Samples
from mercer.metrics._axioms import (
    Floats,
    MetricReport,
    all_joined,
    as_square,
    double_centred,
    negative_type_spectrum,
    report,
)


@dataclass(frozen=True)
class Repaired:
    """The new matrix, the constant used, and the reports before and after."""

    matrix: Floats
    method: str
    constant: float | None
    before: MetricReport
    after: MetricReport
    groups: NDArray[Any] | None = None  # of merged objects

    def explain(self) -> str:
        """One line for people."""
        used = "" if self.constant is None else f" (constant {self.constant:.6g})"
        return f"{self.method}{used}: {self.before.kind} -> {self.after.kind}"


def _repaired(method: str, D: Floats, new: Floats, constant: float | None = None) -> Repaired:
    return Repaired(new, method, constant, report(D), report(new))


def _symmetric(D: Samples, owner: str) -> Floats:
    D = as_square(D)
    if np.max(np.abs(D - D.T)) > 1e-9 * np.max(np.abs(D)):
        raise ValueError(f"{owner} needs a symmetric matrix; call symmetrise(D) first")
    return D


def symmetrise(D: Samples, how: str = "mean") -> Repaired:
    """(d(x, y) + d(y, x)) / 2, or their "max" or "min"; the diagonal becomes zero."""
    D = as_square(D)
    rules: dict[str, Callable[[Floats, Floats], Floats]] = {
        "mean": lambda a, b: (a + b) / 2.0,
        "max": np.maximum,
        "min": np.minimum,
    }
    if how not in rules:
        raise ValueError(f"how={how!r} is not one of {sorted(rules)}")
    new = rules[how](D, D.T)
    np.fill_diagonal(new, 0.0)
    return _repaired(f"symmetrise by {how}", D, new)


def merge_zero_distances(D: Samples, tol: float = 0.0) -> Repaired:
    """Keep one object of every group at mutual distance zero; ``groups`` says who is in which."""
    D = _symmetric(D, "merge_zero_distances")
    _, groups = connected_components(tol >= D, directed=False)
    _, first = np.unique(groups, return_index=True)
    merged = Repaired(
        D[np.ix_(first, first)],
        f"merge {len(D)} objects into {len(first)}",
        None,
        report(D),
        report(D[np.ix_(first, first)]),
        groups,
    )
    return merged


def landmark(D: Samples, origin: int = 0) -> Repaired:
    """The semi-metric |d(x, o) - d(y, o)| through one object o."""
    D = as_square(D)
    column = D[:, origin]
    return _repaired(f"landmark {origin}", D, np.abs(column[:, None] - column[None, :]))


def additive_constant(D: Samples, constant: str | float = "tight") -> Repaired:
    """D + c off the diagonal: a metric, for symmetric nonnegative d.

    "tight" is the smallest such c, max(0, d(q,r) - d(p,q) - d(p,r)); "gower" is the largest of
    |d(p,q) + d(p,r) - d(q,r)|, and "printed" the thesis' formula with a plus. All three suffice.
    """
    D = _symmetric(D, "additive_constant")
    c = _triangle_constant(D, constant) if isinstance(constant, str) else float(constant)
    new = D + c
    np.fill_diagonal(new, 0.0)
    return _repaired(f"additive constant, {constant}", D, new, c)


def _triangle_constant(D: Floats, rule: str) -> float:
    if rule not in ("tight", "gower", "printed"):
        raise ValueError(f"constant={rule!r} is not 'tight', 'gower', 'printed' or a number")
    best = 0.0
    for p in range(len(D)):
        sums = D[:, [p]] + D[[p], :]
        value = {"tight": D - sums, "gower": np.abs(sums - D), "printed": sums + D}[rule].copy()
        value[p] = value[:, p] = 0.0
        np.fill_diagonal(value, 0.0)
        best = max(best, float(value.max()))
    return best


def lingoes(D: Samples) -> Repaired:
    """sqrt(d² + h) off the diagonal is Euclidean; the smallest h is -2 λ_min(B)."""
    D = _symmetric(D, "lingoes")
    h = max(0.0, -2.0 * float(negative_type_spectrum(D)[0]))
    new = np.sqrt(D**2 + h)
    np.fill_diagonal(new, 0.0)
    return _repaired("Lingoes", D, new, h)


def cailliez(D: Samples) -> Repaired:
    """D + k off the diagonal is Euclidean; the smallest k is an eigenvalue of a 2n x 2n matrix."""
    D = _symmetric(D, "cailliez")
    n, k = len(D), 0.0
    if float(negative_type_spectrum(D)[0]) < 0:
        B = double_centred(D)
        J = np.eye(n) - 1.0 / n
        W = -0.5 * J @ D @ J
        block = np.block([[np.zeros((n, n)), 2.0 * B], [-np.eye(n), -4.0 * W]])
        values = eigvals(block)
        real = values[np.abs(values.imag) <= 1e-9 * np.abs(values).max()].real
        k = max(0.0, float(real.max()))
    new = D + k
    np.fill_diagonal(new, 0.0)
    return _repaired("Cailliez", D, new, k)


def shortest_paths(
    D: Samples, neighbours: int | None = None, radius: float | None = None
) -> Repaired:
    """Lengths of shortest paths: on all pairs, the largest metric below d.

    With ``neighbours`` (k nearest, either way) or ``radius`` only those edges may be used, as in
    Isomap; unconnected objects are an error.
    """
    D = _symmetric(D, "shortest_paths")
    if D.min() < 0:
        raise ValueError(f"shortest_paths: distances must not be negative, one is {D.min():.4g}")
    graph = D.copy()
    if neighbours is not None:
        order = np.argsort(D, axis=1, kind="stable")
        near = np.zeros(D.shape, dtype=bool)
        np.put_along_axis(near, order[:, : neighbours + 1], True, axis=1)
        graph[~(near | near.T)] = np.inf
    if radius is not None:
        graph[radius < D] = np.inf
    new = _dense_paths(graph)
    if not np.all(np.isfinite(new)):
        parts = connected_components(np.isfinite(graph), directed=False)[0]
        raise ValueError(
            f"shortest_paths: the neighbourhood graph falls into {parts} parts; use more "
            "neighbours or a larger radius"
        )
    return _repaired("shortest paths", D, new)


def _dense_paths(graph: Floats) -> Floats:
    """Floyd and Warshall; a zero is an edge of length zero, which a sparse graph would lose."""
    paths = np.asarray(_graph_paths(all_joined(graph), method="FW", directed=False))
    return np.minimum(paths, graph)  # zeros are zeros again


TRANSFORMS: dict[str, Callable[[Floats, float], Floats]] = {
    "add": lambda d, c: d + c,
    "root": lambda d, r: d ** (1.0 / r),
    "saturate": lambda d, c: d / (d + c),
    "arctan": lambda d, c: np.arctan(d / c),
    "log": lambda d, c: np.log1p(d / c),
}


def metric_transform(
    D: Samples, how: str | Callable[[Floats], Floats] = "saturate", constant: float = 1.0
) -> Repaired:
    """Maps that keep a metric a metric: d + c, d^(1/r), d/(d+c), arctan(d/c), log(1 + d/c).

    A function of one's own must increase, vanish at 0 only and be subadditive.
    """
    D = as_square(D)
    if isinstance(how, str):
        if how not in TRANSFORMS:
            raise ValueError(f"how={how!r} is not one of {sorted(TRANSFORMS)} or a function")
        least = 1.0 if how == "root" else 0.0
        if not constant >= least or (how != "add" and not constant > 0):
            raise ValueError(f"metric_transform: constant={constant} is too small for {how!r}")
        with np.errstate(invalid="ignore"):
            new = TRANSFORMS[how](D, float(constant))
    else:
        new = np.asarray(how(D), dtype=np.float64)
    new = np.where(np.eye(len(D), dtype=bool), 0.0, new)
    return _repaired(f"transform {how if isinstance(how, str) else how.__name__}", D, new, constant)
