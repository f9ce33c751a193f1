"""Several classes in one quadratic programme."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _compat
from mercer._types import Samples
from mercer.bounds import Compression, Evidence
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._mixins import Classifies, Labels
from mercer.learners._parameters import Rule, positive
from mercer.learners._reasons import NO_LAW
from mercer.learners.margin._support import SupportFitted, SupportLearner
from mercer.learners.margin.svm.training import Training
from mercer.learners.multiclass import _crammer_singer

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class JointFitted(SupportFitted):
    """The joint solution, and which rows rebuild it."""

    joint: Any
    used: NDArray[np.bool_]
    wrong: NDArray[np.bool_]
    needed: NDArray[np.bool_]


class CrammerSingerSVC(_compat.CallbackSupportMixin, Classifies, SupportLearner):
    r"""Crammer and Singer's multi-class support vector machine.

    One programme for all classes: :math:`\tfrac12\sum_k\|w_k\|^2 + C\sum_i\xi_i` with
    :math:`w_{y_i}\cdot x_i - w_k\cdot x_i \ge 1-\xi_i` for every other class k. There is no offset;
    add a constant to the kernel for one.

    Parameters
    ----------
    C : float, default=1.0
        Price of a slack.
    kernel : str, Kernel or callable, default="rbf"
        As in :class:`mercer.SVC`.
    degree : …
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid".
    coef0 : …
    tol : float, default=1e-3
        Largest accepted violation of the optimality conditions.
    max_iter : int, default=-1
        Limit on the number of blocks of rows worked on; -1 for none.
    verbose; time_limit : …
    warm_start : bool, default=False
        Start from the last coefficients, if there are as many rows of the same classes.
    n_jobs : int or None, default=None
        Threads for kernel values at prediction.
    certify; delta : …

    Attributes
    ----------
    classes_ : …
    support_, support_vectors_, n_support_
        Rows with a coefficient, as in :class:`mercer.SVC`.
    dual_coef_ : ndarray of shape (n_classes, n_SV)
        Coefficients of each class's output; each column sums to zero.
    slacks_ : ndarray of shape (n_samples,)
        ξ of every training row.
    joint_ : JointSolution
        Primal and dual objective, gap, blocks.
    n_iter_ : int
        Blocks worked on.
    kernel_ : …
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`mercer.SVC`.

    References
    ----------
    Crammer and Singer, JMLR 2, 2001; Keerthi et al., KDD 2008.

    Examples
    --------
    >>> from mercer.learners.multiclass import CrammerSingerSVC
    >>> X, y = [[0.0], [0.2], [5.0], [5.2], [9.0], [9.2]], [0, 0, 1, 1, 2, 2]
    >>> CrammerSingerSVC(gamma=1.0).fit(X, y).predict([[5.1], [9.1]])
    array([1, 2])
    """

    known_as: ClassVar[str] = "crammer-singer"
    lacks: ClassVar[Mapping[str, str]] = NO_LAW
    _door: ClassVar[Door] = Door(asks="kernel", targets="labels")
    fitted_: JointFitted
    _declared = ("scenario", "compression")
    _rules: ClassVar[dict[str, Rule]] = {"C": positive}
    cache_size = "auto"

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = -1,
        verbose: bool = False,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.C = C
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
        return [cls(max_iter=30)]

    @_compat.with_callbacks
    def fit(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on the given data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training points; with ``kernel="precomputed"`` the (n_samples, n_samples) matrix.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors on the price ``C`` of each sample. Samples of weight zero are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight)

    def _train(self, sample: TrainingSample) -> JointFitted:
        labels = self._labels(sample)
        codes, space = labels.codes, self._space(sample, use="rows")
        with Training(self, sample.X, sample.y) as training:
            options = training.budget().options()
            joint = _crammer_singer.solve(
                space.gram,
                codes,
                len(labels.classes),
                self.C * sample.weight,
                tol=self.tol,
                max_iter=self.max_iter,
                time_limit=options["time_limit"],
                callback=options["callback"],
                start=self._last(labels),
            )
            training.finish([joint])
        active = np.any(joint.coef != 0, axis=1)
        support = np.flatnonzero(active)
        support = support[np.argsort(codes[support], kind="stable")]
        packed = np.ascontiguousarray(joint.coef[support].T)
        gap = 10 * max(self.tol, joint.gap)
        fitted = JointFitted(
            **self._supported(sample, space, support, packed),
            classes=labels.classes,
            n_support=np.bincount(codes[support], minlength=len(labels.classes)).astype(np.int32),
            intercept=np.zeros(len(labels.classes)),
            joint=joint,
            used=sample.weight > 0,
            wrong=joint.output.argmax(axis=1) != codes,
            needed=active | ((joint.slack > -gap) & (_margin(joint.output, codes) <= 1.0 + gap)),
        )
        probed: JointFitted = self._probed(fitted, space)
        return probed

    def _last(self, labels: Labels) -> Floats | None:
        """Coefficients of the last fit, if its rows had these classes."""
        last: JointFitted | None = self.__dict__.get("fitted_") if self.warm_start else None
        if last is None or len(last.joint.coef) != len(labels.codes):
            return None
        same = np.array_equal(last.classes, labels.classes)
        # of a row that changed its class the coefficients have the wrong signs
        own = last.joint.coef[np.arange(len(labels.codes)), labels.codes] >= 0
        return last.joint.coef * own[:, None] if same else None

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, JointFitted)
        self.joint_, self.slacks_ = fitted.joint, fitted.joint.slack
        self.n_iter_ = max(1, fitted.joint.n_iter)

    def _outputs(self, X: Samples) -> Floats:
        """One output per class, or their difference for two classes."""
        values = self._machine_outputs(X)
        return values[:, 1] - values[:, 0] if len(self.classes_) == 2 else values

    def _publish_evidence(self) -> Evidence:
        """Rows with slack, on the margin or with a coefficient rebuild the unique solution."""
        fitted = self.fitted_
        used, joint = fitted.used, fitted.joint
        fixed = joint.converged and not fitted.weighted and fitted.geometric
        return Evidence(
            n=int(used.sum()),
            learner=f"this {type(self).__name__}",
            formulation=self.known_as,
            n_classes=len(fitted.classes),
            errors=int(fitted.wrong[used].sum()),
            slacks=joint.slack[used],
            radius=fitted.kernel.known_radius(fitted.diagonal),
            C=float(self.C) if not fitted.weighted else None,
            gap=joint.gap,
            compression=(
                Compression(int(used.sum()), int(fitted.needed[used].sum())) if fixed else None
            ),
            choices=fitted.choices(),
            lost=() if fixed else ("compression",),
        )


def _margin(output: Floats, codes: NDArray[np.intp]) -> Floats:
    """Output of the own class minus the best of the others."""
    output, rows = output.copy(), np.arange(len(codes))
    own = output[rows, codes].copy()
    output[rows, codes] = -np.inf
    return own - output.max(axis=1)
