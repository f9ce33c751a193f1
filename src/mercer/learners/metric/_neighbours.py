"""What the neighbour learners share: their door, the record of rows to look among, the search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mercer._cached import cached_property
from mercer._types import Samples
from mercer.bounds import Choice
from mercer.kernels import Kernel
from mercer.kernels.structured.precomputed import Precomputed
from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, one_of
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import NOTHING_TO_SOLVE
from mercer.learners.metric import _search
from mercer.learners.metric._votes import TIES, consistent_k

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

NAMED_WEIGHTS = ("uniform", "distance")
RULES: dict[str, Rule] = {
    "n_neighbors": (
        lambda v: (
            v in ("root", "lipschitz")
            if isinstance(v, str)
            else isinstance(v, Integral) and not isinstance(v, bool) and int(v) >= 1
        ),
        "a positive whole number, 'root' or 'lipschitz'",
    ),
    "weights": (
        lambda v: v is None or callable(v) or (isinstance(v, str) and v in NAMED_WEIGHTS),
        "'uniform', 'distance', None or a function of the distances",
    ),
    "algorithm": one_of(*_search.ALGORITHMS),
    "ties": one_of(*TIES),
    "metric": (
        lambda v: isinstance(v, str) or (callable(v) and not isinstance(v, Precomputed)),
        "the name of a metric, 'precomputed' (X holds distances; those of kernel values K are "
        "mercer.metrics.distance_from_kernel(K)), a function, a Metric, or a Kernel",
    ),
}


@dataclass(frozen=True, kw_only=True)
class NeighbourFitted(Fitted):
    """Rows to look among, and how; of given distances ``rows`` holds those to each other."""

    rows: Any
    metric: Any  # a kernel has numbers
    algorithm: str
    k: int
    n_jobs: int | None
    read_off: tuple[tuple[str, str], ...] = ()

    @cached_property
    def search(self) -> _search.Search:
        """Built by ``fit``, and again after loading: model files hold the rows only."""
        return _search.build(self.rows, self.metric, self.algorithm, self.k, self.n_jobs)

    @property
    def exact(self) -> bool:
        """Whether the search finds the true neighbours."""
        return self.algorithm != "approximate"

    def choices(self) -> tuple[Choice, ...]:
        """What was read off the rows: parameters of a kernel."""
        return (*(Choice(what, how) for what, how in self.read_off), *super().choices())


class NeighbourLearner(Publishes, Learner):
    """Rows are stored; a query looks up its neighbours."""

    lacks: ClassVar[Mapping[str, str]] = NOTHING_TO_SOLVE
    _rules: ClassVar[dict[str, Rule]] = RULES
    _targets: ClassVar[Literal["labels", "numbers"]] = "labels"
    metric: Any
    algorithm: str
    n_jobs: int | None
    fitted_: Any

    @property
    def _door(self) -> Door:  # type: ignore[override]
        """A function of two rows, and the graph of an approximate search, want dense ones."""
        sparse = isinstance(self.metric, str | Kernel) and self.algorithm != "approximate"
        return Door(asks="metric", targets=self._targets, sparse=sparse, weights="drop")

    def _metric_on(self, sample: TrainingSample) -> dict[str, Any]:
        """How neighbours of these rows are looked for, as arguments of a `NeighbourFitted`."""
        metric = self.metric
        read_off: tuple[tuple[str, str], ...] = ()
        if sample.kind is Kind.DISTANCES:
            metric = "precomputed"
        elif isinstance(metric, Kernel):
            if metric.data_dependent:
                how = f"a heuristic of {metric!r} read the rows"
                read_off = (("the kernel's parameters", how),)
            metric = metric.resolve(sample.X)
        return {
            "metric": metric,
            "algorithm": self.algorithm,
            "n_jobs": self.n_jobs,
            "read_off": read_off,
        }

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, NeighbourFitted)
        self.n_neighbors_, self.n_samples_fit_ = fitted.k, fitted.n

    def _known(self, X: Samples) -> Any:
        """Checked rows; of given distances those to the rows that were not left out."""
        rows, kept = self._query(X), self.fitted_.kept
        given = self.fitted_.kind is Kind.DISTANCES and kept is not None
        return rows[:, kept] if given else rows


def how_many(asked: Any, sample: TrainingSample) -> int:
    """The number of neighbours asked for, as a number."""
    total = sample.weight.sum()
    if isinstance(asked, str):
        table = asked == "lipschitz" and np.ndim(sample.X) == 2
        return consistent_k(max(1, int(total)), sample.X.shape[1] if table else None)
    if asked > total:
        raise ValueError(
            f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {asked}, "
            f"n_samples_fit = {sample.n}, n_samples = {sample.n}. "
            "Ask for fewer neighbours or bring more rows."
        )
    return int(asked)
