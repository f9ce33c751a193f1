"""Spectral clustering and its limit: eigenvectors of samples beside the law's eigenfunction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from mercer.lab.questions import number, one_of, whole
from mercer.lab.view import Answer, Call, View
from mercer.learners.spectral.convergence import aligned_errors, line, measure
from mercer.learners.spectral.laplacians import eigenpairs

KINDS = ("symmetric", "random-walk", "unnormalized")
GRID = 160


@dataclass(frozen=True)
class Frame:
    """One picture of the movie."""

    n: int = whole(20, 600, 100)
    kind: str = one_of(*KINDS)
    length_scale: float = number(0.05, 1.0, 0.3)
    valley: float = number(0.05, 1.0, 0.3)
    vector: int = whole(1, 2, 1)
    seed: int = whole(0, 10**6, 0)


class Spectral(View):
    """The law lives on an interval with a valley in the middle, so its limit can be computed."""

    name, title, group, place = "spectral", "Spectral limit", "Simulate", 3
    about = "As rows come in, eigenvectors of the graph settle on a function, or break into spikes."

    def calls(self) -> Mapping[str, Call]:
        """One sample."""
        return {"frame": self.frame}

    def start(self) -> Answer:
        """Laplacians to choose from."""
        return {"kinds": list(KINDS)}

    def frame(self, asked: Frame) -> Answer:
        """Eigenvector values at the sample, the limit function, and the distance between them."""
        population, limit = _limit(asked.length_scale, asked.valley, asked.kind)
        X = population.sample(asked.n, asked.seed)
        order = np.argsort(X[:, 0])
        X = X[order]
        _, vectors = eigenpairs(population.similarity(X), asked.vector + 1, asked.kind)
        vector = vectors[:, asked.vector] * np.sqrt(asked.n / np.sum(vectors[:, asked.vector] ** 2))
        grid = np.linspace(population.low[0], population.high[0], GRID)
        exists = bool(limit.exists[asked.vector])
        function = limit.at(grid[:, None])[:, asked.vector] if exists else None
        at_rows = limit.at(X)[:, asked.vector] if exists else None
        if at_rows is not None and float(vector @ at_rows) < 0:
            vector = -vector
        found = measure(population, limit, X)
        return {
            "x": X[:, 0],
            "vector": vector,
            "grid": grid,
            "limit": function,
            "sup": None if at_rows is None else aligned_errors(vector, at_rows)[0],
            "peak": float(found.peak[asked.vector - 1]),
            "eigenvalue": float(found.values[asked.vector - 1]),
            "limit_value": float(limit.values[asked.vector]),
            "python": _python(asked),
        }


def _python(asked: Frame) -> str:
    """The same sample, and the four numbers beside the picture."""
    return (
        "from mercer.learners.spectral.convergence import line, measure\n\n"
        f"law = line(length_scale={asked.length_scale!r}, valley={asked.valley!r})\n"
        f"limit = law.limit({asked.kind!r})\n"
        f"found = measure(law, limit, law.sample({asked.n}, random_state={asked.seed}))\n"
        f"j = {asked.vector}  # the vector numbered 0 is the constant one\n"
        "print(found.sup[j - 1], found.values[j - 1], limit.values[j], found.peak[j - 1])\n"
    )


@lru_cache(maxsize=32)
def _limit(length_scale: float, valley: float, kind: str) -> tuple[Any, Any]:
    population = line(length_scale, valley)
    return population, population.limit(kind, 3)
