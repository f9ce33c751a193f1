"""Progressive validation: train, test on the next block, train on that too, and so on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._records import Progressive
from mercer.bounds.numerics import clopper_upper, fixed_c_upper


class _Progressive(Bound):
    needs = ("progressive",)
    tasks = ("classification", "regression", "novelty")
    covers = frozenset({"train"})
    assumptions: ClassVar[tuple[str, ...]] = (
        "the rows came in an order that is exchangeable",
        "every model was fixed before its own block was looked at",
    )

    @staticmethod
    def _counted(run: Progressive) -> tuple[str, str]:
        counted = f"{run.errors} errors on {run.rows} rows by {run.models} successive models"
        start = "" if run.trained_on is None else f"{run.trained_on} rows before the first block; "
        return counted, f"{start}every later row first tested, then trained on"

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """No, few and many errors."""
        for errors in (0, 20, 200):
            yield Evidence(1000, progressive=Progressive(500, errors, models=20, c=0.4))


class ProgressiveMean(_Progressive):
    """Mean risk of the K models, which is the risk of drawing (or hashing to) one of them.

    (1 − exp(−c·S/m − ln(1/δ)/m))/(1 − e^{−c}) for a c fixed in advance. The exact binomial limit
    would be wrong here: the models react to past errors.
    """

    code = "progressive"
    title = "progressive validation, fixed-c martingale"
    reference = "Blum, Kalai and Langford 1999; Catoni's exponential martingale with concavity in p"
    provenance = "derived"
    classifier = "mixture"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run = evidence.need("progressive")
        rate = run.errors / run.rows
        counted, spent = self._counted(run)
        return Outcome(
            value=fixed_c_upper(rate, run.rows, delta, c=run.c),
            n=run.rows,
            observed=rate,
            counted=counted,
            spent=spent,
            assumptions=(f"c = {run.c:.4g} was fixed before the first block",),
        )


class ProgressiveMinimum(_Progressive):
    """Risk of the best of the K models; here the exact binomial limit is valid.

    It does not say which model that is. The proof, with its lemma on binomial tails at
    Clopper–Pearson limits, is in ``docs/theory/progressive-minimum.md``.
    """

    code = "progressive-min"
    title = "progressive validation, best model"
    reference = "exact binomial limit for the running minimum; proof in the documentation"
    provenance = "derived"
    classifier = "one-of"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run = evidence.need("progressive")
        counted, spent = self._counted(run)
        return Outcome(
            value=clopper_upper(run.errors, run.rows, delta),
            n=run.rows,
            observed=run.errors / run.rows,
            counted=counted,
            spent=spent,
        )


class ProgressiveRefit(ProgressiveMinimum):
    """The same number for the model refitted on all rows, under an assumption nobody can check."""

    code = "progressive-refit"
    title = "refit no worse than the best progressive model"
    kind = "conditional"
    classifier = "deterministic"
    assumptions = (
        *_Progressive.assumptions,
        "the model refitted on all rows is no worse than the best progressive model",
    )
