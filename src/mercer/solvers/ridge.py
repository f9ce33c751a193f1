"""(K + αI) c = y: which method for which matrix, and how well it was solved."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from mercer import _config
from mercer.gram import DenseGram
from mercer.solvers import conjugate, single
from mercer.solvers.pivoted import ThinFactor, thin_factor
from mercer.solvers.scaled import ScaledGram
from mercer.solvers.spectral import decompose

Floats = NDArray[np.float64]

DIRECT = 1500  # rows: below, a Cholesky factor takes a blink
THIN_RANK = 800
PROBE = 256  # columns of a first thin factor that tells how many steps there will be
EASY = 1.0  # what it leaves of the average eigenvalue, over the shift
PRODUCTS = 160  # n / PRODUCTS products with the matrix take as long as one Cholesky factor
PATIENT = 5000  # products where there is no alternative
METHODS = ("auto", "cholesky", "cg", "eigen")


@dataclass(frozen=True)
class RidgeSolution:
    """Coefficients and how they came about."""

    coef: Floats
    method: str  # "cholesky", "cholesky, single precision, refined", "cg", "low rank", "eigen"
    error: float  # backward error ‖y − (K + αI)c‖ / (‖K‖‖c‖ + ‖y‖) if measured, else nan
    products: int = 0


def solve(
    gram: ScaledGram,
    shift: float,
    b: Floats,
    *,
    method: str = "auto",
    mixed: bool = True,
    tol: float = 1e-17,
) -> RidgeSolution:
    """Solve (A + shift I) c = b for the columns of ``b``.

    ``"cg"`` takes products with A alone, preconditioned by a thin Cholesky factor, until its
    backward error is that of a direct solve. ``"auto"`` does that on large matrices for as long as
    a Cholesky factor would take, and then takes that; with ``mixed`` the matrix is held in single
    precision, if memory allows, and steers what double precision corrects.
    """
    if method == "eigen" or shift == 0:
        return _by_eigenvectors(gram, shift, b)
    if method == "cholesky" or (method == "auto" and gram.n <= DIRECT):
        return _direct(gram, shift, b)
    gram = _held(gram)
    if mixed and method == "auto":
        remainder = _thin(gram, PROBE, mixed).left_over / gram.n
        # Where few steps will do, products without any n × n array are the fastest.
        found = single.solve(gram, shift, b, tol, remainder) if remainder > EASY * shift else None
        if found is not None:
            return RidgeSolution(found[1].x, found[0], found[1].error, found[1].products)
    direct = method == "auto" and _config.memory_limit() >= 8 * gram.n**2
    most = max(30, gram.n // PRODUCTS) if direct else PATIENT
    # Threads of BLAS that spin between its small products would take the cores from the kernel's.
    with threadpool_limits(1, user_api="blas"):
        light = mixed and method == "auto"  # patient steps at tiny shifts need all digits
        thin = _thin(gram, int(np.clip(gram.n // 8, 100, THIN_RANK)), light)
        answer = _iterate(gram, shift, b, thin, mixed=mixed, tol=tol, most=most)
    if answer is not None:
        return RidgeSolution(answer.x, "cg", answer.error, answer.products)
    if direct:
        return _direct(gram, shift, b)
    return _unfinished(gram, shift, b, thin, most)


def _thin(gram: ScaledGram, rank: int, mixed: bool) -> ThinFactor:
    """A thin factor to precondition with: single precision will do."""
    light = gram.single() if mixed else None
    return thin_factor(gram, rank) if light is None else thin_factor(light, rank, tol=1e-6)


def _iterate(
    gram: ScaledGram,
    shift: float,
    b: Floats,
    thin: ThinFactor,
    *,
    mixed: bool,
    tol: float,
    most: int,
) -> conjugate.Answer | None:
    try:
        light = gram.single() if mixed else None
        preconditioner = conjugate.ThinPreconditioner(thin, shift)
        found = conjugate.solve(gram, shift, b, preconditioner, light=light, tol=tol, most=most)
        if found is None and light is not None and most >= PATIENT:
            found = conjugate.solve(gram, shift, b, preconditioner, tol=tol, most=most)
        return found
    except (conjugate.NotDefiniteError, LinAlgError):
        return None


def _unfinished(
    gram: ScaledGram, shift: float, b: Floats, thin: ThinFactor, most: int
) -> RidgeSolution:
    """Neither memory nor the steps suffice: the best that can be had, and a word."""
    preconditioner = conjugate.ThinPreconditioner(thin, shift)
    answer = conjugate.solve(gram, shift, b, preconditioner, tol=1e-9, most=most)
    if answer is None:
        raise ValueError(
            f"conjugate gradients did not solve the {gram.n} x {gram.n} ridge system at "
            f"alpha={shift:g} in {most} products, or the kernel is not positive semi-definite. "
            "Use a larger alpha, fewer rows, solver='cholesky', or raise the memory limit."
        )
    warnings.warn(
        f"the ridge system was solved to a backward error of {answer.error:.1e} only; a larger "
        f"alpha (now {shift:g}) converges faster",
        ConvergenceWarning,
        stacklevel=4,
    )
    return RidgeSolution(answer.x, "cg", answer.error, answer.products)


def _held(gram: ScaledGram) -> ScaledGram:
    """The matrix itself in place of a kernel whose values are dear, if memory allows."""
    if gram.cheap() or not gram.gram.fits(1):
        return gram
    return ScaledGram(DenseGram(gram.gram.dense(), validate=False), gram.factor)


def _factor(gram: ScaledGram, shift: float) -> Floats | None:
    """Cholesky factor (lower, of the transposed array) in one n × n array; None if not definite."""
    _config.reserve(
        8 * gram.n**2,
        "A Cholesky factorisation of the kernel matrix",
        "Use solver='cg', fewer rows, or raise the limit with mercer.set_config(memory_limit=...).",
    )
    A = gram.dense()
    A[np.diag_indices_from(A)] += shift
    factor, info = dpotrf(A.T, lower=1, clean=0, overwrite_a=1)
    return factor if info == 0 else None


def _direct(gram: ScaledGram, shift: float, b: Floats) -> RidgeSolution:
    factor = _factor(gram, shift)
    if factor is None:
        warnings.warn(
            f"the kernel matrix plus {shift:g} on the diagonal is not positive definite: the "
            "solution comes from its eigenvectors. Duplicates with a tiny alpha, or a kernel that "
            "is not positive semi-definite (mercer.check_psd), are the usual reasons.",
            UserWarning,
            stacklevel=4,
        )
        return _by_eigenvectors(gram, shift, b)
    x, _ = dpotrs(factor, b, lower=1)
    return RidgeSolution(x, "cholesky", float("nan"))


def _by_eigenvectors(gram: ScaledGram, shift: float, b: Floats) -> RidgeSolution:
    spectrum = decompose(gram, shift)
    return RidgeSolution(spectrum.solve(shift, b), spectrum.name, float("nan"))


def inverse_diagonal(gram: ScaledGram, shift: float) -> Floats:
    """Diagonal of (A + shift I)⁻¹ at one shift."""
    factor = _factor(gram, shift) if shift > 0 else None
    if factor is None:
        return decompose(gram, shift).inverse_diagonal(shift)
    inverse, _ = dpotri(factor, lower=1, overwrite_c=1)
    return np.diagonal(inverse).copy()
