"""Expected calibration error over bins that were fixed before the counted rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mercer.bounds.numerics.checks import log_level
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.metrics._metric import CertifiedMetric, Unseen
from mercer.certification.guarantees.statement import Statement


@dataclass(frozen=True)
class CalibrationError(CertifiedMetric):
    """Σ_b |E[(p − 1{right})·1{p in bin b}]|, p the probability of the answer, ``bins`` equal bins.

    The plug-in value is convex in the sample, so its mean is at least the truth (Jensen), and one
    row moves it by at most 2/m: truth ≤ plug-in + √(2 ln(1/δ)/m) (McDiarmid), whatever the number
    of bins. More bins see more of a miscalibration, and cost a plug-in value that is too large.
    """

    bins: int = 10

    name, quantity, side = "ece", "calibration error", "upper"
    title = "bounded differences of a convex plug-in value"
    reads = "certainty"
    reference = "McDiarmid 1989; Jensen's inequality"
    assumptions: ClassVar[tuple[str, ...]] = ("the bins were fixed before the counted rows",)

    def __post_init__(self) -> None:
        if int(self.bins) != self.bins or self.bins < 1:
            raise ValueError(f"bins must be a whole number >= 1, got {self.bins!r}")

    @classmethod
    def read(cls, option: str, text: str) -> Any:
        """A whole number."""
        return int(text)

    def state(self, rows: Unseen, delta: float) -> Statement:
        """From the probabilities of the answers."""
        if not hasattr(rows.model, "predict_proba"):
            raise Refused(f"{type(rows.model).__name__} gives no probabilities to be calibrated.")
        sure = np.asarray(rows.model.predict_proba(rows.X), dtype=np.float64).max(axis=1)
        right = rows.truth.astype(object) == rows.predicted.astype(object)
        place = np.minimum((sure * self.bins).astype(np.intp), int(self.bins) - 1)
        gaps = np.bincount(place, sure - right.astype(np.float64), minlength=int(self.bins))
        seen = float(np.abs(gaps).sum() / rows.n)
        value = seen + math.sqrt(-2.0 * log_level(delta) / rows.n)
        told = f"calibration error {seen:.4g} in {self.bins} bins on {rows.n} unseen rows"
        return Statement(value, rows.n, seen, told, details={"bins": int(self.bins)})
