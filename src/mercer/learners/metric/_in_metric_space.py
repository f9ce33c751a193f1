"""Learners that reach their rows through distances alone: the metric, and whether it is one."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer import _config
from mercer._cached import cached_property
from mercer._types import Samples
from mercer.bounds import Choice
from mercer.kernels.validate import n_rows, take
from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._parameters import Rule
from mercer.learners.metric._capacity import covering_radii, kept_distances
from mercer.metrics import EXACT, Metric, as_metric, report

Floats = NDArray[np.float64]
Known = Literal["declared", "exact", "sampled", "denied", "broken"]

LOOKED_AT = 1000  # objects whose triangles ``fit`` looks at: more cost more than the fit


class NotAMetricWarning(UserWarning):
    """The distances break an axiom that the method relies on."""


@dataclass(frozen=True, kw_only=True)
class MetricFitted(Fitted):
    """The metric, the objects (None if distances were given), and what bounds ask about both."""

    metric: Metric
    objects: Any
    known: Known  # how it is known that the metric is one
    distances: Floats | None  # between the objects, where bounds can afford to use them
    radii: Floats

    @cached_property
    def verdict(self) -> bool | None:
        """Whether the axioms are declared, or hold for all training objects; None if who knows.

        What ``fit`` looked at in part is looked at as a whole when somebody asks, if it can be.
        """
        if self.known != "sampled":
            return self.known in ("declared", "exact")
        D = self.distances
        return None if D is None or len(D) > EXACT else report(D)["D5"].holds

    def choices(self) -> tuple[Choice, ...]:
        """What was chosen by looking at the rows: a repair."""
        repaired = (Choice("the metric", "repaired on the rows"),) if self.known == "broken" else ()
        return (*repaired, *super().choices())


@dataclass(frozen=True)
class MetricSpace:
    """The metric, and distances of the training objects that the learner may rely on."""

    metric: Metric
    D: Floats
    known: Known

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against the axioms."""
        return self.known in ("declared", "exact", "sampled")


def _exists(metric: Any) -> bool:
    as_metric(metric)  # says itself what there is
    return True


METRIC: Rule = (_exists, "a name, a function or a mercer Metric")


class InMetricSpace:
    """Mixin: ``metric``; publishes ``metric_`` and ``metric_holds_``."""

    # distances are dense whatever the rows are: sparse ones become so at the door
    _door: ClassVar[Door] = Door(
        asks="metric", targets="labels", dtype=np.float64, weights="drop", narrow=sys.maxsize
    )
    _rules: ClassVar[dict[str, Rule]] = {"metric": METRIC}
    metric: Any
    metric_: Metric

    def _says_kind(self) -> Any:
        with suppress(ValueError):  # of a metric that does not exist ``fit`` will tell
            return as_metric(self.metric)
        return self.metric

    def _space(self, sample: TrainingSample) -> MetricSpace:
        """Distances of the training objects; symmetric, with zero diagonal."""
        metric = as_metric(self.metric)
        D = metric(sample.X)
        if D.min(initial=0.0) < 0:
            i, j = np.unravel_index(int(D.argmin()), D.shape)
            raise ValueError(
                f"Negative values in data passed as distances: d({i}, {j}) = {D[i, j]:.6g}"
            )
        if metric.is_metric:
            return MetricSpace(metric, D, "declared")
        return _examined(metric, D)

    def _in_space(self, sample: TrainingSample, space: MetricSpace, classes: int) -> dict[str, Any]:
        """Facts of sample and metric, as arguments of a `MetricFitted`."""
        return rows_of(sample) | {
            "metric": space.metric,
            "objects": None if sample.kind is Kind.DISTANCES else sample.X,
            "known": space.known,
            "distances": kept_distances(space.D, classes),
            "radii": covering_radii(space.D),
        }

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)  # type: ignore[misc]
        assert isinstance(fitted, MetricFitted)
        self.metric_ = fitted.metric

    @property
    def metric_holds_(self) -> bool | None:
        """Whether the distance is a metric: declared so, or on all training objects.

        None if there are too many of them for all triangles: no violation among those looked at.
        """
        check_is_fitted(self)
        return self.fitted_.verdict  # type: ignore[attr-defined]

    def _blocks(self, X: Samples) -> Iterator[tuple[slice, Floats]]:
        """Distances of checked objects to the training objects, some rows at a time."""
        fitted: MetricFitted = self.fitted_  # type: ignore[attr-defined]
        size = _config.block_rows(8 * _config.TEMPORARIES * fitted.n)
        for start in range(0, n_rows(X), size):
            part = slice(start, min(n_rows(X), start + size))
            rows = take(X, part)
            if fitted.objects is not None:
                yield part, fitted.metric(rows, fitted.objects)
            else:  # of those left out at fit distances are not needed
                yield part, rows if fitted.kept is None else rows[:, fitted.kept]


def _examined(metric: Metric, D: Floats) -> MetricSpace:
    """Distances of which nobody says that they are a metric; what is broken is reported."""
    found = report(D, max_rows=LOOKED_AT)
    if all(found[code].holds for code in ("D1", "D2", "D3", "D5")):
        if metric.is_metric is False:  # on these objects it looks like one; on others it is not
            return MetricSpace(metric, D, "denied")
        return MetricSpace(metric, D, "exact" if len(D) <= LOOKED_AT else "sampled")
    broken = [a.explain() for a in found.axioms if not a.holds and a.code != "D4"]
    warnings.warn(
        "these distances are no metric (" + "; ".join(broken) + "). The larger of both "
        "directions is used and the guarantee between training points is lost; "
        "mercer.metrics has repairs.",
        NotAMetricWarning,
        stacklevel=8,  # the line that called ``fit``
    )
    D = np.maximum(D, D.T)
    np.fill_diagonal(D, 0.0)
    return MetricSpace(metric, D, "broken")
