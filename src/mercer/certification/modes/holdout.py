"""Hold-out: a share of the rows that was fixed in advance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from mercer.certification.core import arguments
from mercer.certification.core.task import Result, Task
from mercer.certification.modes._base import Mode, Option
from mercer.certification.modes._held_out import count_on_the_rest


class HoldOutMode(Mode):
    """Train on a share fixed in advance, count on the rest."""

    name = "holdout"
    title = "the model trained on a prescribed share of the rows"
    orders = frozenset({"random", "groups", "time"})
    any_metric = True
    options: ClassVar[Mapping[str, Option]] = {
        "train_fraction": Option(0.8, arguments.share, "share of the rows to train on")
    }

    def run(self, task: Task) -> Result:
        """The exact binomial limit of the errors on the rest."""
        return count_on_the_rest(task, task.order.cut(task.options["train_fraction"]), {})
