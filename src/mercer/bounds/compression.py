"""Sample compression: a model rebuilt from few of its rows was tested by all the others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import Compression, Pick
from mercer.bounds.numerics import (
    clopper_upper,
    log_binom,
    preferent_upper,
    scenario_interval,
    scenario_upper,
)
from mercer.bounds.numerics.checks import log_level

_SEED = (
    "the learner's random order was drawn independently of the rows, and the confidence is over "
    "that draw too, not for each seed"
)
_EXACT = "retraining on the kept rows alone gives the same model (exact optimum, fixed C)"


def compression_log_price(n: int, size: int, *, ordered: bool = False, bits: float = 0.0) -> float:
    """Ln of the number of messages: n sizes, C(n, size) sets, size! orders, 2^bits strings.

    The n sizes are 0 to n − 1: a rule that needs every row has nothing left to test it.
    """
    price = math.log(n) + log_binom(n, size) + bits * math.log(2.0)
    return price + math.lgamma(size + 1.0) if ordered else price


def lossless(n: int, size: int, delta: float, *, ordered: bool = False) -> float:
    """(ln C(n,d) + ln n + ln(1/δ))/(n − d), Herbrich (5.16): a relaxation of the exact tail."""
    price = compression_log_price(n, size, ordered=ordered) - log_level(delta)
    return price / (n - size) if size < n else math.inf


def lossless_relaxed(n: int, size: int, delta: float) -> float:
    """(2/n)(d ln(en/d) + ln n + ln(1/δ)), the closed form printed after (5.16)."""
    named = size * (math.log(n / size) + 1.0) if size else 0.0
    return 2.0 / n * (named + math.log(n) - log_level(delta))


def lossy(n: int, size: int, errors: int, delta: float, *, ordered: bool = False) -> float:
    """n/(n−d)·R_emp + √((ln C(n,d) + 2 ln n + ln(1/δ))/(2(n−d))), Herbrich theorem 5.18."""
    price = compression_log_price(n, size, ordered=ordered) + math.log(n) - log_level(delta)
    return errors / (n - size) + math.sqrt(price / (2.0 * (n - size))) if size < n else math.inf


def lossy_explicit(n: int, size: int, errors: int, delta: float) -> float:
    """1 − exp(−(ln C(n,d) + ln C(n−d,k) + 2 ln n + ln(1/δ))/(n−d−k)): the k errors are named."""
    price = compression_log_price(n, size) + log_binom(n - size, errors) + math.log(n)
    right = n - size - errors
    return -math.expm1(-(price - log_level(delta)) / right) if right > 0 else 1.0


class CompressionTail(Bound):
    """Binomial tail inversion over the rows outside the compression set.

    binv(n − d, k, δ/(n·C(n,d))), d kept rows, k errors outside. For support-vector machines every
    training error is a support vector, so k = 0 also with a soft margin.
    """

    code = "compression"
    title = "sample-compression tail inversion"
    reference = "Littlestone and Warmuth 1986; Langford 2005; Herbrich 2002, theorem 5.17"
    provenance = "corrected"
    tasks = ("classification", "regression", "novelty")
    needs = ("compression",)
    assumptions = (*Bound.assumptions, _EXACT)

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        kept = evidence.need("compression")
        outside = kept.rows - kept.size
        if outside == 0:
            raise NotApplicable("every row is needed to rebuild the model")
        price = compression_log_price(kept.rows, kept.size, ordered=kept.ordered, bits=kept.bits)
        value = clopper_upper(
            min(kept.errors, outside), outside, log_delta=log_level(delta) - price
        )
        return Outcome(
            value=value,
            n=kept.rows,
            observed=kept.errors / outside,
            counted=f"{kept.size} of {kept.rows} rows kept, {kept.errors} errors on the others",
            spent="all rows, for training and for the certificate",
            quantity=_quantity(evidence),
            assumptions=_gap(evidence),
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Sparse, lossy, nothing kept, dense."""
        for size, errors in ((50, 0), (50, 20), (0, 0), (900, 0)):
            yield Evidence(1000, compression=Compression(1000, size, errors))


class Scenario(Bound):
    """The scenario approach: risk from the number of rows on or inside the margin.

    With k of n rows there, R ≤ ε, the root of C(n,k)(1−ε)^(n−k) = (δ/n)Σ_{k≤i<n} C(i,k)(1−ε)^(i−k).
    The upper end bounds the rate of new points that would join the set: inside the margin band
    for a classifier (hence its error rate), outside the tube for a regression, rejected by a
    one-class machine. For the latter two, and a non-degenerate problem, there is a lower end.
    """

    code = "scenario"
    title = "scenario bound on the number of support vectors"
    reference = "Campi and Garatti, JMLR 22:288, 2021 and JMLR 24, 2023"
    side = "interval"
    tasks = ("classification", "regression", "novelty")
    needs = ("compression",)
    assumptions = (*Bound.assumptions, _EXACT)

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        kept = evidence.need("compression")
        if not kept.preferent:
            raise NotApplicable("adding a row the model already handles may change the kept set")
        if kept.errors or kept.ordered or kept.bits:
            raise NotApplicable("needs every row outside the kept set to be handled without error")
        two_sided = kept.nondegenerate and evidence.task != "classification"
        if two_sided:
            low, value = scenario_interval(kept.size, kept.rows, delta)
        else:
            low, value = None, scenario_upper(kept.size, kept.rows, delta)
        extra: tuple[str, ...] = ()
        if two_sided:
            extra += ("no two rows coincide on the margin (non-degenerate)",)
        if kept.randomised:
            extra += (_SEED,)
        return Outcome(
            value=value,
            n=kept.rows,
            lower=low,
            observed=None if evidence.errors is None else evidence.errors / evidence.n,
            counted=f"{kept.size} of {kept.rows} rows are needed to rebuild the model",
            spent="all rows, for training and for the certificate",
            quantity=_quantity(evidence),
            assumptions=_gap(evidence) + extra,
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Classifier, regression and one-class machine."""
        for size in (50, 0, 1000):
            yield Evidence(1000, errors=size // 10, compression=Compression(1000, size))
        yield Evidence(
            500, task="novelty", compression=Compression(500, 40, nondegenerate=True), errors=38
        )
        yield Evidence(500, task="regression", compression=Compression(500, 40), errors=38)


def picked_upper(run: Pick, delta: float) -> float:
    """Limit of the rate of new rows that would be picked; exact if none of them is learned."""
    if not run.learns:
        return clopper_upper(run.kept, run.rows, delta)
    if run.sizes:
        return preferent_upper(run.kept, run.rows, delta, sizes=run.sizes, weights=run.weights)
    return scenario_upper(run.kept, run.rows, delta)


class PickToLearn(Bound):
    """Pick-to-Learn from a model pretrained on other rows: only the picked rows were learned.

    If k of n rows were picked, a new row would be picked with probability at most ε, the root of
    C(n,k)(1−ε)^(n−k) = δ·Σ w_i C(i,k)(1−ε)^(i−k), the multipliers w_i being weights of sizes i.
    With multipliers chosen on the pretraining part this is as tight as Chernoff's bound. If it was
    decided in advance to learn none of the rows on the list, the list is a binomial count and the
    exact tail applies.
    """

    code = "compress"
    title = "Pick-to-Learn with tuned multipliers"
    reference = "Paccagnan, Campi and Garatti, NeurIPS 2023; multipliers by weak duality"
    provenance = "derived"
    needs = ("pick",)
    tasks = ("classification", "regression", "novelty")
    covers = frozenset({"train"})
    assumptions: ClassVar[tuple[str, ...]] = (
        *Bound.assumptions,
        "the learner and the picking rule are deterministic",
        "the multipliers, and whether anything is picked, were chosen from pretraining rows only",
    )

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run = evidence.need("pick")
        if run.thresholds:
            raise NotApplicable("the run compared losses with thresholds", structural=True)
        value = picked_upper(run, delta)
        start = "" if run.trained_on is None else f"{run.trained_on} rows for pretraining, "
        told = "picked, the others all handled" if run.learns else "wrong, none of them learned"
        return Outcome(
            value=value,
            n=run.rows,
            observed=run.kept / run.rows,
            counted=f"{run.kept} of {run.rows} rows {told}",
            spent=f"{start}{run.rows} rows for {'picking and ' * run.learns}counting",
            quantity=_quantity(evidence),
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Published multipliers, nothing learned, tuned multipliers."""
        for kept in (0, 8, 60):
            yield Evidence(1000, pick=Pick(500, kept))
            yield Evidence(1000, pick=Pick(400, kept, learns=False))
            yield Evidence(1000, pick=Pick(500, kept, (440, 385, 300), (0.25, 0.5, 0.25)))


def _quantity(evidence: Evidence) -> str:
    if evidence.task == "regression":
        return "rate of targets outside the tube"
    return "rate of new points rejected" if evidence.task == "novelty" else "error rate"


def _gap(evidence: Evidence) -> tuple[str, ...]:
    if evidence.gap is None:
        return ()
    return (f"the solver's remaining gap of {evidence.gap:.2g} changes no prediction",)
