"""Every mode of certified_fit: counts done again by hand from the recorded split."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

import mercer
from mercer.bounds import Certificate, HalfStudy
from mercer.bounds.numerics import (
    clopper_lower,
    clopper_upper,
    fixed_c_upper,
    preferent_upper,
    sum_of_rates_upper,
    tune_c,
    tune_multipliers,
)
from mercer.certification import ProgressiveMixture, SelectiveClassifier
from mercer.datasets import make_twonorm

X, Y, LAW = make_twonorm(300, random_state=5)
POOL = LAW.sample(1000, 77)[0]
SVC = mercer.SVC(gamma=0.02)
MODES = ["auto", "holdout", "compress", "progressive", "selective", "transfer", "in-sample"]


def fitted(mode, estimator=SVC, **options):
    return mercer.certified_fit(estimator, X, Y, mode=mode, random_state=2, pool=POOL, **options)


def split(model):
    record = model.certification_
    return record.train_rows, record.counted_rows


# -- counts, by hand -------------------------------------------------------------------------------


def test_holdout_counts_errors_of_the_returned_model_on_the_other_rows():
    model = fitted("holdout", train_fraction=0.7)
    train, test = split(model)
    assert (len(train), len(test)) == (210, 90)
    assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(300))
    errors = int(np.sum(model.predict(X[test]) != Y[test]))
    assert model.certificate_.value == pytest.approx(clopper_upper(errors, 90, 0.05))
    alone = clone(SVC).fit(X[train], Y[train])
    assert_array_equal(alone.decision_function(X), model.decision_function(X))


def test_the_order_is_a_plain_shuffle_with_the_recorded_seed():
    model = fitted("holdout")
    shuffled = np.random.default_rng(model.certification_.seed).permutation(300)
    assert_array_equal(split(model)[0], shuffled[:240])


def test_auto_looks_at_the_first_half_only():
    model = fitted("auto")
    train, test = split(model)
    order = np.concatenate([train, test])
    swapped = Y.copy()
    swapped[order[150:]] *= -1  # the split must not notice what happens in the second half
    other = mercer.certified_fit(SVC, X, swapped, random_state=2)
    assert_array_equal(split(other)[0], train)
    study = {k: model.certification_.split[k] for k in ("early", "late", "early_late")}
    small, large = clone(SVC).fit(X[order[:60]], Y[order[:60]]), None
    large = clone(SVC).fit(X[order[:120]], Y[order[:120]])
    wrong = small.predict(X[order[60:150]]) != Y[order[60:150]]
    assert study["early"] == wrong.sum()
    assert study["early_late"] == wrong[60:].sum()
    assert study["late"] == np.sum(large.predict(X[order[120:150]]) != Y[order[120:150]])
    errors = int(np.sum(model.predict(X[test]) != Y[test]))
    assert model.certificate_.value == pytest.approx(clopper_upper(errors, len(test), 0.05))
    assert 0.6 <= len(train) / 300 <= 0.9


def test_objective_tight_may_hold_out_half():
    assert len(split(fitted("auto", objective="tight"))[0]) == 150


def test_compress_learns_its_errors_until_none_is_left():
    model = fitted("compress")
    train, others = split(model)
    start = model.certification_.split["pretrained_on"]
    picked = train[start:]
    assert set(picked) < set(others)
    rest = np.setdiff1d(others, picked)
    assert_array_equal(model.predict(X[rest]), Y[rest])
    rate = model.certification_.split["pilot_rate"]
    sizes, weights = tune_multipliers(rate, len(others), 0.05)
    value = preferent_upper(len(picked), len(others), 0.05, sizes=sizes, weights=weights)
    assert model.certificate_.value == pytest.approx(value)
    assert start == 150
    early, late = (clone(SVC).fit(X[train[:k]], Y[train[:k]]) for k in (60, 120))
    wrong = early.predict(X[train[60:150]]) != Y[train[60:150]]
    later = np.sum(late.predict(X[train[120:150]]) != Y[train[120:150]])
    study = HalfStudy(wrong.sum(), 90, wrong[60:].sum(), later, 30)
    assert rate == pytest.approx(study.risk_at(0.5))
    assert not set(model.certificates_) - {"compress"}  # the rows of training were selected
    assert model.warm_start is False


def noisy(n=300):
    """Labels of which a fifth are wrong: too many errors to learn them one by one."""
    rng = np.random.default_rng(5)
    points = rng.normal(size=(n, 2))
    return points, np.where(rng.random(n) < 0.2, -1, 1) * np.where(points[:, 0] > 0, 1, -1)


def test_compress_learns_nothing_where_picking_does_not_pay():
    points, labels = noisy()
    model = mercer.certified_fit(SVC, points, labels, mode="compress", random_state=2)
    train, others = split(model)
    assert model.certification_.split["rule"].startswith("no picks")
    assert set(train).isdisjoint(others)
    wrong = int(np.sum(model.predict(points[others]) != labels[others]))
    assert model.certificate_.value == pytest.approx(clopper_upper(wrong, len(others), 0.05))
    assert "none of them learned" in model.certificate_.counted
    again = mercer.certified_fit(SVC, points, labels, mode="auto", random_state=2)
    assert_array_equal(again.predict(points), model.predict(points))


def test_what_compress_plans_depends_on_the_first_half_only():
    for points, labels in ((X, Y), noisy()):
        model = mercer.certified_fit(SVC, points, labels, mode="compress", random_state=2)
        first = split(mercer.certified_fit(SVC, points, labels, mode="holdout", random_state=2,
                                           train_fraction=0.5))[0]  # fmt: skip
        later = np.setdiff1d(np.arange(len(labels)), first)
        swapped = labels.copy()
        swapped[later[:3]] *= -1
        other = mercer.certified_fit(SVC, points, swapped, mode="compress", random_state=2)
        for what in ("rule", "pilot_rate", "pretrained_on"):
            assert other.certification_.split[what] == model.certification_.split[what]


def test_compress_picks_the_worst_error_first():
    model = fitted("compress")
    train, others = split(model)
    start = model.certification_.split["pretrained_on"]
    before = clone(SVC).set_params(tol=1e-6).fit(X[train[:start]], Y[train[:start]])
    margin = Y[others] * before.decision_function(X[others])
    assert train[start] == others[np.argmin(margin)]


def test_compress_of_any_classifier_equals_a_plain_loop():
    model = mercer.certified_fit(GaussianNB(), X, Y, mode="compress", random_state=0)
    train, others = split(model)
    start = model.certification_.split["pretrained_on"]
    chosen = list(train[:start])
    while True:
        again = GaussianNB().fit(X[chosen], Y[chosen])
        rest = np.array([i for i in others if i not in set(chosen)])
        wrong = rest[again.predict(X[rest]) != Y[rest]]
        if not wrong.size:
            break
        proba = again.predict_proba(X[wrong])
        own = proba[np.arange(len(wrong)), (Y[wrong] == 1).astype(int)]
        chosen.append(wrong[np.argmax(proba.max(axis=1) - own)])
    assert_array_equal(train, chosen)
    assert_array_equal(again.predict(X), model.predict(X))


def test_progressive_judges_all_models_by_one_tolerance():
    """The tubes of ν-machines differ from model to model; the statement names a single width."""
    rng = np.random.default_rng(0)
    inputs = rng.uniform(-2, 2, (120, 1))
    targets = np.sin(inputs[:, 0]) + 0.3 * rng.normal(size=120)
    learner = mercer.NuSVR(nu=0.3, gamma=1.0)
    model = mercer.certified_fit(
        learner, inputs, targets, mode="progressive", blocks=4, random_state=0
    )
    record = model.certification_
    tubes = [m.fitted_.machines[0].tube for m in model.models]
    assert len(set(tubes)) == 4
    counted, far, begin = record.counted_rows, 0, 0
    for size, one in zip(model.sizes, model.models, strict=True):
        rows = counted[begin : begin + size]
        far += int(np.sum(np.abs(one.predict(inputs[rows]) - targets[rows]) > tubes[0]))
        begin += size
    assert model.evidence_.progressive.errors == far
    assert f"further than {tubes[0]:.4g} away" in model.certificate_.quantity


def test_progressive_tests_each_model_on_the_block_it_learns_next():
    model = fitted("progressive", blocks=7)
    assert isinstance(model.model_, ProgressiveMixture)
    order = np.random.default_rng(2).permutation(300)
    start, errors, position = 150, 0, 150
    for member, size in zip(model.models, model.sizes, strict=True):
        block = order[position : position + size]
        alone = clone(SVC).fit(X[order[:position]], Y[order[:position]])
        assert_array_equal(alone.decision_function(X), member.decision_function(X))
        errors += np.sum(member.predict(X[block]) != Y[block])
        position += size
    assert (position, sum(model.sizes)) == (300, 150)
    c = tune_c(model.certification_.split["pilot_rate"], 150, 0.05)
    assert model.certificate_.value == pytest.approx(fixed_c_upper(errors / 150, 150, 0.05, c=c))
    assert model.certificate_.classifier == "mixture"
    assert model.evidence_.progressive.trained_on == start


def test_the_mixture_is_a_function_of_the_input():
    model = fitted("progressive", blocks=5)
    which = model.route(POOL)
    assert_array_equal(which[::-1], model.route(POOL[::-1]))
    assert_array_equal(which, model.route(np.asfortranarray(POOL)))
    shares = np.bincount(which, minlength=5) / len(POOL)
    assert np.all(np.abs(shares - 0.2) < 0.06)
    labels = np.array([model.models[j].predict(row[None])[0] for j, row in zip(which, POOL)])  # noqa: B905
    assert_array_equal(model.predict(POOL), labels)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(POOL), labels)
    rows = np.round(POOL[:50])
    wide = model.route(sparse.csr_array(rows))
    assert_array_equal(wide, model.route(sparse.csc_array(rows)))


def test_selective_counts_on_accepted_rows():
    model = fitted("selective", coverage=0.8)
    assert isinstance(model.model_, SelectiveClassifier)
    _, test = split(model)
    accepted = model.accepts(X[test])
    wrong = model.predict(X[test]) != Y[test]
    certificate = model.certificate_
    value = clopper_upper(int(wrong[accepted].sum()), int(accepted.sum()), 0.04)
    assert certificate.value == pytest.approx(value)
    low = clopper_lower(int(accepted.sum()), len(test), 0.01)
    assert certificate.details["coverage_at_least"] == pytest.approx(low)
    mixed = model.predict(X[test], abstain=0)
    assert_array_equal(mixed == 0, ~accepted)
    assert_array_equal(accepted, np.abs(model.model.decision_function(X[test])) >= model.threshold)
    with pytest.raises(TypeError, match="certified_fit"):
        model.model_.fit(X, Y)


def test_the_threshold_comes_from_the_training_part():
    model = fitted("selective")
    train, _ = split(model)
    tuned = len(train) - round(len(train) / 6)
    smaller = clone(SVC).fit(X[train[:tuned]], Y[train[:tuned]])
    lead = np.sort(np.abs(smaller.decision_function(X[train[tuned:]])))
    assert model.threshold in lead
    assert np.mean(lead >= model.threshold) >= 0.9


def test_transfer_certifies_the_model_on_all_rows_through_the_pool():
    model = fitted("transfer", hold_out="plain")
    train, test = split(model)
    assert len(train) == 300
    full = clone(SVC).fit(X, Y)
    assert_array_equal(full.decision_function(POOL), model.decision_function(POOL))
    small = model.certification_.other_model
    errors = int(np.sum(small.predict(X[test]) != Y[test]))
    differ = small.predict(POOL) != full.predict(POOL)
    record = model.evidence_.pool
    assert record.rows == 900  # a tenth was spent on predicting the disagreement
    assert differ.sum() - 100 <= record.disagreements <= differ.sum()
    expected = model.certification_.split["expected"]
    moved = (record.disagreements, 900)
    value = sum_of_rates_upper((errors, len(test)), moved, 0.05, expected=expected)
    assert model.certificate_.value == pytest.approx(value)
    assert value < clopper_upper(errors, len(test), 0.04) + clopper_upper(*moved, 0.01)
    assert "holdout" not in model.certificates_  # those rows were learned by the returned model
    assert "not the returned one" in model.certificates_["holdout of the smaller model"].learner
    assert any("Two models" in note for note in model.certification_.notes)


def test_the_counted_part_of_the_pool_predicts_nothing():
    """Other inputs in the part that is counted change neither the split nor the predictions."""
    order = np.random.default_rng([2, 0x706F6F6C]).permutation(1000)
    swapped = POOL.copy()
    swapped[order[100:]] = -swapped[order[100:]]
    plain, other = (
        mercer.certified_fit(
            SVC, X, Y, mode="transfer", hold_out="plain", pool=pool, random_state=2
        )
        for pool in (POOL, swapped)
    )
    assert plain.certification_.split == other.certification_.split
    moved = POOL.copy()
    moved[order[:100]] = 0.01 * moved[order[:100]]
    third = mercer.certified_fit(
        SVC, X, Y, mode="transfer", hold_out="plain", pool=moved, random_state=2
    )
    assert third.certification_.split["expected"] != plain.certification_.split["expected"]


def test_a_small_pool_is_pointed_out():
    model = mercer.certified_fit(SVC, X, Y, mode="transfer", pool=POOL[:20], random_state=0)
    assert any("pool is small" in note for note in model.certification_.notes)


def test_in_sample_trains_on_everything():
    model = fitted("in-sample")
    direct = clone(SVC).fit(X, Y)
    assert_array_equal(model.decision_function(X), direct.decision_function(X))
    assert replace(model.certificate_, about=None) == direct.certificate_


def test_none_only_fits():
    model = mercer.certified_fit(GaussianNB(), X, Y, mode=None)
    assert model.certificate_ is None
    assert model.certificates_ == model.not_applicable_ == {}
    assert model.certification_.trained_on == 300
    assert_array_equal(model.predict(X), GaussianNB().fit(X, Y).predict(X))


# -- what holds for every mode ---------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_repeatable_accounted_and_portable(mode):
    model, again = fitted(mode), fitted(mode)
    certificate = model.certificate_
    assert certificate == again.certificate_
    assert_array_equal(model.predict(POOL), again.predict(POOL))
    assert certificate.ledger.total == pytest.approx(0.05)
    assert certificate.delta == 0.05
    assert Certificate.from_dict(json.loads(json.dumps(certificate.to_dict()))) == certificate
    record = model.certification_
    assert record.mode == mode
    assert json.loads(json.dumps(record.to_dict()))["n"] == 300
    assert "Mode" in str(record)
    copy = pickle.loads(pickle.dumps(model))
    assert_array_equal(copy.predict(POOL), model.predict(POOL))
    assert copy.certificate_ == certificate
    assert certificate.code in model.certificates_
    assert certificate.uncovered == ()


@pytest.mark.parametrize("mode", ["auto", "compress", "progressive", "selective", "holdout"])
def test_the_meta_estimator_is_the_function(mode):
    model = mercer.Certified(clone(SVC), mode=mode, random_state=2).fit(X, Y)
    direct = fitted(mode)
    assert_array_equal(model.predict(POOL), direct.predict(POOL))
    assert_array_equal(model.decision_function(POOL), direct.decision_function(POOL))
    assert model.certificate_ == direct.certificate_
    assert model.certification_.seed == 2
    assert set(model.certificates_) == set(direct.certificates_)
    assert hasattr(model, "accepts") == (mode == "selective")
    assert hasattr(model, "accepts") == ("accepted" in str(model.certificate_))
    model.set_params(mode="in-sample").fit(X, Y)  # a new fit leaves nothing of the old one
    assert model.certification_.mode == "in-sample"
    plain = clone(SVC).fit(X, Y)
    assert_array_equal(model.decision_function(POOL), plain.decision_function(POOL))


def test_the_best_of_several_modes_pays_for_all():
    model = fitted(["auto", "compress"])
    shares = {name: fitted(name, delta=0.025).certificate_.value for name in ("auto", "compress")}
    assert model.certificate_.value == pytest.approx(min(shares.values()))
    assert model.certificate_.delta == 0.05
    assert model.certificate_.ledger.total == pytest.approx(0.05)
    assert set(model.certification_.tried) == {"auto", "compress"}
    assert model.certificate_.recompute().value == pytest.approx(model.certificate_.value)


def test_the_comparison_is_the_plain_80_20_split_at_full_delta():
    for mode in ("auto", ["auto", "progressive"]):
        model = fitted(mode, compare=True)
        order = np.random.default_rng(2).permutation(300)
        bar = clone(SVC).fit(X[order[:240]], Y[order[:240]])
        errors = int(np.sum(bar.predict(X[order[240:]]) != Y[order[240:]]))
        shown = model.certification_.comparison
        assert shown["value"] == pytest.approx(clopper_upper(errors, 60, 0.05))
        assert shown["kind"] == "measured"
        assert "comparison" in model.certification_.seconds
    projected = fitted("auto").certification_
    assert projected.comparison["kind"] == "projected"
    assert "comparison" not in projected.seconds
