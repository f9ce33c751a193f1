"""A laboratory for the convergence of spectral clustering (von Luxburg 2004, chapter II).

A `Population` is a similarity and a law. Its limit operators are solved by quadrature, samples of
growing size are drawn from it, and `convergence` measures how far eigenvalues and eigenvectors of
a sample's Laplacian are from those of the limit: in supremum over the sample and in L2(P_n), up to
sign. Normalized Laplacians converge under mild conditions (theorems II.15, II.20); the plain one
only where the limit has an eigenvalue outside the range of the degree function (theorem II.11).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import RandomState
from mercer.kernels.vectors.gaussian import Gaussian
from mercer.learners.spectral.laplacians import KINDS, eigenpairs
from mercer.learners.spectral.quadrature import (
    Eigenfunctions,
    PiecewiseConstant,
    counterexample_density,
    operator_spectrum,
)

Floats = NDArray[np.float64]
CLOSE = 1e-2  # share of the smallest degree within which an eigenvalue counts as inside its range


@dataclass(frozen=True)
class Population:
    """A law on an interval or a box, and a similarity.

    ``kernel`` is a function of two arrays of rows, ``density`` a `PiecewiseConstant`, ``nodes`` how
    many nodes the quadrature has along each coordinate.
    """

    kernel: Any
    density: PiecewiseConstant
    name: str = ""
    nodes: int = 120

    @property
    def low(self) -> Floats:
        """The lower corner."""
        return np.array([edges[0] for edges in self.density.axes])

    @property
    def high(self) -> Floats:
        """The upper corner."""
        return np.array([edges[-1] for edges in self.density.axes])

    def sample(self, n: int, random_state: RandomState = 0) -> Floats:
        """Rows of shape (n, d)."""
        return self.density.sample(n, random_state)

    def similarity(self, X: Floats, Y: Floats | None = None) -> Floats:
        """K of all pairs of rows."""
        return np.asarray(self.kernel(X, X if Y is None else Y), dtype=np.float64)

    def limit(self, laplacian: str = "symmetric", k: int = 3) -> Limit:
        """Eigenvalues and eigenfunctions that samples should converge to."""
        if laplacian not in KINDS:
            raise ValueError(f"laplacian must be one of {KINDS}, got {laplacian!r}")
        d = len(self.low)
        rows = self.kernel if d > 1 else _rows_of_numbers(self.kernel)
        low, high = (self.low, self.high) if d > 1 else (self.low[0], self.high[0])
        found = operator_spectrum(
            rows, self.density, low, high, operator=laplacian, k=k + 1, n=self.nodes
        )
        values = found.values if laplacian == "unnormalized" else 1.0 - found.values
        degrees = self._degrees(found)
        least = float(degrees.min())
        # μ = 0, λ = 1 is where all other eigenvalues of the normalised operators accumulate
        edge = least * (1.0 - CLOSE) if laplacian == "unnormalized" else 1.0 - CLOSE
        return Limit(laplacian, values, values < edge, found, (least, float(degrees.max())))

    def _degrees(self, found: Eigenfunctions) -> Floats:
        """The degree function on a grid with the ends, where it is often least."""
        count = 400 if len(self.low) == 1 else 40
        sides = [np.linspace(a, b, count) for a, b in zip(self.low, self.high, strict=True)]
        grid = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, len(self.low))
        nodes = found.nodes[:, None] if found.nodes.ndim == 1 else found.nodes
        return self.similarity(grid, nodes) @ found.weights


@dataclass(frozen=True)
class Limit:
    """What a Laplacian converges to; ``exists`` says for which indices it does.

    ``values`` are Laplacian eigenvalues, rising, the zero first: of L/n without normalisation,
    where nothing is known to converge inside ``degree_range``.
    """

    laplacian: str
    values: Floats
    exists: NDArray[np.bool_]
    functions: Eigenfunctions
    degree_range: tuple[float, float]

    def at(self, X: Floats) -> Floats:
        """Eigenfunctions at rows, of mean square one under the law."""
        return self.functions.extend(X)


@dataclass(frozen=True)
class Errors:
    """One sample: distances to the limit for eigenvectors 1, 2, … (the constant is 0).

    ``sup`` and ``l2`` are nan where the limit has no eigenfunction. ``peak`` is the largest share
    of an eigenvector's squared length on one point: near 1 it is a spike, which tells nothing.
    ``smaller_side`` is the share of points on the smaller side of its sign.
    """

    n: int
    values: Floats
    value_error: Floats
    sup: Floats
    l2: Floats
    peak: Floats
    smaller_side: Floats


@dataclass(frozen=True)
class Study:
    """All samples of a study, by size."""

    population: Population
    limit: Limit
    runs: tuple[Errors, ...]

    @property
    def sizes(self) -> NDArray[np.intp]:
        """The sample sizes, each once."""
        return np.unique([run.n for run in self.runs])

    def mean(self, what: str = "sup") -> Floats:
        """Mean over the repetitions, one row per size and one column per eigenvector."""
        return np.array(
            [
                np.mean([getattr(run, what) for run in self.runs if run.n == n], axis=0)
                for n in self.sizes
            ]
        )

    def frame(self) -> dict[str, list[float]]:
        """Every number, as columns."""
        names = ("values", "value_error", "sup", "l2", "peak", "smaller_side")
        columns: dict[str, list[float]] = {name: [] for name in ("n", "eigenvector", *names)}
        for run in self.runs:
            for j in range(len(run.values)):
                columns["n"].append(run.n)
                columns["eigenvector"].append(j + 1)
                for name in names:
                    columns[name].append(float(getattr(run, name)[j]))
        return columns


def convergence(
    population: Population,
    sizes: Sequence[int] = (100, 200, 400, 800),
    *,
    laplacian: str = "symmetric",
    k: int = 2,
    repeats: int = 5,
    random_state: RandomState = 0,
) -> Study:
    """Samples of growing size against their limit.

    Parameters
    ----------
    population : Population
        Law and similarity, such as `line`, `square` or `counterexample`.
    sizes : sequence of int, default=(100, 200, 400, 800)
        Sample sizes.
    laplacian : {"symmetric", "random-walk", "unnormalized"}, default="symmetric"
        Which Laplacian; without normalisation its eigenvalues are those of L/n.
    k : int, default=2
        Eigenvectors after the constant one.
    repeats : int, default=5
        Samples of each size.
    random_state : int, Generator or None, default=0
        For the samples.

    Examples
    --------
    >>> from mercer.learners.spectral.convergence import convergence, line
    >>> study = convergence(line(), (50, 800), k=1, repeats=3)
    >>> few, many = study.mean("sup")[:, 0]
    >>> bool(many < 0.5 * few)
    True
    """
    limit = population.limit(laplacian, k)
    rng = np.random.default_rng(random_state)
    runs = [
        measure(population, limit, population.sample(n, rng)) for n in sizes for _ in range(repeats)
    ]
    return Study(population, limit, tuple(runs))


def measure(population: Population, limit: Limit, X: Floats) -> Errors:
    """One sample against the limit."""
    n, k = len(X), len(limit.values) - 1
    values, vectors = eigenpairs(population.similarity(X), k + 1, limit.laplacian)
    if limit.laplacian == "unnormalized":
        values = values / n
    vectors = vectors[:, 1:] * np.sqrt(n) / np.linalg.norm(vectors[:, 1:], axis=0)
    sup, l2 = np.full(k, np.nan), np.full(k, np.nan)
    if limit.exists[1:].any():
        functions = limit.at(X)[:, 1:]
        for j in np.flatnonzero(limit.exists[1:]):
            sup[j], l2[j] = aligned_errors(vectors[:, j], functions[:, j])
    share = np.mean(vectors > 0, axis=0)
    return Errors(
        n,
        values[1:],
        np.abs(values[1:] - limit.values[1:]),
        sup,
        l2,
        np.max(vectors**2, axis=0) / n,
        np.minimum(share, 1.0 - share),
    )


def aligned_errors(vector: Floats, function: Floats) -> tuple[float, float]:
    """Supremum and root mean square of the difference, for the better of the two signs."""
    gaps = [np.abs(vector - sign * function) for sign in (1.0, -1.0)]
    best = min(gaps, key=lambda gap: float(np.mean(gap**2)))
    return float(best.max()), float(np.sqrt(np.mean(best**2)))


# -- populations -----------------------------------------------------------------------------------


def line(length_scale: float = 0.3, valley: float = 0.3) -> Population:
    """Two dense parts of [0, 3] of unequal mass with a valley between them, Gaussian similarity."""
    density = PiecewiseConstant((0.0, 1.0, 2.0, 3.0), (2.0, valley, 1.0))
    return Population(Gaussian(length_scale), density, "line", nodes=240)


def square(length_scale: float = 0.5, valley: float = 0.2) -> Population:
    """Two dense columns of [0, 3] × [0, 1] of unequal mass, Gaussian similarity."""
    density = PiecewiseConstant(((0.0, 1.0, 2.0, 3.0), (0.0, 1.0)), [[2.0], [valley], [1.0]])
    return Population(Gaussian(length_scale), density, "square", nodes=30)


def uneven(contrast: float = 0.25, r: float = 0.5) -> Population:
    """k(x, y) = xy (1 + c t(x) t(y)) on [1, 2], t rising from −1 to 1 at the valley.

    The normalised operator has the eigenvalue μ = c or so, whose function tells the two dense parts
    apart. In the plain one the cut costs 2.25 (1 − c), which below c = 1/3 lies in the range
    [1.5, 3] of the degrees: samples of the same law and similarity then converge with, and do not
    converge without normalisation. The thesis' own counterexample has no second eigenvalue either
    way.
    """
    if not 0.0 < contrast < 1.0:
        raise ValueError(f"contrast must lie in (0, 1), got {contrast!r}")

    def kernel(X: Floats, Y: Floats) -> Floats:
        x, y = X[:, 0], Y[:, 0]
        sides = np.outer(np.tanh((x - 1.5) / 0.1), np.tanh((y - 1.5) / 0.1))
        return np.outer(x, y) * (1.0 + contrast * sides)

    return Population(kernel, counterexample_density(r), f"uneven, c = {contrast:g}")


def counterexample(r: float = 0.5) -> Population:
    """k(x, y) = xy on [1, 2]: the plain Laplacian has no second eigenvalue outside its degrees."""
    return Population(_product_of_numbers, counterexample_density(r), f"counterexample, r = {r:g}")


def _product_of_numbers(X: Floats, Y: Floats) -> Floats:
    return np.outer(X[:, 0], Y[:, 0])


def _rows_of_numbers(kernel: Any) -> Any:
    """A function of rows as one of broadcast numbers, which is what an interval asks for."""
    return lambda a, b: np.asarray(kernel(np.reshape(a, (-1, 1)), np.reshape(b, (-1, 1))))
