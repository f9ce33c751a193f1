"""ln det(A + shift I) through products alone, with what it may be wrong by.

With P = L L' + μI from a thin factor, ln det C = ln det P + tr ln(P^-1/2 C P^-1/2). The trace is
the mean of z' ln(·) z over random signs z (Hutchinson), and each of these is bracketed by two
quadrature rules of the same Lanczos steps (Golub and Meurant): Gauss' rule is too large, Radau's
rule with a node below the spectrum too small, because the even derivatives of the logarithm are
negative and the odd ones positive. Such a node is known: A - L L' is positive semi-definite, so C
is at least (shift / μ) P.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, eigh_tridiagonal
from scipy.stats import t as student

from mercer.solvers.conjugate import Matrix
from mercer.solvers.pivoted import ThinFactor

Floats = NDArray[np.float64]

PROBES = 16
STEPS = 100
SURE = 0.95
NARROW = 0.2  # a bracket this small beside the scatter of the probes needs no more steps
KEPT = 1e-9  # directions of L L' below this share of its largest eigenvalue are left to μ


@dataclass(frozen=True)
class LogDeterminant:
    """A value and the half-width of a 95 % interval around it.

    The half-width has two parts: the scatter of the random probes (Student's t, which takes their
    mean for normal), and half the bracket of the quadrature, which is certain.
    """

    value: float
    error: float
    products: int


class Whitener:
    """P = L L' + μI by the eigenvectors of its thin part: P^-1/2, and ln det P."""

    def __init__(self, thin: ThinFactor, shift: float) -> None:
        L = thin.transposed.astype(np.float64, copy=False)
        self.n = L.shape[1]
        self.mu = shift + thin.left_over / max(1, self.n)
        self.lowest = shift / self.mu  # eigenvalue of P^-1/2 C P^-1/2
        values, turned = eigh(L @ L.T) if len(L) else (np.zeros(0), np.zeros((0, 0)))
        good = values > KEPT * max(float(values.max(initial=0.0)), np.finfo(float).tiny)
        self._values = values[good]
        self._axes = (turned[:, good] / np.sqrt(self._values)).T @ L
        self._half = 1.0 / np.sqrt(1.0 + self._values / self.mu) - 1.0

    def half(self, V: Floats) -> Floats:
        """P^-1/2 times columns."""
        inside = self._half[:, None] * (self._axes @ V)
        return (V + self._axes.T @ inside) / np.sqrt(self.mu)

    def log_determinant(self) -> float:
        """Of P."""
        return self.n * float(np.log(self.mu)) + float(np.sum(np.log1p(self._values / self.mu)))


def log_determinant(
    gram: Matrix, shift: float, thin: ThinFactor, *, probes: int = PROBES, seed: int = 0
) -> LogDeterminant:
    """Logarithm of det(A + shift I) for a positive semi-definite A.

    Parameters
    ----------
    gram, shift
        The matrix by its products, and what is added to its diagonal, positive.
    thin
        A factor L of A with A - L L' positive semi-definite, such as a partial Cholesky factor; the
        closer, the smaller the error.
    probes
        Random vectors.
    seed
        Of the vectors: the same matrix gives the same number.
    """
    whitener = Whitener(thin, shift)
    signs = np.random.default_rng(seed).choice(np.array([-1.0, 1.0]), (whitener.n, probes))
    steps = _Steps(gram, shift, whitener, signs)
    low = high = np.zeros(probes)
    wanted = 1
    while steps.more(wanted):
        low, high = steps.bracket()
        scatter = float(np.std((low + high) / 2, ddof=1)) / np.sqrt(probes)
        if float(np.mean(high - low)) <= NARROW * scatter or steps.done:
            break
        wanted = steps.taken + max(2, steps.taken // 4)
    middle = (low + high) / 2
    spread = float(np.std(middle, ddof=1)) / np.sqrt(probes)
    likely = float(student.ppf(0.5 + SURE / 2, probes - 1)) * spread
    certain = float(np.mean(high - low)) / 2
    value = whitener.log_determinant() + float(np.mean(middle))
    return LogDeterminant(value, likely + certain, steps.taken)


class _Steps:
    """Lanczos from all probes at once: they share each product with the matrix."""

    def __init__(self, gram: Matrix, shift: float, whitener: Whitener, start: Floats) -> None:
        self.gram, self.shift, self.whitener = gram, shift, whitener
        self.length = np.linalg.norm(start, axis=0)
        self.basis = [start / self.length]
        self.alpha: list[Floats] = []
        self.beta: list[Floats] = []  # 0 where a probe has seen all it can
        self.most = min(STEPS, whitener.n)

    @property
    def taken(self) -> int:
        """Steps so far."""
        return len(self.alpha)

    @property
    def done(self) -> bool:
        """Whether further steps can bring nothing."""
        return self.taken >= self.most or bool(self.taken and not np.any(self.beta[-1]))

    def more(self, wanted: int) -> bool:
        """Take steps up to this number; False if none could be taken."""
        before = self.taken
        while self.taken < wanted and not self.done:
            self._step()
        return self.taken > before

    def _step(self) -> None:
        q = self.basis[-1]
        inner = self.whitener.half(q)
        image = self.whitener.half(self.gram.matmul(inner) + self.shift * inner)
        self.alpha.append(np.sum(q * image, axis=0))
        for _ in range(2):  # against all before, twice: the rules want an orthogonal basis
            for old in self.basis:
                image -= old * np.sum(old * image, axis=0)
        beta = np.linalg.norm(image, axis=0)
        beta[beta <= 1e-10 * np.abs(self.alpha[0])] = 0.0
        self.beta.append(beta)
        self.basis.append(np.divide(image, beta, out=np.zeros_like(image), where=beta > 0))

    def bracket(self) -> tuple[Floats, Floats]:
        """Radau's and Gauss' rule for z' ln(P^-1/2 C P^-1/2) z, one of each per probe."""
        found = [self._rules(probe) for probe in range(len(self.length))]
        return np.array([low for low, _ in found]), np.array([high for _, high in found])

    def _rules(self, probe: int) -> tuple[float, float]:
        alpha = np.array([a[probe] for a in self.alpha])
        beta = np.array([b[probe] for b in self.beta])
        ended = np.flatnonzero(beta == 0.0)
        if len(ended):  # the probe lies in an invariant space, where Gauss' rule is exact
            alpha, beta = alpha[: ended[0] + 1], beta[: ended[0] + 1]
        square = float(self.length[probe]) ** 2
        high = square * _rule(alpha, beta[:-1])
        if len(ended):
            return high, high
        node = self.whitener.lowest * (1.0 - 1e-9)
        pivot = alpha[0] - node  # e_m' (T - node)^-1 e_m = 1 / the last pivot of its elimination
        for a, b in zip(alpha[1:], beta[:-1], strict=True):
            pivot = a - node - b * b / pivot
        if not pivot > 0:  # rounding has put a value below the node
            return high, high
        low = square * _rule(np.append(alpha, node + beta[-1] ** 2 / pivot), beta)
        return low, high


def _rule(alpha: Floats, beta: Floats) -> float:
    """e_1' ln(T) e_1 of a tridiagonal T."""
    values, vectors = eigh_tridiagonal(alpha, beta)
    smallest = np.finfo(float).tiny
    return float(vectors[0] ** 2 @ np.log(np.maximum(values, smallest)))
