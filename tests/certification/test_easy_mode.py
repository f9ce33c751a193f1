"""Mode "easy": which rows are held out, what is paid for it, what comes back, what is refused."""

import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import mercer
from mercer.bounds import Certificate
from mercer.certification import Refused, certified_fit
from mercer.certification.modes._easy_rows import easy_rows, rows_to_hold_out

LAW = mercer.datasets.make_twonorm(2, random_state=0)[2]
X, Y = LAW.sample(200, 0)


class Remembers(LinearDiscriminantAnalysis):
    """Keeps the rows it was trained on, by their first column."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        Remembers.seen.append(X[:, 0])
        return super().fit(X, y)


def test_the_limit_is_that_of_the_record_by_hand():
    model = certified_fit(GaussianNB(), X, Y, mode="easy", models=5, random_state=3)
    run, limit = model.evidence_.easy_holdouts, model.certificate_
    assert run.rows == rows_to_hold_out(200, 0.05, 5)
    assert run.seed == model.certification_.seed
    kept = np.exp(-5.0 * np.array(run.sums))
    ratio = math.comb(run.easy, run.rows) / math.comb(200, run.rows)
    a = 1 - math.exp(-5.0)
    by_hand = (1 - (0.05 * ratio * kept.mean()) ** (1 / run.rows)) / a
    assert limit.value == pytest.approx(by_hand, rel=1e-8)
    assert np.array(run.shares) / sum(run.shares) == pytest.approx(kept / kept.sum(), abs=1e-8)
    assert limit.code == "easy-mixture"
    assert limit.ledger.total == pytest.approx(0.05)
    again = Certificate.from_dict(limit.to_dict())
    assert again.recompute().unclipped == limit.unclipped
    assert LAW.risk(model.predict, n=4000) < limit.value < 0.15


def test_a_model_is_counted_on_its_own_hold_out_and_every_hard_row_is_learned():
    Remembers.seen.clear()
    model = certified_fit(Remembers(), X, Y, mode="easy", models=4, random_state=0)
    run, fits = model.evidence_.easy_holdouts, Remembers.seen[-4:]
    assert run.easy < 200
    always = set.intersection(*(set(seen) for seen in fits))
    assert len(always) >= 200 - run.easy  # whatever was never held out
    for seen, errors in zip(fits, run.sums, strict=True):
        out = ~np.isin(X[:, 0], seen)
        assert out.sum() == run.rows
        told = LinearDiscriminantAnalysis().fit(X[~out], Y[~out]).predict(X[out])
        assert errors == np.sum(told != Y[out])
    record = model.certification_
    assert_array_equal(record.train_rows, np.arange(200))
    assert set(X[record.counted_rows, 0]).isdisjoint(always)


def test_one_model_is_the_estimator_itself():
    model = certified_fit(GaussianNB(), X, Y, mode="easy", models=1, random_state=0)
    assert type(model.model_) is GaussianNB
    assert model.certificate_.code == "easy-holdout"
    assert model.certificate_.classifier == "deterministic"
    train = model.certification_.train_rows
    assert len(train) == 200 - rows_to_hold_out(200, 0.05, 1)
    again = GaussianNB().fit(X[train], Y[train])
    assert_array_equal(model.predict(X), again.predict(X))


def test_a_mixture_answers_by_the_hash_and_gives_models_with_errors_a_small_share():
    model = certified_fit(GaussianNB(), X, Y, mode="easy", models=6, random_state=1)
    mixture, run = model.model_, model.evidence_.easy_holdouts
    assert len(mixture.models) == sum(share > 0 for share in run.shares)
    where = mixture.route(X)
    for j, one in enumerate(mixture.models):
        assert_array_equal(model.predict(X)[where == j], one.predict(X)[where == j])
    assert run.shares[int(np.argmin(run.sums))] == max(run.shares)


def test_the_number_of_rows_looks_at_n_and_delta_only():
    flipped = np.where(np.random.default_rng(0).random(200) < 0.3, -Y, Y)
    sizes = {
        certified_fit(GaussianNB(), X, y, mode="easy", models=2).evidence_.easy_holdouts.rows
        for y in (Y, flipped)
    }
    assert sizes == {rows_to_hold_out(200, 0.05, 2)}
    assert rows_to_hold_out(200, 0.01, 2) > rows_to_hold_out(200, 0.05, 2)
    assert rows_to_hold_out(10**6, 0.05, 2) / 10**6 < 0.01


def test_hard_rows_are_left_out_and_harmless_ones_are_not():
    losses = np.zeros((3, 100))
    losses[:, :7] = 1.0  # always wrong
    assert_array_equal(easy_rows(losses, 30, 12), np.arange(7, 100))
    assert len(easy_rows(np.zeros((3, 100)), 30, 12)) == 100
    assert len(easy_rows(np.ones((3, 100)), 30, 12)) == 100  # nothing can be gained
    many = np.random.default_rng(0).random((3, 500))  # losses that all differ
    assert 30 <= len(easy_rows(many, 30, 12)) <= 500


def test_weights_reach_the_learner_and_several_classes_work():
    law = mercer.datasets.Waveform()
    rows, labels = law.sample(200, np.random.default_rng(0))
    weight = np.random.default_rng(1).uniform(0.5, 2, 200)
    plain, weighted = (
        certified_fit(GaussianNB(), rows, labels, mode="easy", models=2, random_state=0,
                      sample_weight=w).model_.models[0]
        for w in (None, weight)
    )  # fmt: skip
    assert len(plain.classes_) == 3
    assert not np.allclose(plain.theta_, weighted.theta_)


def test_repeated_inputs_cost_the_mixture_and_not_the_single_model():
    rows = np.round(X[:, :2], 1)
    mixture = certified_fit(GaussianNB(), rows, Y, mode="easy", models=3, random_state=0)
    assert mixture.certificate_.details["added_for_the_hash"] > 0
    assert mixture.certificate_.ledger.total == pytest.approx(0.05)
    few = np.round(X[:, :1] / 4)
    with pytest.raises(Refused, match="repeat an earlier input"):
        certified_fit(GaussianNB(), few, Y, mode="easy", random_state=0)
    one = certified_fit(GaussianNB(), few, Y, mode="easy", models=1, random_state=0)
    assert "added_for_the_hash" not in one.certificate_.details


def test_refusals():
    with pytest.raises(Refused, match="needs 30 rows, there are 20"):
        certified_fit(GaussianNB(), X[:20], Y[:20], mode="easy")
    with pytest.raises(ValueError, match="models must be"):
        certified_fit(GaussianNB(), X, Y, mode="easy", models=0)
    line = np.random.default_rng(0).normal(size=(90, 1))
    with pytest.raises(Refused, match="Give tolerance="):  # every fit has a tube of its own
        certified_fit(mercer.NuSVR(), line, np.sin(line[:, 0]) + 0.1 * line[::-1, 0], mode="easy",
                      models=2, random_state=0)  # fmt: skip


def test_a_class_that_is_missing_in_a_fold_stays_hard():
    labels = np.zeros(60, dtype=int)
    labels[:2] = 1

    class Needs(KNeighborsClassifier):
        def fit(self, X, y):
            if len(np.unique(y)) < 2:
                raise ValueError("one class only")
            return super().fit(X, y)

    model = certified_fit(Needs(3), X[:60], labels, mode="easy", models=2, random_state=0)
    assert model.certificate_.value < 1
