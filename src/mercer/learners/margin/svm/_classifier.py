"""What ``SVC`` and ``NuSVC`` share: classes, several binary problems, votes and probabilities."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer._types import Samples
from mercer.learners import schemes as _multiclass
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._in_kernel_space import KernelSpace
from mercer.learners.margin.svm import _calibrated
from mercer.learners.margin.svm._base import MarginFitted, MarginMachine
from mercer.learners.margin.svm._tasks import Ground, Tasks
from mercer.learners.margin.svm.machine import Machine
from mercer.learners.margin.svm.training import Budget

Floats = NDArray[np.float64]


def _offers_probabilities(estimator: Any) -> bool:
    if not estimator.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class MarginClassifier(ClassifierMixin, MarginMachine):
    """Classes, binary problems and the ways to read them together."""

    _kind = "classifier"
    _complaint = "Invalid input - all samples with positive weights"
    _door: ClassVar[Door] = Door(asks="kernel", targets="labels")

    # -- fit ---------------------------------------------------------------------------------------

    def _tasks(self, y: NDArray[Any], weight: Floats) -> Tasks:
        if y.dtype.kind not in "biuUS":  # those cannot be anything but labels
            check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got 1 class"
                f" ({classes.tolist()[0]!r}): there is nothing to separate."
            )
        if self.decision_function_shape == "ovo" and self.multi_class == "ovr":
            raise ValueError(
                "decision_function_shape='ovo' needs pairwise machines; "
                "multi_class='ovr' trains none. Use multi_class='ovo' or 'dag'."
            )
        factors = self._weights_of_classes(classes, y)
        weight = weight * factors[codes]
        heavy = np.bincount(codes, weights=weight).astype(np.float64)
        self._check_every_class_counts(classes, heavy)
        tasks = _multiclass.binary_tasks(codes, len(classes), self.multi_class)
        return Tasks(
            [(rows, label, weight[rows]) for rows, label in tasks],
            tuple(_multiclass.task_names(classes, self.multi_class)),
            classes,
            codes,
            factors,
        )

    def _weights_of_classes(self, classes: NDArray[Any], y: NDArray[Any]) -> Floats:
        if self.class_weight is None:
            return np.ones(len(classes))
        weights = compute_class_weight(self.class_weight, classes=classes, y=y)
        if np.any(weights < 0):
            raise ValueError(f"class_weight must not be negative; got {self.class_weight!r}.")
        return weights

    def _check_every_class_counts(self, classes: NDArray[Any], total: Floats) -> None:
        if np.all(total > 0):
            return
        if np.count_nonzero(total) == 1:
            only = classes[int(total.argmax())]
            raise ValueError(f"{self._complaint} belong to the same class ({only!r}).")
        missing = classes[total == 0].tolist()
        raise ValueError(f"Classes {missing} have no sample with positive weight.")

    def _record(
        self,
        sample: TrainingSample,
        space: KernelSpace,
        tasks: Tasks,
        machines: tuple[Machine, ...],
        budget: Budget,
        ground: Ground,
    ) -> MarginFitted:
        classes, codes = tasks.classes, tasks.codes
        assert classes is not None
        assert codes is not None
        support = _multiclass.support_rows(machines, codes)
        pairwise = len(classes) > 2 and self.multi_class != "ovr"
        packed = _multiclass.pack(machines, support, codes, pairwise)
        calibration = None
        if self.probability:
            calibration = _calibrated.calibrate(self, machines, space.gram, budget, ground)
        return MarginFitted(
            **self._supported(sample, space, support, packed),
            classes=classes,
            machines=machines,
            names=tasks.names,
            class_weight=tasks.class_weight,
            scheme=self.multi_class,
            calibration=calibration,
            n_support=np.bincount(codes[support], minlength=len(classes)).astype(np.int32),
            intercept=np.array([machine.intercept for machine in machines]),
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, MarginFitted)
        self.classes_, self.class_weight_ = fitted.classes, fitted.class_weight

    def _pairwise(self) -> bool:
        return len(self.classes_) > 2 and self.fitted_.scheme != "ovr"

    # -- prediction --------------------------------------------------------------------------------

    def _columns(self) -> Floats:
        return _multiclass.unpack(self._dense_coef(), self.n_support_, self._pairwise())

    def decision_function(self, X: Samples) -> Floats:
        """Outputs of the machines.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; with ``kernel="precomputed"`` their values against the training rows.

        Returns
        -------
        ndarray
            Shape (n_samples,) for two classes. For more, shape (n_samples, n_classes), or
            (n_samples, n_classes * (n_classes - 1) / 2) with ``decision_function_shape="ovo"``.
        """
        values = self._values(X)
        if len(self.classes_) == 2:
            return values[:, 0]
        if self.fitted_.scheme == "ovr" or self.decision_function_shape == "ovo":
            return values
        return _multiclass.one_column_per_class(values, len(self.classes_))

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
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        n_classes, scheme = len(self.classes_), self.fitted_.scheme
        if self._compares(n_classes, scheme):
            values = self._values(X)
        else:
            values = self._telling_values(
                X, lambda rough, error: _multiclass.doubtful(rough, n_classes, scheme, error)
            )
        return self.classes_[self._winners(values, n_classes, scheme)]

    def _compares(self, n_classes: int, scheme: str) -> bool:
        """Whether pairwise machines are asked for more than who wins."""
        return self.break_ties and n_classes > 2 and scheme == "ovo"

    def _winners(self, values: Floats, n_classes: int, scheme: str) -> NDArray[np.intp]:
        """The class that the outputs of all machines speak for."""
        if self._compares(n_classes, scheme):
            return _multiclass.one_column_per_class(values, n_classes).argmax(axis=1)
        return _multiclass.winners(values, n_classes, scheme)

    @available_if(_offers_probabilities)
    def predict_proba(self, X: Samples) -> Floats:
        """Class probabilities; the most probable class is always the predicted one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; with ``kernel="precomputed"`` their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``. See ``mercer.learners.margin._probability`` for
            how they are made.
        """
        values = self._values(X)
        n_classes, scheme = len(self.classes_), self.fitted_.scheme
        winners = self._winners(values, n_classes, scheme)
        return _calibrated.probabilities(self.fitted_.calibration, values, winners, scheme)

    @available_if(_offers_probabilities)
    def predict_log_proba(self, X: Samples) -> Floats:
        """Logarithms of ``predict_proba``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; with ``kernel="precomputed"`` their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        return np.log(self.predict_proba(X))

    # -- attributes --------------------------------------------------------------------------------

    def _primal_weights(self) -> Any:
        if not self._pairwise():
            return super()._primal_weights()
        weights = self._columns().T
        if sparse.issparse(self.support_vectors_):
            return sparse.csr_array(weights) @ self.support_vectors_
        return weights @ self.support_vectors_

    def _flip(self) -> float:
        return -1.0 if len(self.classes_) == 2 else 1.0
