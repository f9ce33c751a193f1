"""Many rows: a kernel by a few hundred coordinates, and a linear machine on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import Pipeline, make_pipeline

PRICES = (0.1, 1.0, 10.0, 100.0)
TRIAL_ROWS = 8000


def low_rank_learner(kernel: Any, task: str, rank: int, seed: int, price: float) -> Pipeline:
    """Features of the kernel and the linear machine behind them, not fitted."""
    if task == "classification":
        machine: Any = LogisticRegression(C=price, max_iter=300)
    else:
        machine = Ridge(alpha=1.0 / price)
    from mercer.kernels.features import NystroemFeatures

    return make_pipeline(NystroemFeatures(kernel, rank=rank, random_state=seed), machine)


def fit_low_rank(kernel: Any, Z: Any, y: Any, task: str, rank: int, seed: int) -> Pipeline:
    """Choose the price of errors on a part of the rows, then train on all of them."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(Z.shape[0])[:TRIAL_ROWS]
    cut = len(order) * 3 // 4
    train, test = order[:cut], order[cut:]
    features = low_rank_learner(kernel, task, min(rank, 300), seed, 1.0)[0].fit(Z[train])
    left, right = features.transform(Z[train]), features.transform(Z[test])
    scores = {}
    for price in PRICES:
        machine = low_rank_learner(kernel, task, rank, seed, price)[-1]
        scores[price] = machine.fit(left, y[train]).score(right, y[test])
    best = max(scores, key=lambda price: (scores[price], -price))
    return low_rank_learner(kernel, task, rank, seed, best).fit(Z, y)
