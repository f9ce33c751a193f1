"""Estimates of the leave-one-out error. None of them is a guarantee for one fitted model.

The leave-one-out error is unbiased for the risk at n − 1 rows, so these are good numbers with no
confidence attached; the shortcuts over-count the leave-one-out errors by what they can prove.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import Compression


class _Estimate(Bound):
    kind = "estimate"
    assumptions = ("the rows are exchangeable",)

    def _finish(self, evidence: Evidence, value: float, counted: str) -> Outcome:
        return Outcome(value=value, n=evidence.n, counted=counted, spent="nothing extra")

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """A small soft-margin machine."""
        yield Evidence(
            8,
            loss="hinge",
            formulation="c-svc",
            errors=1,
            margins=np.array([1.0, 1.0, 0.4, -0.2, 1.7, 2.0, 1.5, 1.0]),
            slacks=np.array([0, 0, 0.6, 1.2, 0, 0, 0, 0]),
            alphas=np.array([0.3, 0.8, 1.0, 1.0, 0, 0, 0, 0.1]),
            point_norms=np.ones(8),
            norm=1.5,
            loo={"exact": 0.25, "span": 0.25},
        )


def _two_class_dual(evidence: Evidence) -> None:
    if evidence.n_classes > 2 or evidence.machines:
        raise NotApplicable("is stated for two classes", structural=True)
    if evidence.formulation not in ("c-svc", "hard-svc"):
        raise NotApplicable(
            f"is stated for the C-SVM dual, not for {evidence.formulation or 'this learner'}",
            structural=True,
        )


class LooExact(_Estimate):
    """The leave-one-out error itself, where it has a closed form or was computed by refitting."""

    code = "loo-exact"
    title = "exact leave-one-out error"
    reference = "Luntz and Brailovsky 1969; closed form for ridge machines"
    tasks = ("classification", "regression", "novelty")
    needs = ("loo",)

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        if "exact" not in evidence.loo:
            raise NotApplicable("the exact leave-one-out error was not computed", structural=True)
        return self._finish(evidence, evidence.loo["exact"], "every row left out once")


class LooSpan(_Estimate):
    """Share of rows with α·S² ≥ y f(x): leave-one-out errors predicted from the span.

    S is the distance of a support vector to the affine hull of the other free ones; exact if the
    set of support vectors does not change when one is left out.
    """

    code = "loo-span"
    title = "span estimate of the leave-one-out error"
    reference = "Vapnik and Chapelle 2000; Chapelle et al. 2002"
    needs = ("loo",)

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        if "span" not in evidence.loo:
            raise NotApplicable("the span estimate was not computed", structural=True)
        return self._finish(evidence, evidence.loo["span"], "one linear system over the support")


class JaakkolaHaussler(_Estimate):
    """Rows that would be wrong if only their own term were removed: y f(x) − α k(x,x) ≤ 0."""

    code = "jaakkola-haussler"
    title = "Jaakkola–Haussler estimate of the leave-one-out error"
    reference = "Jaakkola and Haussler 1999; Herbrich 2002, theorem 2.37"
    needs = ("margins", "alphas", "point_norms")

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        _two_class_dual(evidence)
        if evidence.offset is not None:
            raise NotApplicable("is proved for machines without an offset", structural=True)
        own = evidence.need("alphas") * np.square(evidence.need("point_norms"))
        wrong = (evidence.need("margins") - own <= 0) & (evidence.need("alphas") > 0)
        return self._finish(evidence, float(np.mean(wrong)), f"{int(wrong.sum())} rows at risk")


class SupportVectorCount(_Estimate):
    """Only support vectors can be left-out errors: their share of the rows."""

    code = "support-vector-count"
    title = "share of support vectors"
    reference = "Vapnik 1995; Herbrich 2002, section 2.4"
    tasks = ("classification", "regression", "novelty")
    needs = ("compression",)

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        kept = evidence.need("compression")
        if kept.errors or not kept.preferent:
            raise NotApplicable("rows outside the kept ones may be left-out errors too")
        return self._finish(evidence, kept.size / kept.rows, f"{kept.size} support vectors")

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """A sparse machine."""
        yield Evidence(100, compression=Compression(100, 23))


class XiAlpha(_Estimate):
    """Joachims' count of rows with ρ·α·R² + ξ ≥ 1; ρ = 1 without an offset, 2 with one."""

    code = "xi-alpha"
    title = "ξα estimate of the leave-one-out error"
    reference = "Joachims 2000; Herbrich 2002, section 2.4"
    needs = ("slacks", "alphas", "point_norms")

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        _two_class_dual(evidence)
        alphas, slacks = evidence.need("alphas"), evidence.need("slacks")
        own = np.square(evidence.need("point_norms"))
        if evidence.offset is not None:
            # sup k - inf k; without that fact, k(x,x') >= -max k(x,x)
            spread = evidence.kernel_range
            own = 2.0 * (2.0 * float(own.max()) if spread is None else spread)
        wrong = (alphas > 0) & (alphas * own + slacks >= 1.0)
        return self._finish(evidence, float(np.mean(wrong)), f"{int(wrong.sum())} rows at risk")


class RadiusMargin(_Estimate):
    """R²‖w‖²/n for a machine without slack.

    R is the radius about the origin, or that of the smallest ball if there is an offset.
    """

    code = "radius-margin"
    title = "radius–margin estimate of the leave-one-out error"
    reference = "Vapnik 1998, theorem 10.6; Herbrich 2002, section 2.4"
    needs = ("norm", "slacks", "point_norms")

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        _two_class_dual(evidence)
        if evidence.need("slacks").max() > 1e-6 + 2.0 * (evidence.gap or 0.0):
            raise NotApplicable("is proved for hard margins: some training rows have slack")
        radius = float(evidence.need("point_norms").max())
        if evidence.offset is not None and evidence.ball is not None:
            radius = evidence.ball
        value = (radius * evidence.need("norm")) ** 2 / evidence.n
        return self._finish(
            evidence,
            value,
            f"radius {radius:.4g}, margin {1 / max(evidence.norm or 0, 1e-300):.4g}",
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """A separable set."""
        yield Evidence(
            200,
            formulation="hard-svc",
            errors=0,
            norm=math.sqrt(5.0),
            slacks=np.zeros(200),
            point_norms=np.ones(200),
        )
