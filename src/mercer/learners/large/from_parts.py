"""Fitted learners from what was computed elsewhere, partition by partition."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.learners._door import Kind
from mercer.learners.large._in_cells import assembled
from mercer.learners.large.landmarks import Landmarks
from mercer.learners.large.nystroem_classifier import NystroemClassifier, NystroemClassifierFitted
from mercer.learners.large.nystroem_ridge import NystroemRidge, NystroemRidgeFitted
from mercer.solvers.streamed_newton import StreamedSolution
from mercer.solvers.sums import Moments, solve_ridge

__all__ = ["assembled", "classifier_from_state", "ridge_from_moments"]


def _facts(landmarks: Landmarks, n: int) -> dict[str, Any]:
    return {
        "n": n,
        "kind": Kind.VECTORS,
        "kernel": landmarks.kernel,
        "rows": landmarks.rows,
        "whitening": landmarks.whitening,
        "width": landmarks.rows.shape[1],
    }


def _settled(model: Any, fitted: Any) -> Any:
    model.n_features_in_ = fitted.width
    model._settle(fitted)
    model._rows_seen = None
    return model


def ridge_from_moments(landmarks: Landmarks, moments: Moments, alpha: float) -> NystroemRidge:
    """The regression that sums over all rows determine."""
    found = solve_ridge(moments, alpha, True)
    model = NystroemRidge(alpha, kernel=landmarks.kernel, n_landmarks=len(landmarks.whitening))
    fitted = NystroemRidgeFitted(
        **_facts(landmarks, int(moments.mass)),
        coef=landmarks.whitening @ found.weights,
        intercept=found.intercept,
        moments=moments,
        condition=found.condition,
        flat=True,
    )
    return _settled(model, fitted)


def classifier_from_state(
    landmarks: Landmarks, found: StreamedSolution, classes: Any, n: int, C: float, loss: str
) -> NystroemClassifier:
    """The classifier where Newton's method stopped."""
    model = NystroemClassifier(
        C, kernel=landmarks.kernel, n_landmarks=len(landmarks.whitening), loss=loss
    )
    fitted = NystroemClassifierFitted(
        **_facts(landmarks, n),
        classes=np.asarray(classes),
        coef=landmarks.whitening @ found.state[:, :-1].T,
        intercept=found.state[:, -1].copy(),
        loss=loss,
        passes=found.passes,
        objective=found.objective,
    )
    return _settled(model, fitted)
