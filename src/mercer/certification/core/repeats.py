"""Inputs that repeat: a hash of the input is then no fresh draw for every row."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from mercer._types import Samples
from mercer.bounds.numerics.collisions import collision_upper, hash_radius
from mercer.certification.core.hashing import row_bytes
from mercer.certification.core.task import Refused

SHARE = 0.1  # of δ for the collisions, and as much for the hash
NEGLIGIBLE = 0.01
USELESS = 0.5  # more than the price of the hash may be, no limit is below one half


@dataclass(frozen=True)
class Repeats:
    """Of ``rows`` rows ``repeated`` are equal to an earlier one; ``equal_pairs`` counts pairs."""

    rows: int
    repeated: int
    equal_pairs: int

    @classmethod
    def among(cls, X: Samples) -> Repeats:
        """Count equal inputs as the hash sees them."""
        counts = Counter(row_bytes(X)).values()
        total = sum(counts)
        return cls(total, total - len(counts), sum(k * (k - 1) // 2 for k in counts))

    def radius(self, delta: float) -> float:
        """By how much the hash may raise the risk, both shares of δ spent; 0 without repeats."""
        if not self.repeated:
            return 0.0
        c = collision_upper(self.rows, self.repeated, self.equal_pairs, SHARE * delta)
        return hash_radius(c, SHARE * delta)

    def words(self, delta: float) -> tuple[str, ...]:
        """What stands before a number that does not pay for the hash."""
        radius = self.radius(delta)
        if radius < NEGLIGIBLE:
            return ()
        return (
            f"HOLDS ONLY IF a model is drawn anew for every row: here equal inputs share one, and "
            f"{self.repeated} of {self.rows} rows repeat an earlier input (up to "
            f"{100 * min(1.0, radius):.2g} % more)",
        )


def affordable(repeats: Repeats, delta: float, mode: str) -> None:
    """Refuse a mixture where the hash that chooses its models would cost more than there is."""
    if repeats.radius(delta) >= USELESS:
        raise Refused(
            f"{repeats.repeated} of {repeats.rows} rows repeat an earlier input. mode={mode!r} "
            "sends equal inputs to the same model by a hash, so the risk of its mixture may lie "
            "far above the mean of its models, which is what is counted. Use mode='auto'."
        )


def routing_words(repeats: Repeats) -> str:
    """The mixture is hashed: free for inputs that do not repeat, paid for where they do."""
    if not repeats.repeated:
        return "inputs hardly ever repeat, so the hash spreads them over the models"
    return (
        f"the key of the hash does not depend on the rows ({repeats.repeated} of {repeats.rows} "
        "repeat an earlier input; the limit pays for that)"
    )
