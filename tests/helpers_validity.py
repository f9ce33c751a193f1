"""Monte-Carlo validity: bounds fail at most at their stated rate, and broken ones are caught.

A *law* draws evidence together with the true risk. `violations` counts how often the value is below
the truth; `exact_p` is the probability of that many violations if the bound were valid. A valid
bound must not be rejected, and every deliberately broken twin must be.
"""

from collections.abc import Callable

import numpy as np
from scipy.stats import binom

from mercer.bounds import Evidence

Law = Callable[[np.random.Generator], tuple[Evidence, float]]
Value = Callable[[Evidence, float], float]

ACCEPT = 1e-3  # a valid bound at exactly its rate is rejected once in a thousand seeds
REJECT = 1e-6  # a broken one must be rejected beyond doubt

# What the running test counted: (statement, violations, draws, delta, whether it is a broken twin).
# tests/validity/conftest.py hands it to the report, tools/validity_table.py makes a table of it.
COUNTED: list[tuple[str, int, int, float, bool]] = []


def violations(law: Law, value: Value, delta: float, draws: int, seed: int) -> int:
    """How many of ``draws`` certificates are below the true risk."""
    if draws < 300:
        raise ValueError("pool at least 300 draws: fewer prove nothing")
    rng = np.random.default_rng(seed)
    wrong = 0
    for _ in range(draws):
        evidence, truth = law(rng)
        wrong += value(evidence, delta) < truth - 1e-12
    return wrong


def exact_p(wrong: int, draws: int, delta: float) -> float:
    """P(Bin(draws, δ) ≥ wrong)."""
    return float(binom.sf(wrong - 1, draws, delta))


def check_valid(law: Law, value: Value, *, delta: float, draws: int, seed: int = 0) -> int:
    """Fail if the exact binomial test rejects the stated rate."""
    wrong = violations(law, value, delta, draws, seed)
    COUNTED.append(("", wrong, draws, delta, False))
    p = exact_p(wrong, draws, delta)
    assert p > ACCEPT, f"{wrong} violations in {draws} draws at δ = {delta}: p = {p:.2g}"
    return wrong


def check_caught(law: Law, broken: Value, *, delta: float, draws: int, seed: int = 0) -> int:
    """Fail unless the exact binomial test rejects the broken bound."""
    wrong = violations(law, broken, delta, draws, seed)
    COUNTED.append(("", wrong, draws, delta, True))
    p = exact_p(wrong, draws, delta)
    assert p < REJECT, f"a broken bound passed: {wrong} violations in {draws} draws, p = {p:.2g}"
    return wrong
