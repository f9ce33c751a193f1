"""Progressive validation: train, test on the next block, train on that too, and so on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import Progressive
from mercer.bounds.numerics import clopper_upper, fixed_c_upper
from mercer.bounds.numerics.collisions import collision_upper, hash_radius

# of δ, where inputs repeat: the limit of the mean, how often inputs repeat, the draw of the key
HASHED = {"mean over the models": 0.8, "how often inputs repeat": 0.1, "the hash": 0.1}


def _run(**facts: Any) -> Progressive:
    """For examples: twenty models on 500 rows, after 500 others."""
    return Progressive(500, models=20, c=0.4, trained_on=500, **facts)


class _Progressive(Bound):
    needs: ClassVar[tuple[str, ...]] = ("progressive",)
    tasks: ClassVar[tuple[str, ...]] = ("classification", "regression", "novelty")
    covers = frozenset({"train"})
    assumptions: ClassVar[tuple[str, ...]] = (
        "the rows are independent draws from one law, in an order that does not depend on them",
        "every model was fixed before its own block was looked at",
    )

    def covered(self, evidence: Evidence) -> frozenset[str]:
        """Nothing, if no rows came before the first block: then the counted ones have chosen."""
        run: Progressive = evidence.need("progressive")
        return self.covers if run.trained_on else frozenset()

    @staticmethod
    def _errors(evidence: Evidence) -> Progressive:
        run: Progressive = evidence.need("progressive")
        if run.mean_loss is not None:
            raise NotApplicable("the run added up losses, not errors", structural=True)
        return run

    @staticmethod
    def _mean_limit(run: Progressive, rate: float, delta: float) -> dict[str, Any]:
        """Limit of the mean risk, and what equal inputs that share a model may add to it."""
        if not run.repeated:
            return {"value": fixed_c_upper(rate, run.rows, delta, c=run.c)}
        ledger = Ledger.split(delta, HASHED, "inputs repeat, and a hash of them chooses the model")
        mean, often, drawn = (ledger[what] for what in HASHED)
        c = collision_upper(run.inputs, run.repeated, run.equal_pairs, often)
        radius = hash_radius(c, drawn)
        value = fixed_c_upper(rate, run.rows, mean, c=run.c) + radius
        details = {"collisions_at_most": c, "added_for_the_hash": radius}
        return {"value": value, "ledger": ledger, "details": details}

    @staticmethod
    def _counted(run: Progressive) -> tuple[str, str]:
        counted = f"{run.errors} errors on {run.rows} rows by {run.models} successive models"
        start = "" if run.trained_on is None else f"{run.trained_on} rows before the first block; "
        return counted, f"{start}every later row first tested, then trained on"

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """No, few and many errors."""
        for errors in (0, 20, 200):
            yield Evidence(1000, progressive=_run(errors=errors))


class ProgressiveMean(_Progressive):
    """Mean risk of the K models, which is the risk of drawing (or hashing to) one of them.

    (1 − exp(−c·S/m − ln(1/δ)/m))/(1 − e^{−c}) for a c fixed in advance. The exact binomial limit
    would be wrong here: the models react to past errors. Where inputs repeat, a hash sends equal
    ones to one model: √(k·ln(10/δ)/2) is added, k a limit on P(X = X'), and δ divided.
    """

    code = "progressive"
    title = "progressive validation, fixed-c martingale"
    reference = "Blum, Kalai and Langford 1999; Catoni's exponential martingale with concavity in p"
    provenance = "derived"
    classifier = "mixture"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run = self._errors(evidence)
        rate = run.errors / run.rows
        counted, spent = self._counted(run)
        return Outcome(
            **self._mean_limit(run, rate, delta),
            n=run.rows,
            observed=rate,
            counted=counted,
            spent=spent,
            assumptions=(f"c = {run.c:.4g} was fixed before the first block",),
        )


class ProgressiveVote(ProgressiveMean):
    """Majority vote of the K models, each with the share of rows it was tested on: twice the mean.

    A label that loses the vote has at most half of it, so an error of the vote is an error of at
    least half of the models. For a voted perceptron after one pass these are its own weights.
    """

    tasks = ("classification",)  # the answers of regressions have no majority
    code = "progressive-vote"
    title = "progressive validation, majority vote of the models"
    reference = "Freund and Schapire 1999; twice the fixed-c martingale limit of the mixture"
    classifier = "vote"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run = replace(evidence.need("progressive"), repeated=0)  # nothing is hashed
        mean = super()._outcome(replace(evidence, progressive=run), delta)
        return replace(mean, value=2.0 * mean.value, details={"mixture": mean.value})


class ProgressiveLoss(_Progressive):
    """Mean risk of the K models under a bounded loss.

    (1 − exp(−c·S/m − ln(1/δ)/m))/(1 − e^{−c}), S the sum of the losses in units of their range.
    For losses between 0 and 1 the exponential of −c times the loss lies below its chord, so the
    martingale of the errors is a supermartingale for losses.
    """

    code = "progressive-loss"
    title = "progressive validation of a bounded loss, fixed-c martingale"
    reference = "Catoni's exponential martingale; convexity of the exponential"
    provenance = "derived"
    classifier = "mixture"
    quantity = "mean loss"
    needs = ("progressive", "loss_range")

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run, (low, high) = evidence.need("progressive"), evidence.need("loss_range")
        if run.mean_loss is None:
            raise NotApplicable("the run counted errors, not losses", structural=True)
        limit = self._mean_limit(run, run.mean_loss, delta)
        seen = low + (high - low) * run.mean_loss
        return Outcome(
            **{**limit, "value": low + (high - low) * limit["value"]},
            n=run.rows,
            observed=seen,
            counted=f"mean loss {seen:.4g} on {run.rows} rows by {run.models} successive models",
            spent=self._counted(run)[1],
            assumptions=(
                f"c = {run.c:.4g} was fixed before the first block",
                "no loss can leave the declared range",
            ),
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Small and large losses."""
        for mean in (0.0, 0.07, 0.6):
            run = _run(mean_loss=mean)
            yield Evidence(1000, task="regression", progressive=run, loss_range=(0.0, 3.0))


class ProgressiveMinimum(_Progressive):
    """Risk of the best of the K models; here the exact binomial limit is valid.

    min R_k ≤ max{p : P(Bin(m, p) ≤ S) ≥ δ} after S errors on m rows, each counted before learned.
    It does not say which model that is. The proof, with its lemma on binomial tails at
    Clopper–Pearson limits, is in ``docs/theory/progressive-minimum.md``.
    """

    code = "progressive-min"
    title = "progressive validation, best model"
    reference = "exact binomial limit for the running minimum; proof in the documentation"
    provenance = "derived"
    classifier = "one-of"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run = self._errors(evidence)
        counted, spent = self._counted(run)
        return Outcome(
            value=clopper_upper(run.errors, run.rows, delta),
            n=run.rows,
            observed=run.errors / run.rows,
            counted=counted,
            spent=spent,
        )


class ProgressiveRefit(ProgressiveMinimum):
    """The limit of the best progressive model, for the model refitted on all rows.

    R ≤ max{p : P(Bin(m, p) ≤ S) ≥ δ} for S errors on m rows, if the refitted model is no worse than
    the best of those that were counted: an assumption that nobody can check.
    """

    code = "progressive-refit"
    title = "refit no worse than the best progressive model"
    kind = "conditional"
    classifier = "deterministic"
    assumptions = (
        *_Progressive.assumptions,
        "the model refitted on all rows is no worse than the best progressive model",
    )
