"""Several classes in one quadratic programme."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from mercer import _compat
from mercer.bounds import Compression, Evidence
from mercer.gram import build_gram
from mercer.learners import _data, _kernel
from mercer.learners._parameters import Rule, check_parameters, positive
from mercer.learners.margin.svm._base import MarginMachine
from mercer.learners.margin.svm.training import Training
from mercer.learners.multiclass import _crammer_singer

Floats = NDArray[np.float64]


class CrammerSingerSVC(ClassifierMixin, MarginMachine):
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
    degree : int, default=3
        Degree of the "poly" kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid".
    coef0 : float, default=0.0
        Constant term of "poly" and "sigmoid".
    tol : float, default=1e-3
        Largest accepted violation of the optimality conditions.
    max_iter : int, default=-1
        Limit on the number of blocks of rows worked on; -1 for none.
    verbose : bool, default=False
        Draw a progress line on standard error.
    time_limit : float or None, default=None
        Seconds after which the best solution so far is kept, with a ``ConvergenceWarning``.
    n_jobs : int or None, default=None
        Threads for kernel values at prediction.
    certify : {"in-sample", "none"}, default="in-sample"
        Whether the model publishes certificates, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
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
    kernel_ : Kernel
        The kernel with all its parameters as numbers.
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

    _kind = "classifier"
    _declared = ("scenario", "compression")
    _rules: ClassVar[dict[str, Rule]] = {"C": positive}
    cache_size = 200.0
    warm_start = False

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = -1,
        verbose: bool = False,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        certify: Any = "in-sample",
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
        self.n_jobs = n_jobs
        self.certify = certify
        self.delta = delta

    @_compat.with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
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
        check_parameters(self, self._rules)
        self._forget_certificates()
        sample = _data.training_sample(self, X, y, sample_weight)
        check_classification_targets(sample.y)
        self.classes_, codes = np.unique(sample.y, return_inverse=True)
        self._used = sample.weight > 0
        if len(np.unique(codes[self._used])) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got 1 class among the rows "
                "with positive weight: there is nothing to separate."
            )
        meant = _kernel.meant_by(self, sample.X)
        self.kernel_, self._gamma = meant.kernel, meant.gamma
        gram = build_gram(meant.kernel, sample.X, use="rows", checked=meant.checked)
        self._describe(sample, gram)
        with Training(self, sample.X, sample.y) as training:
            options = training.budget().options()
            self.joint_ = _crammer_singer.solve(
                gram,
                codes,
                len(self.classes_),
                self.C * sample.weight,
                tol=self.tol,
                max_iter=self.max_iter,
                time_limit=options["time_limit"],
                callback=options["callback"],
            )
            training.finish([self.joint_])
        self._remember(sample.X)
        self._adopt(sample.X, codes)
        self._indefinite = _kernel.warn_if_indefinite(self.kernel_, gram, np.sort(self.support_))
        return self

    def _adopt(self, X: Any, codes: NDArray[np.intp]) -> None:
        found = self.joint_
        support = np.flatnonzero(np.any(found.coef != 0, axis=1))
        support = support[np.argsort(codes[support], kind="stable")]
        self.n_iter_ = max(1, found.n_iter)
        self.slacks_ = found.slack
        self.intercept_ = np.zeros(len(self.classes_))
        self._publish_support(X, support, np.ascontiguousarray(found.coef[support].T))
        self._n_support = np.bincount(codes[support], minlength=len(self.classes_)).astype(np.int32)
        self._wrong = found.output.argmax(axis=1) != codes
        gap = 10 * max(self.tol, found.gap)
        self._needed_rows = (found.slack > -gap) & (self._margin(codes) <= 1.0 + gap)
        self._needed_rows |= np.any(found.coef != 0, axis=1)

    def _margin(self, codes: NDArray[np.intp]) -> Floats:
        """Output of the own class minus the best of the others."""
        output = self.joint_.output.copy()
        rows = np.arange(len(codes))
        own = output[rows, codes].copy()
        output[rows, codes] = -np.inf
        return own - output.max(axis=1)

    def decision_function(self, X: Any) -> Floats:
        """One output per class, or their difference for two classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; with ``kernel="precomputed"`` their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or (n_samples,)
            The class with the largest output is predicted.
        """
        values = self._values(X)
        return values[:, 1] - values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted class of each point.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; with ``kernel="precomputed"`` their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        values = self.decision_function(X)
        best = values.argmax(axis=1) if values.ndim == 2 else (values >= 0).astype(np.intp)
        return self.classes_[best]

    def _publish_evidence(self) -> Evidence:
        """Rows with slack, on the margin or with a coefficient rebuild the unique solution."""
        used = self._used
        fixed = self.joint_.converged and not self._weighted
        fixed &= not (self.kernel_.psd is False or self._indefinite)
        return Evidence(
            n=int(used.sum()),
            learner=f"this {type(self).__name__}",
            formulation="crammer-singer",
            n_classes=len(self.classes_),
            errors=int(self._wrong[used].sum()),
            slacks=self.slacks_[used],
            radius=self.kernel_.known_radius(np.atleast_1d(self._diagonal)),
            C=float(self.C) if not self._weighted else None,
            gap=self.joint_.gap,
            compression=(
                Compression(int(used.sum()), int(self._needed_rows[used].sum())) if fixed else None
            ),
            choices=_kernel.kernel_choices(self),
            lost=() if fixed else ("compression",),
        )
