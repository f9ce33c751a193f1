"""Metrics through ``certify`` and ``certified_fit``: words, ledger, groups, bad input."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from mercer.bounds import Certificate
from mercer.bounds.numerics import clopper_lower
from mercer.certification import Refused, certified_fit, certify
from mercer.certification.guarantees.metrics import metric_meant

RNG = np.random.default_rng(0)
X = RNG.normal(size=(500, 3))
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=500) > 0.7, "sick", "well")
MODEL = LogisticRegression().fit(X[:250], Y[:250])
FRESH = X[250:], Y[250:]


def test_precision_is_the_exact_binomial_limit():
    found = certify(MODEL, *FRESH, metric="precision:positive=sick")
    called = MODEL.predict(FRESH[0]) == "sick"
    hits = int((called & (FRESH[1] == "sick")).sum())
    assert found.value == clopper_lower(hits, int(called.sum()), 0.05)
    assert found.side == "lower"
    assert "precision for class 'sick' of this LogisticRegression >= " in str(found)
    assert "≥" in found._repr_html_()
    assert Certificate.from_dict(found.to_dict()).value == found.value


def test_every_metric_is_below_what_was_seen():
    for name in ("f1", "auc", "recall", "npv", "mcc", "f_beta", "lift", "balanced_accuracy"):
        option = "" if name == "balanced_accuracy" else ":positive=sick"
        found = certify(MODEL, *FRESH, metric=name + option)
        assert found.value < found.observed
        assert found.ledger.total == pytest.approx(0.05)
    cost = certify(MODEL, *FRESH, metric="cost:costs=0/5/1/0")
    assert cost.observed < cost.value < 5


def test_a_certified_fit_with_a_metric():
    model = certified_fit(LogisticRegression(), X, Y, metric="f1:positive=sick", random_state=0)
    assert model.certificate_.code == "metric-f1"
    assert model.certificate_.about["rows"]["n"] == model.certification_.counted_on
    with pytest.raises(ValueError, match="never saw"):
        certified_fit(LogisticRegression(), X, Y, metric="f1", mode="progressive")
    with pytest.raises(ValueError, match="leave out"):
        certified_fit(LogisticRegression(), X, Y, metric="f1", error="balanced")


def test_groups_count_once():
    group = np.arange(250) // 5
    found = certify(MODEL, *FRESH, metric="accuracy", groups=group)
    assert found.n == 50
    assert "a random row of a new group" in found.explain()


def test_regressions_in_the_unit_of_the_target():
    y = X[:, 0] + RNG.normal(size=500)
    model = Ridge().fit(X[:250], y[:250])
    plain = certify(model, X[250:], y[250:])
    same = certify(model, X[250:], y[250:], metric="error_quantile")
    assert plain.value == same.value
    assert "90 % of predictions of this Ridge are within" in str(plain)
    assert "mean error" in plain.counted
    half = certify(model, X[250:], y[250:], metric="error_quantile:share=0.5")
    assert half.value < plain.value


def test_bad_input():
    with pytest.raises(ValueError, match="there is no metric 'f7'"):
        certify(MODEL, *FRESH, metric="f7")
    with pytest.raises(ValueError, match="is no option of it"):
        metric_meant("f1:beta=2")
    with pytest.raises(Refused, match="there is no class 'dead'"):
        certify(MODEL, *FRESH, metric="recall:positive=dead")
    with pytest.raises(ValueError, match="for regression"):
        certify(MODEL, *FRESH, metric="r2")
    healthy = FRESH[1] == "well"
    with pytest.raises(Refused, match="denominator"):
        certify(MODEL, FRESH[0][healthy], FRESH[1][healthy], metric="recall:positive=sick")
    with pytest.raises(ValueError, match="costs must be"):
        metric_meant("cost:costs=0/0/0/0")
