"""A certificate knows its model: what changes it is told, what does not is let alone."""

import pickle

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import mercer
from mercer import SVC, certified_fit, datasets
from mercer.certification.checks.frozen import frozen_parts
from mercer.certification.core.fingerprint import params_of, what_changed
from mercer.errors import ChangedModel
from mercer.tables import TableMachine

X, Y, LAW = datasets.make_twonorm(160, random_state=0)


def certified(estimator=None, y=Y, **options):
    return certified_fit(estimator or KNeighborsClassifier(3), X, y, random_state=0, **options)


def _other_parameter(model):
    model.model_.set_params(n_neighbors=50)


def _other_rows(model):
    model.model_.fit(X[::2], 1 - (Y[::2] > 0))


@pytest.mark.parametrize(
    ("change", "words"), [(_other_parameter, "n_neighbors"), (_other_rows, "its answers")]
)
def test_a_changed_model_says_so_and_is_refused(change, words, tmp_path):
    model = certified()
    assert model.what_changed() == ""
    assert model.certificate_.found == ()
    change(model)
    assert model.what_changed() == words
    start = f"the model was changed after it was certified ({words})"
    assert str(model.certificate_).startswith(start)
    assert all(c.found == model.certificate_.found for c in model.certificates_.values())
    with pytest.raises(ChangedModel, match=words):
        mercer.save(model, tmp_path / "model.mercer")
    with pytest.raises(ChangedModel, match=words):
        mercer.report.build(model)


@pytest.mark.parametrize(
    "estimator",
    [SVC(kernel="linear", warm_start=True), LogisticRegression(warm_start=True)],
    ids=["svc", "logistic"],
)
def test_a_model_fitted_on_is_told_though_no_label_changes(estimator):
    far = X + 2.0 * (2 * (Y > 0) - 1)[:, None]  # every rule is right
    model = certified_fit(estimator, far, Y, random_state=0)
    before = model.predict(far)
    model.model_.fit(far, Y)
    assert np.array_equal(model.predict(far), before)
    assert model.what_changed() == "its answers"


def test_what_changes_nothing_is_let_alone():
    model = certified(make_pipeline(StandardScaler(), SVC(gamma=0.02)))
    model.model_.set_params(svc__cache_size=50, svc__verbose=True)
    assert model.what_changed() == ""
    assert pickle.loads(pickle.dumps(model)).what_changed() == ""


def test_who_is_told_of_progress_is_no_part_of_the_model(tmp_path):
    """``mercer fit`` shows its progress; a file does not keep who was shown it."""
    table = TableMachine(kernel="gaussian", progress=lambda *_: None, random_state=0)
    model = certified(table, mode="holdout")
    again = mercer.load(mercer.save(model, tmp_path / "model.mercer"))
    assert again.estimator.progress is None
    assert again.certificate_ == model.certificate_
    assert again.certificate_.found == ()


def test_numbers_may_differ_by_a_little_and_thresholds_count():
    line = certified(LinearRegression(), X[:, 0] + X[:, 1], tolerance=1.0)
    line.model_.coef_ *= 1 + 1e-12
    assert line.what_changed() == ""
    line.model_.coef_ *= 1.01
    assert line.what_changed() == "its answers"
    careful = certified(LogisticRegression(), mode="selective")
    careful.model_.set_params(threshold=-100.0)
    assert "threshold" in careful.what_changed()


def test_parameters_are_told_by_what_they_hold():
    first, second = (make_pipeline(StandardScaler(), SVC(C=c)) for c in (1.0, 2.0))
    assert params_of(first) == params_of(make_pipeline(StandardScaler(), SVC(C=1.0)))
    different = {k for k, v in params_of(first).items() if params_of(second)[k] != v}
    assert different == {"svc__C"}
    assert what_changed(first, None) == ""


def test_about_names_the_model_and_the_rows_but_holds_neither():
    about = certified().certificate_.to_dict()["about"]
    assert set(about["rows"]) == {"n", "digest"}
    assert about["model"] == certified().certificate_.about["model"]
    assert about["model"] != certified(KNeighborsClassifier(5)).certificate_.about["model"]


SELECTOR = SelectKBest(k=3).fit(X, Y)


def _by_default(rows, part=SELECTOR):
    return part.transform(rows)


class Carrier:
    def __init__(self, part):
        self.part = part

    def __call__(self, rows):
        return self.part.transform(rows)


def _by_name(rows):
    return SELECTOR.transform(rows)


@pytest.mark.parametrize(
    "function",
    [SELECTOR.transform, _by_default, _by_name, Carrier(SELECTOR),
     lambda rows, inner=SELECTOR.transform: inner(rows)],
)  # fmt: skip
def test_fitted_objects_in_functions_are_found(function):
    found = frozen_parts(make_pipeline(FunctionTransformer(function), SVC()))
    assert [f.words.split()[0] for f in found] == ["SelectKBest"]


def test_functions_that_hold_nothing_fitted_are_let_alone():
    centre, unfitted = np.ones(20), StandardScaler()
    for function in (np.tanh, lambda rows: rows - centre, unfitted.fit_transform, Carrier(centre)):
        assert frozen_parts(make_pipeline(FunctionTransformer(function), SVC())) == []
