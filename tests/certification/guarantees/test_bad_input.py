"""Groups without rows, classes that never occurred, weights without a limit: refused with words."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import mercer
from mercer.certification import Refused, certify_groups, certify_shifted, keep_recall
from mercer.certification.guarantees.metrics import available

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 2))
Y = np.where(X[:, 0] > 0, "yes", "no")
MODEL = LogisticRegression().fit(X[:100], Y[:100])
FRESH, TRUTH = X[100:], Y[100:]
BY = np.array(["north", "south"] * 100, dtype=object)
NO = TRUTH == "no"
WEIGHTS = 1 / np.random.default_rng(1).random(200)  # infinite mean and variance

pytestmark = pytest.mark.filterwarnings("ignore")


def test_groups():
    gap = BY.copy()
    gap[3] = None
    for by, words in ((gap, "no value at row 3"), (BY[:50], "one value per row")):
        with pytest.raises(ValueError, match=words):
            certify_groups(MODEL, FRESH, TRUTH, by)
    with pytest.raises(Refused, match="no fresh rows"):
        certify_groups(MODEL, FRESH[:0], TRUTH[:0], BY[:0])
    with pytest.raises(Refused, match="'east' has no counted row"):
        certify_groups(MODEL, FRESH, TRUTH, BY, expected=["north", "east"])


@pytest.mark.parametrize(
    "shares",
    [{}, {"yes": 0.5, "no": 0.4}, {"yes": float("nan"), "no": 1.0}, {"yes": 1.5, "no": -0.5}],
)
def test_shares(shares):
    with pytest.raises(ValueError, match="shares must be"):
        certify_shifted(MODEL, FRESH, TRUTH, shares=shares)


@pytest.mark.parametrize(
    ("weights", "largest", "words"),
    [
        (WEIGHTS, None, "variance may be infinite"),
        (WEIGHTS, np.inf, "variance may be infinite"),
        (WEIGHTS, 5.0, "exceeds largest=5"),
        (np.zeros(200), 9.0, "a ratio of the new density to the old one has mean 1"),
        (np.full(200, 3.0), 9.0, "mean 3, but"),
    ],
)
def test_weights(weights, largest, words):
    with pytest.raises(Refused, match=words):
        certify_shifted(MODEL, FRESH, TRUTH, weights=weights, largest=largest)


def test_weights_that_are_a_ratio_of_densities_pass():
    weights = np.where(FRESH[:, 1] > 0, 1.6, 0.4)
    found = certify_shifted(MODEL, FRESH, TRUTH, weights=weights, largest=1.6)
    assert found.value < 0.2
    assert found.details["effective_rows"] < 200


def test_a_class_that_never_occurred():
    with pytest.raises(Refused, match="'yes' never occurred"):
        keep_recall(MODEL, FRESH[NO], TRUTH[NO])
    with pytest.raises(Refused, match="'yes' never occurred"):
        certify_shifted(MODEL, FRESH[NO], TRUTH[NO], shares={"yes": 0.5, "no": 0.5})


@pytest.mark.parametrize("name", sorted({"recall", "auc", "mcc", "balanced_accuracy", "lift"}))
def test_a_class_that_never_occurred_in_a_metric(name):
    assert name in available()
    with pytest.raises(Refused, match=r"one class|no counted row|none of the"):
        mercer.certify(MODEL, FRESH[NO], TRUTH[NO], metric=name)


@pytest.mark.parametrize("seed", ["x", "-1", "1.5"])
def test_seeds(seed):
    with pytest.raises(ValueError, match="randomise must be a seed"):
        mercer.certify(MODEL, FRESH, TRUTH, metric=f"accuracy:randomise={seed}")


def test_the_seed_stands_in_the_record():
    found = mercer.certify(MODEL, FRESH, TRUTH, metric="accuracy:randomise=7")
    assert found.details["seed"] == 7
    assert found.value > found.details["plain"]
    assert "seed 7" in found.counted
    assert "Stevens" in found.reference
