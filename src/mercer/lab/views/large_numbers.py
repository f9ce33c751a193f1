"""The law of large numbers behind the bounds: error rates of one rule, and the worst of many."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mercer.lab.questions import number, whole
from mercer.lab.view import Answer, Call, View

POINTS = 60


@dataclass(frozen=True)
class Coins:
    """Rules of one true error, watched while rows come in."""

    risk: float = number(0.0, 1.0, 0.2)
    rows: int = whole(10, 20_000, 2000)
    rules: int = whole(1, 500, 30)
    delta: float = number(1e-6, 0.5, 0.05)
    seed: int = whole(0, 10**6, 0)


class LargeNumbers(View):
    """Every path is a rule; the union bound is what the best-looking of them costs."""

    name, title, group, place = "large_numbers", "Large numbers", "Simulate", 2
    about = "Error rates settle down, but the luckiest of many rules looks better than it is."

    def calls(self) -> Mapping[str, Call]:
        """One simulation."""
        return {"run": self.run}

    def run(self, asked: Coins) -> Answer:
        """Paths of error rates, Hoeffding's limit for one rule and for all of them at once."""
        rng = np.random.default_rng(asked.seed)
        errors = rng.random((asked.rules, asked.rows)) < asked.risk
        at = np.unique(np.geomspace(1, asked.rows, POINTS).astype(int))
        rates = np.cumsum(errors, axis=1, dtype=float)[:, at - 1] / at
        one = np.sqrt(math.log(2.0 / asked.delta) / (2.0 * at))
        every = np.sqrt(math.log(2.0 * asked.rules / asked.delta) / (2.0 * at))
        gap = np.abs(rates - asked.risk)
        return {
            "at": at,
            "paths": np.round(rates[:60], 4),
            "one": one,
            "every": every,
            "worst": gap.max(axis=0),
            "outside_one": float(np.mean(gap[:, -1] > one[-1])),
            "outside_every": bool(np.any(gap[:, -1] > every[-1])),
            "luckiest": float(rates[:, -1].min()),
            "python": _python(asked),
        }


def _python(asked: Coins) -> str:
    """The same coins and the same two limits."""
    return (
        "import numpy as np\n\n"
        f"rows, rules, risk, delta = {asked.rows}, {asked.rules}, {asked.risk!r}, {asked.delta!r}\n"
        f"errors = np.random.default_rng({asked.seed}).random((rules, rows)) < risk\n"
        "rates = errors.mean(axis=1)\n"
        "one = np.sqrt(np.log(2 / delta) / (2 * rows))  # Hoeffding, for one rule\n"
        "every = np.sqrt(np.log(2 * rules / delta) / (2 * rows))  # for all of them at once\n"
        "print(rates.min(), np.mean(abs(rates - risk) > one), np.any(abs(rates - risk) > every))\n"
    )
