"""What users call: compare, certify_groups, certify_shifted, Monitor; words and bad input."""

import json

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression

from mercer.certification import Monitor, Refused, certify_groups, certify_shifted, compare
from mercer.certification.core import looks

RNG = np.random.default_rng(0)
X = RNG.normal(size=(900, 3))
Y = (X[:, 0] + 0.4 * RNG.normal(size=900) > 0).astype(int)
OLD = DummyClassifier().fit(X[:300], Y[:300])
NEW = LogisticRegression().fit(X[:300], Y[:300])
FRESH = X[300:], Y[300:]


def test_the_better_model_is_taken_and_the_worse_is_not():
    found = compare(OLD, NEW, *FRESH)
    assert found.replace == "new"
    assert "errs at least" in str(found.gains["new"])
    assert 0 < found.gains["new"].value < found.gains["new"].observed
    back = compare(NEW, OLD, *FRESH)
    assert back.replace is None
    assert str(back).startswith("Replace the old model: no.")
    assert "more often" in str(back.gains["new"])


def test_not_worse_and_several_models():
    twin = LogisticRegression(C=0.9).fit(X[:300], Y[:300])
    assert compare(NEW, twin, *FRESH).replace is None
    looks.forget()
    found = compare(NEW, {"twin": twin, "old": OLD}, *FRESH, margin=0.05)
    assert found.not_worse == ("twin",)
    assert found.replace == "twin"
    assert found.gains["twin"].ledger.total == pytest.approx(0.05)


def test_each_of_them_is_a_look_at_the_rows_and_the_same_question_is_not_another():
    looks.forget()
    site = np.arange(600) % 2
    first = certify_groups(NEW, *FRESH, by=site)
    assert first.about["look"]["k"] == 1
    assert certify_groups(NEW, *FRESH, by=site).about["look"]["k"] == 1
    assert certify_shifted(NEW, *FRESH, shares={0: 0.5, 1: 0.5}).about["look"]["k"] == 2
    third = compare(OLD, {"a": NEW, "b": OLD}, *FRESH)
    assert {gain.about["look"]["k"] for gain in third.gains.values()} == {3}
    assert third.gains["a"].about["look"]["spent"] == pytest.approx(0.15)
    assert str(third.gains["a"]).startswith("one of 3 numbers from these rows")
    assert third.replace is None  # the third number is not certified at δ
    looks.forget()
    assert compare(OLD, {"a": NEW, "b": OLD}, *FRESH).replace == "a"


def test_regressions_by_who_is_nearer_and_by_tolerance():
    y = X[:, 0] + 0.3 * RNG.normal(size=900)
    flat = LinearRegression().fit(np.zeros((300, 3)), y[:300])
    line = LinearRegression().fit(X[:300], y[:300])
    assert compare(flat, line, X[300:], y[300:]).replace == "new"
    assert compare(flat, line, X[300:], y[300:], tolerance=0.5).gains["new"].value > 0.2
    with pytest.raises(ValueError, match="the old model is for"):
        compare(flat, NEW, X[300:], y[300:])
    with pytest.raises(ValueError, match="margin"):
        compare(OLD, NEW, *FRESH, margin=2)


def test_groups_and_gaps():
    site = np.array(["north", "south", "west"])[np.arange(600) % 3]
    found = certify_groups(NEW, *FRESH, by=site)
    table = found.details["groups"]
    assert set(table) == {"north", "south", "west"}
    assert all(t["lower"] < t["errors"] / t["rows"] < t["upper"] for t in table.values())
    assert found.observed < found.value
    with pytest.raises(Refused, match="'east' has no counted row"):
        certify_groups(NEW, *FRESH, by=site, expected=["north", "east"])
    with pytest.raises(Refused, match="single group"):
        certify_groups(NEW, *FRESH, by=np.zeros(600))


def test_other_populations():
    found = certify_shifted(NEW, *FRESH, shares={0: 0.9, 1: 0.1})
    classes = found.details["classes"]
    assert found.value == pytest.approx(0.9 * classes["0"] + 0.1 * classes["1"])
    weights = np.where(FRESH[0][:, 1] > 0, 1.5, 0.5)
    shifted = certify_shifted(NEW, *FRESH, weights=weights, largest=1.5, estimated=True)
    assert str(shifted).startswith("one of 2 numbers from these rows")
    assert "; the weights were estimated" in str(shifted)
    assert shifted.details["effective_rows"] < 600
    with pytest.raises(Refused, match="never occurred"):
        certify_shifted(NEW, *FRESH, shares={0: 0.5, 7: 0.5})
    with pytest.raises(Refused, match="variance may be infinite"):
        certify_shifted(NEW, *FRESH, weights=weights)
    with pytest.raises(Refused, match="exceeds largest"):
        certify_shifted(NEW, *FRESH, weights=weights, largest=1.2)
    with pytest.raises(ValueError, match="either shares"):
        certify_shifted(NEW, *FRESH)


def test_a_monitor_goes_on_where_it_was_stopped():
    rng = np.random.default_rng(1)
    wrong, outputs = rng.random(260) < 0.08, rng.random(260)
    whole, part = (Monitor(0.05, reference=np.linspace(0, 1, 50)) for _ in range(2))
    whole.update(wrong, outputs)
    part.update(wrong[:130], outputs[:130])
    part = Monitor.from_dict(json.loads(json.dumps(part.to_dict())))
    part.update(wrong[130:], outputs[130:])
    assert part.summary() == whole.summary()
    with pytest.raises(ValueError, match="0 and 1"):
        whole.update([0.3])
    with pytest.raises(ValueError, match="not the state"):
        Monitor.from_dict({"limit": 0.1})
    with pytest.raises(ValueError, match="limit must be"):
        Monitor(1.5)
