"""How often the asymptotic limit of cross-validation is below the error it speaks about."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier

from mercer.bounds.numerics import clopper_upper
from mercer.certification.guarantees.asymptotic import cross_validation_estimate

DELTA, FRESH = 0.05, 20_000
CELLS: list[tuple[str, Any, int]] = [
    ("linear discriminant", LinearDiscriminantAnalysis(), 100),
    ("linear discriminant", LinearDiscriminantAnalysis(), 400),
    ("nearest neighbour", KNeighborsClassifier(1), 200),
    ("nearest neighbour", KNeighborsClassifier(1), 400),
]


def drawn(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two Gaussians in five dimensions with a tenth of the labels wrong."""
    y = np.where(rng.random(n) < 0.5, 1, -1)
    X = rng.standard_normal((n, 5)) + 0.8 * y[:, None]
    return X, np.where(rng.random(n) < 0.1, -y, y)


def table(draws: int) -> list[str]:
    """One line for every cell."""
    lines = ["| learner | rows | error | limit | 80/20 limit | violations (0.05 meant) |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    fresh, truth = drawn(FRESH, np.random.default_rng(99))
    for name, learner, n in CELLS:
        found = []
        for seed in range(draws):
            X, y = drawn(n, np.random.default_rng([seed, n]))
            risk = float(np.mean(learner.fit(X, y).predict(fresh) != truth))
            made = cross_validation_estimate(learner, X, y, DELTA, random_state=seed)
            cut = round(0.8 * n)
            wrong = int(np.sum(learner.fit(X[:cut], y[:cut]).predict(X[cut:]) != y[cut:]))
            found.append((risk, made.value, clopper_upper(wrong, n - cut, DELTA)))
        a = np.array(found)
        means = " | ".join(f"{v:.3f}" for v in a.mean(axis=0))
        lines.append(f"| {name} | {n} | {means} | {np.mean(a[:, 1] < a[:, 0]):.3f} |")
    return lines
