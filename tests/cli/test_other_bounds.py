"""Bounds beside the certificate are about the same thing, or say what they are about."""

import numpy as np
import pytest

import mercer
from mercer.bounds import Certificate
from mercer.cli._summary import other_bounds
from mercer.report.sections.comparison import _name

QUICK = {"kernel": "gaussian", "certify": "holdout", "report": None, "seed": 0}


@pytest.fixture(scope="module")
def runs():
    rng = np.random.default_rng(0)
    y = np.where(rng.uniform(size=400) < 0.5, "a", "b")
    X = rng.normal(size=(400, 2)) + 6.0 * (y == "a")[:, None]
    return {kind: mercer.fit(X, y, error=kind, **QUICK).run_ for kind in ("overall", "classes")}


def test_a_limit_of_all_rows_is_not_listed_beside_one_of_the_worst_class(runs):
    assert runs["overall"].certificate["quantity"] == "error rate"
    assert other_bounds(runs["overall"])
    worst = runs["classes"]
    assert worst.certificate["quantity"].startswith("largest error rate")
    assert any(c["quantity"] == "error rate" for c in worst.certificates.values())
    assert other_bounds(worst) == ""


def test_the_page_names_what_another_bound_is_about():
    found = mercer.SVC(C=1.0, gamma=0.5).fit([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
    plain = found.certificate_.to_dict(inputs=False)
    assert isinstance(found.certificate_, Certificate)
    assert "error rate" not in " ".join(_name(plain | {"other": False}))
    assert "error rate" in " ".join(_name(plain | {"other": True})).replace(" …", " error rate")
