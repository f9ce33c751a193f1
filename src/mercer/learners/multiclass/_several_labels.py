"""Rows that have any number of labels, given as a matrix of zeros and ones: a machine per label."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import _num_samples

from mercer._storable import record
from mercer._types import Samples
from mercer.bounds import Evidence
from mercer.learners._door import Kind, TrainingSample
from mercer.learners._fitted import rows_of
from mercer.learners.multiclass._inner_door import InnerDoor
from mercer.learners.multiclass._wrapper import Floats, SchemeFitted, Wrapper, _outputs_of


@dataclass(frozen=True, kw_only=True)
class LabelSetFitted(SchemeFitted):
    """A machine per column of the matrix; answers are ``sparse`` if it was."""

    sparse: bool


@record("constant-label")
@dataclass(frozen=True)
class ConstantLabel:
    """In place of a machine, for a label that all rows have, or none."""

    present: bool

    def decision_function(self, X: Samples) -> Floats:
        """One or minus one, for every row."""
        return np.full(_num_samples(X), 1.0 if self.present else -1.0)

    def predict_proba(self, X: Samples) -> Floats:
        """Zero and one."""
        return np.tile([1.0 - self.present, float(self.present)], (_num_samples(X), 1))


class SeveralLabels(Wrapper):
    """The part of `OneVsRest` that takes such matrices."""

    @property
    def multilabel_(self) -> bool:
        """Whether rows may have several labels, or none."""
        return isinstance(self.fitted_, LabelSetFitted)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    @property
    def _door(self) -> Any:  # type: ignore[override]
        return replace(InnerDoor.of(self._learner()), label_sets=True)

    def _train(self, sample: TrainingSample) -> SchemeFitted:
        if np.ndim(sample.y) < 2 and not sparse.issparse(sample.y):
            return super()._train(sample)
        matrix = sample.y.toarray() if sparse.issparse(sample.y) else np.asarray(sample.y)
        if not np.isin(matrix, (0, 1)).all():
            raise ValueError(
                f"y has {matrix.shape[1]} columns, so it must be a matrix of zeros and ones that "
                "says which labels a row has; one column of class names is the other way."
            )
        counts, rows = sample.weight > 0, np.arange(sample.n)
        models = [
            self._machine_of(sample, rows, column, column[counts], name)
            for name, column in enumerate(matrix.T > 0)
        ]
        return LabelSetFitted(
            **rows_of(sample),
            classes=np.arange(len(models)),
            models=models,
            names=[f"label {name} or not" for name in range(len(models))],
            counted=int(counts.sum()),
            members=[],
            columns=[rows] * len(models) if sample.kind is Kind.GRAM else None,
            errors=None,
            sparse=sparse.issparse(sample.y),
        )

    def _machine_of(
        self, sample: TrainingSample, rows: Any, has: Any, counted: Any, name: int
    ) -> Any:
        if counted.min() == counted.max():
            word = "" if counted.all() else "not "
            warnings.warn(f"Label {word}{name} is present in all training examples.", stacklevel=8)
            return ConstantLabel(bool(counted.all()))
        return self._machine(sample, rows, np.where(has, 1, -1))

    def _some_machine(self) -> Any:
        learned = (one for one in self.fitted_.models if not isinstance(one, ConstantLabel))
        return next(learned, self._learner())

    def _outputs(self, X: Samples) -> Floats:
        return _outputs_of(self.fitted_, X) if self.multilabel_ else super()._outputs(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted class of each point, or the matrix of its labels.

        Parameters
        ----------
        X : array-like
            New points.

        Returns
        -------
        ndarray of shape (n_samples,), or matrix of shape (n_samples, n_labels)
            Class labels; of several labels per row zeros and ones, sparse if ``y`` was.
        """
        rows = self._query(X)
        if not isinstance(self.fitted_, LabelSetFitted):
            return super().predict(X)
        found = (_outputs_of(self.fitted_, rows) > 0).astype(np.intp)
        return sparse.csr_matrix(found) if self.fitted_.sparse else found

    def _publish_evidence(self) -> Evidence:
        """Of several labels nothing but the choices: bounds speak of one label per row."""
        if not self.multilabel_:
            return super()._publish_evidence()
        return Evidence(
            n=self.fitted_.counted,
            learner=f"this {type(self).__name__}",
            formulation="several labels",
            choices=self.fitted_.choices(),
        )
