"""The model of all rows, from models with easy hold-outs and a pool they all predict."""

from __future__ import annotations

from collections.abc import Iterator

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._easy_pool_record import EasyPool
from mercer.bounds._evidence import Evidence
from mercer.bounds.numerics.easy import easy_upper, log_ratio
from mercer.bounds.numerics.easy_pool import easy_pool_upper


class TransferEasy(Bound):
    """R(f) ≤ Σ α_j·R(g_j) + Σ α_j·P(f ≠ g_j), α_j ∝ e^{−c·S_j}: one e-value for both sums.

    The largest θ + d with e^{−bD}·(1 − a_b·d)^{−u}·(1 − a_c·θ)^{−m}·C(N, m)/C(n, m)·(1/J)·Σ_j
    e^{−c·S_j} at most 1/δ. S_j are errors of model j on the m easy rows it never saw, D adds up the
    weights of the models that contradict f on u inputs; b depends on the hold-outs alone.
    """

    code = "transfer-easy"
    title = "easy hold-outs plus disagreement on a pool, importance-weighted"
    reference = "product of two e-values, averages over splits with importance weights; in the docs"
    provenance = "derived"
    needs = ("easy_pool",)
    covers = frozenset({"train"})
    assumptions = (
        "the rows are independent draws from one law, in an order that does not depend on them",
        "how many rows are held out, and the constant of their weights, were fixed before looking "
        "at the rows",
        "every smaller model saw nothing of its own hold-out",
        "no model was trained on the pool, and the pool follows the law of future data",
    )

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run: EasyPool = evidence.need("easy_pool")
        ratio = log_ratio(run.total, run.easy, run.rows)
        ratios = [ratio] * len(run.sums)
        counts = ratios, run.sums, run.rows
        value = easy_pool_upper(*counts, run.moved, run.pool_rows, delta, c=run.c)
        smaller, _ = easy_upper(*counts, delta, bets=((run.c, 1.0),))
        shown = ", ".join(str(s) for s in run.sums)
        return Outcome(
            value,
            n=run.rows,
            counted=f"{shown} errors on {run.rows} easy rows each, by one model per hold-out; "
            f"{run.moved:.4g} disagreements on {run.pool_rows} pool rows",
            spent=f"no row was kept from the model; of {run.total} rows, {run.rows} of the "
            f"{run.easy} that looked easy were kept from each of {len(run.sums)} smaller models; "
            f"{run.pool_rows} unlabelled rows",
            details={
                "log_ratio": ratio,
                "certified": smaller,
                "disagreement": run.moved / run.pool_rows,
                "seed": run.seed,
            },
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """A large and a small pool."""
        for easy, sums, pool, moved in ((970, (0, 0, 1), 5000, 40.5), (930, (2,), 85, 1.0)):
            record = EasyPool(190, total=1000, easy=easy, sums=sums, pool_rows=pool, moved=moved)
            yield Evidence(1000, easy_pool=record)
