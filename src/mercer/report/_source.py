"""What a section looks at: the run record, and the model and rows where they are at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from mercer._cached import cached_property
from mercer._clean import clean
from mercer.bounds import Certificate
from mercer.learners.describe import answering, last_step
from mercer.report.run_record import RunRecord


@dataclass(frozen=True)
class Part:
    """Some of the rows, with their place in the table and a word for what they are."""

    X: Any
    y: Any
    index: np.ndarray
    words: str

    def __len__(self) -> int:
        return len(self.index)

    def some(self, limit: int) -> Part:
        """At most ``limit`` of them, drawn with a fixed seed."""
        if len(self) <= limit:
            return self
        keep = np.sort(np.random.default_rng(0).choice(len(self), limit, replace=False))
        labels = None if self.y is None else np.asarray(self.y)[keep]
        return Part(take(self.X, keep), labels, self.index[keep], self.words)


def take(X: Any, index: np.ndarray) -> Any:
    """Rows of an array, a sparse matrix, a frame or a list."""
    return _safe_indexing(X, index)


class Source:
    """A run record with a few questions answered; the objects behind it may be missing."""

    def __init__(self, record: RunRecord) -> None:
        self.record = record
        self.model: Any = record.objects.get("model")

    @cached_property
    def certificate(self) -> Certificate | None:
        """The declared certificate."""
        found = self.record.certificate
        return None if found is None else Certificate.from_dict(found)

    @property
    def task(self) -> str:
        """classification, regression or novelty."""
        return str(self.record.target.get("task", "classification"))

    @property
    def machine(self) -> Any:
        """The learner inside a search or a pipeline; None without a model."""
        return None if self.model is None else last_step(self.model)

    @cached_property
    def train(self) -> Part | None:
        """Rows the model was trained on; None if they are not at hand."""
        rows = self.record.objects.get("train_rows")
        return None if rows is None else self._part(np.asarray(rows), "training rows")

    @cached_property
    def unseen(self) -> Part | None:
        """Rows the model was judged by and has not learned; None if they are not at hand."""
        learned, judged = (self.record.objects.get(k) for k in ("train_rows", "counted_rows"))
        if judged is None:
            return None
        rows = np.setdiff1d(np.asarray(judged), [] if learned is None else np.asarray(learned))
        return self._part(rows, "unseen rows") if len(rows) else None

    @property
    def precomputed(self) -> bool:
        """Whether the rows are kernel values against the training rows."""
        tags = getattr(self.model, "__sklearn_tags__", None)
        return bool(tags and tags().input_tags.pairwise)

    def _part(self, index: np.ndarray, words: str) -> Part | None:
        X, y = self.record.objects.get("X"), self.record.objects.get("y")
        if X is None or self.model is None:
            return None
        if self.precomputed and answering(self.model) is self.model:
            rows = np.asarray(X)[np.ix_(index, self.record.objects["train_rows"])]
        else:
            rows = take(X, index)
        labels = None if y is None else np.asarray(y)[index]
        return Part(rows, labels, index, words)

    def inside(self, X: Any) -> Any:
        """Rows as the learner inside the pipeline sees them."""
        model = answering(self.model)
        model = getattr(model, "best_estimator_", model)
        while hasattr(model, "steps"):
            if len(model.steps) > 1:
                X = model[:-1].transform(X)
            model = getattr(model.steps[-1][1], "best_estimator_", model.steps[-1][1])
        return X

    def columns(self, count: int) -> list[str]:
        """Names of the columns of X, made up where nobody gave any."""
        given = self.record.objects.get("feature_names")
        if given is not None and len(given) == count:
            return [clean(name, 40) for name in given]
        return [f"column {i + 1}" for i in range(count)]

    def labels(self) -> list[str]:
        """Names of the classes, in the order of ``classes_``."""
        classes = getattr(self.model, "classes_", ())
        given = self.record.objects.get("class_names")
        names = given if given is not None and len(given) == len(classes) else classes
        return [clean(name, 40) for name in names]

    def class_index(self, y: Any) -> np.ndarray:
        """Position of every label in ``classes_``; -1 for labels the model does not know."""
        classes = np.asarray(self.model.classes_)
        order = np.argsort(classes)
        labels = np.asarray(y)
        at = order[np.searchsorted(classes[order], labels).clip(0, len(classes) - 1)]
        return np.where(classes[at] == labels, at, -1)
