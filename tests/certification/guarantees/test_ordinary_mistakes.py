"""Ordinary ways to a false promise: copies, fitted parts, numbers that are missing, many looks."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer.certification import (
    Refused,
    certified_fit,
    certify_groups,
    certify_shifted,
    compare,
    keep_recall,
)
from mercer.certification.core import looks
from mercer.certification.guarantees.density_ratio import estimate_weights

RNG = np.random.default_rng(0)
X = RNG.normal(size=(420, 3))
Y = np.where(X[:, 0] + 0.4 * RNG.normal(size=420) > 0, "yes", "no")
MODEL = LogisticRegression().fit(X[:120], Y[:120])
FRESH, TRUTH = X[120:], Y[120:]
COPIES, THEIRS = np.repeat(FRESH, 4, axis=0), np.repeat(TRUTH, 4)

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def first_look():
    looks.forget()


def test_copies_make_no_promise_better():
    site = np.arange(300) % 2
    alone = certify_groups(MODEL, FRESH, TRUTH, by=site)
    many = certify_groups(MODEL, COPIES, THEIRS, by=np.repeat(site, 4))
    assert many.n == alone.n == 300
    assert many.value == pytest.approx(alone.value)
    shares, ones = {"yes": 0.2, "no": 0.8}, np.ones(1200)
    assert certify_shifted(MODEL, COPIES, THEIRS, shares=shares).value == pytest.approx(
        certify_shifted(MODEL, FRESH, TRUTH, shares=shares).value)  # fmt: skip
    assert certify_shifted(MODEL, COPIES, THEIRS, weights=ones, largest=1.01).n == 300
    looks.forget()
    kept = keep_recall(MODEL, COPIES, THEIRS, 0.9)
    assert kept.certificate_.n == np.sum(TRUTH == "yes")
    looks.forget()
    assert kept.threshold == keep_recall(MODEL, FRESH, TRUTH, 0.9).threshold


def test_a_group_of_copies_of_other_groups_is_refused_by_name():
    """Whatever row of the copies stands for them, one of the two groups keeps no row."""
    by = np.array(["a", *"b" * 39, "c", *"b" * 39])
    with pytest.raises(Refused, match=r"group '[ac]' has no counted row"):
        certify_groups(
            MODEL, np.tile(FRESH[:40], (2, 1)), np.tile(TRUTH[:40], 2), by, expected=["a", "b", "c"]
        )


def test_a_recall_is_a_look_at_the_rows():
    first = keep_recall(MODEL, FRESH, TRUTH, 0.9).certificate_
    assert first.about["look"]["k"] == 1
    assert keep_recall(MODEL, FRESH, TRUTH, 0.9).certificate_.about["look"]["k"] == 1
    assert str(keep_recall(MODEL, FRESH, TRUTH, 0.8).certificate_).startswith("one of 2 numbers")


class NoScores(LogisticRegression):
    """A model without a number where the second column is large."""

    def decision_function(self, rows):
        return np.where(rows[:, 1] > 1, np.nan, super().decision_function(rows))

    def predict_proba(self, rows):
        return np.where(rows[:, 1:2] > 1, np.nan, super().predict_proba(rows))


def test_rows_without_a_score_count_as_missed_and_belong_to_every_set():
    model = NoScores().fit(X[:120], Y[:120])
    with pytest.raises(Refused, match="no threshold"):
        keep_recall(model, FRESH[:100], TRUTH[:100], 0.95)
    kept = keep_recall(model, FRESH, TRUTH, 0.7)
    assert np.mean(kept.predict(FRESH[TRUTH == "yes"]) == "yes") >= 0.7
    fitted = certified_fit(NoScores(), X, Y, random_state=0)
    new = np.random.default_rng(1).normal(size=(200, 3))
    sets = fitted.predict_set(new, 0.7)
    assert sets[new[:, 1] > 1].all()


class Sometimes(RegressorMixin, BaseEstimator):
    """A regression without an answer far away."""

    def fit(self, rows, y):
        self.line_ = LinearRegression().fit(rows, y)
        return self

    def predict(self, rows):
        return np.where(rows[:, 1] > 9, np.nan, self.line_.predict(rows))


def test_intervals_where_there_is_no_answer_exclude_nothing():
    model = certified_fit(Sometimes(), X, X[:, 0] + RNG.normal(size=420), random_state=0)
    ends = model.predict_interval(np.array([[0.0, 10.0, 0.0], [0.0, 0.0, 0.0]]), 0.7)
    assert ends[0].tolist() == [-np.inf, np.inf]
    assert np.isfinite(ends[1]).all()


def test_quantile_machines_that_came_fitted_are_refused():
    """They know the counted targets by heart: intervals of width 0 hold these and no others."""
    z = X[:, 0] + RNG.normal(size=420)
    knows = FrozenEstimator(KNeighborsRegressor(1).fit(X, z))
    for pair in ((knows, knows), (make_pipeline(StandardScaler(), knows),) * 2):
        with pytest.raises(ValueError, match="already fitted"):
            certified_fit(LinearRegression(), X, z, spread=pair, random_state=0)


def test_nearer_is_not_less_wrong():
    """Nearer on nine rows of ten, by a hair, and far off on the tenth."""
    z = X[:, 0] + 0.1 * RNG.normal(size=420)
    near, far = LinearRegression().fit(X[:120], z[:120]), Sometimes().fit(X[:120], z[:120])
    far.line_.intercept_ += 0.05
    far.predict = far.line_.predict
    said = str(compare(far, near, FRESH, z[120:]).gains["new"])
    assert "is nearer to the target than" in said
    assert "errs" not in said
    looks.forget()
    back = str(compare(near, far, FRESH, z[120:]).gains["new"])
    assert "is farther from the target than" in back


def test_another_population_by_its_rows():
    there = np.random.default_rng(3).normal([0.5, 0, 0], size=(400, 3))
    found = certify_shifted(MODEL, FRESH, TRUTH, population=there)
    assert str(found).startswith("the weights were estimated, DOES NOT COVER their error; ")
    assert found.observed < found.value < 0.6
    assert 100 < found.details["effective_rows"] < 300
    assert found.details["cut"] > 0
    assert found.ledger.total == pytest.approx(0.05)
    looks.forget()
    weights = estimate_weights(FRESH, there)
    again = certify_shifted(MODEL, FRESH, TRUTH, weights=weights)
    assert again.value == found.value
    assert weights.values[FRESH[:, 0] > 1].mean() > 1 > weights.values[FRESH[:, 0] < -1].mean()
    for rows, words in ((there[:, :2], "2 columns"), (there[:9], "at least 20"),
                        (np.full((40, 3), "a"), "tables of numbers")):  # fmt: skip
        with pytest.raises(Refused, match=words):
            certify_shifted(MODEL, FRESH, TRUTH, population=rows)
    with pytest.raises(ValueError, match="largest must be"):
        certify_shifted(MODEL, FRESH, TRUTH, population=there, largest=0.5)
    with pytest.raises(ValueError, match="give either"):
        certify_shifted(MODEL, FRESH, TRUTH, population=there, weights=np.ones(300))
