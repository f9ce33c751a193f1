"""Linear and convex quadratic programmes of any shape, with a report on their optimality.

The machines of Mercer have solvers of their own for the few shapes they need. These two take any:

    minimise ½ x'Px + q'x   subject to   Gx ≤ h,   Ax = b,   lower ≤ x ≤ upper

Quadratic ones are solved by Mehrotra's primal-dual interior-point method on dense matrices, linear
ones by HiGHS. Both return the multipliers, and how well the optimality conditions hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError, lu_factor, lu_solve
from scipy.optimize import linprog

Floats = NDArray[np.float64]
__all__ = ["NoSolution", "Optimum", "linear_programme", "quadratic_programme"]


class NoSolution(ValueError):
    """The programme is infeasible, unbounded or not convex; the message says which."""


@dataclass(frozen=True)
class Optimum:
    """A solution and its certificate.

    ``inequality`` and ``equality`` are the multipliers of Gx ≤ h (with the bounds appended: upper,
    then lower ones, where finite) and of Ax = b. The optimality conditions hold up to
    ``stationarity`` (largest entry of Px + q + G'z + A'y), ``infeasibility`` (largest violated
    constraint), ``complementarity`` (largest z·slack); ``gap`` is primal minus dual objective.
    """

    x: Floats
    objective: float
    inequality: Floats
    equality: Floats
    gap: float
    stationarity: float
    infeasibility: float
    complementarity: float
    n_iter: int

    def explain(self) -> str:
        """The report as text."""
        return (
            f"objective {self.objective:.10g} after {self.n_iter} iterations, duality gap "
            f"{self.gap:.2e}; stationarity {self.stationarity:.1e}, largest violation "
            f"{self.infeasibility:.1e}, complementarity {self.complementarity:.1e}"
        )


@dataclass(frozen=True)
class _Shape:
    P: Floats
    q: Floats
    G: Floats
    h: Floats
    A: Floats
    b: Floats

    def report(self, x: Floats, z: Floats, y: Floats, n_iter: int) -> Optimum:
        quadratic = self.P @ x
        objective = float(0.5 * x @ quadratic + self.q @ x)
        slack = self.h - self.G @ x
        dual = float(-0.5 * x @ quadratic - self.h @ z - self.b @ y)
        violated = np.concatenate([[0.0], -slack, np.abs(self.A @ x - self.b)])
        gradient = quadratic + self.q + self.G.T @ z + self.A.T @ y
        return Optimum(
            x,
            objective,
            z,
            y,
            objective - dual,
            float(np.abs(gradient).max(initial=0.0)),
            float(violated.max()),
            float(np.abs(z * slack).max(initial=0.0)),
            n_iter,
        )


def quadratic_programme(
    P: ArrayLike,
    q: ArrayLike,
    G: ArrayLike | None = None,
    h: ArrayLike | None = None,
    A: ArrayLike | None = None,
    b: ArrayLike | None = None,
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    tol: float = 1e-9,
    max_iter: int = 100,
) -> Optimum:
    """Minimise ½ x'Px + q'x subject to Gx ≤ h, Ax = b, lower ≤ x ≤ upper.

    Parameters
    ----------
    P : array of shape (n, n)
        Symmetric, without negative eigenvalues.
    q : array of shape (n,)
        The linear part.
    G, h, A, b : arrays, default=None
        Inequalities and equalities.
    lower, upper : array or float, default=None
        Bounds; infinite ones are left out.
    tol : float, default=1e-9
        To which the optimality conditions hold, relative to the data.
    max_iter : int, default=100
        Most steps; interior points need 10 to 30.

    Returns
    -------
    Optimum
        The solution with multipliers and residuals.

    Raises
    ------
    NoSolution
        Not convex, infeasible or unbounded.

    Examples
    --------
    >>> from mercer.solvers.programmes import quadratic_programme
    >>> found = quadratic_programme([[2, 0], [0, 2]], [-2, -5], G=[[1, 1]], h=[2], lower=0)
    >>> found.x.round(6).tolist()
    [0.25, 1.75]
    """
    shape = _read(P, q, G, h, A, b, lower, upper)
    values = np.linalg.eigvalsh(shape.P) if shape.P.size else np.zeros(1)
    if values[0] < -1e-9 * max(1.0, float(values[-1])):
        raise NoSolution(f"P has the eigenvalue {values[0]:.3g}: the programme is not convex")
    found = _interior(shape, tol, max_iter)
    if found is None:
        raise NoSolution(_why_not(shape))
    return found


def linear_programme(
    c: ArrayLike,
    G: ArrayLike | None = None,
    h: ArrayLike | None = None,
    A: ArrayLike | None = None,
    b: ArrayLike | None = None,
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
) -> Optimum:
    """Minimise c'x subject to Gx ≤ h, Ax = b, lower ≤ x ≤ upper; see `quadratic_programme`.

    Variables have no bounds unless they are given (scipy's ``linprog`` starts from x ≥ 0).

    Examples
    --------
    >>> from mercer.solvers.programmes import linear_programme
    >>> found = linear_programme([-1, -2], G=[[1, 1]], h=[4], lower=0, upper=[3, 3])
    >>> found.x.tolist(), found.objective
    ([1.0, 3.0], -7.0)
    """
    n = len(np.atleast_1d(c))
    shape = _read(np.zeros((n, n)), c, G, h, A, b, lower, upper)
    found = _highs(shape, shape.q)
    if found.status != 0:
        raise NoSolution(_why_not(shape))
    z = -np.asarray(found.ineqlin.marginals) if len(shape.h) else np.zeros(0)
    y = -np.asarray(found.eqlin.marginals) if len(shape.b) else np.zeros(0)
    return shape.report(np.asarray(found.x), z, y, int(found.nit))


def _read(P: Any, q: Any, G: Any, h: Any, A: Any, b: Any, lower: Any, upper: Any) -> _Shape:
    q = np.atleast_1d(np.asarray(q, dtype=np.float64))
    n = len(q)
    P = np.asarray(P, dtype=np.float64)
    if P.shape != (n, n) or not np.allclose(P, P.T, atol=1e-10 * max(1.0, np.abs(P).max())):
        raise ValueError(f"P must be a symmetric matrix of shape {(n, n)}, got shape {P.shape}")
    rows, limits = _pair(G, h, n, "G", "h")
    equal, right = _pair(A, b, n, "A", "b")
    parts, ends = [rows], [limits]
    for bound, sign in ((upper, 1.0), (lower, -1.0)):
        if bound is None:
            continue
        values = np.broadcast_to(np.asarray(bound, dtype=np.float64), (n,))
        finite = np.isfinite(values)
        parts.append(sign * np.eye(n)[finite])
        ends.append(sign * values[finite])
    found = _Shape(0.5 * (P + P.T), q, np.vstack(parts), np.concatenate(ends), equal, right)
    for name, value in vars(found).items():
        if not np.isfinite(value).all():
            raise ValueError(f"{name} has a value that is not finite")
    return found


def _pair(M: Any, v: Any, n: int, name: str, side: str) -> tuple[Floats, Floats]:
    if (M is None) != (v is None):
        raise ValueError(f"{name} and {side} belong together: pass both or neither")
    if M is None:
        return np.zeros((0, n)), np.zeros(0)
    M, v = np.atleast_2d(np.asarray(M, dtype=np.float64)), np.atleast_1d(np.asarray(v, dtype=float))
    if M.shape != (len(v), n):
        raise ValueError(f"{name} has shape {M.shape} and {side} {v.shape}: need (m, {n}) and (m,)")
    return M, v


def _interior(shape: _Shape, tol: float, max_iter: int) -> Optimum | None:
    """Mehrotra's predictor and corrector; None if it does not arrive."""
    P, q, G, h, A, b = (shape.P, shape.q, shape.G, shape.h, shape.A, shape.b)
    n, m, p = len(q), len(h), len(b)
    x, y = np.zeros(n), np.zeros(p)
    s, z = np.maximum(h - G @ x, 1.0), np.ones(m)
    size = 1.0 + max(float(np.abs(v).max(initial=0.0)) for v in (P, q, h, b))
    ridge = 1e-12 * size
    for step in range(max_iter):
        r1 = P @ x + q + G.T @ z + A.T @ y
        r2, r3 = G @ x + s - h, A @ x - b
        mu = float(s @ z) / m if m else 0.0
        worst = max(float(np.abs(r).max(initial=0.0)) for r in (r1, r2, r3))
        scale = 1.0 + abs(float(q @ x))
        if worst <= tol * size and mu <= tol * scale:
            return shape.report(x, z, y, step)
        top = P + (G.T * (z / s)) @ G + ridge * np.eye(n)
        matrix = np.block([[top, A.T], [A, -ridge * np.eye(p)]])
        try:
            factor = lu_factor(matrix)
        except (LinAlgError, ValueError):
            return None

        def direction(rc: Floats) -> tuple[Floats, Floats, Floats, Floats]:
            right = np.concatenate([-r1 - G.T @ ((z * r2 - rc) / s), -r3])  # noqa: B023
            move = lu_solve(factor, right)  # noqa: B023
            dx, dy = move[:n], move[n:]
            ds = -r2 - G @ dx  # noqa: B023
            dz = (-rc - z * ds) / s  # noqa: B023
            return dx, dy, ds, dz

        _, _, ds, dz = direction(s * z)
        reach = min(_longest(s, ds), _longest(z, dz))
        centre = ((s + reach * ds) @ (z + reach * dz) / m / mu) ** 3 if m and mu > 0 else 0.0
        dx, dy, ds, dz = direction(s * z + ds * dz - centre * mu)
        reach = min(1.0, 0.99 * _longest(s, ds), 0.99 * _longest(z, dz)) if m else 1.0
        x, y, s, z = x + reach * dx, y + reach * dy, s + reach * ds, z + reach * dz
        if max(float(np.abs(v).max(initial=0.0)) for v in (x, y, z)) > 1e14 * size:
            return None  # multipliers of an infeasible programme, or points of an unbounded one
    return None


def _longest(value: Floats, move: Floats) -> float:
    """How far one may go before an entry becomes zero, at most 1/0.99."""
    down = move < 0
    return float(min((-value[down] / move[down]).min(initial=np.inf), 1.0 / 0.99))


def _highs(shape: _Shape, c: Floats) -> Any:
    return linprog(
        c,
        A_ub=shape.G if len(shape.h) else None,
        b_ub=shape.h if len(shape.h) else None,
        A_eq=shape.A if len(shape.b) else None,
        b_eq=shape.b if len(shape.b) else None,
        bounds=(None, None),
        method="highs",
    )


def _why_not(shape: _Shape) -> str:
    """Infeasible, unbounded, or stuck."""
    if _highs(shape, np.zeros(len(shape.q))).status == 2:
        return "the programme is infeasible: no x satisfies all constraints"
    # a direction in which nothing stops x and the objective falls
    falling = linprog(
        shape.q,
        A_ub=shape.G if len(shape.h) else None,
        b_ub=np.zeros(len(shape.h)) if len(shape.h) else None,
        A_eq=np.vstack([shape.A, shape.P]),
        b_eq=np.zeros(len(shape.b) + len(shape.q)),
        bounds=(-1, 1),
        method="highs",
    )
    if falling.status == 0 and falling.fun < -1e-9 * max(1.0, float(np.abs(shape.q).max())):
        return "the programme is unbounded: the objective falls for ever along a direction"
    return "no optimum was reached: scale the data, or raise max_iter or tol"
