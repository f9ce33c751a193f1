"""A first guess of the error rate, from rows that are spent on training anyway."""

from __future__ import annotations

from mercer.certification.core.task import Task

SHARE = 0.6
USUAL = 0.1


def pilot_rate(task: Task, stop: int) -> float:
    """Error rate, inside the first ``stop`` rows, of a model trained on 60 % of them.

    Only used to tune constants: a wrong guess costs tightness, never validity.
    """
    middle = round(SHARE * stop)
    if not 0 < middle < stop:
        return USUAL
    train = task.first(middle)
    try:
        model = task.fit_trial(train, "pilot")
        scores = task.scores(model, task.first(stop, middle), train)
    except ValueError as problem:  # for instance a class that is missing in so few rows
        task.notes.append(f"The pilot fit failed ({problem}); {USUAL} was assumed.")
        return USUAL
    return (float(scores.sum()) + 1.0) / (len(scores) + 2.0)
