"""Which questions a table machine answers: those that the learner that won can answer."""

from __future__ import annotations

from typing import Any

from sklearn.utils.metaestimators import available_if


def if_the_winner_has(name: str) -> Any:
    """A method that is there before the fit, and after it if the trained learner has it."""

    def check(machine: Any) -> bool:
        trained = vars(machine).get("best_estimator_")
        return trained is None or hasattr(trained, name)

    return available_if(check)
