"""Machines in cells whose support vectors keep to the memory limit, however many rows there are.

What a pass holds does not grow with the rows, but support vectors do. Where they might be more than
their share of the limit, a few bundles are trained first and weighed; if all of them would be too
heavy, each cell learns from a random part of its rows, the largest that fits.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from mercer import _config
from mercer.learners.large.cut_rows import Bundle, Trained

SHARE = 0.25  # of the memory limit that the model may have: a pass, and packages, need the rest
PROBES = 5  # bundles that are weighed
AGAIN = 0.85  # fewer rows have more support vectors among them

Map = Callable[[Callable[[Bundle], Trained], list[Bundle]], list[Trained]]


def train_within(
    run: Map, task: Callable[..., Trained], bundles: list[Bundle], width: int, limit: Any = None
) -> tuple[list[Trained], float]:
    """The machines of all bundles, and the share of their rows that they learned from.

    ``run`` maps over bundles; ``task`` takes a bundle and ``share``.
    """
    most = SHARE * _config.memory_limit(limit)
    rows = sum(bundle.rows() for bundle in bundles)
    if rows * (4 * width + 16) <= most or len(bundles) < 2 * PROBES:  # if all of them support
        return run(partial(task, share=1.0), bundles), 1.0
    probes = np.linspace(0, len(bundles) - 1, PROBES).astype(int).tolist()
    tried = dict(zip(probes, run(partial(task, share=1.0), [bundles[i] for i in probes]),
                     strict=True))  # fmt: skip
    weight = sum(len(pickle.dumps(one, protocol=5)) for one in tried.values())
    weight *= rows / max(1.0, sum(bundles[i].rows() for i in probes))
    if weight > most:
        share = AGAIN * most / weight
        return run(partial(task, share=share), bundles), share
    rest = iter(run(partial(task, share=1.0), [b for i, b in enumerate(bundles) if i not in tried]))
    return [tried[i] if i in tried else next(rest) for i in range(len(bundles))], 1.0


def told(share: float) -> str:
    """For people; nothing where all rows were learned from."""
    if share == 1.0:
        return ""
    return f"machines in cells learned from {share:.0%} of their rows, to keep to the memory limit"
