"""Pool inputs as a model wants them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.certification.core.task import Task


def columns(task: Task, inputs: Any, trained: Any) -> Any:
    """Pool inputs as a model trained on these rows wants them."""
    return np.asarray(inputs)[:, trained] if task.rows.pairwise else inputs
