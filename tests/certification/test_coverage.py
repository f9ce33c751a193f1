"""Small Monte-Carlo runs of whole fits on a law with exact risks; the long ones: tests/validity."""

import numpy as np
import pytest

import mercer
from helpers_certification import GRID, draw, model, risk, selective_risk
from helpers_validity import ACCEPT, REJECT, exact_p
from mercer.bounds.numerics import clopper_upper

DRAWS, N, DELTA = 300, 100, 0.1


def one(mode, rng):
    """A certified fit and the true risk of what it returned."""
    X, y = draw(N, rng)
    pool = draw(400, rng)[0]
    fitted = mercer.certified_fit(
        model(),
        X,
        y,
        mode=mode,
        delta=DELTA,
        pool=pool,
        random_state=int(rng.integers(2**31)),
        **({"blocks": 5} if mode == "progressive" else {}),
    )
    if mode == "progressive":
        risks = [risk(member.predict(GRID)) for member in fitted.models]
        return fitted, float(np.average(risks, weights=fitted.sizes))
    if mode == "selective":
        return fitted, selective_risk(fitted.predict(GRID), fitted.accepts(GRID))[0]
    return fitted, risk(fitted.predict(GRID))


@pytest.mark.parametrize(
    "mode",
    ["auto"]
    + [
        pytest.param(mode, marks=pytest.mark.slow)  # tests/validity has all modes in every run
        for mode in ("holdout", "compress", "progressive", "selective", "transfer")
    ],
)
def test_certificates_fail_at_most_at_their_rate(mode):
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(DRAWS):
        fitted, truth = one(mode, rng)
        wrong += fitted.certificate_.value < truth - 1e-9
    assert exact_p(wrong, DRAWS, DELTA) > ACCEPT, f"{wrong} violations in {DRAWS}"


def test_the_same_run_catches_a_limit_that_ignores_delta():
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(DRAWS):
        fitted, truth = one("holdout", rng)
        seen = fitted.certificate_.inputs.holdout
        wrong += clopper_upper(seen.errors, seen.rows, 0.6) < truth
    assert exact_p(wrong, DRAWS, DELTA) < REJECT
