"""What PAC-Bayes bounds share: paying for an estimated KL, and which choices the prior covers."""

from __future__ import annotations

from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Entry, Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import Posterior


def pay_for_kl(q: Posterior, delta: float, why: str) -> tuple[float, Ledger]:
    """What is left of δ for each prior, and the ledger of all payments.

    A `Posterior` whose ``kl`` is an upper limit from random draws is wrong with probability
    ``kl_risk``, which comes out of δ first.
    """
    left = delta - q.kl_risk if q.kl_risk > 0 else delta
    if q.kl_risk > 0 and left <= 0:
        raise NotApplicable(
            f"the KL divergence is an estimate that fails with probability {q.kl_risk:g}, which is "
            f"all of δ = {delta}"
        )
    entries: tuple[Entry, ...] = (Entry(f"{q.candidates} prior(s)", left, why),)
    if q.kl_risk > 0:
        entries += (Entry("the KL divergence", q.kl_risk, "an upper limit from random draws"),)
    return left / q.candidates, Ledger(entries)


def covered_by_prior(covers: frozenset[str], evidence: Evidence) -> frozenset[str]:
    """Choices made from training rows are part of the prior only if it had rows of its own.

    A posterior without ``trained_on`` is judged on the very rows that chose kernel, columns or
    hyper-parameters, and those shaped its prior.
    """
    q = evidence.posterior
    return covers if q is not None and q.trained_on else frozenset()
