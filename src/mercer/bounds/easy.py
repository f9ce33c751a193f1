"""Easy hold-outs: the rows held out may be chosen by their labels if the exact ratio is paid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._easy_record import EasyHoldOuts
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds.numerics.collisions import collision_upper, hash_radius
from mercer.bounds.numerics.easy import easy_upper, log_ratio
from mercer.bounds.progressive import HASHED


class _Easy(Bound):
    reference = "averages of e-values over splits with importance weights; proof in the docs"
    provenance = "derived"
    needs: ClassVar[tuple[str, ...]] = ("easy_holdouts",)
    tasks: ClassVar[tuple[str, ...]] = ("classification", "novelty", "regression")
    covers = frozenset({"train"})
    losses: ClassVar[bool] = False
    assumptions: ClassVar[tuple[str, ...]] = (
        "the rows are independent draws from one law, in an order that does not depend on them",
        "how many rows are held out, and the bets, were fixed before looking at the rows",
        "every model saw nothing of its own hold-out",
    )

    def _record(self, evidence: Evidence) -> EasyHoldOuts:
        run: EasyHoldOuts = evidence.need("easy_holdouts")
        if run.losses is not self.losses:
            kinds = ("losses, not errors", "errors, not losses")
            raise NotApplicable(f"the hold-outs counted {kinds[self.losses]}", structural=True)
        one = self.classifier == "deterministic"
        if one is not (len(run.sums) == 1):
            about = "one hold-out" if one else "several hold-outs"
            raise NotApplicable(f"speaks about {about}, not {len(run.sums)}", structural=True)
        return run

    def _limit(self, run: EasyHoldOuts, delta: float) -> dict[str, Any]:
        """The limit of the mean; what rounded shares, and equal inputs that share a model, add."""
        ledger, mean = None, delta
        if run.repeated and len(run.sums) > 1:
            ledger = Ledger.split(delta, HASHED, "inputs repeat, and a hash of them chooses")
            mean, often, drawn = (ledger[what] for what in HASHED)
        ratio = log_ratio(run.total, run.easy, run.rows)
        ratios = [ratio] * len(run.sums)
        value, proved = easy_upper(ratios, run.sums, run.rows, mean, bets=run.bets)
        used = np.asarray(run.shares, dtype=float) / sum(run.shares)
        rounded = 0.5 * float(np.abs(used - proved).sum())
        details = {"log_ratio": ratio, "added_for_rounded_shares": rounded, "seed": run.seed}
        if ledger is None:
            return {"value": value + rounded, "details": details}
        c = collision_upper(run.inputs, run.repeated, run.equal_pairs, often)
        radius = hash_radius(c, drawn)
        details |= {"collisions_at_most": c, "added_for_the_hash": radius}
        return {"value": value + rounded + radius, "ledger": ledger, "details": details}

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run = self._record(evidence)
        low, high = evidence.need("loss_range") if self.losses else (0.0, 1.0)
        limit = self._limit(run, delta)
        limit["value"] = low + (high - low) * limit["value"]
        return Outcome(
            **limit,
            n=run.rows,
            counted=self._counted(run, low, high),
            spent=f"of {run.total} rows, {run.total - run.easy} that looked hard were always "
            f"trained on, {run.rows} of the {run.easy} others held out",
            assumptions=("no loss can leave the declared range",) if self.losses else (),
        )

    @staticmethod
    def _counted(run: EasyHoldOuts, low: float, high: float) -> str:
        shown = [f"{low + (high - low) * s / run.rows:.3g}" for s in run.sums]
        told = ", ".join(shown if run.losses else [f"{s:.0f}" for s in run.sums])
        what = "mean losses" if run.losses else "errors"
        each = "" if len(run.sums) == 1 else " each, by one model per hold-out"
        return f"{told} {what} on {run.rows} easy rows{each}"

    @classmethod
    def _example(cls, **facts: Any) -> Evidence:
        record = EasyHoldOuts(total=1000, losses=cls.losses, **facts)
        if not cls.losses:
            return Evidence(1000, easy_holdouts=record)
        return Evidence(1000, task="regression", easy_holdouts=record, loss_range=(0.0, 3.0))


class EasyHoldOut(_Easy):
    """Risk of one model, trained on all but m rows drawn among N that look easy.

    Σ_c w_c·e^{−cS}·(1 − a_c·θ)^{−m}·C(N, m)/C(n, m) = 1/δ, with a_c = 1 − e^{−c}: after S errors on
    the m rows the limit is the root θ. The ratio is what it costs that all n rows, with their
    labels, had a say in which N look easy.
    """

    code = "easy-holdout"
    title = "a hold-out among easy rows, importance-weighted"

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Without and with errors, and a choice that nobody had to pay for."""
        for easy, sums in ((970, (0,)), (930, (2,)), (1000, (4,))):
            bets = ((5.0, 0.7), (2.0, 0.3))
            yield cls._example(rows=190, easy=easy, sums=sums, bets=bets)


class EasyMixture(_Easy):
    """Risk of the mixture of J models, each trained on all but m rows drawn among N easy ones.

    (1 − a·θ)^m = δ·C(N, m)/C(n, m)·(1/J)·Σ_j e^{−c·S_j} with a = 1 − e^{−c}, for shares
    proportional to e^{−c·S_j}; half the distance to other shares is added. Where inputs repeat, a
    hash sends equal ones to one model: √(k·ln(10/δ)/2) is added, k a limit on P(X = X').
    """

    code = "easy-mixture"
    title = "a mixture of models with easy hold-outs, importance-weighted"
    classifier = "mixture"

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Without and with errors."""
        for easy, sums, shares in ((970, (0, 0, 0), (1, 1, 1)), (930, (0, 1, 4), (993, 7, 0))):
            yield cls._example(rows=190, easy=easy, sums=sums, shares=shares, bets=((5.0, 1.0),))


class EasyHoldOutLoss(EasyHoldOut):
    """Mean of a bounded loss: S is the sum of the losses in units of their range.

    Σ_c w_c·e^{−cS}·(1 − a_c·θ)^{−m}·C(N, m)/C(n, m) = 1/δ: for a loss ℓ between 0 and 1, e^{−cℓ} is
    at most 1 − a_c·ℓ.
    """

    code = "easy-holdout-loss"
    title = "a bounded loss on an easy hold-out, importance-weighted"
    quantity = "mean loss"
    needs = ("easy_holdouts", "loss_range")
    losses = True


class EasyMixtureLoss(EasyMixture):
    """Mean of a bounded loss of the mixture: S_j are sums of losses in units of their range.

    (1 − a·θ)^m = δ·C(N, m)/C(n, m)·(1/J)·Σ_j e^{−c·S_j} with a = 1 − e^{−c}.
    """

    code = "easy-mixture-loss"
    title = "a bounded loss of a mixture with easy hold-outs"
    quantity = "mean loss"
    needs = ("easy_holdouts", "loss_range")
    losses = True
