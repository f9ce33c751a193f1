"""What a wrapper takes: whatever the learner inside it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from mercer._types import Samples
from mercer.learners._door import Door, Kind


@dataclass(frozen=True)
class InnerDoor(Door):
    """Takes what the learner inside takes, which checks the rows itself."""

    pairwise: bool = False
    objects: bool = False
    label_sets: bool = False  # y may be a matrix of zeros and ones

    @classmethod
    def of(cls, learner: Any) -> InnerDoor:
        """As the tags of the learner say."""
        tags = get_tags(learner).input_tags
        return cls(
            targets="labels",
            sparse=tags.sparse,
            pairwise=tags.pairwise,
            objects=not tags.two_d_array,
        )

    def kind(self, given: Any) -> Kind:
        """Objects go through as they are."""
        if self.objects:
            return Kind.WHOLE
        return Kind.GRAM if self.pairwise else Kind.VECTORS

    def query(self, estimator: object, X: Samples, kind: Kind) -> Any:
        """Rows to answer for."""
        if kind is Kind.WHOLE:
            return X
        return validate_data(estimator, X, reset=False, **self._options(kind))

    def _table(
        self, estimator: object, kind: Kind, X: Samples, y: ArrayLike, reset: bool
    ) -> tuple[Any, Any]:
        shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
        several = self.label_sets and len(shape) == 2 and shape[1] > 1
        options = self._options(kind) | {"multi_output": several}
        return validate_data(estimator, X, y, reset=reset, **options)

    def _options(self, kind: Kind) -> dict[str, Any]:
        # a pipeline may fill gaps without saying so: who is inside complains, or does not
        return {"accept_sparse": "csr" if self.sparse else False, "ensure_all_finite": False}
