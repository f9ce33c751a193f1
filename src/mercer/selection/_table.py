"""All candidates as one table, in scikit-learn's form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.stats import rankdata

from mercer.selection._outcome import LATE, Outcome
from mercer.selection.space import bandwidth_of


def results_table(run: Any) -> dict[str, Any]:
    """One array per column, one entry per candidate; ``tried`` is their order in time."""
    pairs = [(rival, c) for rival in run.rivals for c in rival.order]
    candidates = [c for _, c in pairs]
    missing = Outcome(math.nan, LATE)
    outcomes = [rival.outcomes.get(c.key, missing) for rival, c in pairs]
    settings = [rival.outer_params(c) for rival, c in pairs]
    table: dict[str, Any] = {"params": settings}
    for name in dict.fromkeys(k for setting in settings for k in setting):
        values = [setting.get(name) for setting in settings]
        absent = [name not in setting for setting in settings]
        column = np.empty(len(values), dtype=object)
        column[:] = values
        table[f"param_{name}"] = np.ma.array(column, mask=absent)
    usable = np.array([o.usable for o in outcomes])
    score = np.array([o.score if o.usable else np.nan for o in outcomes])
    table["mean_test_score"] = score
    table["std_test_score"] = np.array([o.spread for o in outcomes])
    worst = np.where(usable, [o.value for o in outcomes], np.inf)
    table["rank_test_score"] = rankdata(worst, method="min").astype(np.int32)
    for k in range(max((len(o.folds) for o in outcomes), default=0)):
        table[f"split{k}_test_score"] = np.array(
            [o.folds[k] if k < len(o.folds) else np.nan for o in outcomes]
        )
    table["mean_fit_time"] = np.array([o.seconds for o in outcomes])
    table["value"] = np.array([o.value for o in outcomes])
    table["status"] = np.array([o.status for o in outcomes])
    table["message"] = np.array([o.message for o in outcomes], dtype=object)
    keys = [(rival.learner, key) for rival in run.rivals for key in rival.outcomes]
    when = {key: place for place, key in enumerate(keys)}
    table["tried"] = np.array([when.get((r.learner, c.key), len(when)) for r, c in pairs])
    if run.learner:
        table["learner"] = np.array([rival.learner for rival, _ in pairs], dtype=object)
    table["family"] = np.array([c.family for c in candidates], dtype=object)
    table["bandwidth"] = np.array([bandwidth_of(c.kernel) for c in candidates])
    for name in dict.fromkeys(k for o in outcomes for k in o.components):
        table[f"component_{name}"] = np.array([o.components.get(name, np.nan) for o in outcomes])
    return table
