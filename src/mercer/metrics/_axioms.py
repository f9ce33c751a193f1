"""Is this matrix a metric, and is it Euclidean? Is that one a similarity, and a kernel?

The axioms are those of von Luxburg's thesis, I.1.3: D1 to D5 for distances, S1 to S4 for
similarities; each is reported with its worst violation, where it is and how many there are.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.csgraph import shortest_path

from mercer._types import Samples

Floats = NDArray[np.float64]
EXACT = 2000  # objects up to which every triangle is looked at
_WORDS = {
    "D1": "d(x, x) = 0",
    "D2": "d(x, y) >= 0",
    "D3": "d(x, y) = d(y, x)",
    "D4": "d(x, y) = 0 only for x = y",
    "D5": "d(x, z) <= d(x, y) + d(y, z)",
    "S1": "s(x, x) > 0",
    "S2": "s(x, y) = s(y, x)",
    "S3": "s(x, y) >= 0",
    "S4": "positive semi-definite",
}


@dataclass(frozen=True)
class Axiom:
    """One axiom on one matrix: the worst violation, its place (indices), and how many.

    ``among`` is the number of objects looked at, where those were not all.
    """

    code: str
    holds: bool
    worst: float = 0.0
    place: tuple[int, ...] = ()
    count: int = 0
    among: int | None = None

    @property
    def statement(self) -> str:
        """The axiom as a formula."""
        return _WORDS[self.code]

    def explain(self) -> str:
        """One line for people."""
        if self.holds and self.among is not None:
            return f"{self.code}  ?    {self.statement}: no violation among {self.among} objects"
        if self.holds:
            return f"{self.code}  yes  {self.statement}"
        where = f" at {self.place}" if self.place else ""
        many = f", {self.count:,} violations" if self.count else ""
        return f"{self.code}  NO   {self.statement}: off by {self.worst:.4g}{where}{many}"


@dataclass(frozen=True)
class MetricReport:
    """What `report` found about a matrix of distances.

    Attributes
    ----------
    n, n_used : objects, and how many of them (a random subset) D5 and the spectrum looked at
    axioms : D1 to D5
    kind : "Euclidean metric", "metric", "semi-metric", "distance function" or "no distance"; with
        "on k objects" if no more were looked at
    diameter : the largest entry
    smallest_eigenvalue, signature, dimension : of B = -½ J D² J. Schoenberg: D is Euclidean if and
        only if no eigenvalue is negative; ``signature`` counts positive and negative ones, and
        ``dimension`` is that of the embedding (pseudo-Euclidean if some are negative).
    """

    n: int
    n_used: int
    axioms: tuple[Axiom, ...]
    kind: str
    diameter: float
    smallest_eigenvalue: float
    largest_eigenvalue: float
    signature: tuple[int, int]
    dimension: int
    zero_pairs: tuple[tuple[int, int], ...] = ()

    @property
    def euclidean(self) -> bool:
        """Whether the squared distances have negative type."""
        return self.signature[1] == 0 and self["D3"].holds and self["D1"].holds

    @property
    def is_metric(self) -> bool:
        """Whether D1 to D5 all hold; False if only some of the objects were looked at."""
        return all(axiom.holds and axiom.among is None for axiom in self.axioms)

    def __getitem__(self, code: str) -> Axiom:
        return next(axiom for axiom in self.axioms if axiom.code == code)

    def explain(self) -> str:
        """A few lines for people."""
        lines = [f"{self.n} objects, diameter {self.diameter:.4g}: {self.kind}"]
        if self.n_used < self.n:
            lines.append(f"(triangles and eigenvalues: {self.n_used} objects drawn at random)")
        lines += [axiom.explain() for axiom in self.axioms]
        p, q = self.signature
        shape = (
            f"{p} positive and {q} negative eigenvalues, smallest {self.smallest_eigenvalue:.4g}"
        )
        lines.append(("Euclidean: " if self.euclidean else "not Euclidean: ") + shape)
        lines += [f"-> {hint}" for hint in self.advice()]
        return "\n".join(lines)

    def advice(self) -> list[str]:
        """What to do about it, by the names of the functions."""
        hints = []
        if not self["D2"].holds:
            return ["negative entries are no distances: find out what they mean before a repair"]
        if not self["D3"].holds:
            hints.append("symmetrise(D), if both directions should count the same")
        if not self["D4"].holds and self["D2"].holds:
            hints.append("merge_zero_distances(D): no learner can tell such objects apart")
        if not self["D5"].holds:
            hints.append(
                "shortest_paths(D) or additive_constant(D) restore the triangle inequality"
            )
        if not self.euclidean:
            hints.append("lingoes(D) or cailliez(D) make it Euclidean; or learn from the distances")
        return hints

    def to_dict(self) -> dict[str, Any]:
        """Plain types, for JSON."""
        return {**asdict(self), "euclidean": self.euclidean, "is_metric": self.is_metric}


def as_square(D: Samples, name: str = "D") -> Floats:
    """A finite square float array, or an error that says what and where."""
    D = np.asarray(D, dtype=np.float64)
    if D.ndim != 2 or D.shape[0] != D.shape[1] or D.shape[0] == 0:
        raise ValueError(f"{name} must be a square matrix, got shape {D.shape}")
    bad = np.argwhere(~np.isfinite(D))
    if len(bad):
        i, j = bad[0]
        raise ValueError(
            f"{name}[{i}, {j}] is {D[i, j]}: {len(bad)} of its entries are NaN or infinite; fill "
            "or leave out those objects first"
        )
    return D


def report(
    D: Samples, tol: float | None = None, max_rows: int = EXACT, random_state: int = 0
) -> MetricReport:
    """Check the axioms of a distance on a square matrix, and whether it is Euclidean.

    Parameters
    ----------
    D : array of shape (n, n)
    tol : float, optional
        Absolute tolerance; by default 1e-9 of the largest entry.
    max_rows : int
        Triangles (n³ of them) and eigenvalues are checked on at most so many objects: if there are
        more, on a random subset, and the report says so.
    """
    D = as_square(D)
    n = len(D)
    if tol is None:
        tol = 1e-9 * float(np.max(np.abs(D)))
    index = np.arange(n)
    if n > max_rows:
        index = np.sort(np.random.default_rng(random_state).choice(n, max_rows, replace=False))
    part = D[np.ix_(index, index)]
    zero = [] if n < 2 else np.argwhere(np.triu((tol >= abs(D)) | (tol >= abs(D.T)), 1)).tolist()
    axioms = (
        _entry("D1", np.diag(np.abs(np.diag(D))), tol),
        _entry("D2", -D, tol),
        _entry("D3", np.triu(np.abs(D - D.T)), tol),
        Axiom("D4", not zero, 0.0, tuple(zero[0]) if zero else (), len(zero)),
        _triangles(part, index, n, tol),
    )
    values = negative_type_spectrum(part)
    scale = max(float(np.max(np.abs(values))), 1e-300) * 1e-9
    signature = (int(np.sum(values > scale)), int(np.sum(values < -scale)))
    return MetricReport(
        n=n,
        n_used=len(index),
        axioms=axioms,
        kind=_kind({a.code: a.holds for a in axioms}, signature[1] == 0)
        + (f" on {len(index)} objects" if len(index) < n else ""),
        diameter=float(D.max()),
        smallest_eigenvalue=float(values[0]),
        largest_eigenvalue=float(values[-1]),
        signature=signature,
        dimension=sum(signature),
        zero_pairs=tuple((i, j) for i, j in zero[:1000]),
    )


def _entry(code: str, violation: Floats, tol: float) -> Axiom:
    worst = float(violation.max())
    if worst <= tol:
        return Axiom(code, True)
    place = tuple(int(i) for i in np.unravel_index(int(violation.argmax()), violation.shape))
    return Axiom(code, False, worst, place, int(np.count_nonzero(violation > tol)))


def _triangles(D: Floats, index: NDArray[Any], n: int, tol: float) -> Axiom:
    """d(x, z) - d(x, y) - d(y, z) over all triples (x, y, z) of different objects."""
    among = len(D) if len(index) < n else None
    if _are_paths(D, tol):
        return Axiom("D5", True, among=among)
    worst, count = tol, 0
    place: tuple[int, ...] = ()
    for y in range(len(D)):
        excess = D - (D[:, [y]] + D[[y], :])
        excess[y] = excess[:, y] = -np.inf
        np.fill_diagonal(excess, -np.inf)
        count += int(np.count_nonzero(excess > tol))
        if excess.max() > worst:
            x, z = np.unravel_index(int(excess.argmax()), excess.shape)
            worst, place = float(excess[x, z]), (int(index[x]), int(index[y]), int(index[z]))
    if not place:
        return Axiom("D5", True, among=among)
    return Axiom("D5", False, worst, place, count, among)


def _are_paths(D: Floats, tol: float) -> bool:
    """Whether no way round is shorter, which compiled code says sooner than all triples do."""
    if D.min() < 0:
        return False
    return bool(np.all(D - shortest_path(all_joined(D), method="FW") <= tol))


def all_joined(D: Floats) -> Any:
    """Distances as a graph of SciPy's, which leaves out zeros, and of plain arrays what is near."""
    least = np.maximum(D, np.finfo(float).tiny)
    return np.ma.masked_array(least, mask=np.zeros(D.shape, dtype=bool))


def double_centred(D: Floats) -> Floats:
    """B = -½ J D² J of the symmetric part: inner products around the centre, if there are any."""
    squares = ((D + D.T) / 2.0) ** 2
    B = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    return -0.5 * B


def negative_type_spectrum(D: Floats) -> Floats:
    """Eigenvalues of B, ascending; all at least zero if and only if D is Euclidean (Schoenberg)."""
    return eigh(double_centred(D), eigvals_only=True)


def _kind(holds: dict[str, bool], euclidean: bool) -> str:
    if not (holds["D1"] and holds["D2"]):
        return "no distance"
    if not (holds["D3"] and holds["D5"]):
        return "distance function"
    if not holds["D4"]:
        return "semi-metric"
    return "Euclidean metric" if euclidean else "metric"


@dataclass(frozen=True)
class SimilarityReport:
    """What `similarity_report` found: S1 to S4, the smallest eigenvalue, range, normalisation."""

    n: int
    axioms: tuple[Axiom, ...]
    smallest_eigenvalue: float
    largest_eigenvalue: float
    range: tuple[float, float]
    normalised: bool

    def __getitem__(self, code: str) -> Axiom:
        return next(axiom for axiom in self.axioms if axiom.code == code)

    @property
    def kernel(self) -> bool:
        """Symmetric and positive semi-definite."""
        return self["S2"].holds and self["S4"].holds

    def explain(self) -> str:
        """A few lines for people."""
        what = "a kernel matrix" if self.kernel else "no kernel matrix"
        first = f"{self.n} objects, values from {self.range[0]:.4g} to {self.range[1]:.4g}: {what}"
        return "\n".join([first, *(axiom.explain() for axiom in self.axioms)])

    def to_dict(self) -> dict[str, Any]:
        """Plain types, for JSON."""
        return {**asdict(self), "kernel": self.kernel}


def similarity_report(S: Any, tol: float | None = None) -> SimilarityReport:
    """Check the axioms of a similarity on a square matrix."""
    S = as_square(S, "S")
    if tol is None:
        tol = 1e-9 * float(np.max(np.abs(S)))
    diagonal = np.diagonal(S)
    values = eigh((S + S.T) / 2.0, eigvals_only=True)
    lowest = float(values[0])
    allowed = max(tol, 10 * len(S) * np.finfo(float).eps * float(np.max(np.abs(values))))
    worst = int(diagonal.argmin())
    axioms = (
        Axiom("S1", True)
        if diagonal[worst] > 0
        else Axiom("S1", False, float(abs(diagonal[worst])), (worst,), int(np.sum(diagonal <= 0))),
        _entry("S2", np.triu(np.abs(S - S.T)), tol),
        _entry("S3", -S, tol),
        Axiom("S4", True)
        if lowest >= -allowed
        else Axiom("S4", False, -lowest, (), int(np.sum(values < -allowed))),
    )
    limits = (float(S.min()), float(S.max()))
    return SimilarityReport(
        len(S), axioms, lowest, float(values[-1]), limits, bool(np.all(np.abs(diagonal - 1) <= tol))
    )
