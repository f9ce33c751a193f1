"""Simulate the promise: fresh samples, a certificate for each, and the few that fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer import SVC, datasets, kernels
from mercer.bounds import Evidence, HoldOut, get
from mercer.lab.questions import number, one_of, whole
from mercer.lab.view import Answer, Call, View

MOST_AT_ONCE = 50
TRIES = 12  # splits of the rows among which a cheat chooses
HONEST, CHEAT = "counted once", "best of twelve splits, not paid"


@dataclass(frozen=True)
class Batch:
    """Some of many samples; the page asks for one batch after the other."""

    n: int = whole(20, 400, 100)
    distance: float = number(0.5, 6.0, 2.0)
    split: float = number(0.2, 0.8, 0.5)
    delta: float = number(1e-3, 0.5, 0.05)
    how: str = one_of(HONEST, CHEAT)
    first: int = whole(0, 10**6, 0)
    count: int = whole(1, MOST_AT_ONCE, 20)


class Promise(View):
    """The law is two Gaussians, so the true error of a line is a formula, not an estimate."""

    name, title, group, place = "promise", "The promise", "Simulate", 0
    about = "Two hundred samples, two hundred certificates: how many are wrong? At most δ of them."

    def calls(self) -> Mapping[str, Call]:
        """A batch of samples."""
        return {"batch": self.batch}

    def start(self) -> Answer:
        """Ways to certify, the last of which breaks the promise."""
        return {"ways": [HONEST, CHEAT], "tries": TRIES}

    def batch(self, asked: Batch) -> Answer:
        """Certificate and truth for each sample."""
        found = [self._one(asked, asked.first + k) for k in range(asked.count)]
        return {"certified": [v for v, _ in found], "truth": [t for _, t in found],
                "python": _python(asked)}  # fmt: skip

    def _one(self, asked: Batch, seed: int) -> tuple[float, float]:
        law: Any
        X, y, law = datasets.make_gaussian(asked.n, distance=asked.distance, random_state=seed)
        cut = _cut(asked)
        found = []
        for k in range(1 if asked.how == HONEST else TRIES):
            order = np.random.default_rng([seed, k]).permutation(asked.n)
            learn, count = order[:cut], order[cut:]
            if len(np.unique(y[learn])) < 2:
                continue  # nothing can be learned from one class, and nothing is promised
            model = SVC(kernel=kernels.Linear(), certify=None).fit(X[learn], y[learn])
            wrong = int(np.count_nonzero(model.predict(X[count]) != y[count]))
            held = Evidence(n=cut, holdout=HoldOut(asked.n - cut, wrong, trained_on=cut))
            value = get("holdout")().evaluate(held, asked.delta).value
            found.append((value, law.linear_risk(model.coef_[0], float(model.intercept_[0]))))
        return min(found, default=(1.0, 0.5))


def _cut(asked: Batch) -> int:
    return min(asked.n - 5, max(5, round(asked.split * asked.n)))


def _python(asked: Batch) -> str:
    """The same two hundred samples, certificates and true errors."""
    tries, cut = (1 if asked.how == HONEST else TRIES), _cut(asked)
    return (
        "import numpy as np\nfrom mercer import SVC, datasets, kernels\n"
        "from mercer.bounds import Evidence, HoldOut, get\n\nbroken = 0\n"
        f"for seed in range({asked.first}, {asked.first + 200}):\n"
        f"    X, y, law = datasets.make_gaussian({asked.n}, distance={asked.distance!r}, "
        "random_state=seed)\n    found = [(1.0, 0.5)]\n"
        f"    for k in range({tries}):\n"
        f"        order = np.random.default_rng([seed, k]).permutation({asked.n})\n"
        f"        learn, count = order[:{cut}], order[{cut}:]\n"
        "        if len(np.unique(y[learn])) < 2:\n            continue\n"
        "        model = SVC(kernel=kernels.Linear(), certify=None).fit(X[learn], y[learn])\n"
        "        wrong = int((model.predict(X[count]) != y[count]).sum())\n"
        f"        held = HoldOut(len(count), wrong, trained_on={cut})\n"
        f'        bound = get("holdout")().evaluate(Evidence(n={cut}, holdout=held), '
        f"{asked.delta!r})\n"
        "        risk = law.linear_risk(model.coef_[0], float(model.intercept_[0]))\n"
        "        found.append((bound.value, risk))\n"
        "    certified, true = min(found)\n    broken += certified < true\n"
        'print(broken, "of 200 certificates are wrong")\n'
    )
