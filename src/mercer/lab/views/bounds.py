"""Bounds live: every certificate of one machine on one axis, beside the true risk of its law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer import SVC, kernels
from mercer.bounds import Certificate, Evidence, HoldOut, NotApplicable, get
from mercer.certification.core.looks import share_of
from mercer.errors import UserError
from mercer.lab.questions import number, one_of, whole
from mercer.lab.quiet import said
from mercer.lab.samples import MOST, SAMPLES, draw
from mercer.lab.view import Answer, Call, View

KERNELS = {"linear": lambda scale: kernels.Linear(), "gaussian": kernels.Gaussian}
LAWS = ("two clouds", "two moons", "crossed", "banana")
EVEN = 0.5  # a level at which a bound pays next to nothing for confidence
assert set(LAWS) <= set(SAMPLES)


@dataclass(frozen=True)
class Study:
    """A sample of a known law, a machine, and how the rows are spent."""

    law: str = one_of(*LAWS)
    n: int = whole(20, MOST, 400)
    seed: int = whole(0, 10**6, 1)
    split: float = number(0.1, 0.9, 0.7)
    delta: float = number(1e-9, 0.5, 0.05)
    kernel: str = one_of(*KERNELS)
    C: float = number(1e-4, 1e5, 1.0)
    scale: float = number(1e-2, 1e2, 1.0)
    look: int = whole(1, 10_000, 1)


class Bounds(View):
    """In-sample bounds see all rows; the hold-out bound counts on those kept from the training."""

    name, title, group, place = "bounds", "Bounds live", "See", 2
    about = "All bounds on one axis, beside the truth, while rows, confidence and prices move."

    def calls(self) -> Mapping[str, Call]:
        """One study."""
        return {"study": self.study}

    def start(self) -> Answer:
        """Names to choose from."""
        return {"laws": list(LAWS), "kernels": list(KERNELS), "most": MOST}

    def study(self, asked: Study) -> Answer:
        """Certificates of the machine of all rows, and of the one trained on a part of them."""
        sample = draw(asked.law, asked.n, asked.seed)
        cut = min(asked.n - 2, max(4, round(asked.split * asked.n)))
        if len(np.unique(sample.signs[:cut])) < 2:
            raise UserError("all rows that are to learn have one class.", "Draw again.")
        everything = _fitted(asked, sample.X, sample.signs)
        part = _fitted(asked, sample.X[:cut], sample.signs[:cut])
        wrong = int(np.count_nonzero(part.predict(sample.X[cut:]) != sample.signs[cut:]))
        held = Evidence(n=cut, holdout=HoldOut(asked.n - cut, wrong, trained_on=cut))
        plain = get("holdout")().evaluate(held, asked.delta)
        share = share_of(asked.look, asked.delta)
        rows = [_row(c, everything.evidence_) for c in everything.certificates_.values()]
        rows.append(_row(plain, held))
        risks = [sample.law.risk(m.predict, n=20_000) for m in (everything, part)]
        return {
            "rows": sorted(rows, key=lambda row: (row["kind"] == "estimate", row["value"])),
            "truth": risks[0],
            "truth_part": risks[1],
            "bayes_risk": sample.law.bayes_risk,
            "training_error": float(np.mean(everything.predict(sample.X) != sample.signs)),
            "counted": asked.n - cut,
            "wrong": wrong,
            "look": asked.look,
            "alone": plain.value,
            "honest": get("holdout")().evaluate(held, share).value,
            "share": share,
            "not_applicable": everything.not_applicable_,
            "python": _python(asked, cut),
        }


def _fitted(asked: Study, X: Any, signs: Any) -> SVC:
    with said():
        return SVC(
            C=asked.C, kernel=KERNELS[asked.kernel](asked.scale), delta=asked.delta, time_limit=2.0
        ).fit(X, signs)


def _row(certificate: Certificate, evidence: Evidence) -> Answer:
    """One bar, cut into what was seen, what the class costs and what confidence costs."""
    value, seen = certificate.unclipped, certificate.observed or 0.0
    try:
        even = certificate.bound().evaluate(evidence, EVEN).unclipped
    except (NotApplicable, ValueError):
        even = value
    parts = {
        "errors seen": min(seen, value),
        "richness of the class": max(0.0, even - seen),
        "confidence": max(0.0, value - max(even, seen)),
    }
    finite = np.isfinite(value)
    return {
        "code": certificate.code,
        "title": certificate.title,
        "kind": certificate.kind,
        "classifier": certificate.classifier,
        "value": certificate.value,
        "unclipped": value if finite else None,
        "vacuous": certificate.value >= certificate.loss_range[1],
        "parts": parts if finite else None,
        "dominant": max(parts, key=lambda name: parts[name]) if finite else "",
        "counted": certificate.counted,
    }


def _python(asked: Study, cut: int) -> str:
    makers = {
        "two clouds": "make_gaussian(n, d=2, distance=3.0",
        "two moons": "make_moons(n, scale=0.25",
        "crossed": "make_xor(n",
        "banana": "make_banana(n",
    }
    kernel = "Linear()" if asked.kernel == "linear" else f"Gaussian({asked.scale:g})"
    return (
        "from mercer import SVC, datasets, kernels\n\n"
        f"n = {asked.n}\nX, y, law = datasets.{makers[asked.law]}, random_state={asked.seed})\n"
        f"model = SVC(C={asked.C:g}, kernel=kernels.{kernel}, delta={asked.delta:g}).fit(X, y)\n"
        "for certificate in model.certificates_.values():\n    print(certificate)\n"
        "print(law.risk(model.predict), law.bayes_risk)\n"
    )
