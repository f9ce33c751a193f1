"""Error at most so much: on which rows? And: miss at most so many of the positives."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from mercer.certification import Refused, certified_fit, keep_recall

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1500, 2))
Y = np.where(X[:, 0] + 0.35 * RNG.normal(size=1500) > 0, "yes", "no")
NEW = np.random.default_rng(1).normal(size=(6000, 2))
TRUTH = np.where(NEW[:, 0] + 0.35 * np.random.default_rng(2).normal(size=6000) > 0, "yes", "no")


def test_as_many_rows_as_keep_the_target():
    model = certified_fit(LogisticRegression(), X, Y, mode="selective", target_error=0.05,
                          random_state=0)  # fmt: skip
    accepted = model.accepts(NEW)
    wrong = model.predict(NEW) != TRUTH
    assert wrong[accepted].mean() <= 0.05 < wrong.mean()
    assert accepted.mean() > 0.4
    assert model.certificate_.value == 0.05
    assert "error rate among accepted rows" in str(model.certificate_)
    with pytest.raises(Refused, match=r"no threshold keeps an error of 0\.1 %"):
        certified_fit(LogisticRegression(), X, Y, mode="selective", target_error=0.001)


def test_positives_are_found_at_the_best_precision():
    plain = LogisticRegression().fit(X[:500], Y[:500])
    model = keep_recall(plain, X[500:], Y[500:], 0.95)
    found = model.predict(NEW)[TRUTH == "yes"] == "yes"
    assert found.mean() >= 0.95
    assert 0.95 <= found.mean() < 0.995
    assert "recall for class 'yes' of this LogisticRegression >= 95 %" in str(model.certificate_)
    with pytest.raises(Refused, match="at least 299 are needed"):
        keep_recall(plain, X[500:700], Y[500:700], 0.99)
    with pytest.raises(Refused, match="there is no class"):
        keep_recall(plain, X[500:], Y[500:], positive="maybe")
