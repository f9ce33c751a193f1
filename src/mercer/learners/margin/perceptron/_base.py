"""What the primal and the kernel perceptron share: parameters, checks, evidence of a run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from mercer._types import Samples
from mercer.bounds import Choice, Compression, Evidence, Mistakes, Progressive
from mercer.learners._parameters import Rule, non_negative, one_of, positive, positive_whole
from mercer.learners.margin.perceptron._budget import POLICIES
from mercer.learners.margin.perceptron._file_order import NOTHING, InputOrder, as_drawn
from mercer.learners.margin.perceptron._goals import Goal, Rows, after
from mercer.learners.margin.perceptron.mistakes import MistakeLog, Space, orders_of, run, run_greedy
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]

NO_COPIES = {
    "copies": "a row of weight k is met once, with k times the step; of copies each may be right"
}
COMBINE = ("last", "average", "vote")
ONE_PASS_C = 1.0  # the martingale's constant, fixed before any data


def _is_order(value: object) -> bool:
    return value in ("cyclic", "random", "greedy") if isinstance(value, str) else value is not None


RULES: dict[str, Rule] = {
    "order": (_is_order, "'cyclic', 'random', 'greedy' or a list of row numbers"),
    "max_iter": positive_whole,
    "margin": non_negative,
    "learning_rate": positive,
    "combine": one_of(*COMBINE),
    "forget": one_of(*POLICIES),
    "budget": (
        lambda v: v is None or (isinstance(v, Integral) and int(v) >= 1),
        "None or a positive whole number of rows",
    ),
}


def keeps_last_rule(estimator: Any) -> bool:
    """Whether ``partial_fit`` is offered; an average of rules would need the whole run."""
    if estimator.combine != "last":
        raise AttributeError(
            f"partial_fit keeps the last rule only; combine={estimator.combine!r} needs fit"
        )
    return True


class MistakeDriven:
    """Mixin: the run itself, its warning, and what it lets a learner claim."""

    order: Any
    max_iter: int
    time_limit: float | None
    margin: float
    learning_rate: float
    combine: str
    random_state: Any
    coef_init: Any

    def _steps(self, weight: Floats) -> Floats:
        """Size of each row's update."""
        return float(self.learning_rate) * weight

    def _sweeps(self, space: Space, goal: Goal, stop: Callable[..., Any] | None) -> MistakeLog:
        margin, n = float(self.margin), len(goal.step)
        if self._greedy():
            most = self.max_iter * n
            return run_greedy(space, goal, max_updates=most, margin=margin, stop=stop)
        return run(
            space,
            goal,
            self._orders(goal),
            max_iter=self.max_iter,
            margin=margin,
            stop=stop,
        )

    def _greedy(self) -> bool:
        return isinstance(self.order, str) and self.order == "greedy"

    def _in_time(self, stop: Callable[..., Any] | None = None) -> Callable[..., bool]:
        """Asked after each sweep whether it was the last: the time is over, or somebody says so."""
        watch = Watch(self.time_limit)
        return lambda report: bool(stop is not None and stop(report)) or watch.spent

    def _orders(self, goal: Goal) -> Iterator[Rows]:
        """The visits of each sweep; rows of weight zero are not met."""
        orders = orders_of(self.order, len(goal.step), check_random_state(self.random_state))
        return (order[goal.step[order] > 0] for order in orders)

    def _visits_in_turn(self) -> bool:
        """Whether a sweep meets every row once, in an order that does not depend on the data."""
        return isinstance(self.order, str) and self.order in ("cyclic", "random")

    def _run_facts(self, log: MistakeLog, goal: Goal, X: Samples) -> dict[str, Any]:
        """The run, and whether each row was met once, in which order, by a rule new to it."""
        drawn = isinstance(self.order, str) and self.order == "random"
        return {
            "log": log,
            "one_pass": log.n_epochs == 1 and self._visits_in_turn() and self.coef_init is None,
            "runs": NOTHING if drawn else after(NOTHING, goal),
            "inputs": InputOrder() if drawn else InputOrder().then(X),
        }

    def _warn_unless_separated(self, log: MistakeLog) -> None:
        if log.separated or self.combine != "last":
            return
        early = log.n_epochs < self.max_iter and not self._greedy()
        warnings.warn(
            f"{type(self).__name__} made updates in all of its {log.n_epochs} sweeps"
            f"{', and then the time was over' if early else ''}: "
            "the classes may not be separable in this feature space, and the last rule of such a "
            "run is arbitrary. Use combine='average' or 'vote', a richer kernel, or a larger "
            "max_iter.",
            ConvergenceWarning,
            stacklevel=7,
        )

    def _shares(self, log: MistakeLog) -> Floats:
        """Factor on each update in the rule that is used: 1, or its share in the average."""
        shares = np.ones(log.n_updates) if self.combine == "last" else log.average_weights()
        return shares if log.changes.ndim == 1 else shares[:, None]

    def _with_run(
        self, evidence: Evidence, fitted: Any, *, outside: int, rebuilds: bool
    ) -> Evidence:
        """Add what the log shows; ``outside`` are errors on rows that caused no update.

        The rows that caused updates, visited in the same order, repeat the run: a compression
        scheme, whose message is a set of rows because the order does not depend on the data (or,
        if greedy, is found again from the set alone). A clean last sweep tested the final rule on
        every row; otherwise the rows outside the set are counted. One pass tests each rule on a
        row that it has not seen, if the file is in no order.
        """
        log, n = fitted.log, evidence.n
        kept = len(log.distinct)
        used: dict[str, Any] = {}
        lost = ["mistakes"] if rebuilds and self.combine == "last" and self.margin == 0 else []
        # a run that the clock has ended cannot be repeated from any set of rows
        clock = not log.separated and log.n_epochs < self.max_iter + self._greedy()
        if rebuilds and not clock:
            final = log.separated and self.combine == "last" and isinstance(self.order, str)
            used["compression"] = Compression(
                n,
                kept,
                errors=outside,
                preferent=final,
                randomised=isinstance(self.order, str) and self.order == "random",
            )
            if final and self.margin == 0 and (evidence.n_classes or 2) == 2:
                used["mistakes"], lost = Mistakes(n, kept), []
        elif rebuilds:
            lost.append("compression")
        if fitted.one_pass and rebuilds:
            used["progressive"] = progressive(fitted)
            lost += [] if used["progressive"] else ["progressive"]
        choices = evidence.choices
        if not isinstance(self.order, str):
            choices += (Choice("the order of visits", "given by the user"),)
        return replace(evidence, choices=choices, lost=(*evidence.lost, *lost), **used)


def progressive(fitted: Any) -> Progressive | None:
    """One pass as evidence; None where the rows did not come as if drawn."""
    if fitted.runs is None or fitted.inputs is None or not as_drawn(fitted.runs, fitted.inputs):
        return None
    log = fitted.log
    return Progressive(log.n_visits, log.n_errors, models=log.n_updates + 1, c=ONE_PASS_C)
