"""Groups, time, few rows, and everything that is refused with a reason."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB

import mercer
from helpers_certification import draw
from mercer.bounds.numerics import clopper_upper, mixed_upper
from mercer.certification import CertificateWarning, Refused
from mercer.certification.core.order import make_order
from mercer.kernels import Gaussian

RNG = np.random.default_rng(0)
X, Y = draw(240, RNG)
GROUPS = RNG.integers(0, 40, 240)
TIME = RNG.permutation(240) // 3  # three rows at a time


def fitted(**options):
    return mercer.certified_fit(GaussianNB(), X, Y, random_state=1, **options)


@pytest.mark.parametrize("mode", ["auto", "holdout"])
def test_groups_stay_whole_and_count_once_each(mode):
    model = fitted(mode=mode, groups=GROUPS)
    train, test = model.certification_.train_rows, model.certification_.counted_rows
    assert not set(GROUPS[train]) & set(GROUPS[test])
    wrong = model.predict(X[test]) != Y[test]
    rates = {g: wrong[GROUPS[test] == g].mean() for g in dict.fromkeys(GROUPS[test])}
    value = mixed_upper(np.array(list(rates.values())), 0.05, low=0, high=1)
    assert model.certificate_.value == pytest.approx(value)
    assert model.certificate_.code == "holdout-groups"
    assert "random row of a new group" in str(model.certificate_)
    assert model.certification_.order == "groups"
    assert "Whole groups" in str(model.certification_)


def test_losses_of_groups_keep_their_scale():
    target = 10.0 * X[:, 0]
    options = {"groups": GROUPS, "random_state": 1, "compare": True}
    model = mercer.certified_fit(Ridge(), X, target, loss_range=(0, 40), **options)
    test = model.certification_.counted_rows
    loss = np.abs(model.predict(X[test]) - target[test])
    means = [loss[GROUPS[test] == g].mean() for g in dict.fromkeys(GROUPS[test])]
    assert model.certificate_.observed == pytest.approx(np.mean(means))
    assert model.certificate_.value == pytest.approx(
        mixed_upper(np.array(means), 0.05, low=0, high=40)
    )
    assert str(model.certificate_).startswith("mean loss of this Ridge")
    assert "%" not in model.certification_.comparison["words"]
    away = mercer.certified_fit(Ridge(), X, target, tolerance=1.0, **options)
    assert "further than 1 away on a random row of a new group" in str(away.certificate_)


@pytest.mark.parametrize("mode", ["auto", "holdout"])
def test_the_past_is_trained_on_and_the_future_counted(mode):
    model = fitted(mode=mode, order=TIME)
    train, test = model.certification_.train_rows, model.certification_.counted_rows
    assert TIME[train].max() < TIME[test].min()  # rows of one moment are never divided
    errors = int(np.sum(model.predict(X[test]) != Y[test]))
    assert model.certificate_.value == pytest.approx(clopper_upper(errors, len(test), 0.05))
    assert any("later rows" in text for text in model.certificate_.assumptions)
    assert model.certification_.seed is None


@pytest.mark.parametrize(
    "mode", ["progressive", "compress", "easy", "tube", "transfer", "selective", "in-sample"]
)
@pytest.mark.parametrize("what", [{"groups": GROUPS}, {"order": TIME}])
def test_other_modes_refuse_groups_and_time(mode, what):
    with pytest.raises(Refused, match=r"does not apply.*Use mode='holdout' or 'auto'"):
        fitted(mode=mode, pool=X, **what)


def test_orders_that_make_no_sense():
    with pytest.raises(ValueError, match="together are not supported"):
        fitted(groups=GROUPS, order=TIME)
    with pytest.raises(ValueError, match="single group"):
        fitted(groups=np.zeros(240))
    with pytest.raises(ValueError, match="single moment"):
        fitted(order=np.zeros(240))
    with pytest.raises(ValueError, match="groups needs one value per row"):
        fitted(groups=GROUPS[:-1])
    with pytest.raises(ValueError, match="random_state"):
        make_order(10, -1)
    with pytest.raises(ValueError, match="too few"):
        make_order(1)


def test_random_states_of_all_kinds_are_recorded_as_a_seed():
    for state in (None, 3, np.random.RandomState(0), np.random.default_rng(0)):
        seed = make_order(20, state).seed
        assert_array_equal(make_order(20, state if state == 3 else seed).rows.size, 20)
        assert isinstance(seed, int)
    assert make_order(20, None).seed != make_order(20, None).seed


def test_few_rows_are_held_out_by_half_with_a_warning():
    with pytest.warns(CertificateWarning, match="dominated by"):
        model = mercer.certified_fit(GaussianNB(), X[:30], Y[:30], random_state=0)
    assert model.certification_.counted_on == 15
    assert any("half" in note for note in model.certification_.notes)
    rare = np.where(np.arange(240) % 40 == 0, 1, -1)
    with pytest.warns(CertificateWarning, match="dominated by"):
        mercer.certified_fit(GaussianNB(), X, rare, random_state=0)


def test_small_fits_that_fail_fall_back_to_sixty_percent():
    class Picky(GaussianNB):
        def fit(self, X, y):
            if len(y) < 100:
                raise ValueError("too few rows for me")
            return super().fit(X, y)

    model = mercer.certified_fit(Picky(), X, Y, random_state=0)
    assert model.certification_.trained_on == 144
    assert "too few rows for me" in " ".join(model.certification_.notes)
    other = mercer.certified_fit(Picky(), X, Y, mode="progressive", random_state=0)
    assert other.certification_.split["pilot_rate"] == 0.1


def test_repeated_inputs_are_paid_for_by_the_mixture_or_refused():
    with pytest.raises(ValueError, match=r"231 of 240 rows repeat an earlier input.*mode='auto'"):
        mercer.certified_fit(GaussianNB(), np.round(X), Y, mode="progressive", random_state=0)
    twice = X.copy()
    twice[0] = twice[1]
    plain, paid = (
        mercer.certified_fit(GaussianNB(), rows, Y, mode="progressive", random_state=0)
        for rows in (X, twice)
    )
    assert len(plain.certificate_.ledger) == 1
    assert paid.certificate_.ledger.total == pytest.approx(0.05)
    assert paid.certificate_.ledger["the hash"] == pytest.approx(0.005)
    added = paid.certificate_.details["added_for_the_hash"]
    assert 0.02 < added < paid.certificate_.value - paid.certificate_.observed
    assert "1 of 240 repeat an earlier input" in paid.certificate_.explain()
    assert paid.certificate_.recompute().value == paid.certificate_.value


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "magic"}, "mode must be None or one of"),
        ({"mode": ["auto", "magic"]}, "mode must be None or one of"),
        ({"mode": []}, "one or several different"),
        ({"mode": ["auto", "auto"]}, "one or several different"),
        ({"mode": ["auto", "selective"]}, "by itself"),
        ({"delta": 0}, "delta"),
        ({"delta": 1.0}, "delta"),
        ({"mode": "transfer"}, "needs pool="),
        ({"mode": "transfer", "pool": X[:0]}, "pool has no rows"),
        ({"mode": "in-sample"}, "needs a Mercer learner"),
        ({"coverage": 0, "mode": "selective"}, "coverage must be"),
        ({"train_fraction": 1, "mode": "holdout"}, "train_fraction must be"),
        ({"blocks": 0, "mode": "progressive"}, "blocks must be"),
        ({"objective": "lucky"}, "objective must be"),
        ({"blocks": 3}, "option of mode='progressive', not of mode='auto'"),
        ({"coverage": 0.5, "mode": ["auto", "compress"]}, "option of mode='selective'"),
        ({"members": 3, "mode": None}, "option of mode='vote', not of mode=None"),
        ({"tolerance": 1.0}, "for regressions"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        fitted(**options)


def test_an_option_that_no_mode_has():
    with pytest.raises(TypeError, match="no option 'luck'; here one may give objective"):
        fitted(luck=7)
    with pytest.raises(TypeError, match="no option 'luck'"):
        mercer.Certified(GaussianNB(), options={"luck": 7}).fit(X, Y)


def test_regressions_without_a_range_are_refused_before_any_fit():
    class Never(LinearRegression):
        def fit(self, X, y):
            raise AssertionError("fitted although nothing can be certified")

    with pytest.raises(ValueError, match="no upper limit"):
        mercer.certified_fit(Never(), X, X[:, 0], mode="compress")
    with pytest.raises(ValueError, match="for classification, not regression"):
        mercer.certified_fit(Never(), X, X[:, 0], metric="f1")
    with pytest.raises(Refused, match="is for classifiers"):
        mercer.certified_fit(Never(), X, X[:, 0], mode="selective", tolerance=1)
    for loss, low, message in (
        (lambda y, f: y > f, 0, "how much it grows"),
        ("squared", -1, "neg"),
    ):
        with pytest.raises(Refused, match=message):
            mercer.certified_fit(
                Never(), X, X[:, 0], mode="transfer", pool=X + 1, loss=loss, loss_range=(low, 1)
            )


def test_bad_estimators_and_rows():
    with pytest.raises(TypeError, match="is a class"):
        mercer.certified_fit(GaussianNB, X, Y)
    with pytest.raises(TypeError, match="no fit method"):
        mercer.certified_fit(object(), X, Y)
    with pytest.raises(ValueError, match="y is missing"):
        mercer.certified_fit(GaussianNB(), X)
    with pytest.raises(ValueError, match="no rows"):
        mercer.certified_fit(GaussianNB(), X[:0], Y[:0])
    with pytest.raises(ValueError, match="square matrix"):
        mercer.certified_fit(mercer.SVC(kernel="precomputed"), X, Y)


def test_models_without_scores_cannot_abstain():
    class Mute(GaussianNB):
        predict_proba = property()

    with pytest.raises(Refused, match="neither decision_function nor predict_proba"):
        mercer.certified_fit(Mute(), X, Y, mode="selective")


def test_pool_of_a_precomputed_kernel_needs_all_columns():
    gram = mercer.kernels.Gaussian(1.0)(X)
    with pytest.raises(Refused, match="one column per labelled row"):
        mercer.certified_fit(
            mercer.SVC(kernel="precomputed"), gram, Y, mode="transfer", pool=gram[:, :5]
        )


@pytest.mark.parametrize("mode", ["transfer", "auto", ["auto", "compress"]])
def test_learners_name_what_spends_rows_in_their_place(mode):
    spelled = mode if isinstance(mode, list) else f'"{mode}"'
    with pytest.raises(ValueError, match="certified_fit") as refused:
        mercer.SVC(certify=mode).fit(X, Y)
    assert str(refused.value) == (
        f"The 'certify' parameter of SVC must be 'in-sample' or None; got {mode!r}. "
        "A learner trains on all the rows it is given. To spend some, use "
        f"mercer.certified_fit(SVC(...), X, y, mode={spelled}), or, in scikit-learn code, "
        f"mercer.Certified(SVC(...), mode={spelled}) around the whole pipeline."
    )


def test_a_missing_class_in_the_first_models_of_a_mixture():
    labels = np.array(Y)
    rare = np.random.default_rng(1).permutation(240)[200:205]  # all in the second half
    labels[rare] = 5
    model = mercer.certified_fit(
        LogisticRegression(), X, labels, mode="progressive", random_state=1
    )
    assert_array_equal(model.classes_, [-1, 1, 5])
    assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))
    scores = model.decision_function(X)
    assert_array_equal(model.classes_[scores.argmax(axis=1)], model.predict(X))


def test_checks_come_with_the_record_when_asked_for():
    assert fitted().certification_.checks == ()
    record = fitted(checks=True).certification_
    assert [check.name for check in record.checks] == ["exchangeability", "duplicates"]
    assert all(check.ok for check in record.checks)
    assert "nothing found (p =" in str(record)
    assert record.to_dict()["checks"][0]["p_value"] == record.checks[0].p_value
    assert [c.name for c in fitted(checks=True, order=TIME).certification_.checks] == ["duplicates"]
    sorted_rows = np.argsort(Y, kind="stable")
    sorted_fit = mercer.certified_fit(
        GaussianNB(), X[sorted_rows], Y[sorted_rows], random_state=0, checks=True
    )
    assert not sorted_fit.certification_.checks[0].ok


def test_checks_that_cannot_be_made_say_so():
    gram = mercer.kernels.Gaussian(1.0)(X)
    model = mercer.certified_fit(
        mercer.SVC(kernel="precomputed"), gram, Y, random_state=0, checks=True
    )
    assert model.certification_.checks == ()
    assert "left out" in " ".join(model.certification_.notes)


@pytest.mark.parametrize("options", [{"groups": np.arange(240) // 4}, {"order": np.arange(240)}])
def test_no_bound_on_training_rows_that_are_known_to_hang_together(options):
    model = mercer.certified_fit(mercer.SVC(gamma=1.0), X, Y, mode="holdout", **options)
    bounds = {code for code, c in model.certificates_.items() if c.kind == "bound"}
    assert bounds <= {"holdout", "holdout-classes", "holdout-balanced", "holdout-groups"}
    assert "scenario" in mercer.certified_fit(mercer.SVC(), X, Y, mode="holdout").certificates_


@pytest.mark.parametrize("learner", [mercer.KernelRidge, mercer.SVR])
def test_the_range_of_one_loss_is_not_that_of_another(learner):
    """Stability bounds take the range of the training loss; others may be much smaller."""
    machine, targets = learner(kernel=Gaussian(1.0), fit_intercept=False), 5.0 * X[:, 0]
    for options in ({"loss": "absolute"}, {"loss": "squared", "clip": True}):
        model = mercer.certified_fit(
            machine, X, targets, mode="holdout", loss_range=(0, 1e4), random_state=0, **options
        )
        assert not {code for code in model.certificates_ if code.startswith("stability")}
    same = mercer.certified_fit(
        machine, X, targets, mode="holdout", loss="squared", loss_range=(0, 1e4), random_state=0
    )
    assert ("stability-ridge" in same.certificates_) == (learner is mercer.KernelRidge)
