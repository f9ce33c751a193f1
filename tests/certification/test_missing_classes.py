"""Error rates by class: the classes are named, and how many rows may have another is said."""

import json

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import mercer
from mercer.bounds._class_names import class_quantity
from mercer.bounds.numerics import clopper_upper
from mercer.certification.core.classes import missing_mass

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 300)
X = RNG.normal(size=(300, 2)) + 4.0 * Y[:, None]
RULE = GaussianNB().fit(X[:100], Y[:100])


class Silent:
    """Predicts, and does not tell which classes it knows."""

    def predict(self, rows):
        return RULE.predict(rows)


def test_no_strange_row_gives_the_textbook_limit():
    assert missing_mass([0, 1], Y, 0.05) == pytest.approx(1 - 0.05 ** (1 / 300))
    labels = Y.copy()
    labels[:3] = 7
    assert missing_mass([0, 1], labels, 0.05) == pytest.approx(clopper_upper(3, 300, 0.05))


@pytest.mark.parametrize("error", ["classes", "balanced"])
def test_fresh_rows(error):
    word = {"classes": "largest", "balanced": "balanced"}[error]
    certificate = mercer.certify(RULE, X[100:], Y[100:], error=error)
    assert str(certificate).startswith(f"{word} error rate among classes 0, 1 of this GaussianNB")
    told = json.loads(json.dumps(certificate.to_dict()))["details"]["other_classes"]
    assert told == pytest.approx({"at_most": 1 - 0.05 ** (1 / 200), "delta": 0.05})
    assert certificate.ledger.total == pytest.approx(0.05), "no part of it was paid from delta"
    assert "a statement of its own, 95 % confidence" in certificate.explain()
    half = mercer.certify(Silent(), X[100:], Y[100:], error=error).details["other_classes"]
    assert half["at_most"] == pytest.approx(1 - 0.05 ** (1 / 100)), "the first half names them"
    assert "other_classes" not in mercer.certify(RULE, X[100:], Y[100:]).details


def test_a_class_that_turns_up_among_the_fresh_rows_is_named_and_counted():
    labels = Y[100:].copy()
    labels[:3] = 7
    certificate = mercer.certify(RULE, X[100:], labels, error="classes")
    assert "among classes 0, 1, 7" in str(certificate)
    limit = certificate.details["other_classes"]["at_most"]
    assert limit == pytest.approx(clopper_upper(3, 200, 0.05))


@pytest.mark.parametrize(
    "mode", ["auto", "holdout", "compress", "progressive", "selective", "vote"]
)
def test_rows_that_were_spent(mode):
    model = mercer.SVC(kernel="linear")
    certificate = mercer.certified_fit(
        model, X, Y, mode=mode, error="classes", random_state=0
    ).certificate_
    assert "among classes 0, 1" in str(certificate)
    assert ("accepted rows" in str(certificate)) == (mode == "selective")
    limit = certificate.details["other_classes"]["at_most"]
    assert limit == pytest.approx(1 - 0.05 ** (1 / 150)), "the second half of the rows"


def test_many_classes_are_not_all_written_out():
    words = class_quantity("classes", {str(i): 0 for i in range(26)})
    assert words.endswith("among classes 0, 1, 2, 3, 4, 5, 6, ... (the 26 that occurred)")
    assert "\u202e" not in class_quantity("classes", {"a\u202eb": 0, "x": 0})
