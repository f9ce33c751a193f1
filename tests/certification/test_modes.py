"""Every mode of certified_fit: counts done again by hand from the recorded split."""

import json
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer.bounds import Certificate
from mercer.bounds.numerics import (
    clopper_lower,
    clopper_upper,
    fixed_c_upper,
    preferent_upper,
    tune_c,
    tune_multipliers,
)
from mercer.certification import ProgressiveMixture, SelectiveClassifier
from mercer.datasets import load_breast_cancer, load_iris, make_twonorm

X, Y, LAW = make_twonorm(300, random_state=5)
POOL = LAW.sample(1000, 77)[0]
CANCER = load_breast_cancer()
IRIS = load_iris()
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
    middle = round(0.6 * 120)  # the pilot: 60 % of the 40 % that are pretrained on
    pilot = clone(SVC).fit(X[train[:middle]], Y[train[:middle]])
    test = train[middle:120]
    wrong = np.sum(pilot.predict(X[test]) != Y[test])
    assert rate == pytest.approx((wrong + 1) / (len(test) + 2))
    assert not set(model.certificates_) - {"compress"}  # the rows of training were selected
    assert model.warm_start is False


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


def test_progressive_tests_each_model_on_the_block_it_learns_next():
    model = fitted("progressive", blocks=7)
    assert isinstance(model, ProgressiveMixture)
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
    sparse = pytest.importorskip("scipy.sparse")
    rows = np.round(POOL[:50])
    wide = model.route(sparse.csr_array(rows))
    assert_array_equal(wide, model.route(sparse.csc_array(rows)))


def test_selective_counts_on_accepted_rows():
    model = fitted("selective", coverage=0.8)
    assert isinstance(model, SelectiveClassifier)
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
        model.fit(X, Y)


def test_the_threshold_comes_from_the_training_part():
    model = fitted("selective")
    train, _ = split(model)
    tuned = len(train) - round(len(train) / 6)
    smaller = clone(SVC).fit(X[train[:tuned]], Y[train[:tuned]])
    lead = np.sort(np.abs(smaller.decision_function(X[train[tuned:]])))
    assert model.threshold in lead
    assert np.mean(lead >= model.threshold) >= 0.9


def test_transfer_certifies_the_model_on_all_rows_through_the_pool():
    model = fitted("transfer")
    train, test = split(model)
    assert len(train) == 300
    full = clone(SVC).fit(X, Y)
    assert_array_equal(full.decision_function(POOL), model.decision_function(POOL))
    small = model.certification_.other_model
    errors = int(np.sum(small.predict(X[test]) != Y[test]))
    moved = int(np.sum(small.predict(POOL) != full.predict(POOL)))
    value = clopper_upper(errors, len(test), 0.04) + clopper_upper(moved, 1000, 0.01)
    assert model.certificate_.value == pytest.approx(value)
    assert "holdout" not in model.certificates_  # those rows were learned by the returned model
    assert "not the returned one" in model.certificates_["holdout of the smaller model"].learner
    assert any("Two models" in note for note in model.certification_.notes)


def test_a_small_pool_is_pointed_out():
    model = mercer.certified_fit(SVC, X, Y, mode="transfer", pool=POOL[:20], random_state=0)
    assert any("pool is small" in note for note in model.certification_.notes)


def test_in_sample_trains_on_everything():
    model = fitted("in-sample")
    direct = clone(SVC).fit(X, Y)
    assert_array_equal(model.decision_function(X), direct.decision_function(X))
    assert model.certificate_ == direct.certificate_


def test_none_only_fits():
    model = mercer.certified_fit(GaussianNB(), X, Y, mode="none")
    assert not hasattr(model, "certificate_")
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
def test_estimators_take_the_mode_themselves(mode):
    model = mercer.SVC(gamma=0.02, certify=mode, random_state=2).fit(X, Y)
    direct = fitted(mode)
    assert_array_equal(model.predict(POOL), direct.predict(POOL))
    assert model.certificate_ == direct.certificate_
    assert model.certification_.seed == 2
    assert model.get_params()["certify"] == mode
    assert set(model.certificates_) == set(direct.certificates_)
    copy = pickle.loads(pickle.dumps(model))
    assert_array_equal(copy.decision_function(POOL), model.decision_function(POOL))
    if mode == "selective":
        assert_array_equal(model.accepts(POOL), direct.accepts(POOL))
    else:
        assert not hasattr(model, "accepts")
    model.set_params(certify="in-sample").fit(X, Y)  # a new fit leaves nothing of the old one
    assert not hasattr(model, "certification_")
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


# -- estimators, data and losses of all sorts ------------------------------------------------------


@pytest.mark.parametrize("mode", ["auto", "compress", "progressive", "selective"])
@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(StandardScaler(), mercer.SVC()),
        LogisticRegression(max_iter=5000),
        RandomForestClassifier(10, random_state=0),
        GridSearchCV(mercer.SVC(gamma=0.2), {"C": [0.5, 5]}, cv=3),
    ],
    ids=["pipeline", "logistic", "forest", "search"],
)
def test_any_estimator_and_three_classes(mode, estimator):
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(IRIS.y))
    model = mercer.certified_fit(estimator, IRIS.X[rows], IRIS.y[rows], mode=mode, random_state=1)
    assert model.certificate_.uncovered == ()  # everything was chosen inside the training part
    assert 0 < model.certificate_.value < 0.5
    assert model.predict(IRIS.X).shape == (150,)


def test_choices_around_a_mercer_learner_are_not_covered_in_sample():
    pipeline = make_pipeline(StandardScaler(), mercer.SVC(gamma=0.05))
    search = GridSearchCV(pipeline, {"svc__C": [1, 10]}, cv=3)
    model = mercer.certified_fit(search, X, Y, mode="in-sample")
    names = [choice.what for choice in model.certificate_.uncovered]
    assert names == ["hyper-parameters", "preprocessing"]
    assert model.certificate_.uncovered[0].candidates == 2


@pytest.mark.parametrize("mode", ["auto", "compress", "progressive", "selective", "transfer"])
def test_precomputed_kernels_are_cut_both_ways(mode):
    kernel = mercer.kernels.Gaussian(5.0)
    gram, against = kernel(X), kernel(POOL, X)
    options = {"mode": mode, "random_state": 2}
    direct = mercer.certified_fit(mercer.SVC(kernel=kernel), X, Y, pool=POOL, **options)
    model = mercer.certified_fit(mercer.SVC(kernel="precomputed"), gram, Y, pool=against, **options)
    assert model.certificate_.counted == direct.certificate_.counted
    columns = model.certification_.train_rows
    if mode in ("progressive", "transfer"):
        columns = np.arange(300)  # these take values against all rows, in their own order
    assert model.predict(against[:, columns]).shape == (1000,)
    if mode != "progressive":  # there the hash sees other bytes
        assert np.mean(model.predict(against[:, columns]) == direct.predict(POOL)) > 0.995


def test_regression_counts_targets_outside_a_tolerance_or_bounds_a_loss():
    rng = np.random.default_rng(0)
    points = rng.uniform(-2, 2, (400, 1))
    target = np.sin(points[:, 0]) + 0.1 * rng.standard_normal(400)
    for mode in ("auto", "compress", "progressive"):
        model = mercer.certified_fit(
            Ridge(), points, target, mode=mode, tolerance=0.5, random_state=0
        )
        assert "further than 0.5 away" in model.certificate_.quantity
        assert model.certificate_.value < 0.2
    tube = mercer.certified_fit(mercer.SVR(epsilon=0.2, gamma=1.0), points, target, random_state=0)
    _, test = split(tube)
    outside = int(np.sum(np.abs(tube.predict(points[test]) - target[test]) > 0.2))
    assert tube.certificate_.value == pytest.approx(clopper_upper(outside, len(test), 0.05))
    lossy = mercer.certified_fit(
        Ridge(), points, target, loss_range=(0, 1), clip=True, random_state=0
    )
    assert lossy.certificate_.code == "holdout-loss"
    assert lossy.certificate_.observed < lossy.certificate_.value < 1
    assert "clipped to [0, 1]" in " ".join(lossy.certificate_.assumptions)
    own = mercer.SVR(epsilon=0.2, gamma=1.0, certify="auto").fit(points, target)
    assert own.certificate_.quantity == "rate of targets further than 0.2 away"


def test_one_class_machines_certify_their_rejections():
    inside = mercer.OneClassSVM(gamma=0.05, nu=0.1)
    scenario = mercer.certified_fit(inside, X, mode="in-sample")
    assert scenario.certificate_.code == "scenario"
    assert scenario.certificate_.lower is not None
    held = mercer.certified_fit(inside, X, random_state=0)
    _, test = split(held)
    rejected = int(np.sum(held.predict(X[test]) == -1))
    assert held.certificate_.value == pytest.approx(clopper_upper(rejected, len(test), 0.05))
    assert held.certificate_.quantity == "rate of new points rejected"


def test_sample_weights_reach_the_learner():
    weight = np.where(Y > 0, 5.0, 1.0)
    model = mercer.certified_fit(SVC, X, Y, mode="holdout", sample_weight=weight, random_state=0)
    train, _ = split(model)
    direct = clone(SVC).fit(X[train], Y[train], weight[train])
    assert_array_equal(model.decision_function(X), direct.decision_function(X))
    pipeline = make_pipeline(StandardScaler(), mercer.SVC(gamma=0.05))
    piped = mercer.certified_fit(pipeline, X, Y, sample_weight=weight, random_state=0)
    assert piped.certificate_.value < 0.3


def shared_letters(left, right):
    return np.array([[sum(a == b for a, b in zip(u, v, strict=True)) for v in right] for u in left])


@pytest.mark.parametrize("mode", ["auto", "compress", "progressive", "selective"])
def test_objects_and_lists_are_cut_as_they_are(mode):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 80)
    words = ["".join(rng.choice(list("ab"), 9, p=[0.2 + 0.6 * y, 0.8 - 0.6 * y])) for y in labels]
    model = mercer.certified_fit(
        mercer.SVC(kernel=shared_letters), words, labels.tolist(), mode=mode, random_state=0
    )
    assert model.predict(words[:5]).shape == (5,)
    assert model.certificate_.value < 0.5


def test_mercer_fit_in_one_call():
    model = mercer.fit(CANCER.X, CANCER.y)
    assert model.certificate_.value < 0.08
    assert model.certification_.mode == "auto"
    assert_array_equal(model.predict(CANCER.X), mercer.fit(CANCER.X, CANCER.y).predict(CANCER.X))
    numbers = mercer.fit(X, X[:, 0] + 0.1 * X[:, 1], certify="holdout", tolerance=0.5)
    assert numbers.certificate_.value < 0.5
    assert not hasattr(mercer.fit(X, Y, GaussianNB(), certify="none"), "certificate_")
