"""A certificate that stays alive: is the risk still at most the certified value?

Under "every new row is wrong with probability at most r0, whatever came before" the likelihood
ratio of a larger rate r1 against r0 is a supermartingale that starts at 1; so is an average over
several r1 and over several starting times, and it ever exceeds 1/α with probability at most α
(Ville 1939; Podkopaev and Ramdas 2022): one may look after every label, and stop whenever one
likes. Starts every hundred labels keep a long quiet past from hiding a change.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln

from mercer.bounds.numerics.root import increasing_root
from mercer.certification.core import arguments

FORMAT = 1
# how many times larger the risk may have become, and how much weight that gets
TIMES = {
    1.5: 0.15,
    2.0: 0.55,
    3.0: 0.2,
    6.0: 0.1,
}
FIRST = 0.9  # of the weight, for the start at the first label; the rest for later starts
EVERY = 100  # labels between starts
JUMP = 0.01  # of the jumper that watches outputs, per row
MOST_REFERENCE = 1000  # outputs of held-out rows to compare new ones with
MOST_PAST = 100_000  # outputs kept: beyond them the watch without labels goes no further


class Monitor:
    """Watches the errors of a certified model, label by label, and its outputs without labels.

    Parameters
    ----------
    limit : float
        The certified risk r0, in (0, 1).
    alpha : float, default=0.01
        Probability of ever raising a false alarm, for either alarm.
    reference : array-like, default=None
        Outputs of the model on held-out rows, for the alarm that needs no labels.

    Attributes
    ----------
    alarm : bool
        Whether "the risk is at most ``limit``" has been rejected; it stays.
    alarm_at : int or None
        After how many labels.
    drift : bool
        Whether the outputs have been found not to be like those of the held-out rows.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.certification import Monitor
    >>> watch = Monitor(0.05)
    >>> watch.update(np.zeros(200))["alarm"]
    False
    >>> watch.update(np.tile([0, 0, 0, 0, 1], 100))["alarm"]
    True
    """

    def __init__(
        self, limit: float, alpha: float = 0.01, reference: ArrayLike | None = None
    ) -> None:
        self.limit = arguments.share(limit, "limit")
        self.alpha = arguments.share(alpha, "alpha")
        self.labels = self.errors = self.rows = 0
        self.alarm_at: int | None = None
        self.drift_at: int | None = None
        rates = {time * self.limit: w for time, w in TIMES.items() if time * self.limit < 1}
        rates = rates or {(1 + self.limit) / 2: 1.0}
        total = sum(rates.values())
        self._prior = np.log([w / total for w in rates.values()])
        self._wrong = np.log([r / self.limit for r in rates])
        self._right = np.log([(1 - r) / (1 - self.limit) for r in rates])
        # log of weight times wealth: a row for every start, a column for every rate
        self._wealth = np.empty((0, len(self._prior)))
        self._past = [] if reference is None else sorted(_finite(reference)[:MOST_REFERENCE])
        self._purse = [1 / 3, 1 / 3, 1 / 3]

    # -- what is known ---------------------------------------------------------------------------

    @property
    def alarm(self) -> bool:
        """Whether the risk is too large, beyond doubt."""
        return self.alarm_at is not None

    @property
    def drift(self) -> bool:
        """Whether the outputs have changed, beyond doubt."""
        return self.drift_at is not None

    @property
    def log_evidence(self) -> float:
        """Ln of the e-process against "the risk is at most the limit"."""
        later = max(1, len(self._wealth))  # weight that no start has had yet: 0.1/starts, or all
        unused = (1 - FIRST) / later if len(self._wealth) else 1.0
        return float(np.logaddexp.reduce([*self._wealth.ravel(), math.log(unused)]))

    def risk_interval(self, delta: float = 0.05) -> tuple[float, float]:
        """Limits of the risk, if it is constant, that hold at all times together (Robbins 1970)."""
        n, k = self.labels, self.errors
        if n == 0:
            return 0.0, 1.0
        top = betaln(k + 1, n - k + 1) + math.log(delta)

        def reached(rate: float) -> float:  # ln of mixture/likelihood + ln δ; convex in the rate
            wrong = k * math.log(rate) if k else 0.0
            right = (n - k) * math.log1p(-rate) if n > k else 0.0
            return top - wrong - right

        seen = min(max(k / n, 1e-12), 1 - 1e-12)
        low = 0.0 if k == 0 else -increasing_root(
            lambda u: reached(-u), -seen, -1e-15, safe="above")  # fmt: skip
        high = 1.0 if k == n else increasing_root(reached, seen, 1 - 1e-15, safe="above")
        return low, high

    # -- news ------------------------------------------------------------------------------------

    def update(self, wrong: ArrayLike = (), outputs: ArrayLike = ()) -> dict[str, Any]:
        """Take in new rows: which were wrong, in the order they came, and the model's outputs.

        Returns the state in plain types, for a line of JSON.
        """
        flags = np.asarray(wrong, dtype=np.float64).ravel()
        if not np.isin(flags, (0.0, 1.0)).all():
            raise ValueError("wrong must hold 0 and 1 (or False and True), one per labelled row")
        for flag in flags.tolist():
            self._label(bool(flag))
        for output in _finite(outputs):
            self._output(output)
        return self.summary()

    def summary(self) -> dict[str, Any]:
        """What is known by now, in plain types."""
        low, high = self.risk_interval()
        return {
            "labels": self.labels,
            "errors": self.errors,
            "rows": self.rows,
            "limit": self.limit,
            "risk_seen": self.errors / self.labels if self.labels else None,
            "risk_at_least": low,
            "risk_at_most": high,
            "log_evidence": self.log_evidence,
            "alarm": self.alarm,
            "alarm_at": self.alarm_at,
            "drift": self.drift,
            "drift_at": self.drift_at,
        }

    def _label(self, wrong: bool) -> None:
        if self.labels % EVERY == 0:
            j = len(self._wealth)
            weight = FIRST if j == 0 else (1 - FIRST) / (j * (j + 1))
            self._wealth = np.vstack([self._wealth, math.log(weight) + self._prior])
        self._wealth += self._wrong if wrong else self._right
        self.labels += 1
        self.errors += wrong
        if not self.alarm and self.log_evidence >= -math.log(self.alpha):
            self.alarm_at = self.labels

    def _output(self, output: float) -> None:
        """Vovk's simple jumper on the rank of an output among all earlier ones."""
        self.rows += 1
        if len(self._past) >= MOST_PAST:
            return
        if not self._past:
            self._past = [output]
            return
        below, upto = bisect_left(self._past, output), bisect_right(self._past, output)
        coin = np.random.default_rng((self.rows, 7)).random()  # breaks ties, known beforehand
        rank = (below + coin * (upto - below + 1)) / (len(self._past) + 1)
        insort(self._past, output)
        purse, total = np.asarray(self._purse), sum(self._purse)
        mixed = (1 - JUMP) * purse + JUMP * total / 3
        purse = mixed * (1 + np.array([-1.0, 0.0, 1.0]) * (rank - 0.5))
        self._purse = np.minimum(purse, 1e250).tolist()
        if not self.drift and purse.sum() >= 1 / self.alpha:
            self.drift_at = self.rows

    # -- a file ----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The whole state in plain types: `from_dict` goes on where this stopped."""
        names = ("limit", "alpha", "labels", "errors", "rows", "alarm_at", "drift_at")
        state = {name: getattr(self, name) for name in names}
        inner = {"wealth": self._wealth.tolist(), "past": self._past, "purse": self._purse}
        return {"mercer_monitor": FORMAT, **state, **inner}

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Monitor:
        """A monitor as it was."""
        if state.get("mercer_monitor") != FORMAT:
            raise ValueError("not the state of a Mercer monitor of a format this version reads")
        made = cls(state["limit"], state["alpha"])
        for name in ("labels", "errors", "rows", "alarm_at", "drift_at"):
            setattr(made, name, state[name])
        made._wealth = np.asarray(state["wealth"], dtype=np.float64).reshape(-1, len(made._prior))
        made._past, made._purse = list(state["past"]), list(state["purse"])
        return made


def _finite(values: ArrayLike) -> list[float]:
    array = np.asarray(values, dtype=np.float64).ravel()
    if not np.isfinite(array).all():
        raise ValueError("outputs must be finite numbers")
    return array.tolist()
