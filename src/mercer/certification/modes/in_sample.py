"""The model trained on all rows, judged by the bounds that need no others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mercer.bounds import NotApplicable
from mercer.certification.core.task import Refused, Result, Task
from mercer.certification.modes._base import Mode
from mercer.learners.describe import best_in_sample, own_evidence


class InSampleMode(Mode):
    """The best of a declared set of in-sample bounds; nothing is held out."""

    name = "in-sample"
    title = "the model trained on all rows, by bounds that need no others"
    spends = False
    by_class = False

    def run(self, task: Task) -> Result:
        """Bounds from what a Mercer learner publishes about itself."""
        everyone = np.arange(task.n)
        model = task.fit(everyone)
        evidence = own_evidence(model)
        if evidence is None:
            raise Refused(
                f"mode='in-sample' needs a Mercer learner, which publishes evidence about itself; "
                f"{type(model).__name__} does not. Use mode='auto'."
            )
        evidence = replace(evidence, choices=(*evidence.choices, *task.uncovered))
        _check_quantity(task, evidence.tube)
        try:
            certificate = best_in_sample(model, evidence, task.delta)
        except NotApplicable as no:
            raise Refused(
                f"mode='in-sample' has nothing to say: {no.reason}. Use mode='auto'."
            ) from no
        return Result(model, certificate, evidence, everyone, everyone)


def _check_quantity(task: Task, tube: float | None) -> None:
    """In-sample bounds of a regression count targets outside its own tube, nothing else."""
    judge = task.judge
    if judge.task != "regression" or (judge.counts and judge.tolerance in (None, tube)):
        return
    asked = "mean losses" if not judge.counts else f"targets further than {judge.tolerance:g} away"
    own = "" if tube is None else f" (epsilon = {tube:g})"
    raise Refused(
        f"mode='in-sample' speaks about targets outside the machine's own tube{own}, not about "
        f"{asked}. Leave the loss out, or use mode='auto', 'compress' or 'transfer'."
    )
