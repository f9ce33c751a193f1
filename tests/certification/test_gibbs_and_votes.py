"""Randomised classifiers and votes: inner products, probabilities, records, refusals."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC, SVR
from mercer.bounds.pacbayes import pac_bayes_kl
from mercer.certification import GibbsClassifier, Refused, WeightedVote
from mercer.certification.core.loss import Loss
from mercer.certification.core.order import make_order
from mercer.certification.core.rows import Rows
from mercer.certification.core.task import Task
from mercer.certification.modes._gaussian import Family, Space, wrong_probability
from mercer.certification.modes.pac_bayes import PRIORS
from mercer.certification.modes.recursive import _exceed
from mercer.datasets import Waveform, make_twonorm
from mercer.learners import schemes as _multiclass

X, Y, LAW = make_twonorm(240, random_state=3)
FRESH = LAW.sample(4000, 4)[0]
MANY, MANY_Y = Waveform().sample(240, 5)


def family_of(estimator, X, y, cuts):
    task = Task(estimator, Rows.of(estimator, X, y), make_order(len(y), 0), Loss("classification"),
                0.05, {})  # fmt: skip
    first = task.first(cuts[0])
    space = Space.of(task.fit(first), "pac-bayes")
    family = Family(space, task).add(first, space.learner)
    for cut in cuts[1:]:
        family.add(task.first(cut))
    return family


@pytest.mark.parametrize("scheme", ["ovo", "ovr"])
@pytest.mark.parametrize("offset", [True, False])
def test_inner_products_are_those_of_explicit_weights(scheme, offset):
    estimator = SVC(kernel="linear", multi_class=scheme, fit_intercept=offset)
    family = family_of(estimator, MANY, MANY_Y, (100, 200))
    t = family.space.constant
    vectors = []
    for machine, rows in zip(family.machines, family.trained, strict=True):
        points = MANY[rows]
        parts = [[*(m.coef @ points[m.rows]), m.intercept / t] for m in machine.fitted_.machines]
        vectors.append(np.ravel(parts))
    assert_allclose(family.products(), np.array(vectors) @ np.array(vectors).T, rtol=1e-6)
    lengths = np.sqrt(np.sum(MANY[:5] ** 2, axis=1) + offset * t * t)
    assert_allclose(family.lengths(np.arange(5)), lengths)


@pytest.mark.parametrize("scheme", ["two", "ovr", "ovo"])
def test_error_probabilities_are_those_of_drawn_outputs(scheme):
    rng = np.random.default_rng(0)
    classes = 2 if scheme == "two" else 4
    binary = {"two": 1, "ovr": 4, "ovo": 6}[scheme]
    leads, codes = 1.5 * rng.normal(size=(6, binary)), rng.integers(0, classes, 6)
    p = wrong_probability(leads, codes, classes, scheme == "ovr")
    drawn = leads + rng.normal(size=(40_000, 6, binary))
    labels = np.array([_multiclass.winners(d, classes, "ovo" if scheme == "two" else scheme)
                       for d in drawn])  # fmt: skip
    share = np.mean(labels != codes, axis=0)
    if scheme == "ovo":  # errors of a vote need an error of one of the pairs of the true class
        assert np.all(share <= p + 0.01)
        pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
        sign = np.array([[(c == i) * 1.0 - (c == j) for i, j in pairs] for c in codes])
        share = np.mean(np.any(sign * drawn < 0, axis=2), axis=0)
    assert_allclose(p, share, atol=0.012)


@pytest.mark.parametrize("mode", ["pac-bayes", "recursive"])
def test_the_randomised_classifier_is_the_one_that_was_counted(mode):
    model = mercer.certified_fit(SVC(gamma=0.02), X, Y, mode=mode, random_state=0)
    assert isinstance(model.model_, GibbsClassifier)
    assert model.certificate_.classifier == "gibbs"
    assert_array_equal(model.predict(FRESH), model.predict(FRESH.copy()))
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(FRESH), model.predict(FRESH))
    other = GibbsClassifier(model.space, model.machines, model.coefficients, b"another key")
    differ = np.mean(model.predict(FRESH) != model.predict_vote(FRESH))
    for one in (model, other):
        expected = one.error_probability(FRESH).mean()
        seen = np.mean(one.predict(FRESH) != one.predict_vote(FRESH))
        assert seen == pytest.approx(expected, abs=4 * np.sqrt(expected / len(FRESH)) + 1e-3)
    assert differ < 0.2
    assert LAW.risk(model.predict, n=20_000) <= model.certificate_.value
    with pytest.raises(TypeError, match="certified_fit"):
        model.model_.fit(X, Y)


def test_pac_bayes_counts_the_second_half_against_a_prior_from_the_first():
    model = mercer.certified_fit(SVC(gamma=0.02), X, Y, mode="pac-bayes", random_state=0)
    posterior = model.evidence_.posterior
    order = make_order(240, 0).rows
    rows, labels = X[order[120:]], Y[order[120:]]
    lead = model.model_._means(rows)[:, 0] / model.model_._lengths(rows)
    assert posterior.gibbs == pytest.approx(wrong_probability(
        lead[:, None], (labels == 1).astype(int), 2, False).mean())  # fmt: skip
    assert posterior.rows == 120
    own = pac_bayes_kl(posterior.gibbs, posterior.kl, 120, 0.05 / len(PRIORS))
    assert model.certificate_.value == pytest.approx(own)
    vote = model.certificates_["pac-bayes-prior-vote"]
    assert vote.classifier == "deterministic"
    assert vote.value == pytest.approx(2 * own)
    prior = SVC(gamma=0.02).fit(X[order[:120]], Y[order[:120]])
    assert_allclose(prior.decision_function(FRESH), model.machines[0].decision_function(FRESH))


@pytest.mark.parametrize("mode", ["pac-bayes", "recursive", "vote"])
def test_a_gram_alone_gives_the_same(mode):
    kernel = SVC(gamma=0.02).fit(X, Y).kernel_
    plain = mercer.certified_fit(SVC(gamma=0.02), X, Y, mode=mode, random_state=0)
    given = mercer.certified_fit(SVC(kernel="precomputed"), kernel(X), Y, mode=mode, random_state=0)
    assert given.certificate_.value == pytest.approx(plain.certificate_.value, rel=1e-6)
    values = kernel(FRESH[:300], X)
    label = "predict" if mode == "vote" else "predict_vote"
    assert_array_equal(getattr(given, label)(values), getattr(plain, label)(FRESH[:300]))
    assert len(given.predict(values)) == 300  # k(x, x) is the same for all rows


def test_a_gram_with_different_diagonals_still_has_a_vote():
    given = mercer.certified_fit(
        SVC(kernel="precomputed"), X @ X.T, Y, mode="pac-bayes", random_state=0
    )
    plain = mercer.certified_fit(SVC(kernel="linear"), X, Y, mode="pac-bayes", random_state=0)
    assert given.certificate_.value == pytest.approx(plain.certificate_.value, rel=1e-5)
    with pytest.raises(ValueError, match="predict_vote"):
        given.predict(FRESH[:3] @ X.T)
    assert_array_equal(given.predict_vote(FRESH @ X.T), plain.predict_vote(FRESH))


@pytest.mark.parametrize("mode", ["pac-bayes", "recursive"])
def test_preprocessing_and_searches_belong_to_the_prior(mode):
    """The feature space is that of the first part; later machines live in it too."""
    pipe = make_pipeline(StandardScaler(), SVC(gamma="scale"))
    search = GridSearchCV(pipe, {"svc__C": [0.5, 5.0]}, cv=3)
    model = mercer.certified_fit(search, X, Y, mode=mode, random_state=0)
    assert not model.certificate_.uncovered
    first = make_order(240, 0).rows[: 120 if mode == "pac-bayes" else 72]
    assert_allclose(model.space.front[0].mean_, X[first].mean(axis=0))
    kernels = {str(machine.kernel_) for machine in model.machines}
    assert len(kernels) == 1


@pytest.mark.parametrize("scheme", ["ovo", "ovr"])
@pytest.mark.parametrize("mode", ["pac-bayes", "recursive"])
def test_several_classes(scheme, mode):
    estimator = SVC(gamma=0.02, multi_class=scheme)
    model = mercer.certified_fit(estimator, MANY, MANY_Y, mode=mode, random_state=1)
    assert Waveform().risk(model.predict, n=10_000) <= model.certificate_.value < 1
    assert set(model.predict(MANY)) <= {0, 1, 2}


def test_a_callable_kernel_gives_its_diagonal_row_by_row():
    model = mercer.certified_fit(
        SVC(kernel=lambda a, b: np.asarray(a) @ np.asarray(b).T), X, Y, mode="pac-bayes",
        random_state=0,
    )  # fmt: skip
    plain = mercer.certified_fit(SVC(kernel="linear"), X, Y, mode="pac-bayes", random_state=0)
    assert model.certificate_.value == pytest.approx(plain.certificate_.value, rel=1e-5)
    assert_array_equal(model.predict(FRESH[:50]), plain.predict(FRESH[:50]))


def test_excess_losses_of_a_stage():
    now, before = np.array([0.2, 0.5]), np.array([0.4, 0.1])
    drawn = np.random.default_rng(0).random((200_000, 2, 2)) < np.stack([now, before], axis=1)
    excess = drawn[:, :, 0] - 0.5 * drawn[:, :, 1]
    expected = [np.mean(excess >= level - 1e-9) for level in (0.0, 0.5, 1.0)]
    assert_allclose(_exceed(now, before), expected, atol=0.003)
    assert _exceed(now, None) == (1.0, pytest.approx(0.35), pytest.approx(0.35))


def test_vote_records_what_its_members_do_on_the_second_half():
    model = mercer.certified_fit(SVC(gamma=0.02), X, Y, mode="vote", members=7, random_state=0)
    assert isinstance(model.model_, WeightedVote)
    assert model.certificate_.classifier == "vote"
    rows = make_order(240, 0).rows[120:]
    wrong = np.array([member.predict(X[rows]) != Y[rows] for member in model.models])
    share = model.weights @ wrong
    record = model.evidence_.vote
    assert record.gibbs == pytest.approx(share.mean())
    assert record.tandem == pytest.approx(np.mean(share**2))
    assert record.disagreement == pytest.approx(np.mean(2 * share * (1 - share)))
    assert len(model.models) == 7
    assert np.sum(model.weights) == pytest.approx(1.0)
    assert model.certificate_.ledger.total == pytest.approx(0.05)
    assert_allclose(model.votes(X[:5]).sum(axis=1), 1.0)
    assert LAW.risk(model.predict, n=20_000) <= model.certificate_.value
    with pytest.raises(TypeError, match="certified_fit"):
        model.model_.fit(X, Y)


def test_votes_of_any_classifier_and_of_several_classes():
    model = mercer.certified_fit(GaussianNB(), MANY, MANY_Y, mode="vote", members=5, random_state=0)
    assert "vote-c-bound" not in model.certificates_  # it is stated for two classes
    assert Waveform().risk(model.predict, n=10_000) <= model.certificate_.value


def test_refusals():
    for mode in ("pac-bayes", "recursive"):
        with pytest.raises(Refused, match="support vector classifier"):
            mercer.certified_fit(LogisticRegression(), X, Y, mode=mode)
    for mode in ("pac-bayes", "recursive", "vote"):
        with pytest.raises(Refused, match="classifier"):
            mercer.certified_fit(SVR(), X, X[:, 0], mode=mode)
        with pytest.raises(Refused, match="groups"):
            mercer.certified_fit(SVC(), X, Y, mode=mode, groups=np.arange(240) // 4)
    with pytest.raises(ValueError, match="members"):
        mercer.certified_fit(SVC(), X, Y, mode="vote", members=0)
    with pytest.raises(Refused, match="lack a class"):
        mercer.certified_fit(SVC(), X, np.arange(240) % 80, mode="vote", random_state=0)
    last = np.arange(240) == make_order(240, 0).rows[-1]
    with pytest.raises(Refused, match="one class"):
        mercer.certified_fit(SVC(), X, last, mode="vote", random_state=0)


@pytest.mark.parametrize("error", ["classes", "balanced"])
def test_errors_by_class_through_a_certified_fit(error):
    estimator = SVC(gamma=0.02)
    model = mercer.certified_fit(estimator, MANY, MANY_Y, error=error, random_state=0)
    rest = model.certification_.counted_rows
    direct = mercer.certify(model, MANY[rest], MANY_Y[rest], error=error)
    assert model.certificate_.value == pytest.approx(direct.value)
    assert model.certificate_.quantity == direct.quantity
    with pytest.raises(ValueError, match="mode='in-sample'"):
        mercer.certified_fit(estimator, MANY, MANY_Y, error=error, mode="in-sample")
    with pytest.raises(ValueError, match="error must be one of"):
        mercer.certified_fit(estimator, MANY, MANY_Y, error="worst")
    with pytest.raises(ValueError, match="classifiers"):
        mercer.certified_fit(SVR(), MANY, MANY[:, 0], error=error)
