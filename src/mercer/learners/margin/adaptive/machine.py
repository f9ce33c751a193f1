"""The leave-one-out machine and the adaptive margin machine: linear programmes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _compat, _config
from mercer._types import Samples
from mercer.bounds import Choice, Compression, Evidence
from mercer.learners._degenerate import warn_of_nothing
from mercer.learners._parameters import Rule, non_negative
from mercer.learners._reasons import NO_LAW
from mercer.learners.margin._expansion import Learned, TwoClassExpansion
from mercer.learners.margin.svm.training import Training
from mercer.solvers import slack_lp

Floats = NDArray[np.float64]

COPIES = 5  # arrays of n × n that the solver holds at its peak
NEAR = 1e-6  # of a constraint: met exactly to within the solver's accuracy


def margin_matrix(K: Floats, sign: Floats, lam: float) -> Floats:
    """``y_i y_j k(x_i, x_j)``, its diagonal times ``1 - λ``."""
    A = np.array(K, dtype=np.float64)
    own = np.diagonal(A).copy()
    A *= sign[:, None]
    A *= sign[None, :]
    A[np.diag_indices(len(A))] = (1.0 - lam) * own
    return A


class AdaptiveMarginMachine(TwoClassExpansion):
    r"""Adaptive margin machine: the margin a point must reach grows with its own weight.

    Minimises :math:`\sum_i\xi_i` subject to :math:`y_i\sum_j\alpha_jy_jk(x_i,x_j) \ge
    1-\xi_i+\lambda\alpha_ik(x_i,x_i)` and :math:`\alpha,\xi\ge0`, a linear programme. A point can
    not help itself to a large margin, so outliers are not chased. ``reg_param=1`` is the
    leave-one-out machine, ``reg_param=0`` has no regularisation at all, and for large ``reg_param``
    every weight vanishes. There is no offset; add a constant to the kernel for one. Of
    more than two classes each is learned against the rest (``estimators_``).

    Among equally good solutions the one with the smallest :math:`\sum\alpha_i` is taken (a price
    of 1e-8 per unit of α).

    Parameters
    ----------
    reg_param : float, default=0.5
        λ of the margin, at least 0: this share of k(x, x) is taken off the diagonal.
    kernel : str, Kernel or callable, default="rbf"
        As in :class:`mercer.SVC`.
    degree : …
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid".
    coef0 : …
    tol : float, default=1e-8
        Accepted gap between primal and dual, relative to the objective.
    max_iter : int, default=200
        Limit on the steps of the interior point method.
    verbose; time_limit : …
    warm_start : bool, default=False
        Start from the previous fit's solution, if it had as many rows: for paths.
    n_jobs : int or None, default=None
        Threads for kernel values at prediction.
    certify; delta : …

    Attributes
    ----------
    classes_ : …
    support_, support_vectors_, n_support_, dual_coef_
        The points with weight, as in :class:`mercer.SVC`; ``dual_coef_`` carries the label's sign.
    slacks_ : ndarray of shape (n_samples,)
        ξ of every training row.
    objective_ : float
        Σξ.
    n_iter_ : int
        Steps of the interior point method, 1 if HiGHS solved the whole programme.
    programme_ : SlackSolution
        What the solver returned: objective, gap, steps, multipliers.
    kernel_ : …
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`mercer.SVC`.
    n_features_in_ : …

    References
    ----------
    Herbrich, *Learning Kernel Classifiers*, section 2.5 and D.2.3, whose diagonal
    ``k(x, x) - λ`` is a misprint for ``(1 - λ) k(x, x)``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners.margin import AdaptiveMarginMachine
    >>> X = np.array([[-1.0, -1], [-2, -1], [1, 1], [2, 1]])
    >>> AdaptiveMarginMachine(gamma=0.5).fit(X, [1, 1, 2, 2]).predict([[-0.8, -1]])
    array([1])
    """

    known_as: ClassVar[str] = "amm"
    lacks: ClassVar[Mapping[str, str]] = {
        "copies": "a weight is the price of a row's slack; copies share the weight α, which the "
        "adaptive margin rewards",
    } | NO_LAW
    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = {
        "reg_param": non_negative,
    }

    def __init__(
        self,
        reg_param: float = 0.5,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-8,
        max_iter: int = 200,
        verbose: bool = False,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.reg_param = reg_param
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.certify = certify
        self.delta = delta

    @_compat.with_callbacks
    def fit(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Train on the given data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training points; with ``kernel="precomputed"`` the (n_samples, n_samples) matrix.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Price of each row's slack. Rows of weight zero are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight)

    def _lam(self) -> float:
        return float(self.reg_param)

    def _learn(self, gram: Any, sign: Floats, weight: Floats) -> Learned:
        rows = np.flatnonzero(weight > 0)
        _config.reserve(
            COPIES * 8 * len(rows) ** 2,
            f"The linear programme of {len(rows)} rows",
            "Use fewer rows, or raise the limit with mercer.set_config(memory_limit=...).",
        )
        K = np.asarray(gram.dense() if len(rows) == gram.n else gram.tile(rows, rows))
        A = margin_matrix(K, sign[rows], self._lam())
        start = getattr(self, "programme_", None) if self.warm_start else None
        with Training(self, None, sign) as training:
            budget = training.budget()
            programme = slack_lp.solve(
                A,
                weight[rows],
                tol=self.tol,
                max_iter=self.max_iter if self.max_iter >= 0 else 10_000,
                time_limit=budget.options()["time_limit"],
                start=start,
                callback=budget.callback,
            )
            training.finish([programme])
        if not np.any(programme.alpha):
            warn_of_nothing(self, "The other rows say nothing of a row: give more, or widen.")
        coef = _spread(sign[rows] * programme.alpha, rows, gram.n)
        attributes = {
            "programme_": programme,
            "n_iter_": max(1, programme.n_iter),
            "objective_": programme.objective,
            "slacks_": _spread(programme.slack, rows, gram.n),
        }
        return Learned(coef, _spread(K @ coef[rows], rows, gram.n), attributes)

    def _publish_evidence(self) -> Evidence:
        """Rows with weight, slack or an active constraint rebuild a unique solution."""
        evidence, fitted = super()._publish_evidence(), self.fitted_
        found, used = self.programme_, fitted.used
        reached = (fitted.sign * fitted.output)[used]
        needed = 1.0 + self._lam() * found.alpha * np.maximum(fitted.own(used), 0.0)
        near = NEAR * (1.0 + np.abs(reached))
        kept = (found.alpha > 0) | (found.slack > 0) | (reached - needed <= near)
        fixed = found.converged and found.unique and not fitted.weighted and fitted.geometric
        choices = evidence.choices
        if self.warm_start:
            started = "warm start: matters only within tol"
            choices += (Choice("the starting point", started, rows="none"),)
        return replace(
            evidence,
            slacks=found.slack,
            gap=found.gap,
            compression=Compression(len(kept), int(kept.sum())) if fixed else None,
            lost=() if fixed else ("compression",),
            choices=choices,
        )


class LeaveOneOutMachine(AdaptiveMarginMachine):
    r"""Leave-one-out machine: every point must be classified by the others.

    Minimises :math:`\sum_i\xi_i` subject to :math:`y_i\sum_{j\ne i}\alpha_jy_jk(x_i,x_j) \ge
    1-\xi_i`, which is :class:`AdaptiveMarginMachine` at ``reg_param=1``. It has no parameter to
    tune. Its objective is not a bound on its own leave-one-out error.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, max_iter
    verbose, time_limit, warm_start, n_jobs, certify, delta
        As in :class:`AdaptiveMarginMachine`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners.margin import LeaveOneOutMachine
    >>> X = np.array([[-1.0, -1], [-2, -1], [1, 1], [2, 1]])
    >>> LeaveOneOutMachine(gamma=0.5).fit(X, [1, 1, 2, 2]).predict([[-0.8, -1]])
    array([1])
    """

    known_as: ClassVar[str] = "loom"
    lacks: ClassVar[Mapping[str, str]] = {"copies": "a twin that stays tells a row left out"}

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-8,
        max_iter: int = 200,
        verbose: bool = False,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(), cls(kernel="precomputed")]

    def _lam(self) -> float:
        return 1.0


def _spread(values: Floats, rows: NDArray[np.intp], n: int) -> Floats:
    full = np.zeros(n)
    full[rows] = values
    return full
