"""Arguments that are words, numbers or functions where something else belongs."""

import numpy as np
import pytest

from mercer import SVC, SVR, certified_fit, certify, datasets

X, Y, _ = datasets.make_twonorm(60, random_state=0)
MODEL = SVC(gamma=0.02).fit(X, Y)
GAPS = np.r_[np.nan, np.arange(59.0)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": 5}, r"groups needs one value per row \(60 of them\), got 5"),
        ({"groups": "site"}, "groups needs one value per row .* got 'site'"),
        ({"groups": np.ones((60, 2))}, r"groups needs one value per row.*\(60, 2\)"),
        ({"groups": [None] * 60}, "groups has no value at row 0"),
        ({"groups": GAPS}, "groups has no value at row 0"),
        ({"order": GAPS}, "order has no value at row 0"),
        ({"order": np.array(["2020", "NaT"] * 30, dtype="M8[Y]")}, "order has no value at row 1"),
        ({"order": "time"}, "order needs one value per row"),
        ({"order": np.array([1, "a"] * 30, dtype=object)}, "cannot be compared"),
        ({"pool": "pool", "mode": "transfer"}, "pool needs a table"),
        ({"pool": 5, "mode": "transfer"}, "pool needs a table"),
        ({"blocks": "many", "mode": "progressive"}, "blocks must be a whole number"),
        ({"members": np.nan, "mode": "vote"}, "members must be a whole number"),
        ({"objective": ["tight"]}, "objective must be one of"),
        ({"error": ["classes"]}, "error must be one of"),
        ({"clip": "yes"}, "clip must be True or False"),
        ({"clip": True}, "clip=True needs loss_range"),
        ({"compare": 1}, "compare must be True or False"),
        ({"checks": "all"}, "checks must be True or False"),
        ({"sample_weight": "balanced"}, "sample_weight must hold numbers"),
        ({"sample_weight": 5}, "sample_weight needs one value per row"),
        ({"loss": len}, "are for regressions"),
    ],
)
def test_certified_fit_says_what_it_needs(options, message):
    with pytest.raises(ValueError, match=message):
        certified_fit(SVC(gamma=0.02), X, Y, **{"random_state": 0, **options})


@pytest.mark.parametrize("value", ["wide", 5, np.nan, [1], (0, "x"), (1, 0), len, "01"])
def test_a_range_of_losses_is_two_numbers(value):
    with pytest.raises(ValueError, match="two finite numbers low < high"):
        certified_fit(SVR(), X, X[:, 0], loss_range=value)


def test_a_loss_takes_targets_and_predictions():
    with pytest.raises(TypeError, match="called with the targets and the predictions"):
        certified_fit(SVR(), X, X[:, 0], loss=lambda gap: gap, loss_range=(0, 9), clip=True)


@pytest.mark.parametrize("value", ["five", 0, 1.5, np.nan, None, True])
def test_candidates_are_counted(value):
    with pytest.raises(ValueError, match="candidates must be a whole number"):
        certify(MODEL, X + 0.01, Y, candidates=value)


def test_groups_of_several_kinds_of_names_work():
    names = np.array([None if i < 0 else ("a" if i % 2 else i) for i in range(60)], dtype=object)
    assert certified_fit(SVC(gamma=0.02), X, Y, groups=names, random_state=0).certificate_
