"""What answers made of several fitted models share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._tags import get_tags

Floats = NDArray[np.float64]


class Several:
    """Mixin for estimators with ``models`` and ``columns``.

    ``columns`` is None, or for a precomputed kernel the rows each model was trained on, counted in
    the rows of the certified fit.
    """

    models: Sequence[Any]
    columns: Any

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.models[-1])

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> NDArray[Any]:
        """All labels that some model knows."""
        return np.unique(np.concatenate([model.classes_ for model in self.models]))

    @property
    def n_features_in_(self) -> int:
        """Columns of the rows to predict."""
        return int(self.models[-1].n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Their names, if the models were trained on a table with names."""
        return self.models[-1].feature_names_in_

    def _own(self, number: int, X: Any) -> Any:
        """Rows as the model of this number takes them."""
        return X if self.columns is None else np.asarray(X)[:, self.columns[number]]


def aligned(values: Floats, known: Any, classes: NDArray[Any], missing: float) -> Floats:
    """Columns of the classes a model knows, put among those of all classes."""
    table = np.full((len(values), len(classes)), missing)
    table[:, np.searchsorted(classes, known)] = values
    return table
