"""The perceptron on weights of the features."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.extmath import row_norms
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.bounds import Evidence
from mercer.learners._certified import Certified
from mercer.learners._data import DTYPES, check_magnitude
from mercer.learners._parameters import Rule, check_parameters
from mercer.learners.margin._expansion import two_classes
from mercer.learners.margin.perceptron._base import RULES, MistakeDriven, keeps_last_rule
from mercer.learners.margin.perceptron._file_order import NOTHING, then
from mercer.learners.margin.perceptron._spaces import PrimalSpace
from mercer.learners.margin.perceptron._stream import _signs
from mercer.learners.margin.perceptron._vote import weighted_votes
from mercer.learners.margin.perceptron.mistakes import BLOCK, MistakeLog, as_log, sweep

Floats = NDArray[np.float64]


class Perceptron(MistakeDriven, Certified, ClassifierMixin, BaseEstimator):
    r"""Rosenblatt's perceptron: :math:`w \leftarrow w + \eta y_jx_j` whenever row j is wrong.

    The same rule as :class:`KernelPerceptron` with a linear kernel, kept as weights, so a sweep
    costs one pass over the data. The threshold is the weight of a constant feature.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Add a constant feature 1; without it the hyperplane passes through the origin.
    order : {"cyclic", "random", "greedy"} or list of int, default="cyclic"
        The file's order, a new random order for each sweep, always the row that is most wrong, or
        the row numbers of a sweep. One pass over a file counts as evidence only if its labels come
        as if drawn (a test of their runs), or with ``"random"``, where the order is drawn here.
    max_epochs : int, default=50
        Limit on the number of sweeps.
    margin : float, default=0.0
        Update unless y f(x) exceeds it: the margin perceptron.
    learning_rate : float, default=1.0
        η, the size of an update. Matters only relative to ``margin`` and ``start``.
    start : array-like, default=None
        Weights to start from, chosen before the data: one per feature, and one more for the
        constant if there is an intercept. None for zero.
    combine : {"last", "average", "vote"}, default="last"
        The last rule, the average of all rules of the run, each weighted by its lifetime, or their
        weighted majority vote.
    random_state : int, RandomState instance or None, default=None
        For ``order="random"``.
    certify : {"in-sample", "none"}, default="in-sample"
        Whether the model publishes certificates, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The class labels.
    coef_ : ndarray of shape (1, n_features)
        Weights of the features.
    intercept_ : ndarray of shape (1,)
        Weight of the constant feature.
    mistakes_ : MistakeLog
        Every update: which row, when, how wrong, and whether the last sweep was clean.
    n_iter_ : int
        Sweeps made.
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`mercer.SVC`.
    n_features_in_ : int
        Number of features seen during ``fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners.margin import Perceptron
    >>> X = np.array([[-1.0, -1], [-2, -1], [1, 1], [2, 1]])
    >>> model = Perceptron().fit(X, [1, 1, 2, 2])
    >>> model.predict([[-0.8, -1]]), model.mistakes_.separated
    (array([1]), True)
    """

    _facts: dict[str, Any] | None
    _path: tuple[Any, Floats, NDArray[np.intp]] | None
    _declared = ("compression", "scenario", "vc-relative")
    _rules: ClassVar[dict[str, Rule]] = RULES

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        order: Any = "cyclic",
        max_epochs: int = 50,
        margin: float = 0.0,
        learning_rate: float = 1.0,
        start: Any = None,
        combine: str = "last",
        random_state: Any = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.order = order
        self.max_epochs = max_epochs
        self.margin = margin
        self.learning_rate = learning_rate
        self.start = start
        self.combine = combine
        self.random_state = random_state
        self.certify = certify
        self.delta = delta

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags

    # -- fit ---------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> Any:
        """Sweep over the given data until a sweep is clean.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,)
            Two class labels.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_parameters(self, self._rules)
        self._forget_certificates()
        X, y = validate_data(self, X, y, dtype=DTYPES, order="C", accept_sparse="csr")
        check_magnitude(X)
        self.classes_, sign = two_classes(y, type(self).__name__)
        lifted = self._lift(X)
        start = self._start(lifted.shape[1])
        space = PrimalSpace(lifted, start)
        self.mistakes_ = log = self._sweeps(space, sign, None)
        self.n_iter_ = log.n_epochs
        self._note_order(sign)
        self._one_pass = log.n_epochs == 1 and self._visits_in_turn() and self.start is None
        weights = space.weights
        if self.combine != "last":
            weights = start + np.asarray(lifted[log.rows].T @ (log.changes * self._shares()))
        self._set(weights)
        self._path = None
        if self.combine == "vote":
            self._path = (lifted[log.rows], log.changes, log.lifetimes()[1:])
        self._describe(lifted, sign)
        self._warn_unless_separated()
        return self

    @available_if(keeps_last_rule)
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Visit more rows, once and in the given order.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next points of the stream.
        y : array-like of shape (n_samples,)
            Their class labels.
        classes : array-like of shape (2,), default=None
            Both class labels; needed at the first call, unless ``fit`` came before.

        Returns
        -------
        self : object
            The estimator.
        """
        check_parameters(self, self._rules)
        fresh = not hasattr(self, "classes_")
        X, y = validate_data(self, X, y, dtype=DTYPES, order="C", accept_sparse="csr", reset=fresh)
        sign = _signs(self, y, classes, fresh)
        lifted = self._lift(X)
        if fresh:
            self.mistakes_, self._seen, self._one_pass = MistakeLog.empty(), 0, True
            self._runs = NOTHING
            self._set(self._start(lifted.shape[1]))
            self._path, self._facts = None, None
        self._pass(lifted, sign)
        self._runs = then(self._runs, sign)
        return self

    def _pass(self, X: Any, sign: Floats) -> None:
        space = PrimalSpace(X, self._weights())
        rate, events = float(self.learning_rate), []
        for first in range(0, len(sign), BLOCK):
            rows = np.arange(first, min(len(sign), first + BLOCK))
            found = sweep(space.effects(rows), space.outputs(rows), sign[rows], self.margin, rate)
            events += [(first + at, first + at + 1, 0, value) for at, value in found]
            changed = rows[[at for at, _ in found]]
            space.absorb(changed, rate * sign[changed])
        later = as_log(events, sign, rate, len(sign), 1, False)
        self.mistakes_ = self.mistakes_.then(later, self._seen)
        self._seen += len(sign)
        self._set(space.weights)
        self._facts = None  # of the rows: they are gone
        self.n_iter_ = 1
        self._forget_certificates()

    def _lift(self, X: Any) -> Any:
        if not self.fit_intercept:
            return X
        ones = np.ones((X.shape[0], 1), dtype=X.dtype)
        return (
            sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])
        )

    def _start(self, size: int) -> Floats:
        if self.start is None:
            return np.zeros(size)
        start = np.array(self.start, dtype=np.float64)
        if start.shape != (size,) or not np.all(np.isfinite(start)):
            offset = ", the last of them the offset" if self.fit_intercept else ""
            raise ValueError(
                f"start must hold {size} finite weights{offset}; got shape {start.shape}."
            )
        if self.combine == "vote":
            raise ValueError("combine='vote' counts rules from zero on: it takes no start.")
        return start

    def _set(self, weights: Floats) -> None:
        features = len(weights) - bool(self.fit_intercept)
        self.coef_ = weights[None, :features].copy()
        self.intercept_ = weights[features:].copy() if self.fit_intercept else np.zeros(1)

    def _weights(self) -> Floats:
        tail = self.intercept_ if self.fit_intercept else np.zeros(0)
        return np.concatenate([self.coef_[0], tail])

    # -- prediction --------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """Output of the rule; with ``combine="vote"`` the share of votes for the second class
        minus that against it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive for the second class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=DTYPES, accept_sparse="csr", reset=False)
        return self._output_at(self._lift(X))

    def _output_at(self, lifted: Any) -> Floats:
        if self._path is None:
            return np.asarray(lifted @ self._weights(), dtype=np.float64)
        rows, changes, lives = self._path

        def tile(part: slice) -> Any:
            values = lifted[part] @ rows.T
            return values.toarray() if sparse.issparse(values) else values

        return weighted_votes(lifted.shape[0], tile, changes, lives)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted class of each point.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        positive = self.decision_function(X) >= 0
        return self.classes_[positive.astype(np.intp)]

    # -- evidence ----------------------------------------------------------------------------------

    def _describe(self, lifted: Any, sign: Floats) -> None:
        """Keep what certificates need to know about the rows."""
        output = self._output_at(lifted)
        wrong = (output >= 0) != (sign > 0)
        outside = wrong.copy()
        outside[self.mistakes_.distinct] = False
        self._seen = len(sign)
        self._facts = {
            "margins": sign * output,
            "errors": int(wrong.sum()),
            "outside": int(outside.sum()),
            "norms": np.sqrt(row_norms(lifted, squared=True).astype(np.float64)),
            "size": lifted.shape[1],
        }

    def _publish_evidence(self) -> Evidence:
        plain = Evidence(
            n=self._seen, learner=f"this {type(self).__name__}", formulation="perceptron"
        )
        if self._facts is None:
            only = self._with_run(plain, rebuilds=self._one_pass) if self._one_pass else plain
            return replace(only, compression=None, mistakes=None)
        facts = self._facts
        evidence = replace(plain, errors=facts["errors"])
        if self.combine != "vote":
            evidence = replace(
                evidence,
                margins=facts["margins"],
                point_norms=facts["norms"],
                norm=float(np.linalg.norm(self._weights())),
                trace=float(np.sum(facts["norms"] ** 2)),
                dimension=float(facts["size"]),
                rank=facts["size"],
            )
        return self._with_run(evidence, rebuilds=True)

    def _errors_outside(self) -> int:
        return 0 if self._facts is None else self._facts["outside"]
