"""Types say something: few parameters are `Any`, and the protocols are what fitted models are."""

import ast
import sys
from pathlib import Path

import pytest
from sklearn.linear_model import LogisticRegression

import mercer
from mercer._types import Estimator, Predictor, SparseMatrix
from mercer.bounds import Certificate, Evidence
from mercer.certification.protocols import CertifiedModel
from mercer.learners.protocols import FittedLearner

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import typed


def test_few_parameters_and_results_say_any():
    """Whoever adds a function says what it takes; the limits only ever go down."""
    parameters, results = typed.shares(*typed.counted())
    assert parameters < 0.18
    assert results < 0.072


def test_what_is_counted():
    tree = ast.parse(
        "def f(self, a: Any, b: list[Any], *c: Any, d: Any | None = None, **e: int) -> Any: ..."
    )
    said = {name: typed.ast.unparse(kind) for name, kind in typed.annotations(tree)}
    assert said == {
        "a": "Any", "b": "list[Any]", "c": "Any", "d": "Any | None", "e": "int", "->": "Any"
    }  # fmt: skip


@pytest.fixture(scope="module")
def rows():
    return mercer.datasets.make_twonorm(60, random_state=0)[:2]


@pytest.mark.parametrize("learner", [mercer.SVC(), mercer.KernelRidge()])
def test_a_fitted_learner_is_what_the_protocol_says(learner, rows):
    assert isinstance(learner, Estimator)
    assert not isinstance(learner, CertifiedModel)
    fitted = learner.fit(*rows)
    assert isinstance(fitted, FittedLearner)
    assert isinstance(fitted, Predictor)
    assert isinstance(fitted.evidence_, Evidence)
    assert all(isinstance(one, Certificate) for one in fitted.certificates_.values())


@pytest.mark.parametrize("mode", ["auto", "progressive", None])
def test_a_certified_model_is_what_the_protocol_says(mode, rows):
    model = mercer.certified_fit(LogisticRegression(), *rows, mode=mode, random_state=0)
    assert isinstance(model, CertifiedModel)
    assert model.certificate_ is None or isinstance(model.certificate_, Certificate)
    assert not isinstance(model.model_, CertifiedModel)


def test_a_sparse_matrix_is_what_the_protocol_says():
    from scipy import sparse

    assert isinstance(sparse.eye_array(3, format="coo"), _runtime(SparseMatrix))


def _runtime(protocol):
    from typing import runtime_checkable

    return runtime_checkable(protocol)
