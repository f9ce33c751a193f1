"""A learner that was asked for a mode becomes the model which that mode certified."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.certification.core.task import Refused
from mercer.certification.modes.progressive import ProgressiveMixture
from mercer.certification.modes.selective import Abstention, SelectiveClassifier


def adopt(estimator: Any, model: Any) -> Any:
    """Copy the fitted state of ``model`` to ``estimator``, whose parameters stay as they are."""
    inner = model
    if isinstance(model, ProgressiveMixture):
        inner = model.models[-1]
        _same_classes(model)
    elif isinstance(model, SelectiveClassifier):
        inner = model.model
    own = set(estimator.get_params(deep=False))
    for name, value in vars(inner).items():
        if name not in own:
            setattr(estimator, name, value)
    if inner is not model:
        everything = (model.certificates_, model.not_applicable_)
        record = model.certification_
        estimator._issue(model.certificate_, model.evidence_, record, everything)
    if isinstance(model, ProgressiveMixture):
        estimator._mixture = model
    elif isinstance(model, SelectiveClassifier):
        estimator._abstention = Abstention(model.threshold)
    return estimator


def _same_classes(mixture: ProgressiveMixture) -> None:
    first = getattr(mixture.models[0], "classes_", None)
    if first is not None and not np.array_equal(first, mixture.classes_):
        raise Refused(
            "certify='progressive': some class is missing in the first half of the rows, so the "
            "models have different classes. mercer.certified_fit can hold such a mixture."
        )
