"""Margin bounds through covering numbers and the fat-shattering dimension.

The historical ones need hundreds of thousands of rows; they explain why margins matter. The cover
by perceptron steps (`MarginCover`) says something from a few hundred rows on.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.bounds._augment import Homogeneous, homogeneous, scales_paid
from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Entry, Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._radius import MEASURED, with_radius
from mercer.bounds._records import Floats
from mercer.bounds.numerics import cover_bound, fat_bound, log2_cover_linear, log2_cover_zhang
from mercer.bounds.numerics.checks import check_choice, log_level

_FIXED = "the kernel and its parameters were fixed before the data"
_COVERS = {"steps": log2_cover_linear, "zhang": log2_cover_zhang}


def shortfall(margins: Floats, scale: float, m: int) -> float:
    """D(z, w, g) = √Σ max(0, g − y⟨w,x⟩)² over m rows, from geometric margins."""
    return math.sqrt(m * float(np.mean(np.square(np.maximum(0.0, scale - margins)))))


def robust_dimension(margins: Floats, scale: float, radius: float, m: int) -> float:
    """65(rad + 3D)²/g², Herbrich theorem 4.35."""
    return 65.0 * ((radius + 3.0 * shortfall(margins, scale, m)) / scale) ** 2


def shifted_dimension(margins: Floats, scale: float, radius: float, m: int, shift: float) -> float:
    """64(1 + (D/Δ)²)(rad² + Δ²)/g², Herbrich lemma 4.34, for a ``shift`` Δ fixed in advance.

    Smallest at Δ = √(rad·D), where it is 64(rad + D)²/g².
    """
    missing = shortfall(margins, scale, m) / shift
    return 64.0 * (1.0 + missing * missing) * (radius * radius + shift * shift) / scale**2


def soft_margin_dimension(radius: float, norm: float, slacks: Floats, order: int = 2) -> float:
    """65(rad·‖w‖ + 3‖ξ‖)², Herbrich (4.34) with ``order=2`` and (4.35) with ``order=1``."""
    return 65.0 * (radius * norm + 3.0 * float(np.linalg.norm(slacks, order))) ** 2


def adaptive_margin_dimension(
    radius: float, norm: float, slacks: Floats, alphas: Floats, diagonal: Floats, lam: float
) -> float:
    """65(rad·‖w‖ + 3Σ max(0, ξ − λαk(x,x)))², Herbrich theorem 4.37; λ = 1: leave-one-out."""
    return soft_margin_dimension(
        radius, norm, np.maximum(0.0, slacks - lam * alphas * diagonal), order=1
    )


def robust_value(d: float, m: int, delta: float, *, as_printed: bool = False) -> float:
    """(2/m)(⌈d·ld(8em/d)·ld(32m)⌉ + ld((16 + ld m)m/δ)), (4.33); printed with ln everywhere."""
    if d > 2 * m:
        return math.inf
    if not as_printed:
        return fat_bound(d, m, delta, strata=(16.0 + math.log2(m)) * m)
    core = math.ceil(d * math.log(8.0 * math.e * m / d) * math.log(32.0 * m))
    return 2.0 / m * (core + math.log((16.0 + math.log(m)) * m) - log_level(delta))


class _Margin(Bound):
    """A margin bound: the best over the declared scales of the offset's constant feature."""

    needs = ("margins", "norm", "radius")
    reads = ("point_norms", "offset")
    instead = MEASURED
    by_machine = True
    assumptions = (*Bound.assumptions, _FIXED)

    @abstractmethod
    def _at(self, evidence: Evidence, view: Homogeneous, delta: float) -> tuple[float, float]:
        """Value and the margin used."""

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        if evidence.norm == 0.0:
            raise NotApplicable("the weight vector is zero: it has no margin")
        evidence, left, paid, assumed = with_radius(evidence)
        if evidence.radius == 0.0:
            raise NotApplicable("the radius is zero: every point is the zero vector")
        value, margin = min(
            self._at(evidence, view, delta * (left * view.share)) for view in homogeneous(evidence)
        )
        why = "; ".join(filter(None, (scales_paid(evidence), paid)))
        return Outcome(
            value=value,
            n=evidence.n,
            observed=None if evidence.errors is None else evidence.errors / evidence.n,
            ledger=Ledger((Entry(self.title, delta, why),)),
            counted=f"margin {margin:.4g} on {evidence.n} rows",
            spent="all rows, for training and for the certificate",
            assumptions=assumed,
            details={"margin": margin, "radius": evidence.radius},
        )

    @staticmethod
    def _smallest(evidence: Evidence, view: Homogeneous) -> float:
        """The geometric margin of the sample."""
        margins = evidence.need("margins")
        if margins.min() <= 0 or evidence.errors:
            raise NotApplicable("needs every training row on its own side of the hyperplane")
        return float(margins.min()) / view.norm

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """All rows at least a third of the radius away."""
        facts: dict[str, Any] = {"margins": np.linspace(0.4, 1.0, 40), "norm": 1.0, "radius": 1.0}
        yield Evidence(10_000_000, errors=0, **facts)
        yield Evidence(10_000_000, errors=0, offset=0.1, **facts)
        measured = {**facts, "radius": None, "point_norms": np.linspace(0.5, 1.0, 40)}
        yield Evidence(10_000_000, errors=0, **measured)


@dataclass(frozen=True)
class MarginCover(_Margin):
    """All rows correct with margin γ: (2/m)(⌈ld N(γ/2, 2m)⌉ + ld(2⌈m/2⌉/δ)).

    ``cover="steps"`` counts perceptron steps, ld N ≤ ld C(4m+T, T) with T = ⌊4·rad²/γ²⌋;
    ``cover="zhang"`` is the published closed form. Proof: ``docs/theory/own-proofs.md``.
    ``as_printed=True`` has ld m in place of ld(2⌈m/2⌉), which differs for odd m.
    """

    cover: str = "steps"
    as_printed: bool = False

    code = "margin-cover"
    title = "margin bound from a cover by perceptron steps"
    reference = "Herbrich 2002, corollary 4.26; Zhang 2002; cover by the mistake bound"
    provenance = "derived"
    erratum = "(4.26) has ld m, but there are ⌈m/2⌉ strata to pay for: ld(2⌈m/2⌉), more for odd m"

    def _at(self, evidence: Evidence, view: Homogeneous, delta: float) -> tuple[float, float]:
        cover = check_choice(self.cover, _COVERS, "cover")
        margin, m = self._smallest(evidence, view), evidence.n
        radius = view.radius(evidence)
        size = cover(0.5 * margin, 2 * m, radius=radius)
        return cover_bound(size, m, delta, as_printed=self.as_printed), margin


def fat_fixed_scale(m: int, c: float, delta: float, *, truncated: bool = True) -> float:
    """(2/m)(⌈64c·ld(em/(8c))·ld(32m)⌉ + ld(4/δ)), c = rad²/g², for a margin g set in advance.

    ``truncated=False`` is the textbook form, 64c·ld(em/(4√c))·ld(128mc), without a ceiling.
    """
    if truncated:
        return fat_bound(64.0 * c, m, delta, strata=4.0)
    core = 64.0 * c * math.log2(math.e * m / (4.0 * math.sqrt(c))) * math.log2(128.0 * m * c)
    return 2.0 / m * (core + 2.0 - log_level(delta) / math.log(2.0))


@dataclass(frozen=True)
class MarginFat(_Margin):
    """All rows correct with margin γ: (2/m)(⌈64c·ld(em/(8c))·ld(32m)⌉ + ld(2m/δ)), c = rad²/γ².

    Needs c ≤ m/32. γ is the smallest distance of a row to the hyperplane; no point lies farther
    than rad from the origin. With ``scale``, a margin aimed at before the data that the sample
    reaches, no ld m has to be paid: ld(4/δ) in place of ld(2m/δ).
    """

    scale: float | None = None

    code = "margin-fat"
    title = "margin bound from the fat-shattering dimension"
    reference = "Shawe-Taylor et al. 1998; Herbrich 2002, theorem 4.32"
    provenance = "book"

    def _at(self, evidence: Evidence, view: Homogeneous, delta: float) -> tuple[float, float]:
        margin = self._smallest(evidence, view)
        if self.scale is not None:
            if not self.scale > 0:
                raise ValueError(f"scale must be positive, got {self.scale!r}")
            if margin < self.scale:
                raise NotApplicable(f"the margin {margin:.4g} stays below the one aimed at")
            c = (view.radius(evidence) / self.scale) ** 2
            return fat_fixed_scale(evidence.n, c, delta), self.scale
        ratio = view.radius(evidence) / margin
        return fat_bound(64.0 * ratio * ratio, evidence.n, delta), margin


@dataclass(frozen=True)
class MarginRobust(_Margin):
    """Rows inside the margin allowed: (2/m)(⌈d·ld(8em/d)·ld(32m)⌉ + ld((16 + ld m)m/δ)), d ≤ 2m.

    d = 65(rad + 3D(g))²/g², D(g)² the sum over the rows of the squares of what they miss of the
    margin g. It holds for all g ≤ rad at once, so the best of them costs nothing extra. With
    ``shift``, a Δ > 0 set before the data, it is lemma 4.34: d = 64(1 + (D(g)/Δ)²)(rad² + Δ²)/g²,
    without the price of a grid of Δ. ``as_printed=True`` takes natural logarithms, as the text of
    theorem 4.35 does.
    """

    as_printed: bool = False
    shift: float | None = None

    code = "margin-robust"
    title = "robust margin bound"
    reference = "Shawe-Taylor and Cristianini 2002; Herbrich 2002, theorem 4.35"
    provenance = "corrected"
    assumptions = (*_Margin.assumptions, "no new point coincides with a misclassified row")
    erratum = (
        "theorems 4.35 and 4.37 are printed with natural logarithms, but they stratify lemma 4.34, "
        "which counts in base 2: the printed value is too small"
    )

    def _at(self, evidence: Evidence, view: Homogeneous, delta: float) -> tuple[float, float]:
        if self.shift is not None and not self.shift > 0:
            raise ValueError(f"shift must be positive, got {self.shift!r}")
        if self.shift is not None and self.as_printed:
            raise ValueError("as_printed=True belongs to theorem 4.35: leave out shift=")
        m, radius = evidence.n, view.radius(evidence)
        margins = evidence.need("margins") / view.norm
        lowest = max(float(margins.min()), 1e-6 * radius)
        # 1/‖w‖ is the scale of remark 4.36, so (4.34) and theorem 4.37 are never smaller
        special = [min(lowest, radius), min(1.0 / view.norm, radius)]
        scales = np.append(np.geomspace(1e-3 * radius, radius, 60), special)
        useful = 65.0 * (radius / scales) ** 2 <= 2 * m  # else vacuous even with no row inside
        scales = scales[useful] if useful.any() else scales[-1:]
        return min((self._value(margins, float(g), radius, m, delta), float(g)) for g in scales)

    def _value(self, margins: Floats, g: float, radius: float, m: int, delta: float) -> float:
        if self.shift is not None:
            return fat_bound(shifted_dimension(margins, g, radius, m, self.shift), m, delta)
        d = robust_dimension(margins, g, radius, m)
        return robust_value(d, m, delta, as_printed=self.as_printed)


@dataclass(frozen=True)
class MarginAdaptive(_Margin):
    """Adaptive-margin and leave-one-out machines: ``margin-robust`` at the scale g = 1/‖w‖ ≤ rad.

    (2/m)(⌈d·ld(8em/d)·ld(32m)⌉ + ld((16 + ld m)m/δ)), d = 65(rad·‖w‖ + 3Σ max(0, 1 − y f(x)))².
    A row of such a machine reaches 1 − ξ + λαk(x,x), so what it misses of 1 is at most the
    max(0, ξ − λαk(x,x)) of theorem 4.37. ``as_printed=True`` takes natural logarithms.
    """

    as_printed: bool = False

    code = "margin-adaptive"
    title = "bound for adaptive-margin machines"
    reference = "Herbrich and Weston 1999; Herbrich 2002, theorem 4.37"
    provenance = "corrected"
    erratum = MarginRobust.erratum
    assumptions = MarginRobust.assumptions

    def _at(self, evidence: Evidence, view: Homogeneous, delta: float) -> tuple[float, float]:
        if evidence.formulation not in ("amm", "loom"):
            raise NotApplicable("speaks about adaptive-margin machines", structural=True)
        m, radius = evidence.n, view.radius(evidence)
        if view.norm * radius < 1.0:
            raise NotApplicable("needs ‖w‖ of at least one over the radius")
        missing = m * float(np.mean(np.maximum(0.0, 1.0 - evidence.need("margins"))))
        d = soft_margin_dimension(radius, view.norm, np.array([missing]))
        return robust_value(d, m, delta, as_printed=self.as_printed), 1.0 / view.norm

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Every row beyond the margin."""
        yield Evidence(
            10_000_000,
            formulation="amm",
            errors=0,
            margins=np.linspace(1.0, 3.0, 40),
            norm=2.0,
            radius=1.0,
        )
