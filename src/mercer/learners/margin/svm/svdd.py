"""The smallest ball around the data in feature space."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._types import Samples
from mercer.bounds import Evidence
from mercer.kernels.structured.from_callable import UserFunction
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.validate import n_rows
from mercer.learners._brief import Brief
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._in_kernel_space import KernelSpace
from mercer.learners._kernel import gram_of_points
from mercer.learners.margin.svm._base import MarginFitted
from mercer.learners.margin.svm._evidence import accuracy, compression, shared_facts
from mercer.learners.margin.svm._tasks import Ground, Tasks
from mercer.learners.margin.svm.machine import Machine, read_machine
from mercer.learners.margin.svm.one_class import OneClassSVM
from mercer.learners.margin.svm.training import Budget
from mercer.solvers import problems, smo
from mercer.solvers.quadratic import BoxProblem, Solution

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class BallFitted(MarginFitted):
    """The machine, with the ball that it describes."""

    ball: float  # its radius
    centre_norm: float
    inside: Floats  # R² minus the squared distance to the centre, of the rows trained on


class SVDD(OneClassSVM):
    r"""Support vector data description: the smallest ball that holds most of the data.

    Minimises :math:`R^2 + \frac1{\nu n}\sum_i\xi_i` with
    :math:`\|\phi(x_i)-c\|^2\le R^2+\xi_i`. For kernels with constant k(x, x), such as the Gaussian,
    it describes the same region as :class:`OneClassSVM`. With ``nu=1/n`` or less no point may stay
    outside: the smallest enclosing ball.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, shrinking, cache_size
    verbose, max_iter, time_limit, warm_start, n_jobs, certify, delta
        As in :class:`OneClassSVM`. With "precomputed" and k(x, x) that is not the same for all
        training points, answers about new points need theirs: ``predict(K, diagonal=...)``.
    nu : float, default=0.5
        Upper bound on the share of training points outside the ball, in (0, 1].

    Attributes
    ----------
    radius_ : float
        R.
    offset_ : ndarray of shape (1,)
        ``decision_function = score_samples - offset_``.
    support_, support_vectors_, dual_coef_
        The centre is ``sum_i dual_coef_i φ(x_i)``; the coefficients add up to one.
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`OneClassSVM`.

    References
    ----------
    Tax and Duin 2004.

    Examples
    --------
    >>> from mercer.learners.margin import SVDD
    >>> ball = SVDD(kernel="linear", nu=0.25, tol=1e-6).fit([[0.0], [1.0], [3.0], [4.0]])
    >>> round(float(ball.radius_), 3), ball.predict([[2.0], [9.0]])
    (2.0, array([ 1, -1]))
    """

    fitted_: BallFitted

    def _problem(
        self, rows: Any, target: ArrayLike, weight: ArrayLike, ground: Ground
    ) -> BoxProblem:
        return ball_problem(ground.diagonal, self.nu, rows=rows, n=ground.n, weight=weight)

    def _read(
        self, problem: BoxProblem, solution: Solution, target: Any, weight: Any, ground: Ground
    ) -> Machine:
        total = float(solution.alpha.sum())  # the solver's scale: Σα = νn
        return read_machine(problem, solution, target, weight, scale=total)

    def _record(
        self,
        sample: TrainingSample,
        space: KernelSpace,
        tasks: Tasks,
        machines: tuple[Machine, ...],
        budget: Budget,
        ground: Ground,
    ) -> BallFitted:
        whole = super()._record(sample, space, tasks, machines, budget, ground)
        machine = machines[0]
        centre_norm = float(machine.coef @ machine.output)
        threshold = machine.solution.offsets[0] / machine.scale
        ball = math.sqrt(max(centre_norm - 2.0 * threshold, 0.0))
        away = ground.diagonal[machine.rows] - 2.0 * machine.output + centre_norm
        held = {name.name: getattr(whole, name.name) for name in fields(whole)}
        return BallFitted(
            **held | {"intercept": np.zeros(1)},
            ball=ball,
            centre_norm=centre_norm,
            inside=ball**2 - away,
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, BallFitted)
        self.radius_ = fitted.ball
        self.offset_ = np.array([-(self.radius_**2)])

    def _expansion(self) -> None:
        """None: the distance to the centre also needs k(x, x)."""

    def score_samples(self, X: Samples, diagonal: Any = None) -> Floats:
        """Minus the squared distance to the centre.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; with ``kernel="precomputed"`` their values against the training rows.
        diagonal : array-like of shape (n_samples,), default=None
            k(x, x) of the new points, for kernels that do not tell it: precomputed ones and plain
            functions. Not needed where it was the same for all training points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Larger is more typical.
        """
        rows = self._query(X)
        values = self._machine_outputs(rows)[:, 0]
        return -(self._own(rows, diagonal) - 2.0 * values + self.fitted_.centre_norm)

    def decision_function(self, X: Samples, diagonal: Any = None) -> Floats:
        """R² minus the squared distance to the centre: positive inside.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; with ``kernel="precomputed"`` their values against the training rows.
        diagonal : array-like of shape (n_samples,), default=None
            As in :meth:`score_samples`.

        Returns
        -------
        ndarray of shape (n_samples,)
            ``score_samples(X) - offset_``.
        """
        return self.score_samples(X, diagonal) - self.offset_

    def predict(self, X: Any, diagonal: Any = None) -> NDArray[np.intp]:
        """+1 for points inside the ball, -1 for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; with ``kernel="precomputed"`` their values against the training rows.
        diagonal : array-like of shape (n_samples,), default=None
            As in :meth:`score_samples`.

        Returns
        -------
        ndarray of shape (n_samples,)
            +1 or -1.
        """
        return np.where(self.decision_function(X, diagonal) > 0, 1, -1).astype(np.intp)

    def fit_predict(
        self, X: Samples, y: ArrayLike | None = None, **params: Any
    ) -> NDArray[np.intp]:
        """Train, and say which of the training points are inside.

        Parameters
        ----------
        X : array-like
            Training points, or the kernel matrix.
        y : ignored
            There for pipelines.
        **params : keywords
            Further arguments of ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
            +1 or -1.
        """
        self.fit(X, y, **params)
        given = isinstance(self.kernel_, Precomputed)
        return self.predict(X, np.diagonal(np.asarray(X)) if given else None)

    def _own(self, X: Any, told: Any = None) -> Floats:
        """k(x, x) of new points."""
        if told is not None:
            own = np.asarray(told, dtype=np.float64)
            if own.shape != (n_rows(X),) or not np.all(np.isfinite(own)):
                raise ValueError(
                    f"diagonal must hold k(x, x) of each of the {n_rows(X)} new points, finite "
                    f"numbers; got shape {own.shape}."
                )
            return own
        if isinstance(self.kernel_, Precomputed | UserFunction):
            known = self.fitted_.diagonal
            if np.ptp(known) > 1e-9 * np.abs(known).max():
                raise ValueError(
                    "the distance of a new point to the centre needs k(x, x), which a precomputed "
                    "or plain callable kernel does not tell. Pass the values as diagonal=, or use "
                    "a mercer Kernel."
                )
            return np.full(n_rows(X), known[0])
        return np.asarray(self.kernel_._diag(X), dtype=np.float64)

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        machine, inside = fitted.machines[0], fitted.inside
        near = 2.0 * accuracy(self, machine) + 1e-12
        kept = (inside <= near) | (machine.coef != 0)
        shared = shared_facts(self, fitted, machine)
        shared |= {"norm": None, "formulation": "svdd"}
        return Evidence(
            **shared,
            task="novelty",
            errors=int(np.count_nonzero(inside <= 0)),
            slacks=np.maximum(-inside, 0.0),
            ball=fitted.ball,
            compression=compression(self, fitted, kept, machine),
        )


def ball_problem(
    own: Floats,
    nu: float,
    *,
    rows: Any = None,
    n: int | None = None,
    weight: ArrayLike | None = None,
) -> BoxProblem:
    """½ α'Kα − ½ Σ α_i k(x_i, x_i) with Σα = νΣweight: the dual of the smallest ball."""
    problem = problems.one_class(nu, rows=rows, n=n, weight=weight)
    total = float(problem.start.sum())
    return replace(problem, linear=-0.5 * total * np.asarray(own)[problem.index])


@dataclass(frozen=True, repr=False)
class Ball(Brief):
    """The smallest ball around points in feature space.

    Attributes
    ----------
    radius : float
        Its radius: the ball around this centre holds every point.
    weights : ndarray
        The centre is ``sum_i weights_i φ(x_i)``; they add up to one.
    gap : float
        How exactly the solver met its conditions, in squared distance.
    squared_from_below : float
        Value of the dual: no ball that holds every point has a smaller squared radius.
    """

    radius: float
    weights: Floats
    gap: float
    squared_from_below: float


def enclosing_ball(X: Any, kernel: Any = "precomputed", *, tol: float = 1e-6) -> Ball:
    """Radius and centre of the smallest ball that holds every point.

    Parameters
    ----------
    X : array-like or Gram
        Points, or the Gram matrix itself.
    kernel : str, Kernel, callable or "precomputed", default="precomputed"
        The kernel of the points.
    tol : float, default=1e-6
        Accuracy, relative to the largest k(x, x).

    Returns
    -------
    Ball
        The ball.
    """
    gram = gram_of_points(X, kernel)
    own = np.asarray(gram.diag(), dtype=np.float64)
    problem = ball_problem(own, 1.0 / gram.n, n=gram.n)
    free = BoxProblem(
        problem.n, problem.sign, problem.linear, np.full(gram.n, np.inf), problem.start,
        problem.index, problem.group, problem.balance,
    )  # fmt: skip
    found = smo.solve(free, gram, tol=tol * max(float(own.max(initial=0.0)), 1e-300))
    squared = float(found.coef @ found.decision)
    away = own - 2.0 * found.decision + squared
    below = max(float(found.coef @ own) - squared, 0.0)
    return Ball(math.sqrt(max(float(away.max()), 0.0)), found.coef, found.gap, below)
