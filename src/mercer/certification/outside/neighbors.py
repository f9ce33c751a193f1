"""scikit-learn's nearest neighbours, whose leave-one-out error is one query away."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.bounds import Evidence
from mercer.certification.outside._shared import other_rows


def classifier(model: Any, X: Any, y: Any) -> Evidence:
    """``KNeighborsClassifier`` with equal votes."""
    labels = np.asarray(y)
    wrong = int(np.count_nonzero(np.asarray(model.predict(X)) != labels))
    facts: dict[str, Any] = {"errors": wrong, "n_classes": max(2, len(model.classes_))}
    if model.n_samples_fit_ != len(labels):
        raise other_rows(f"it remembers {model.n_samples_fit_} rows")
    own = model.kneighbors(X, n_neighbors=1)[0][:, 0]
    if float(own.max()) > 1e-9 * (1.0 + float(np.abs(own).max())):
        raise other_rows(f"row {int(own.argmax())} is not among those it remembers")
    if not np.array_equal(model.classes_[model._y], labels):
        raise other_rows("it remembers other labels")
    if model.weights != "uniform" or model.n_neighbors >= len(labels):
        return Evidence(len(labels), **facts)
    near = model.kneighbors(None, return_distance=False)  # a row is not its own neighbour here
    votes = np.stack([(model._y[near] == c).sum(axis=1) for c in range(len(model.classes_))], 1)
    left_out = float(np.mean(votes.argmax(axis=1) != model._y))
    k = int(model.n_neighbors)
    return Evidence(len(labels), neighbours=k, loo={"exact": left_out}, **facts)
