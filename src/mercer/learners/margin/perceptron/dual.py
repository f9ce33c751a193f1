"""The perceptron on coefficients: any kernel, any order, averaged, voted or on a budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from mercer import _compat
from mercer._types import Samples
from mercer.bounds import Evidence
from mercer.kernels.structured.from_callable import UserFunction
from mercer.kernels.structured.precomputed import Precomputed
from mercer.learners._door import TrainingSample
from mercer.learners._parameters import Rule
from mercer.learners._reasons import NO_LAW, SWEEPS
from mercer.learners.margin._expansion import ExpansionFitted, TwoClassExpansion
from mercer.learners.margin.perceptron import _stream as stream
from mercer.learners.margin.perceptron._base import (
    NO_COPIES,
    RULES,
    MistakeDriven,
    keeps_last_rule,
)
from mercer.learners.margin.perceptron._budget import Rules
from mercer.learners.margin.perceptron._fitted import PerceptronFitted
from mercer.learners.margin.perceptron._goals import columns, flat, goal_of
from mercer.learners.margin.perceptron._spaces import DualSpace
from mercer.learners.margin.perceptron._vote import weighted_votes
from mercer.learners.margin.perceptron.mistakes import MistakeLog
from mercer.learners.margin.svm.training import Training

Floats = NDArray[np.float64]


def _streams(estimator: Any) -> bool:
    if estimator.kernel == "precomputed":
        raise AttributeError("a precomputed kernel knows no new rows: partial_fit needs vectors")
    return keeps_last_rule(estimator)


class KernelPerceptron(MistakeDriven, TwoClassExpansion):
    r"""Kernel perceptron: add a row to the rule whenever the rule gets it wrong.

    Rows are visited one after the other; if :math:`y_jf(x_j)\le` ``margin``, then
    :math:`\beta_j \leftarrow \beta_j + \eta y_j`, where :math:`f=\sum_i\beta_ik(x_i,\cdot)`. A
    sweep without an update ends the run: the rule then separates the sample. There is no offset;
    add a constant to the kernel for one.

    Of several classes each has a rule; a row whose own output does not exceed all others by more
    than ``margin`` is added to the rule of its class and taken from that of the class in front
    (Kesler's construction, ultraconservative update).

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        As in :class:`mercer.SVC`.
    degree : …
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid".
    coef0 : …
    order : {"cyclic", "random", "greedy"} or list of int, default="cyclic"
        The file's order, a new random order for each sweep, always the row that is most wrong, or
        the row numbers of a sweep. One pass over a file counts as evidence only if its rows come
        as if drawn (labels and inputs are tested), or with ``"random"``, drawn here.
    max_iter : int, default=50
        Limit on the number of sweeps.
    time_limit : float or None, default=None
        Seconds after which no further sweep begins; then a certificate is lost that needs the run
        to be repeated.
    margin : float, default=0.0
        Update unless y f(x) exceeds it: the margin perceptron.
    learning_rate : float, default=1.0
        η, the size of an update. Matters only relative to ``margin`` and ``coef_init``.
    coef_init : array-like of shape (n_samples,) or (n_classes, n_samples), default=None
        Signed coefficients of the training rows to start from, of several classes a row for each;
        None for zero.
    combine : {"last", "average", "vote"}, default="last"
        The last rule, the average of all rules of the run, each weighted by its lifetime, or their
        weighted majority vote.
    budget : int or None, default=None
        Largest number of rows to keep. Needs ``combine="last"``.
    forget : {"oldest", "smallest", "random"}, default="oldest"
        Which row goes when the budget is exceeded.
    random_state : int, RandomState instance or None, default=None
        For ``order="random"`` and ``forget="random"``.
    verbose : …
    n_jobs : int or None, default=None
        Threads for kernel values at prediction.
    certify; delta : …

    Attributes
    ----------
    classes_ : …
    mistakes_ : MistakeLog
        Every update: which row, when, how wrong, and whether the last sweep was clean.
    support_, support_vectors_, n_support_, dual_coef_
        The rows of the rule, as in :class:`mercer.SVC`.
    n_iter_ : int
        Sweeps made.
    kernel_ : …
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`mercer.SVC`.
    n_features_in_ : …

    References
    ----------
    Rosenblatt 1958; Novikoff 1962; Freund and Schapire 1999 (voted); Herbrich 2002, algorithms 2
    and 3. ``mercer.learners.margin.novikoff_report`` compares the updates with Novikoff's limit.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners.margin import KernelPerceptron
    >>> X = np.array([[-1.0, -1], [-2, -1], [1, 1], [2, 1]])
    >>> model = KernelPerceptron(gamma=0.5).fit(X, [1, 1, 2, 2])
    >>> model.predict([[-0.8, -1]]), model.mistakes_.n_updates
    (array([1]), 2)
    """

    known_as: ClassVar[str] = "perceptron"
    lacks: ClassVar[Mapping[str, str]] = NO_COPIES | NO_LAW | SWEEPS | {"partial_fit": ""}
    _two_only: ClassVar[bool] = False
    _against_rest: ClassVar[bool] = False
    _record: ClassVar[type[ExpansionFitted]] = PerceptronFitted
    fitted_: PerceptronFitted
    _declared = ("compression", "scenario", "vc-relative")
    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = RULES
    tol = 0.5  # of the progress line: sweeps end when they make no update
    max_iter = -1

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        order: Any = "cyclic",
        max_iter: int = 50,
        time_limit: float | None = None,
        margin: float = 0.0,
        learning_rate: float = 1.0,
        coef_init: Any = None,
        combine: str = "last",
        budget: int | None = None,
        forget: str = "oldest",
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.order = order
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.margin = margin
        self.learning_rate = learning_rate
        self.coef_init = coef_init
        self.combine = combine
        self.budget = budget
        self.forget = forget
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [
            cls(budget=30, max_iter=6),
            cls(kernel="precomputed", combine="average"),
            cls(combine="vote"),
        ]

    @_compat.with_callbacks
    def fit(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Sweep over the given data until a sweep is clean.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training points; with ``kernel="precomputed"`` the (n_samples, n_samples) matrix.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors on the update that a row causes: one visit, however heavy. Rows of weight zero
            are not visited.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if self.budget is not None and self.combine != "last":
            raise ValueError("A budget needs combine='last': an average keeps every row.")
        if self.coef_init is not None and self.combine == "vote":
            raise ValueError("combine='vote' counts rules from zero on: it takes no coef_init.")
        return self._fit(X, y, sample_weight)

    @available_if(_streams)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Visit more rows, once and in the given order.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next points of the stream.
        y : array-like of shape (n_samples,)
            Their class labels.
        classes : array-like of shape (n_classes,), default=None
            All class labels; needed at the first call, unless ``fit`` came before.
        sample_weight : array-like of shape (n_samples,), default=None
            As in ``fit``.

        Returns
        -------
        self : object
            The estimator.
        """
        before = self.__dict__.get("fitted_")
        stream.check_streams(self._door.kind(self.kernel))
        absorb = partial(stream.absorb, self, before, classes)
        return self._run(absorb, X, y, sample_weight, reset=before is None)

    # -- fit ---------------------------------------------------------------------------------------

    def _train(self, sample: TrainingSample) -> PerceptronFitted:
        labels = self._labels(sample)
        space = self._space(sample, use="rows")
        goal = goal_of(labels.codes, len(labels.classes), self._steps(sample.weight))
        log, coef, output = self._rule(space.gram, goal)
        support = np.flatnonzero(coef.any(axis=1))
        support = support[np.argsort(labels.codes[support], kind="stable")]  # by class, as LIBSVM
        side = goal.values(output)
        fitted = PerceptronFitted(
            **self._supported(sample, space, support, np.ascontiguousarray(coef[support].T)),
            classes=labels.classes,
            n_support=np.bincount(labels.codes[support], minlength=len(labels.classes)).astype(
                np.int32
            ),
            intercept=np.zeros(goal.columns),
            sign=labels.signs if goal.columns == 1 else np.ones(sample.n),
            used=sample.weight > 0,
            output=output[:, 0] if goal.columns == 1 else np.where(goal.wrong(output), -1.0, side),
            alpha=np.abs(coef).max(axis=1),
            squared_norm=float(np.sum(coef * output)),
            attributes={"mistakes_": log, "n_iter_": log.n_epochs},
            **self._run_facts(log, goal, sample.X),
            **self._for_votes(space.gram, log, goal),
        )
        probed: PerceptronFitted = self._probed(fitted, space)
        return probed

    def _rule(self, gram: Any, goal: Any) -> tuple[MistakeLog, Floats, Floats]:
        """The run; coefficients and outputs of the rule that is used, in columns."""
        start = self._start(gram.n, goal.columns)
        with Training(self, None, goal.step) as training:
            stop = self._in_time(training.budget().callback)
            if self.budget is not None:
                log, coef = stream.sweeps_with_budget(self, gram, goal, start, stop)
            else:
                space = DualSpace(gram, start)
                log = self._sweeps(space, goal, stop)
                coef = space.coef
        if self.combine != "last":
            coef = start.copy()
            np.add.at(coef, log.rows, columns(log.changes * self._shares(log)))
        if self.budget is not None or self.combine != "last":
            space = DualSpace(gram, coef)
        self._warn_unless_separated(log)
        return log, coef, space.output

    def _start(self, n: int, outputs: int) -> Floats:
        if self.coef_init is None:
            return np.zeros((n, outputs))
        start = np.array(self.coef_init, dtype=np.float64)
        shape = (n,) if outputs == 1 else (outputs, n)
        if start.shape != shape or not np.all(np.isfinite(start)):
            raise ValueError(
                f"coef_init must hold one finite coefficient per training row, shape {shape}; "
                f"got shape {start.shape}."
            )
        return columns(start) if outputs == 1 else start.T

    def _for_votes(self, gram: Any, log: MistakeLog, goal: Any) -> dict[str, Any]:
        """A vote needs every rule of the run: the rows in the order of their updates."""
        if self.combine != "vote":
            return {}
        lives = log.lifetimes()[1:]  # before the first update the rule is zero: no opinion
        votes = weighted_votes(gram.n, lambda part: gram.tile(part, log.rows), log.changes, lives)
        if goal.columns > 1:
            votes = np.where(goal.wrong(votes), -1.0, 1.0)
        return {"path": (log.rows, log.changes, lives), "votes": votes}

    # -- prediction --------------------------------------------------------------------------------

    def _outputs(self, X: Samples) -> Floats:
        """Output of the rule, or the share of votes for the second class minus that against it.

        Of several classes one column for each.
        """
        if self.fitted_.path is not None:
            return self._vote(X)
        return flat(self._machine_outputs(X))

    def _vote(self, X: Any) -> Floats:
        rows, changes, lives = self.fitted_.path
        count = X.shape[0] if hasattr(X, "shape") else len(X)
        where = np.full(int(rows.max(initial=-1)) + 1, -1)
        where[self.support_] = np.arange(len(self.support_))
        place = where[rows]
        if isinstance(self.kernel_, Precomputed):
            return weighted_votes(count, lambda part: X[part][:, rows], changes, lives)
        if isinstance(self.kernel_, UserFunction):
            K = self.kernel_.values(X, self.fitted_.rows)
            return weighted_votes(count, lambda part: K[part][:, rows], changes, lives)
        vectors = self.support_vectors_
        return weighted_votes(
            count,
            lambda part: self.kernel_.tile(X[part], vectors)[:, place],
            changes,
            lives,
        )

    # -- evidence ----------------------------------------------------------------------------------

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        if fitted.stream is not None:
            return stream.evidence(self)
        evidence = self._geometry() if len(fitted.classes) == 2 else self._of_several()
        output = fitted.output if fitted.votes is None else fitted.votes
        wrong = ((output >= 0) != (fitted.sign > 0)) & fitted.used
        evidence = replace(evidence, errors=int(wrong.sum()))
        wrong[fitted.log.distinct] = False
        outside = int(wrong.sum())
        rebuilds = self.coef_init is None and not fitted.weighted
        return self._with_run(evidence, fitted, outside=outside, rebuilds=rebuilds)

    def _geometry(self) -> Evidence:
        evidence = super()._publish_evidence()
        if self.fitted_.votes is None:
            return evidence
        return replace(  # no linear rule: nothing of its geometry holds
            evidence, margins=None, alphas=None, norm=None, point_norms=None, trace=None,
            dimension=None, rank=None, formulation="",
        )  # fmt: skip

    def _of_several(self) -> Evidence:
        fitted = self.fitted_
        return Evidence(
            n=int(fitted.used.sum()),
            learner=f"this {type(self).__name__}",
            formulation=self.known_as,
            n_classes=len(fitted.classes),
            choices=fitted.choices(),
        )

    def _budget_rules(self) -> Rules:
        rng = check_random_state(self.random_state)
        return Rules(float(self.margin), self.budget, self.forget, rng)
