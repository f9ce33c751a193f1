"""What counts as being wrong: 0-1 errors, targets outside a tolerance, or a bounded loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_outlier_detector, is_regressor
from sklearn.pipeline import Pipeline

from mercer._storable import record
from mercer.bounds import Certificate, HoldOut
from mercer.certification.core import arguments
from mercer.certification.core.loss_range import questioned
from mercer.learners.describe import answering

Floats = NDArray[np.float64]

WITHIN = 0.9  # of the predictions: what a regression is judged by if nothing else is asked for
NAMED: dict[str, Callable[[Any, Any], Floats]] = {
    "absolute": lambda y, f: np.abs(y - f),
    "squared": lambda y, f: np.square(y - f),
}


def task_of(model: object) -> str:
    """``"classification"``, ``"regression"`` or ``"novelty"``; unknown models classify."""
    try:
        if is_regressor(model):
            return "regression"
        if is_outlier_detector(model):
            return "novelty"
    except (AttributeError, TypeError):  # not a scikit-learn object: it has predict, nothing else
        pass
    return "classification"


@record("certified-loss")
@dataclass(frozen=True)
class Loss:
    """How predictions are judged.

    ``tolerance`` turns a regression into right and wrong (a target further away is an error).
    Otherwise ``measure(y, f)`` gives a number per row inside ``limits``. ``within``: which share of
    the predictions is how near; distances need no limits.
    """

    task: str
    tolerance: float | None = None
    measure: Callable[[Any, Any], Any] | None = None
    limits: tuple[float, float] | None = None
    clip: bool = False
    name: str = ""
    within: float | None = None

    @property
    def open(self) -> bool:
        """Whether a regression was given nothing to be judged by."""
        return self.task == "regression" and self.counts and self.tolerance is None

    def nearness(self, share: float = WITHIN) -> Loss:
        """Judge by the distance within which a share of the predictions lies."""
        return replace(self, measure=NAMED["absolute"], name="absolute", within=share)

    @property
    def counts(self) -> bool:
        """Whether rows are right or wrong, rather than better or worse."""
        return self.measure is None

    def limits_of(self, loss: str) -> bool:
        """Whether the range, if there is one, is that of the loss a model was trained with."""
        same = self.measure is NAMED.get(loss) and not self.clip
        return self.limits is None or same

    def for_model(self, model: object) -> Loss:
        """Fill in what only the fitted model knows: the half-width of its tube."""
        if self.task != "regression" or self.tolerance is not None or not self.counts:
            return self
        tube = tube_of(model)
        if tube is None:
            raise ValueError(UNBOUNDED)
        return replace(self, tolerance=tube)

    def wrong(self, y: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.bool_]:
        """Which rows are errors."""
        if self.task == "regression":
            near = np.abs(_numbers(y) - _numbers(predicted)) <= float(self.tolerance or 0.0)
            return ~near  # a prediction that is not a number is near nothing
        if y.dtype.kind == "O" or predicted.dtype.kind != y.dtype.kind:
            y, predicted = y.astype(object), predicted.astype(object)
        return np.asarray(predicted != y, dtype=bool)

    def losses(self, y: NDArray[Any], predicted: NDArray[Any]) -> Floats:
        """Loss of each row, checked against the declared range."""
        assert self.measure is not None
        try:
            values = np.asarray(self.measure(_numbers(y), _numbers(predicted)), dtype=np.float64)
        except TypeError as problem:
            raise TypeError(
                f"the loss is called with the targets and the predictions, two arrays: {problem}"
            ) from problem
        if values.shape != y.shape:
            raise ValueError(f"the loss returned shape {values.shape} for {len(y)} rows")
        if np.isnan(values).any():
            place = int(np.flatnonzero(np.isnan(values))[0])
            raise ValueError(f"the loss of row {place} is not a number")
        if self.within is not None:
            return values
        assert self.limits is not None
        low, high = self.limits
        if self.clip:
            return np.clip(values, low, high)
        if values.min() < low or values.max() > high:
            place = int(np.argmax((values < low) | (values > high)))
            raise ValueError(
                f"the loss of row {place} is {values[place]:.4g}, outside loss_range=({low:g}, "
                f"{high:g}). Widen the range, or pass clip=True to certify the clipped loss."
            )
        return values

    def holdout(self, y: NDArray[Any], predicted: NDArray[Any], **more: Any) -> HoldOut:
        """The record of unseen rows."""
        if self.counts:
            return HoldOut(len(y), int(np.count_nonzero(self.wrong(y, predicted))), **more)
        return HoldOut(len(y), losses=self.losses(y, predicted), **more)

    def scores(self, y: NDArray[Any], predicted: NDArray[Any]) -> Floats:
        """Loss of each row on a scale from 0 to 1."""
        if self.counts:
            return self.wrong(y, predicted).astype(np.float64)
        if self.within is not None:  # used to choose a split, where any scale will do
            values = self.losses(y, predicted)
            return values / max(float(values.max()), np.finfo(float).tiny)
        assert self.limits is not None
        low, high = self.limits
        return (np.clip(self.losses(y, predicted), low, high) - low) / (high - low)

    def annotate(
        self, certificate: Certificate, scores: NDArray[np.float64] | None = None
    ) -> Certificate:
        """Say in words which loss the number is about.

        ``scores`` are those counted, where the evidence has only their sum.
        """
        rate, plain = "error rate", certificate.quantity  # may go on: "on a random row of ..."
        if self.counts and plain.startswith(rate):
            what = {
                "novelty": "rate of new points rejected",
                "regression": f"rate of targets further than {self.tolerance or 0.0:.4g} away",
            }.get(self.task, rate)
            return replace(certificate, quantity=what + plain.removeprefix(rate))
        if self.counts or self.within is not None:
            return certificate
        extra: tuple[str, ...] = (f"the loss is {self.name}",)
        if self.clip:
            return replace(
                certificate,
                quantity=f"mean of {self._clipped()}",
                assumptions=(*certificate.assumptions, *extra),
            )
        part = None if certificate.inputs is None else certificate.inputs.holdout
        counted = None if part is None or part.unit != "row" else part.losses
        if scores is not None and self.limits:
            low, high = self.limits
            counted = low + (high - low) * scores
        if counted is not None and self.limits:
            first, more = questioned(counted, self.limits, self.name)
            extra = (*extra, *more)
            certificate = replace(certificate, found=(*certificate.found, *first))
        return replace(certificate, assumptions=(*certificate.assumptions, *extra))

    def _clipped(self) -> str:
        """The clipped loss in a formula: its mean exists where that of the loss may not."""
        low, high = self.limits or (0.0, 1.0)
        formula = {"absolute": "|y-f|", "squared": "(y-f)^2"}.get(self.name)
        if formula is None or low > 0:
            return f"{formula or self.name} clipped to [{low:g}, {high:g}]"
        return f"min({formula}, {high:g})"


UNBOUNDED = (
    "The loss of a regression has no upper limit, so nothing can be certified about its mean. Give "
    "loss_range=(low, high) (with clip=True, larger losses count as high), or tolerance=t to "
    "certify how often targets are further than t away."
)


def make_loss(
    task: str,
    loss: Any = None,
    loss_range: tuple[float, float] | None = None,
    clip: bool = False,
    tolerance: float | None = None,
) -> Loss:
    """Check the user's arguments about the loss."""
    clip = arguments.flag(clip, "clip")
    if clip and loss_range is None:
        raise ValueError("clip=True needs loss_range=(low, high), the limits to clip to")
    if task != "regression":
        if loss is not None or loss_range is not None or tolerance is not None:
            raise ValueError(
                "loss, loss_range and tolerance are for regressions; here wrong labels are counted"
            )
        return Loss(task)
    if tolerance is not None:
        if loss is not None or loss_range is not None:
            raise ValueError("give either tolerance= or loss_range=, not both")
        if not (arguments.is_number(tolerance) and 0 <= tolerance < math.inf):
            raise ValueError(f"tolerance must be a number >= 0, got {tolerance!r}")
        return Loss(task, tolerance=float(tolerance))
    if loss is None and loss_range is None:
        return Loss(task)
    if loss_range is None:
        raise ValueError(UNBOUNDED)
    low, high = arguments.limits(loss_range)
    chosen = "absolute" if loss is None else loss
    if isinstance(chosen, str) and chosen not in NAMED:
        raise ValueError(f"loss must be a function (y, prediction) or one of {sorted(NAMED)}")
    if not isinstance(chosen, str) and not callable(chosen):
        raise ValueError(f"loss must be a function (y, prediction) or one of {sorted(NAMED)}")
    measure = NAMED[chosen] if isinstance(chosen, str) else chosen
    name = chosen if isinstance(chosen, str) else getattr(chosen, "__name__", "the given function")
    return Loss(task, measure=measure, limits=(low, high), clip=clip, name=name)


def tube_of(model: Any) -> float | None:
    """Half-width of a fitted support vector regression's tube, or the ``tolerance_`` it found."""
    model = answering(model)
    if getattr(model, "finds_tolerance", False):
        return float(model.tolerance_)
    model = getattr(model, "best_estimator_", model)
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    machines = getattr(getattr(last, "fitted_", None), "machines", None)
    return float(machines[0].tube) if machines and task_of(last) == "regression" else None


def has_tube(estimator: object) -> bool:
    """Whether the estimator, fitted or not, is a support vector regression at its end."""
    if getattr(estimator, "finds_tolerance", False):
        return True
    if isinstance(estimator, Pipeline):
        return has_tube(estimator.steps[-1][1])
    if hasattr(estimator, "estimator"):  # a search
        return has_tube(estimator.estimator)
    return bool(getattr(estimator, "has_tube", False))


def _numbers(values: NDArray[Any]) -> Floats:
    return np.asarray(values, dtype=np.float64).ravel()
