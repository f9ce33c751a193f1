"""Auto: a hold-out whose share is chosen from the first half of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from mercer.certification.core.task import Result, Task
from mercer.certification.modes._base import Mode, Option
from mercer.certification.modes._held_out import OBJECTIVE, chosen_cut, count_on_the_rest


class AutoMode(Mode):
    """Train on a share chosen by two small fits inside the first half: free of charge in δ."""

    name = "auto"
    title = "the model trained on 60 to 90 % of the rows, as the learning curve suggests"
    orders = frozenset({"random", "groups", "time"})
    any_metric = True
    fits = 3
    options: ClassVar[Mapping[str, Option]] = {"objective": OBJECTIVE}

    def run(self, task: Task) -> Result:
        """The exact binomial limit of the errors on the rest."""
        return count_on_the_rest(task, *chosen_cut(task))
