"""Sums of distance functions around any centres of a box: a class far smaller than all Lipschitz.

The class. F_Λ holds f = Σ a_k g_k(d(p_k, ·)) + b with Σ |a_k| L(g_k) ≤ Λ. The centres are training
rows, so all centres of a space fixed in advance must be allowed: the declared box, whose diameter
is 2ρ. Write h_{p,g} = g(d(p, ·))/L(g) - c_g, where c_g is the middle of the range of g/L(g) on
[0, 2ρ] and r half of that range (the largest, if there are several profiles): r = ρ for distances,
(s/2) sqrt(e/2) (1 - exp(-4ρ²/s²)) for exp(-t²/s²), whose slope is at most L = sqrt(2/e)/s. Then
|h| ≤ r on the box, and f = Σ α_k h_k + b' with Σ |α_k| ≤ Λ: the constants c_g went into b'.

The offset. The ramp loss min(1, max(0, 1 - y f)) sees f clipped to [-1, 1] only. If |b'| > 1 + Λr,
f is beyond ±1 in the whole box, and |b'| = 1 + Λr gives the same clipped function. So |b'| ≤ 1 + Λr
loses nothing. The ramp has slope one, hence by contraction, for random signs σ,
    R(ramp ∘ F_Λ) ≤ Λ R(±H) + (1 + Λr) E|Σ σ_i|/n,    E|Σ σ_i|/n ≤ sqrt(2(n + 1)/π)/n,
with H = {h_{p,g}}: a sum with Σ |α_k| ≤ Λ follows signs no better than Λ times its best part
(the first step of lemma 23). The last inequality is C(2m, m)/4^m ≤ 1/sqrt(πm).

Covers. |h_{p,g} - h_{q,g}| ≤ d(p, q) everywhere. Cutting side i of the box into ⌈s_i c/(2u)⌉ equal
parts, c = d^(1/q) for the q-norm in d columns, leaves cells whose middles are within u of all their
points; N(u) is their number, and m N(u) functions are within u of H if there are m profiles.
Massart's lemma for these and their negatives gives, for every u,
    R(±H) ≤ u + r sqrt(2 ln(2 m N(u))/n).
Theorem 24 chains over all scales instead: for ±H with the zero function, which alone covers from
u = r on, and 2 m N(u) + 1 functions below. It has no ln n, but a factor 4√2: the smaller of the two
is used, and that is the first one unless n is astronomically large.

The bound. None of this depends on the sample. So with probability 1 - δ, for all f in F_Λ,
    risk ≤ mean ramp loss + 2 R(ramp ∘ F_Λ) + sqrt(ln(1/δ)/(2n)),
and Λ = 2^j/r is paid with weights over all integers j; f may be scaled to any Λ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Entry, Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._sums_record import NORMS, DistanceSums
from mercer.bounds.lipschitz import rbf_complexity
from mercer.bounds.numerics import integer_weights
from mercer.bounds.numerics.checks import log_level

_LARGEST = 60  # 2^60 and 2^-60 half ranges: beyond, nothing can be said anyway
_AROUND = range(-4, 3)  # powers of two around the function's own size


def log_cells(sides: Any, norm: str, u: Any) -> Any:
    """Ln of a number of balls of radius ``u`` (or of each of several) that cover the box."""
    sides, u = np.asarray(sides, dtype=np.float64), np.asarray(u, dtype=np.float64)
    stretch = len(sides) ** (1.0 / NORMS[norm])
    with np.errstate(over="ignore"):
        return np.log(np.maximum(1.0, np.ceil(0.5 * stretch * sides / u[..., None]))).sum(axis=-1)


def one_scale(record: DistanceSums, n: int) -> float:
    """Massart's lemma on the best single cover, in units of the half range r; at most one."""
    u = np.geomspace(1e-8, 1.0, 400)
    count = math.log(2.0 * _profiles(record)) + _cells(record, u)
    return float(min(1.0, (u + np.sqrt(2.0 * count / n)).min()))


def all_scales(record: DistanceSums, n: int) -> float:
    """Theorem 24 for the same class, in the same units."""
    several = math.log(2.0 * _profiles(record))

    def covering(half: float) -> float:  # lemma 23 halves u; a finite set of profiles needs no half
        return float(np.logaddexp(several + _cells(record, 2.0 * half), 0.0))

    return rbf_complexity(covering, lambda half: 0.0, 0.5, n)


def offset_noise(n: int) -> float:
    """At least E|Σ σ_i| / n, what a free constant between -1 and 1 gains on random signs."""
    return math.sqrt(2.0 * (n + 1.0) / math.pi) / n


def _profiles(record: DistanceSums) -> int:
    return max(1, len(record.widths))


def _cells(record: DistanceSums, u: Any) -> Any:
    return log_cells(record.sides, record.norm, np.maximum(u * record.half_range(), 1e-320))


class LipschitzSums(Bound):
    """The linear-programming machine in a declared box: few numbers describe each of its functions.

    R ≤ mean ramp loss + 2(Λr·h + (1 + Λr)·s) + √(ln(1/δ)/(2n)), with h = min over u of
    u + √(2 ln(2N(u))/n), N(u) cells of the box of radius u·r, s = √(2(n + 1)/π)/n, Λr = 2^j.
    Its complexity falls like 1/√n in every dimension, that of all Lipschitz functions like
    n^(-1/d). The proof stands at the head of `mercer.bounds.lipschitz_sums`.
    """

    code = "lipschitz-sums"
    title = "sums of distance functions in a declared box"
    reference = "von Luxburg 2004, lemma 23 and theorem 24; Massart's lemma"
    provenance = "derived"
    needs = ("sums", "margins")
    reads = ("errors",)
    assumptions = (
        *Bound.assumptions,
        "every input lies in the box that was declared before the data",
        "the distance and the widths of the profiles were fixed before the data",
    )

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        record: DistanceSums = evidence.need("sums")
        n, margins = evidence.n, evidence.need("margins")
        if not record.fixed:
            raise NotApplicable(
                "the widths of the profiles were read off the rows: declare them (widths=...)",
                structural=True,
            )
        if record.constant == 0.0:
            raise NotApplicable("the function is constant: it has no margin")
        single, chained = one_scale(record, n), all_scales(record, n)
        own = math.log2(record.constant) + math.log2(record.half_range())
        middle = max(-_LARGEST, min(_LARGEST, round(own)))
        best, which = math.inf, middle
        for j in (middle + step for step in _AROUND):
            scale = 2.0 ** min(j - own, 1000.0)  # smaller is in the class too
            with np.errstate(over="ignore"):
                ramp = float(np.mean(np.clip(1.0 - margins * scale, 0.0, 1.0)))
            complexity = 2.0**j * min(single, chained) + (1.0 + 2.0**j) * offset_noise(n)
            width = math.sqrt(-log_level(delta * integer_weights(j)) / (2.0 * n))
            best, which = min((best, which), (ramp + 2.0 * complexity + width, j))
        return Outcome(
            value=best,
            n=n,
            observed=None if evidence.errors is None else evidence.errors / n,
            ledger=Ledger((Entry(self.title, delta, "sizes 2^j, weights ~1/(1+|j|)²"),)),
            counted=f"margins of {n} rows, sum of weights 2^{which} half ranges",
            spent="all rows, for training and for the certificate",
            details={"size": 2.0**which, "one_scale": single, "theorem_24": chained},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Large margins in a square; the same with Gaussian profiles of two widths."""
        record = DistanceSums(20000, 1.0, (2.0, 2.0))
        evidence = Evidence(20000, margins=np.linspace(0.4, 1.0, 100), errors=0, sums=record)
        yield evidence
        yield replace(evidence, sums=replace(record, norm="manhattan", widths=(0.5, 2.0)))
