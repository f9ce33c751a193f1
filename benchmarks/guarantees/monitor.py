"""How soon the watch raises an alarm, and how often for nothing."""

from __future__ import annotations

import numpy as np

from mercer.certification import Monitor
from mercer.certification.guarantees.sample_size import labels_until_alarm

LIMIT, ALPHA, MOST = 0.05, 0.01, 3000


def stream(risk: float, seed: int) -> int | None:
    """Labels until the alarm; None if there is none among `MOST`."""
    rng, watch = np.random.default_rng([seed, round(1000 * risk)]), Monitor(LIMIT, ALPHA)
    while watch.labels < MOST and not watch.alarm:
        watch.update(rng.random(100) < risk)
    return watch.alarm_at


def table(draws: int) -> list[str]:
    """One line for every risk."""
    lines = ["| risk | alarms | labels, median | 90 % | forecast |", "|---|---|---|---|---|"]
    for risk in (0.05, 0.08, 0.1, 0.15):
        found = [stream(risk, seed) for seed in range(draws)]
        alarms = [at for at in found if at is not None]
        share, late = len(alarms) / draws, [MOST if at is None else at for at in found]
        ends = ["", ""] if risk <= LIMIT else [f"{np.quantile(late, q):.0f}" for q in (0.5, 0.9)]
        told = "" if risk <= LIMIT else str(labels_until_alarm(LIMIT, risk, ALPHA))
        lines.append(f"| {risk:g} | {share:.3f} | {ends[0]} | {ends[1]} | {told} |")
    return lines
