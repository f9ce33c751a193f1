"""What is said about losses that were clipped, and about a range that is only declared."""

import json

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import mercer
from mercer.bounds import Certificate
from mercer.certification.core.loss_range import LEVEL, largest_share_p

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 2))
HEAVY = X[:, 0] + RNG.standard_cauchy(400)
CALM = X[:, 0] + RNG.laplace(size=400)
RULE = Ridge().fit(X[:100], CALM[:100])


def fresh(target, **options):
    return mercer.certify(RULE, X[100:], target[100:], **options)


def ninth(y, f):
    return np.abs(y - f) ** 9


@pytest.mark.parametrize(
    ("options", "quantity"),
    [
        ({"loss_range": (0, 5)}, "mean of min(|y-f|, 5)"),
        ({"loss_range": (0, 25), "loss": "squared"}, "mean of min((y-f)^2, 25)"),
        ({"loss_range": (1, 5)}, "mean of |y-f| clipped to [1, 5]"),
        ({"loss_range": (0, 5), "loss": ninth}, "mean of ninth clipped to [0, 5]"),
    ],
)
def test_a_clip_is_part_of_the_quantity(options, quantity):
    certificate = fresh(HEAVY, clip=True, **options)
    assert str(certificate).startswith(f"{quantity} of this Ridge <= ")
    assert "%" not in str(certificate).split("(95")[0], "a mean is no rate"
    data = json.loads(json.dumps(certificate.to_dict()))
    assert data["quantity"] == quantity
    back = Certificate.from_dict(data)
    assert str(back.recompute()) == str(certificate)


def test_a_clip_is_named_when_rows_are_spent():
    options = {"loss_range": (0, 5), "clip": True, "random_state": 0}
    for mode in ("auto", "progressive"):
        certificate = mercer.certified_fit(Ridge(), X, HEAVY, mode=mode, **options).certificate_
        assert certificate.quantity == "mean of min(|y-f|, 5)"


def test_the_range_of_a_mixture_is_doubted_too():
    """Its evidence has the sum of the losses only."""
    high = 3 * float(np.abs(HEAVY).max())
    options = {"loss_range": (0, high), "mode": "progressive", "random_state": 0}
    doubted = mercer.certified_fit(Ridge(), X, HEAVY, **options).certificate_
    assert str(doubted).startswith(f"HOLDS ONLY IF no loss can exceed {high:g}")
    assert mercer.certified_fit(Ridge(), X, CALM, **options).certificate_.found == ()


@pytest.mark.parametrize("loss", ["absolute", "squared"])
def test_one_residual_far_above_the_others_makes_the_range_doubtful(loss):
    high = float(np.abs(RULE.predict(X) - HEAVY).max() ** (2 if loss == "squared" else 1))
    doubted = fresh(HEAVY, loss=loss, loss_range=(0, 3 * high))
    assert str(doubted).startswith(f"HOLDS ONLY IF no loss can exceed {3 * high:g}")
    assert doubted.to_dict()["found"] == list(doubted.found)
    assert fresh(CALM, loss=loss, loss_range=(0, 3 * high)).found == ()


def test_a_touched_range_is_questioned_below_the_number():
    largest = float(np.abs(RULE.predict(X[100:]) - CALM[100:]).max())
    touched = fresh(CALM, loss_range=(0, largest))
    assert touched.found == ()
    assert any("larger ones would make" in words for words in touched.assumptions)
    wide = fresh(CALM, loss_range=(0, 2 * largest))
    assert not any("larger ones would make" in words for words in wide.assumptions)


@pytest.mark.parametrize("n", [2, 12, 60, 500])
def test_exponential_residuals_are_seldom_doubted(n):
    """Fisher's g: the p-value of an exponential sample is at least uniform."""
    rng = np.random.default_rng(n)
    p = np.array([largest_share_p(rng.exponential(size=n)) for _ in range(4000)])
    assert np.mean(p < 0.05) < 0.05 + 3 * np.sqrt(0.05 / 4000)
    assert np.mean(p < LEVEL) < 0.004
    heavy = np.array([largest_share_p(np.abs(rng.standard_cauchy(n))) for _ in range(400)])
    assert n < 60 or np.mean(heavy < LEVEL) > 0.7, "the test has power where a mean needs rows"


def test_numbers_of_numpy_are_numbers():
    half = fresh(CALM, tolerance=0.5)
    assert fresh(CALM, tolerance=np.float32(0.5)).value == half.value
    assert fresh(CALM, tolerance=np.int64(1)).value == fresh(CALM, tolerance=1).value
    limits = (np.int64(0), np.float32(50))
    assert fresh(CALM, loss_range=limits).value == fresh(CALM, loss_range=(0, 50)).value
    labels = (CALM > 0).astype(int)
    plain = {"train_fraction": 0.75, "mode": "holdout", "delta": 0.125}
    typed = {**plain, "train_fraction": np.float32(0.75), "delta": np.float32(0.125)}
    one, two = (
        mercer.certified_fit(mercer.SVC(), X, labels, random_state=0, **options).certificate_
        for options in (plain, typed)
    )
    assert one.value == two.value
    for wrong in (True, "1", None, np.bool_(True)):
        with pytest.raises(ValueError, match="train_fraction must be a number"):
            mercer.certified_fit(
                mercer.SVC(), X, labels, mode="holdout", train_fraction=wrong, random_state=0
            )
    with pytest.raises(ValueError, match="tolerance must be a number"):
        fresh(CALM, tolerance=True)
