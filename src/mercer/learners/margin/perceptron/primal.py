"""The perceptron on weights of the features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.extmath import row_norms
from sklearn.utils.metaestimators import available_if

from mercer._types import Samples
from mercer.bounds import Evidence
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._mixins import Classifies
from mercer.learners._parameters import Rule
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import COORDINATES, NO_LAW, SWEEPS
from mercer.learners.margin.perceptron._base import (
    NO_COPIES,
    RULES,
    MistakeDriven,
    keeps_last_rule,
)
from mercer.learners.margin.perceptron._file_order import NOTHING, InputOrder, Runs
from mercer.learners.margin.perceptron._fitted import WeightsFitted
from mercer.learners.margin.perceptron._goals import after, columns, flat, goal_of
from mercer.learners.margin.perceptron._spaces import PrimalSpace
from mercer.learners.margin.perceptron._stream import codes_of, told_classes
from mercer.learners.margin.perceptron._vote import weighted_votes
from mercer.learners.margin.perceptron.mistakes import MistakeLog, run

Floats = NDArray[np.float64]


class Perceptron(MistakeDriven, Publishes, Classifies, Learner):
    r"""Rosenblatt's perceptron: :math:`w \leftarrow w + \eta y_jx_j` whenever row j is wrong.

    The same rule as :class:`KernelPerceptron` with a linear kernel, kept as weights, so a sweep
    costs one pass over the data. The threshold is the weight of a constant feature. Of several
    classes each has weights: :math:`w_{y_j}` gains the row, and the class in front loses it.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Add a constant feature 1; without it the hyperplane passes through the origin.
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
    coef_init : array-like, default=None
        Weights to start from, chosen before the data: one per feature, and one more for the
        constant if there is an intercept. None for zero.
    combine : {"last", "average", "vote"}, default="last"
        The last rule, the average of all rules of the run, each weighted by its lifetime, or their
        weighted majority vote.
    random_state : int, RandomState instance or None, default=None
        For ``order="random"``.
    certify; delta : …

    Attributes
    ----------
    classes_ : …
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the features; of several classes a row for each.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weight of the constant feature.
    mistakes_ : MistakeLog
        Every update: which row, when, how wrong, and whether the last sweep was clean.
    n_iter_ : int
        Sweeps made.
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`mercer.SVC`.
    n_features_in_ : …

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners.margin import Perceptron
    >>> X = np.array([[-1.0, -1], [-2, -1], [1, 1], [2, 1]])
    >>> model = Perceptron().fit(X, [1, 1, 2, 2])
    >>> model.predict([[-0.8, -1]]), model.mistakes_.separated
    (array([1]), True)
    """

    known_as: ClassVar[str] = "perceptron"
    lacks: ClassVar[Mapping[str, str]] = (
        COORDINATES
        | NO_COPIES
        | NO_LAW
        | SWEEPS
        | {
            "partial_fit": "",
            "progress": "a sweep is one pass, max_iter at most",
        }
    )
    _state_version: ClassVar[int] = 2
    _door: ClassVar[Door] = Door(targets="labels", weights="drop")
    fitted_: WeightsFitted
    _declared = ("compression", "scenario", "vc-relative")
    _rules: ClassVar[dict[str, Rule]] = RULES

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        order: Any = "cyclic",
        max_iter: int = 50,
        time_limit: float | None = None,
        margin: float = 0.0,
        learning_rate: float = 1.0,
        coef_init: Any = None,
        combine: str = "last",
        random_state: Any = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.order = order
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.margin = margin
        self.learning_rate = learning_rate
        self.coef_init = coef_init
        self.combine = combine
        self.random_state = random_state
        self.certify = certify
        self.delta = delta

    # -- fit ---------------------------------------------------------------------------------------

    def fit(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Sweep over the given data until a sweep is clean.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training points.
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
        return self._fit(X, y, sample_weight)

    def _train(self, sample: TrainingSample) -> WeightsFitted:
        labels = self._labels(sample)
        lifted = lift(sample.X, bool(self.fit_intercept))
        goal = goal_of(labels.codes, len(labels.classes), self._steps(sample.weight))
        start = self._start(lifted.shape[1], goal.columns)
        space = PrimalSpace(lifted, start)
        log = self._sweeps(space, goal, self._in_time())
        weights, path = space.weights, None
        if self.combine != "last":
            changes = columns(log.changes * self._shares(log))
            weights = start + np.asarray(lifted[log.rows].T @ changes)
        if self.combine == "vote":
            path = (lifted[log.rows], log.changes, log.lifetimes()[1:])
        self._warn_unless_separated(log)
        weights = flat(weights)
        return WeightsFitted(
            **rows_of(sample),
            classes=labels.classes,
            weights=weights,
            offset=bool(self.fit_intercept),
            **self._run_facts(log, goal, sample.X),
            path=path,
            weighted=bool(np.ptp(sample.weight) > 0),
            facts=_facts(lifted, goal, columns(_output_at(lifted, weights, path)), log),
        )

    @available_if(keeps_last_rule)
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
        absorb = partial(self._absorb, before, classes)
        return self._run(absorb, X, y, sample_weight, reset=before is None)

    def _absorb(
        self, before: WeightsFitted | None, classes: Any, sample: TrainingSample
    ) -> WeightsFitted:
        """One pass over a piece of a stream; the rows before it are gone."""
        known = told_classes(None if before is None else before.classes, classes)
        goal = goal_of(codes_of(sample.y, known), len(known), self._steps(sample.weight))
        offset = bool(self.fit_intercept) if before is None else before.offset
        lifted = lift(sample.X, offset)
        seen, log, one_pass = 0, MistakeLog.empty(), self.coef_init is None
        runs: Runs | None = NOTHING
        inputs: InputOrder | None = InputOrder()
        weighted = bool(np.any(sample.weight != 1.0))
        if before is None:
            weights = self._start(lifted.shape[1], goal.columns)
        else:
            seen, log, one_pass = before.n, before.log, before.one_pass
            runs, inputs = before.runs, before.inputs
            weights, weighted = columns(before.weights), weighted or before.weighted
        space = PrimalSpace(lifted, weights)
        later = run(space, goal, iter([np.arange(sample.n)]), max_iter=1, margin=self.margin)
        return WeightsFitted(
            **rows_of(sample) | {"n": seen + sample.n},
            classes=known,
            weights=flat(space.weights),
            offset=offset,
            log=log.then(later, seen),
            one_pass=one_pass,
            weighted=weighted,
            runs=after(runs, goal),
            inputs=None if inputs is None else inputs.then(sample.X),
        )

    def _start(self, size: int, outputs: int) -> Floats:
        if self.coef_init is None:
            return np.zeros((size, outputs))
        start = np.array(self.coef_init, dtype=np.float64)
        shape = (size,) if outputs == 1 else (outputs, size)
        if start.shape != shape or not np.all(np.isfinite(start)):
            offset = ", the last of them the offset" if self.fit_intercept else ""
            each = "" if outputs == 1 else " for each class"
            raise ValueError(
                f"coef_init must hold {size} finite weights{offset}{each}; got shape {start.shape}."
            )
        if self.combine == "vote":
            raise ValueError("combine='vote' counts rules from zero on: it takes no coef_init.")
        return columns(start) if outputs == 1 else start.T

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, WeightsFitted)
        weights = columns(fitted.weights).T
        features = weights.shape[1] - fitted.offset
        self.coef_ = weights[:, :features].copy()
        self.intercept_ = weights[:, -1].copy() if fitted.offset else np.zeros(len(weights))
        self.mistakes_ = fitted.log
        self.n_iter_ = 1 if fitted.facts is None else fitted.log.n_epochs

    def _outputs(self, X: Samples) -> Floats:
        """Output of the rule, or the share of votes for the second class minus that against it."""
        fitted = self.fitted_
        weights = self.coef_.T
        if fitted.offset:
            weights = np.vstack([weights, self.intercept_])
        return _output_at(lift(X, fitted.offset), flat(weights), fitted.path)

    # -- evidence ----------------------------------------------------------------------------------

    def _publish_evidence(self) -> Evidence:
        fitted, facts = self.fitted_, self.fitted_.facts
        evidence = Evidence(
            n=fitted.n,
            learner=f"this {type(self).__name__}",
            formulation=self.known_as,
            n_classes=len(fitted.classes),
            choices=fitted.choices(),
        )
        if facts is None:
            if fitted.one_pass and not fitted.weighted:
                evidence = self._with_run(evidence, fitted, outside=0, rebuilds=True)
            return replace(evidence, compression=None, mistakes=None)
        evidence = replace(evidence, errors=facts["errors"])
        if fitted.path is None and fitted.weights.ndim == 1:
            evidence = replace(
                evidence,
                margins=facts["margins"],
                point_norms=facts["norms"],
                norm=float(np.linalg.norm(fitted.weights)),
                trace=float(np.sum(facts["norms"] ** 2)),
                dimension=float(facts["size"]),
                rank=facts["size"],
            )
        rebuilds = not fitted.weighted
        return self._with_run(evidence, fitted, outside=facts["outside"], rebuilds=rebuilds)


def lift(X: Any, offset: bool) -> Any:
    """Rows with a constant feature, if there is an offset."""
    if not offset:
        return X
    ones = np.ones((X.shape[0], 1), dtype=X.dtype)
    return sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])


def _output_at(lifted: Any, weights: Floats, path: Any) -> Floats:
    if path is None:
        return np.asarray(lifted @ weights, dtype=np.float64)
    rows, changes, lives = path

    def tile(part: slice) -> Any:
        values = lifted[part] @ rows.T
        return values.toarray() if sparse.issparse(values) else values

    return weighted_votes(lifted.shape[0], tile, changes, lives)


def _facts(lifted: Any, goal: Any, output: Floats, log: MistakeLog) -> dict[str, Any]:
    """What certificates need to know about the rows."""
    wrong = goal.wrong(output)
    outside = wrong.copy()
    outside[log.distinct] = False
    return {
        "margins": goal.values(output),
        "errors": int(wrong.sum()),
        "outside": int(outside.sum()),
        "norms": np.sqrt(row_norms(lifted, squared=True).astype(np.float64)),
        "size": lifted.shape[1],
    }
