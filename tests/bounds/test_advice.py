"""What follows an in-sample bound: an estimate, the call that would promise more, and its price."""

import numpy as np
import pytest
from scipy.stats import beta
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline

from mercer import SVC, SVR
from mercer.bounds import Certificate
from mercer.datasets import make_twonorm
from mercer.learners import LipschitzClassifier, Perceptron


@pytest.fixture(scope="module")
def rows():
    X, y, _ = make_twonorm(300, random_state=0)
    return X, y


def test_estimate_bound_and_the_better_call_stand_in_one_line(rows):
    model = SVC(gamma=0.02).fit(*rows)
    certificate, span = model.certificate_, model.certificates_["loo-span"].value
    line = certificate.first_line()
    assert f"<= {100 * certificate.value:.3g} %" in line
    assert f"probably about {100 * span:.3g} % (span estimate" in line
    errors = int(np.ceil(120 * span))
    promised = beta.ppf(0.95, errors + 1, 120 - errors)
    assert f"mercer.certified_fit would promise about {100 * promised:.3g} %" in line
    assert line.index("<=") < line.index("probably") < line.index("certified_fit")


def test_a_bound_that_says_nothing_names_the_call(rows):
    line = LipschitzClassifier().fit(*rows).certificate_.first_line()
    assert "says nothing" in line
    assert "mercer.certified_fit would count errors instead" in line
    assert "probably" not in line


def test_a_count_that_can_only_be_too_large_is_called_so(rows):
    line = Perceptron().fit(*rows).certificate_.first_line()
    assert "probably at most about" in line


def test_no_estimate_where_something_was_fitted_around_the_learner():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 500)), rng.integers(0, 2, 80)
    inner = make_pipeline(SelectKBest(k=8), SVC(kernel="linear")).fit(X, y)[-1]
    line = inner.certificate_.first_line()
    assert line.startswith("DOES NOT COVER what was fitted around it; error rate")
    assert "probably" not in line  # leaving one out would say 20 % where the truth is 50 %
    assert "mercer.certified_fit around all of it" in line


def test_two_sided_statements_need_no_advice(rows):
    X, y = rows
    certificate = SVR(gamma=0.02).fit(X, y + 0.0).certificate_
    assert certificate.lower > 0
    assert certificate.advice == ""


def test_advice_travels_with_the_certificate(rows):
    certificate = SVC(gamma=0.02).fit(*rows).certificate_
    assert certificate.advice
    again = Certificate.from_dict(certificate.to_dict())
    assert again.first_line() == certificate.first_line() == certificate.recompute().first_line()
