"""Kernels between strings: which letters and which k-mers decide about a sequence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from mercer import SVC, datasets, kernels
from mercer.errors import UserError
from mercer.lab.questions import number, one_of, whole, word
from mercer.lab.view import Answer, Call, View

KINDS = ("spectrum", "weighted degree", "mismatch")
LONGEST = 400
LEARN = 80  # of the 106 promoters and other stretches; the rest is to look at
SHOWN = 12


@dataclass(frozen=True)
class Asked:
    """A kernel, a machine, and a sequence of the table or of one's own."""

    kind: str = one_of(*KINDS)
    k: int = whole(2, 6, 4)
    C: float = number(1e-3, 1e4, 10.0)
    row: int = whole(0, 105, 0)
    own: str = word(LONGEST, "")


class Strings(View):
    """E. coli promoters against other stretches of DNA."""

    name, title, group, place = "strings", "Strings", "Simulate", 5
    about = "A machine that reads DNA: what each letter adds, and the k-mers that decide."

    def calls(self) -> Mapping[str, Call]:
        """One sequence."""
        return {"read": self.read}

    def start(self) -> Answer:
        """Kernels, and how many sequences there are."""
        return {"kinds": list(KINDS), "rows": len(datasets.load_promoters().X)}

    def read(self, asked: Asked) -> Answer:
        """Output of the machine for one sequence, shared out over its letters."""
        data, order, model, right = _machine(asked.kind, asked.k, asked.C)
        sequence = "".join(asked.own.split()).upper() or str(data.X[order[asked.row]])
        if len(sequence) < asked.k or not set(sequence) <= set("ACGT"):
            raise UserError(f"write at least {asked.k} letters out of A, C, G, T.")
        support = data.X[order[:LEARN]][model.support_]
        shares = kernels.contributions(model.kernel_, support, model.dual_coef_[0], sequence)
        windows: dict[str, float] = defaultdict(float)
        for i in range(len(sequence) - asked.k + 1):
            windows[sequence[i : i + asked.k]] += float(shares[i : i + asked.k].sum())
        ranked = sorted(windows.items(), key=lambda item: -abs(item[1]))[:SHOWN]
        truth = None if asked.own else data.labels[order[asked.row]]
        value = float(model.decision_function([sequence])[0])
        return {
            "sequence": sequence,
            "shares": shares,
            "windows": ranked,
            "value": value,
            "says": str(model.classes_[int(value > 0)]),
            "truth": truth,
            "trained_on_it": not asked.own and asked.row < LEARN,
            "right": right,
            "python": _python(asked, sequence),
        }


def _python(asked: Asked, sequence: str) -> str:
    """The same machine of the same rows, and its output."""
    return (
        "import numpy as np\n\nfrom mercer import SVC, datasets, kernels\n\n"
        "data = datasets.load_promoters()\n"
        f"learn = np.random.default_rng(0).permutation(len(data.X))[:{LEARN}]\n"
        f"model = SVC(C={asked.C!r}, kernel={_words(asked)}, certify=None)\n"
        "model.fit(data.X[learn], data.labels[learn])\n"
        f"print(*model.decision_function([{sequence!r}]))\n"
    )


def _words(asked: Asked) -> str:
    return {
        "spectrum": f"kernels.Spectrum({asked.k})",
        "mismatch": f"kernels.Mismatch({asked.k}, 1)",
        "weighted degree": f"kernels.WeightedDegree({asked.k})",
    }[asked.kind]


@lru_cache(maxsize=32)
def _machine(kind: str, k: int, C: float) -> tuple[Any, Any, SVC, float]:
    """The machine of the first rows in a fixed order, and how often it is right about others."""
    data = datasets.load_promoters()
    order = np.random.default_rng(0).permutation(len(data.X))
    made: dict[str, Any] = {"spectrum": lambda: kernels.Spectrum(k),
                            "mismatch": lambda: kernels.Mismatch(k, 1),
                            "weighted degree": lambda: kernels.WeightedDegree(k)}  # fmt: skip
    model = SVC(C=C, kernel=made[kind](), certify=None)
    model.fit(data.X[order[:LEARN]], data.labels[order[:LEARN]])
    rest = order[LEARN:]
    return data, order, model, float(np.mean(model.predict(data.X[rest]) == data.labels[rest]))
