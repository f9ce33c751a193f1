"""Every kernel inside a support vector machine, every metric in a smooth rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import mercer
from freezing.case import Case
from mercer import kernels, metrics
from mercer.learners.metric import LipschitzClassifier

N, ASKED = 20, 6
MATRICES = ("precomputed", "precomputed_distances")  # frozen among the machines
# Examples that differ in what a file holds, not just in a number; of others one is enough.
WHOLE = {"bag_of_words", "columns", "from_distance", "gaussian", "local_alignment", "mismatch",
         "on"}  # fmt: skip


def kernel_cases() -> Iterator[Case]:
    """One machine per kernel, or per example."""
    yield from _cases("kernels", kernels.available(), lambda kernel: mercer.SVC(kernel=kernel))


def metric_cases() -> Iterator[Case]:
    """One Lipschitz classifier per metric."""
    yield from _cases("metrics", metrics.available(), _smooth)


def _smooth(metric: Any) -> LipschitzClassifier:
    return LipschitzClassifier(metric=metric)


def _cases(group: str, kinds: Any, learner: Any) -> Iterator[Case]:
    for name, kind in kinds.items():
        if name in MATRICES:
            continue
        rng = np.random.default_rng(11)
        rows, asked = _short(kind.example_data(N, rng)), _short(kind.example_data(ASKED, rng))
        for i, example in enumerate(kind.examples()[: None if name in WHOLE else 1]):
            machine = learner(example)
            yield Case(
                f"{group}/{name}-{i}",
                lambda machine=machine, rows=rows: machine.fit(rows, np.arange(N) % 2),
                asked,
            )


def _short(rows: Any) -> Any:
    """Fewer digits, so that the archive stays small."""
    floats = isinstance(rows, np.ndarray) and rows.dtype.kind == "f"
    return np.round(rows, 2) if floats else rows
