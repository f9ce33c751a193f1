"""Bounds by class and for bounded losses, against the statements they are made of."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta

from mercer.bounds import Evidence, HoldOut, NotApplicable, Pick, Pool, Progressive, get
from mercer.bounds.numerics import fixed_c_upper, mixed_upper

SIZES = {"sizes": (440, 385, 300), "weights": (0.25, 0.5, 0.25)}


def upper(k, m, delta):
    return beta.isf(delta, k + 1, m - k)


def lower(k, m, delta):
    return beta.ppf(delta, k, m - k + 1)


@pytest.mark.parametrize(("error", "join"), [("classes", max), ("balanced", np.mean)])
def test_by_class_is_the_bound_within_each_class(error, join):
    runs = {"a": Pick(500, 8, **SIZES), "b": Pick(460, 30, **SIZES)}
    parts = {label: Evidence(run.rows, pick=run) for label, run in runs.items()}
    whole = get("by-class")(error=error).evaluate(Evidence(1000, classes=parts), 0.1)
    each = [get("compress")().evaluate(part, 0.05).unclipped for part in parts.values()]
    assert whole.unclipped == pytest.approx(join(each))
    assert whole.details["theorem"] == get("compress").title


def test_transfer_by_class():
    part = HoldOut(400, 12, classes={"a": (240, 4), "b": (160, 8)})
    evidence = Evidence(1000, holdout=part, pool=Pool(5000, 40, lost={"a": 15, "b": 25}))
    limits = get("transfer-classes")().evaluate(evidence, 0.1).details["classes"]
    rare = upper(8, 160, 0.035) + upper(25, 5000, 0.01) / lower(160, 400, 0.005)
    assert limits["b"] == pytest.approx(rare, rel=1e-9)
    empty = replace(evidence, holdout=replace(part, classes={**part.classes, "c": (0, 0)}))
    with pytest.raises(NotApplicable, match="no hold-out row of class 'c'"):
        get("transfer-classes")().evaluate(empty)


def test_progressive_by_class():
    run = Progressive(
        500, 20, models=20, c=0.4, trained_on=9, classes={"a": (300, 8), "b": (200, 12)}
    )
    limits = get("progressive-classes")().evaluate(Evidence(1000, progressive=run), 0.1).details
    joint = fixed_c_upper(12 / 500, 500, 0.04, c=0.4)
    assert limits["classes"]["b"] == pytest.approx(joint / lower(200, 500, 0.01), rel=1e-9)


def test_picks_against_thresholds_are_picks_on_the_scale_of_the_loss():
    run = Pick(500, 30, **SIZES)
    errors = get("compress")().evaluate(Evidence(1000, pick=run), 0.05).unclipped
    losses = Evidence(
        1000, task="regression", pick=replace(run, thresholds=True), loss_range=(1, 3)
    )
    assert get("compress-loss")().evaluate(losses, 0.05).value == pytest.approx(1 + 2 * errors)
    with pytest.raises(NotApplicable, match="thresholds"):
        get("compress")().evaluate(losses)
    with pytest.raises(NotApplicable, match="errors, not losses"):
        get("compress-loss")().evaluate(replace(losses, pick=run))


@pytest.mark.parametrize("squared", [False, True])
def test_transfer_of_losses_holds_row_by_row(squared):
    """The inequality behind it, for clipped losses of arbitrary targets and predictions."""
    rng = np.random.default_rng(0)
    y, f, h = rng.standard_t(2, (3, 2000))
    low, high = 0.2, 2.0
    power = 2 if squared else 1
    loss_f, loss_h = (np.clip(np.abs(y - p) ** power, low, high) for p in (f, h))
    width = np.sqrt(high) - np.sqrt(low) if squared else high - low
    step = np.minimum(np.abs(f - h), width)
    if squared:
        assert np.sqrt(loss_f.mean()) <= np.sqrt(loss_h.mean()) + np.sqrt(np.mean(step**2))
        assert np.all(np.sqrt(loss_f) <= np.sqrt(loss_h) + step + 1e-12)
    else:
        assert np.all(loss_f <= loss_h + step + 1e-12)
    evidence = Evidence(
        9, task="regression", holdout=HoldOut(2000, losses=loss_h), loss_range=(low, high),
        pool=Pool(2000, distances=np.abs(f - h), squared=squared),
    )  # fmt: skip
    value = get("transfer-loss")().evaluate(evidence, 0.1).unclipped
    first = mixed_upper(loss_h, 0.08, low=low, high=high)
    second = mixed_upper(step**power, 0.02, low=0.0, high=width**power)
    wanted = (np.sqrt(first) + np.sqrt(second)) ** 2 if squared else first + second
    assert value == pytest.approx(wanted)
