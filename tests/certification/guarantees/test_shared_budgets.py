"""Comparisons, groups, other populations and thresholds in a ledger, sharing one budget."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from mercer.certification import certify, certify_groups, certify_shifted, compare, keep_recall
from mercer.certification.core import looks

RNG = np.random.default_rng(0)
X = RNG.normal(size=(500, 3))
Y = (X[:, 0] + 0.5 * RNG.normal(size=500) > 0).astype(int)
OLD = DecisionTreeClassifier(max_depth=1).fit(RNG.normal(size=(50, 3)), RNG.integers(0, 2, 50))
NEW = LogisticRegression().fit(X[:100], Y[:100])
FRESH, TRUTH = X[100:], Y[100:]
SITE = np.arange(400) % 2

ASKED = {
    "error": lambda **k: certify(NEW, FRESH, TRUTH, **k),
    "gain": lambda **k: compare(OLD, NEW, FRESH, TRUTH, **k).gains["new"],
    "groups": lambda **k: certify_groups(NEW, FRESH, TRUTH, SITE, **k),
    "shares": lambda **k: certify_shifted(NEW, FRESH, TRUTH, shares={0: 0.3, 1: 0.7}, **k),
    "weights": lambda **k: certify_shifted(
        NEW, FRESH, TRUTH, weights=np.ones(400), largest=1.1, **k
    ),
    "recall": lambda **k: keep_recall(NEW, FRESH, TRUTH, 0.8, **k).certificate_,
}

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def first_look():
    looks.forget()


def test_every_question_is_paid_from_the_budget_at_its_own_share():
    for k, (name, ask) in enumerate(ASKED.items(), start=1):
        made = ask(budget=0.05)
        assert made.found == (), f"{name}: the budget pays for all looks"
        assert made.delta == 0.05
        assert made.ledger.total == pytest.approx(0.05)
        assert made.about["look"]["k"] == k
        assert made.details["own_delta"] == pytest.approx(looks.share_of(k, 0.05))


def test_numbers_are_those_of_the_smaller_share():
    """A budget that changed nothing but the words would be no budget."""
    small = looks.share_of(1, 0.05)
    for name, ask in ASKED.items():
        looks.forget()
        shared = ask(budget=0.05)
        looks.forget()
        alone, plain = ask(delta=small), ask(delta=0.05)
        assert shared.value == pytest.approx(alone.value), name
        if name != "recall":  # the recall is asked for; its threshold pays
            assert shared.value != plain.value, name
    looks.forget()
    low = keep_recall(NEW, FRESH, TRUTH, 0.8, budget=0.001).threshold
    looks.forget()
    assert low < keep_recall(NEW, FRESH, TRUTH, 0.8).threshold


def test_a_ledger_counts_them_across_processes(tmp_path):
    path = tmp_path / "looks.json"
    for k, ask in enumerate(ASKED.values(), start=1):
        looks.forget()  # as another process
        assert ask(ledger=path).about["look"]["k"] == k


def test_a_gain_after_other_looks_is_acted_on_if_they_share_a_budget():
    ASKED["error"](budget=0.05)
    assert compare(OLD, NEW, FRESH, TRUTH, budget=0.05).replace == "new"
    assert compare(OLD, NEW, FRESH, TRUTH).replace is None, "without one it is a second number"


def test_a_threshold_knows_its_certificate_is_about_another_one():
    found = keep_recall(NEW, FRESH, TRUTH, 0.8)
    assert found.certificate_.found == ()
    assert np.array_equal(found.decision_function(FRESH) >= 0, found.predict(FRESH) == 1)
    found.set_params(threshold=found.threshold + 0.1)
    assert found.certificate_.found[0].startswith(
        "the model was changed after it was certified (threshold), DOES NOT COVER"
    )
    found.set_params(threshold=found.threshold - 0.1)
    other = keep_recall(NEW, FRESH, TRUTH, 0.8, positive=0)
    assert np.array_equal(other.decision_function(FRESH) > 0, other.predict(FRESH) == 1)
