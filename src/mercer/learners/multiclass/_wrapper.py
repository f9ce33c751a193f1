"""Binary problems of a scheme, each given to a clone of one learner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import MetaEstimatorMixin, clone, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, check_is_fitted, has_fit_parameter

from mercer._config import config
from mercer._types import Predictor, Samples
from mercer.bounds import Evidence
from mercer.learners import schemes as _multiclass
from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Classifies
from mercer.learners._publishes import Publishes
from mercer.learners.margin.perceptron._stream import codes_of, told_classes
from mercer.learners.margin.svm.svc import SVC
from mercer.learners.multiclass._inner_door import InnerDoor

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class SchemeFitted(Fitted):
    """The machines of a scheme.

    ``members`` are the rows of positive weight that each was trained on, counted among all such;
    ``columns`` the rows of a matrix of all pairs that each knows.
    """

    models: list[Any]
    names: list[str]
    counted: int
    members: list[Rows]
    columns: list[Rows] | None
    errors: int | None


def _streams(wrapper: Any) -> bool:
    return hasattr(wrapper._learner(), "partial_fit")


class Wrapper(Weighted, Publishes, Classifies, MetaEstimatorMixin, Learner):
    """The binary problems of a scheme, each given to a clone of the learner."""

    _scheme: ClassVar[str] = ""
    _state_version: ClassVar[int] = 1
    accounts_for_fit: ClassVar[bool] = True
    lacks: ClassVar[Mapping[str, str]] = {
        "proba": "the pairs vote, and votes are no probabilities: OneVsRest has them",
        **dict.fromkeys(
            ("warm_start", "time_limit", "progress", "partial_fit"),
            "that of the learner inside, which is given its own",
        ),
    }
    fitted_: SchemeFitted

    def __init__(
        self, estimator: Any = None, *, certify: Any = "in-sample", delta: float = 0.05
    ) -> None:
        self.estimator = estimator
        self.certify = certify
        self.delta = delta

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._learner()).input_tags
        for name in ("sparse", "pairwise", "two_d_array", "allow_nan"):
            setattr(tags.input_tags, name, getattr(inner, name))
        return tags

    @property
    def _door(self) -> Door:  # type: ignore[override]
        return InnerDoor.of(self._learner())

    def _learner(self) -> Any:
        return SVC() if self.estimator is None else self.estimator

    def fit(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train one machine for each binary problem.

        Parameters
        ----------
        X : array-like
            Training points, whatever the learner takes.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, for learners that take them.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if sample_weight is not None and not has_fit_parameter(self._learner(), "sample_weight"):
            raise ValueError(f"{type(self._learner()).__name__} takes no sample_weight.")
        return self._fit(X, y, sample_weight)

    def _train(self, sample: TrainingSample) -> SchemeFitted:
        labels = self._labels(sample)
        tasks = _multiclass.binary_tasks(labels.codes, len(labels.classes), self._scheme)
        counts = sample.weight > 0
        place = np.cumsum(counts) - 1
        fitted = SchemeFitted(
            **rows_of(sample),
            classes=labels.classes,
            models=[self._machine(sample, rows, label.astype(np.intp)) for rows, label in tasks],
            names=_multiclass.task_names(labels.classes, self._scheme),
            counted=int(counts.sum()),
            members=[place[rows[counts[rows]]] for rows, _ in tasks],
            columns=[rows for rows, _ in tasks] if sample.kind is Kind.GRAM else None,
            errors=None,
        )
        if self.certify is None:
            return fitted
        winners = self._winners(_outputs_of(fitted, sample.X), len(labels.classes))
        return replace(fitted, errors=int(np.count_nonzero((winners != labels.codes)[counts])))

    @available_if(_streams)
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Go on with more rows, by ``partial_fit`` of the learner.

        Parameters
        ----------
        X : array-like
            The next points.
        y : array-like of shape (n_samples,)
            Their class labels.
        classes : array-like of shape (n_classes,), default=None
            All class labels; needed at the first call.

        Returns
        -------
        self : object
            The estimator.
        """
        before: SchemeFitted | None = self.__dict__.get("fitted_")
        absorb = partial(self._absorb, before, classes)
        return self._run(absorb, X, y, None, reset=before is None)

    def _absorb(
        self, before: SchemeFitted | None, classes: Any, sample: TrainingSample
    ) -> SchemeFitted:
        if np.ndim(sample.y) == 2 or sparse.issparse(sample.y):
            raise ValueError("partial_fit takes one label per row: fit takes a matrix of labels.")
        known = told_classes(None if before is None else before.classes, classes)
        codes, count = codes_of(sample.y, known), len(known)
        tasks = _multiclass.binary_tasks(codes, count, self._scheme)
        models = [clone(self._learner()) for _ in tasks] if before is None else before.models
        for model, (rows, label) in zip(models, tasks, strict=True):
            if len(rows):
                model.partial_fit(_take(sample.X, rows), label.astype(np.intp), classes=[-1, 1])
        return SchemeFitted(
            **rows_of(sample) | {"n": sample.n + (0 if before is None else before.n)},
            classes=known,
            models=models,
            names=_multiclass.task_names(known, self._scheme),
            counted=sample.n + (0 if before is None else before.n),
            members=[],  # rows of a stream are gone: the machines are not put together
            columns=None,
            errors=None,
        )

    def _machine(self, sample: TrainingSample, rows: Rows, label: Rows) -> Any:
        model, part = clone(self._learner()), sample.X
        if len(rows) < _num_samples(part):
            part = part[np.ix_(rows, rows)] if sample.kind is Kind.GRAM else _take(part, rows)
        weight = {} if np.all(sample.weight == 1.0) else {"sample_weight": sample.weight[rows]}
        with config(remember_rows=False):  # the wrapper does
            return model.fit(part, label, **weight)

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, SchemeFitted)
        self.estimators_, self.names_ = fitted.models, fitted.names
        self.n_classes_ = len(fitted.classes)
        self.pairwise_indices_ = fitted.columns if self._scheme != "ovr" else None

    def _query(self, X: Samples) -> Any:
        check_is_fitted(self)
        fitted = self.fitted_
        return InnerDoor.of(self._some_machine()).query(self, X, fitted.kind)

    def _some_machine(self) -> Any:
        return self.fitted_.models[0]

    def _outputs(self, X: Samples) -> Floats:
        """One number per row for two classes, else one per class.

        Of pairwise schemes the votes of each class, with the confidences as tie-breakers.
        """
        values, classes = _outputs_of(self.fitted_, X), len(self.classes_)
        if classes == 2:
            return values[:, 0]
        if self._scheme == "ovr":
            return values
        return _multiclass.one_column_per_class(values, classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted class of each point.

        Parameters
        ----------
        X : array-like
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        rows = self._query(X)
        values, classes = _outputs_of(self.fitted_, rows), len(self.classes_)
        return self.classes_[self._winners(values, classes)]

    def _winners(self, values: Floats, classes: int) -> NDArray[np.intp]:
        """Places of the winning classes; of pairs the sum of confidences decides equal votes."""
        if self._scheme == "ovo" and classes > 2:
            return _multiclass.one_column_per_class(values, classes).argmax(axis=1)
        return _multiclass.winners(values, classes, self._scheme)

    def _publish_evidence(self) -> Evidence:
        """The binary machines, each counted over all rows: an error needs one of them to err."""
        fitted, machines = self.fitted_, []
        chosen = list(fitted.choices())
        whole = fitted.members or not fitted.models
        for model, rows in zip(fitted.models, fitted.members, strict=True) if whole else ():
            evidence = getattr(model, "evidence_", None)
            if evidence is not None:
                chosen += evidence.choices
                machines.append(_over_all_rows(evidence, rows, fitted.counted))
        complete = len(machines) == len(fitted.models)
        one = machines[0] if complete and len(machines) == 1 else None
        if one is not None:
            return replace(one, learner=f"this {type(self).__name__}", errors=fitted.errors)
        assert fitted.classes is not None
        return Evidence(
            n=fitted.counted,
            learner=f"this {type(self).__name__}",
            formulation=self._scheme,
            n_classes=len(fitted.classes),
            errors=fitted.errors,
            machines=tuple(machines) if complete else (),
            choices=tuple(dict.fromkeys(chosen)),
        )


def _outputs_of(fitted: SchemeFitted, X: Any) -> Floats:
    """Output of each machine, positive for its first class, shape (n, n_machines)."""
    if fitted.columns is None:
        parts = [X] * len(fitted.models)
    else:
        parts = [X[:, own] for own in fitted.columns]
    return np.column_stack(
        [_signed_output(*each) for each in zip(fitted.models, parts, strict=True)]
    )


def _signed_output(model: Predictor, X: Samples) -> Floats:
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=np.float64).ravel()
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=np.float64)[:, 1] - 0.5
    answer = np.asarray(model.predict(X))
    if is_regressor(model):  # of labels −1 and +1
        return answer.astype(np.float64).ravel()
    return np.where(answer == 1, 1.0, -1.0)


def _take(X: Any, rows: NDArray[np.intp]) -> Any:
    return X[rows] if hasattr(X, "shape") else [X[int(i)] for i in rows]


def _over_all_rows(evidence: Evidence, rows: NDArray[np.intp], n: int) -> Evidence:
    """A pairwise machine is never wrong about rows that it is not asked about."""
    if len(rows) == n:
        return evidence
    margins = None
    if evidence.margins is not None and len(evidence.margins) == len(rows):
        margins = np.full(n, np.inf)
        margins[rows] = evidence.margins
    return replace(
        evidence, n=n, margins=margins, alphas=None, slacks=None, point_norms=None, trace=None,
        compression=None, loo={}, mistakes=None, progressive=None, C=None, choices=(),
    )  # fmt: skip
