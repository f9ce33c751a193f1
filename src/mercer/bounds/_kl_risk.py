"""Paying for a KL divergence that was estimated by sampling."""

from __future__ import annotations

from mercer.bounds._ledger import Entry, Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import Posterior


def pay_for_kl(q: Posterior, delta: float, why: str) -> tuple[float, Ledger]:
    """What is left of δ for each prior, and the ledger of all payments.

    A `Posterior` whose ``kl`` is an upper limit from random draws is wrong with probability
    ``kl_risk``, which comes out of δ first.
    """
    left = delta - q.kl_risk
    if left <= 0:
        raise NotApplicable(
            f"the KL divergence is an estimate that fails with probability {q.kl_risk:g}, which is "
            f"all of δ = {delta:g}"
        )
    entries: tuple[Entry, ...] = (Entry(f"{q.candidates} prior(s)", left, why),)
    if q.kl_risk > 0:
        entries += (Entry("the KL divergence", q.kl_risk, "an upper limit from random draws"),)
    return left / q.candidates, Ledger(entries)
