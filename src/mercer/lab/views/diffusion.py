"""Diffusion maps: the same points after more and more steps of a random walk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mercer import datasets
from mercer.lab.questions import number, one_of, whole
from mercer.lab.quiet import said
from mercer.lab.view import Answer, Call, View
from mercer.learners.spectral.diffusion_map import DiffusionMap

MAKERS = {
    "spiral": "make_spiral",
    "swiss roll": "make_swiss_roll",
    "rings": "make_rings",
    "noisy circle": "make_circle",
}
SHAPES = tuple(MAKERS)


@dataclass(frozen=True)
class Walk:
    """Points of a shape, and how long to walk."""

    shape: str = one_of(*SHAPES)
    n: int = whole(50, 800, 300)
    t: float = number(0.5, 200.0, 1.0)
    density_exponent: float = number(0.0, 1.0, 1.0)
    seed: int = whole(0, 10**6, 0)


class Diffusion(View):
    """Colours follow the place along the shape, if it is known."""

    name, title, group, place = "diffusion", "Diffusion", "Simulate", 4
    about = (
        "Coordinates made by a random walk among the points; more steps leave coarser structure."
    )

    def calls(self) -> Mapping[str, Call]:
        """One embedding."""
        return {"walk": self.walk}

    def start(self) -> Answer:
        """Shapes to choose from."""
        return {"shapes": list(SHAPES)}

    def walk(self, asked: Walk) -> Answer:
        """The points as they lie, and their diffusion coordinates."""
        X, place = _points(asked.shape, asked.n, asked.seed)
        with said() as notes:
            model = DiffusionMap(n_components=2, t=asked.t, random_state=0,
                                 density_exponent=asked.density_exponent).fit(X)  # fmt: skip
        shown = X if X.shape[1] == 2 else X[:, [0, 2]]
        rank = np.argsort(np.argsort(place)) / max(1, len(place) - 1)
        return {"points": np.round(shown, 3), "embedding": model.embedding_, "place": rank,
                "eigenvalues": model.eigenvalues_[:6], "length_scale": model.length_scale_,
                "notes": notes[:3],
                "python": _python(asked)}  # fmt: skip


def _points(shape: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    X, place = getattr(datasets, MAKERS[shape])(n, random_state=seed)
    place = np.asarray(place, dtype=float)
    return np.asarray(X, dtype=float), place if place.ndim == 1 else place[:, 0]


def _python(asked: Walk) -> str:
    """The same points and the same walk."""
    return (
        "from mercer import datasets\n"
        "from mercer.learners.spectral.diffusion_map import DiffusionMap\n\n"
        f"X, place = datasets.{MAKERS[asked.shape]}({asked.n}, random_state={asked.seed})\n"
        f"model = DiffusionMap(n_components=2, t={asked.t!r}, random_state=0,\n"
        f"                     density_exponent={asked.density_exponent!r}).fit(X)\n"
        "print(model.length_scale_, *model.eigenvalues_[:6])\n"
    )
