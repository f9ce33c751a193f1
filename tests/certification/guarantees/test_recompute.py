"""Metric certificates are derived again from what they keep, through JSON, and not if changed."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from mercer.bounds import Certificate
from mercer.certification import certify
from mercer.certification.guarantees import recompute
from mercer.certification.guarantees.metrics import available
from mercer.certification.guarantees.recompute import KEPT, recomputed, why_not_again

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 2))
LABELS = np.where(X[:, 0] + 0.7 * RNG.normal(size=300) > 0, "yes", "no")
NUMBERS = X[:, 0] + 0.3 * RNG.normal(size=300)
CLASSIFIER = LogisticRegression().fit(X[:100], LABELS[:100])
REGRESSION = LinearRegression().fit(X[:100], NUMBERS[:100])
ASKED = {
    "cost": "cost:costs=0/5/1/0",
    "accuracy": "accuracy:randomise=7",
    "f_beta": "f_beta:beta=2",
    "r2": "r2:target_range=-9/9",
    "precision": "precision:average=macro",
}


def certified(metric, rows=slice(100, 300)):
    regression = "regression" in available()[metric.partition(":")[0]].tasks
    model, y = (REGRESSION, NUMBERS) if regression else (CLASSIFIER, LABELS)
    made = certify(model, X[rows], y[rows], metric=ASKED.get(metric, metric))
    return Certificate.from_dict(json.loads(json.dumps(made.to_dict())))


@pytest.mark.parametrize("metric", available())
def test_every_metric_gives_its_number_again_or_says_why_not(metric):
    made = certified(metric)
    again = recomputed(made)
    if again is None:
        assert metric == "r2"
        assert "targets themselves" in why_not_again(made)
        return
    assert why_not_again(made) == ""
    assert again.unclipped == pytest.approx(made.unclipped, rel=1e-12)
    assert (again.n, again.side, again.quantity) == (made.n, made.side, made.quantity)


def test_a_changed_count_gives_another_number():
    made = certified("f1")
    made.details[KEPT]["table"][1][1] += 20
    assert recomputed(made).unclipped > made.unclipped


def test_labels_the_model_does_not_know_are_kept_as_wrong():
    truth = np.r_[LABELS[100:295], ["other"] * 5]
    made = certify(CLASSIFIER, X[100:], truth, metric="accuracy")
    assert recomputed(made).unclipped == made.unclipped


def test_many_scores_are_not_kept(monkeypatch):
    monkeypatch.setattr(recompute, "MOST", 100)
    made = certified("auc")
    assert recomputed(made) is None
    assert "more than 100 numbers" in why_not_again(made)


def test_other_certificates_are_left_to_their_bounds():
    made = certify(CLASSIFIER, X[100:], LABELS[100:])
    assert recomputed(made) is None
    assert why_not_again(made) == ""
