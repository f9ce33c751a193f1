"""Ways in which a certificate could be false without anybody noticing, each closed or told."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from mercer import SVC, SVR, certified_fit, certify, datasets
from mercer.certification import CertificateWarning
from mercer.certification.core.task import Refused

X, Y, LAW = datasets.make_twonorm(160, random_state=0)
NOISE = np.random.default_rng(0).choice([-1, 1], 160)


def test_a_model_fitted_beforehand_is_not_tested_on_its_own_rows():
    """SVC(gamma=10) remembers 160 random labels: on its training rows it makes no error at all."""
    memory = FrozenEstimator(SVC(gamma=10.0).fit(X, NOISE))
    with pytest.raises(ValueError, match=r"already fitted.*mercer\.certify"):
        certified_fit(memory, X, NOISE, random_state=0)
    assert certified_fit(memory, X, NOISE, mode=None) is not None


@pytest.mark.parametrize("mode", ["auto", "compress", "in-sample"])
def test_frozen_steps_are_named_in_the_first_line(mode):
    scaler = FrozenEstimator(StandardScaler().fit(X))
    with pytest.warns(CertificateWarning, match="already fitted"):
        model = certified_fit(
            make_pipeline(scaler, SVC(gamma=0.02)), X, Y, mode=mode, random_state=0
        )
    assert str(model.certificate_).startswith("FrozenEstimator came already fitted and may have")
    assert all(c.found == model.certificate_.found for c in model.certificates_.values())


def test_frozen_parts_in_other_places_and_stateless_steps():
    inner = CalibratedClassifierCV(FrozenEstimator(SVC(gamma=10.0).fit(X, NOISE)))
    with pytest.warns(CertificateWarning, match="already fitted"):
        assert certified_fit(inner, X, NOISE, random_state=0).certificate_.found
    harmless = make_pipeline(FunctionTransformer(np.abs), SVC(gamma=0.02))
    assert not certified_fit(harmless, X, Y, random_state=0).certificate_.uncovered


class Silent(LinearRegression):
    def predict(self, rows):
        return np.full(len(rows), np.nan)


def test_a_prediction_that_is_not_a_number_is_wrong():
    target = X[:, 0]
    options = {"tolerance": 100.0, "random_state": 0}
    assert certified_fit(Silent(), X, target, **options).certificate_.observed == 1.0
    assert certify(Silent().fit(X, target), X, target, tolerance=100.0).observed == 1.0
    whole = certified_fit(
        Silent(), X, target, mode="transfer", pool=LAW.sample(99, 1)[0], **options
    )
    assert whole.certificate_.vacuous
    with pytest.raises(ValueError, match="not a number"):
        certified_fit(Silent(), X, target, loss_range=(0, 1), clip=True, random_state=0)


def test_the_training_inputs_are_no_pool():
    options = {"mode": "transfer", "random_state": 0}
    with pytest.raises(Refused, match="also a row of X"):
        certified_fit(SVC(gamma=1.0), X, NOISE, pool=X[::2], **options)
    fresh = LAW.sample(200, 1)[0]
    with pytest.warns(CertificateWarning, match="pool rows equal rows of X"):
        mixed = certified_fit(SVC(gamma=0.02), X, Y, pool=np.vstack([X[:9], fresh]), **options)
    assert mixed.certificate_.found[0].startswith("9 of 209 pool rows equal rows of X")
    few = certified_fit(SVC(gamma=0.02), X, Y, pool=np.vstack([X[:2], fresh]), **options)
    assert few.certificate_.found == ()
    assert any("2 of 202 pool rows equal rows of X" in note for note in few.certification_.notes)
    few_values = (X > 0).astype(float)[:, :3]  # repeats in every sample, and that is no fault
    certified_fit(SVC(gamma=1.0), few_values, Y, pool=few_values[:80], **options)


def test_predictions_in_a_column():
    class Column(SVC):
        def predict(self, rows):
            return super().predict(rows)[:, None]

    flat = certified_fit(SVC(gamma=0.02), X, Y, random_state=0).certificate_
    assert certified_fit(Column(gamma=0.02), X, Y, random_state=0).certificate_.value == flat.value

    class Two(Ridge):
        def predict(self, rows):
            return np.column_stack([super().predict(rows)] * 2)

    with pytest.raises(ValueError, match="one value per row"):
        certified_fit(Two(), X, X[:, 0], tolerance=1.0, random_state=0)


def test_weights_reach_the_machine_inside_a_search():
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1.0, 2.0]}, cv=3)
    weight = np.linspace(0.1, 2.0, len(Y))
    model = certified_fit(search, X, Y, sample_weight=weight, random_state=0)
    plain = certified_fit(search, X, Y, random_state=0)
    fresh = LAW.sample(50, 3)[0]
    assert not np.allclose(model.decision_function(fresh), plain.decision_function(fresh))


def test_in_sample_statements_keep_to_their_own_quantity():
    """The smallest of a rate and a mean loss would be nothing."""
    target = X[:, 0]
    for options in ({"loss_range": (0, 9), "clip": True}, {"tolerance": 0.5}):
        with pytest.raises(Refused, match="own tube"):
            certified_fit(
                SVR(gamma=0.02), X, target, mode=["auto", "in-sample"], random_state=0, **options
            )
    both = certified_fit(
        SVR(gamma=0.02, epsilon=0.5), X, target, mode=["auto", "in-sample"], random_state=0
    )
    assert "0.5" in both.certificate_.quantity or "tube" in both.certificate_.quantity


COPIES = np.repeat(X[:100], 5, axis=0), np.repeat(NOISE[:100], 5)


@pytest.mark.parametrize("mode", ["auto", "holdout"])
def test_copied_rows_become_groups(mode):
    """Rows copied before the split: a machine that remembers random labels passes its test."""
    model = certified_fit(SVC(gamma=10.0), *COPIES, mode=mode, random_state=0)
    assert model.certificate_.found == ()
    assert "random row of a new group" in str(model.certificate_)
    assert model.certificate_.value > 0.5
    note = "400 of 500 rows are copies of an earlier one; they count as one group"
    assert note in model.certification_.notes
    assert model.certificate_.about["checks"]["copies"][0]["acted"] == "they count as one group"


@pytest.mark.parametrize("mode", ["progressive", "in-sample", ["auto", "in-sample"]])
def test_copied_rows_are_told_in_the_first_line(mode):
    """Modes that cannot count whole groups."""
    words = "400 of 500 rows are copies of an earlier one"
    with pytest.warns(CertificateWarning, match=words):
        model = certified_fit(SVC(gamma=10.0), *COPIES, mode=mode, random_state=0)
    assert str(model.certificate_).startswith(words)
    assert model.certificate_.to_dict()["found"] == list(model.certificate_.found)
    with pytest.warns(CertificateWarning, match=words):  # classes are counted by single rows
        by_class = certified_fit(SVC(gamma=10.0), *COPIES, error="classes", random_state=0)
    assert words in by_class.certificate_.found


def test_copies_that_stay_together_are_no_copies():
    name = np.repeat(np.arange(100), 5)
    model = certified_fit(SVC(gamma=10.0), *COPIES, groups=name, random_state=0)
    assert not model.certificate_.caveats
    assert model.certificate_.value > 0.5
    other = np.arange(500) // 3  # groups that tear copies apart
    with pytest.warns(CertificateWarning, match="are copies of an earlier one of another group"):
        certified_fit(SVC(gamma=10.0), *COPIES, groups=other, random_state=0)


def test_few_copies_are_mentioned_and_tables_of_few_values_are_not():
    once = np.concatenate([X, X[:1]]), np.concatenate([Y, Y[:1]])
    model = certified_fit(SVC(gamma=0.02), *once, random_state=0)  # a warning would be an error
    assert not model.certificate_.caveats
    assert any("1 of 161 rows are copies" in note for note in model.certification_.notes)
    grid = np.sign(X[:, :3])
    assert not certified_fit(SVC(gamma=0.02), grid, Y, random_state=0).certificate_.caveats


def test_fresh_rows_count_once():
    model = SVC(gamma=0.02).fit(X[:80], Y[:80])
    tiled = certify(model, np.tile(X[80:], (9, 1)), np.tile(Y[80:], 9))
    assert tiled.n == 80
    assert tiled.about["checks"]["copies"][0]["acted"] == "they count as one group"
    with pytest.warns(CertificateWarning, match="640 of 720 fresh rows are copies"):
        told = certify(model, np.tile(X[80:], (9, 1)), np.tile(Y[80:], 9), error="classes")
    assert "640 of 720 fresh rows are copies of an earlier one" in told.found


def test_copies_in_a_pool_are_told():
    pool = LAW.sample(60, 1)[0]
    options = {"mode": "transfer", "random_state": 0}
    for copies in (np.tile(pool, (20, 1)), np.repeat(pool[:1], 300, axis=0)):
        with pytest.warns(CertificateWarning, match="pool rows equal an earlier one"):
            model = certified_fit(SVC(gamma=0.02), X, Y, pool=copies, **options)
        assert "pool rows equal an earlier one" in model.certificate_.found[0]


def test_a_pool_of_another_law_is_found_by_the_checks():
    pool = LAW.sample(300, 1)[0]
    options = {"mode": "transfer", "random_state": 0, "checks": True}
    found = [
        {c.name: c.ok for c in model.certification_.checks}
        for model in (
            certified_fit(SVC(gamma=0.02), X, Y, pool=inputs, **options)
            for inputs in (pool, pool + 1.0)
        )
    ]
    assert [checks["drift"] for checks in found] == [True, False]


class Remembers(ClassifierMixin, BaseEstimator):
    """Keeps what it has seen where cloning does not reach."""

    seen: ClassVar[dict[bytes, int]] = {}

    def fit(self, rows, labels):
        self.classes_ = np.unique(labels)
        self.seen.update({row.tobytes(): label for row, label in zip(rows, labels, strict=True)})
        return self

    def predict(self, rows):
        return np.array([self.seen.get(row.tobytes(), 1) for row in rows])


def test_the_counted_rows_are_not_learned_before_they_are_counted():
    Remembers.seen.clear()
    pool = LAW.sample(300, 1)[0]
    model = certified_fit(
        Remembers(), X, NOISE, mode="transfer", hold_out="plain", pool=pool, random_state=0
    )
    assert model.certificate_.observed > 0.3  # 0 if the refit had come first
