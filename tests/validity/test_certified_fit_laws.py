"""Every mode of certified_fit end to end, selection included, over eight laws with known risk."""

import warnings

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from helpers_learner_laws import Setting, Tally, binary_laws, rotating
from mercer import SVC, datasets
from mercer.certification import (
    CertificateWarning,
    GibbsClassifier,
    ProgressiveMixture,
    certified_fit,
)

DELTA, DRAWS = 0.1, 160
slow = pytest.mark.slow
SCALED = make_pipeline(StandardScaler(), SVC(gamma="scale"))
LEARNERS = {
    "fixed": SVC(gamma=0.1),
    "linear": SVC(kernel="linear"),
    "scaled": SCALED,  # scaler and gamma="scale" read the data
    "searched": GridSearchCV(SCALED, {"svc__C": [0.1, 10.0]}, cv=2),
    "foreign": make_pipeline(StandardScaler(), LogisticRegression()),
}
QUICK = {
    ("fixed", mode) for mode in ("holdout", "compress", "progressive", "selective", "transfer")
}
QUICK |= {("scaled", "auto"), ("fixed", "pac-bayes")}
STOCHASTIC = ("pac-bayes", "recursive", "vote")
MODES = ("holdout", "auto", "compress", "progressive", "selective", "transfer")
MANY_FITS = {"compress", "progressive", "vote"}  # each of them a whole search: nothing new
PAIRS = [
    (name, mode)
    for name in LEARNERS
    for mode in (*MODES, *STOCHASTIC)
    if not (name == "searched" and mode in MANY_FITS)
    and not (name == "foreign" and mode in ("pac-bayes", "recursive"))  # no known feature space
]
CASES = [pytest.param(*pair, 1, id="-".join((*pair, "sample"))) for pair in PAIRS if pair in QUICK]
CASES += [pytest.param(*pair, 3, marks=slow, id="-".join((*pair, "full"))) for pair in PAIRS]


def risk_of(place, model):
    """Risk of the returned model, among accepted rows if it abstains.

    A hashed mixture over few atoms is certified on average over its key only.
    """
    if isinstance(model, GibbsClassifier):
        return gibbs_risk(place, model)
    if isinstance(model, ProgressiveMixture) and place.weight is not None:
        risks = [place.risk(single) for single in model.models]
        return float(np.average(risks, weights=model.sizes))
    accepted = model.accepts(place.X) if hasattr(model, "accepts") else None
    return place.mean(place.wrong(model.predict(place.X)), accepted)


def gibbs_risk(place, model):
    """Error of the drawn classifier, averaged over the draws of its weights."""
    lead = model._means(place.X) / model._lengths(place.X)[:, None]
    if len(model.classes_) == 2:
        second = ndtr(lead[:, 0])
        chance = np.column_stack([1 - second, second])
    else:
        rng = np.random.default_rng(0)
        length = model._lengths(place.X)[:, None]
        drawn = [model._labels(model._means(place.X) + length * rng.normal(size=lead.shape))
                 for _ in range(30)]  # fmt: skip
        chance = np.mean([d[:, None] == model.classes_ for d in drawn], axis=0)
    columns = np.searchsorted(place.law.classes, model.classes_)
    return place.mean(1.0 - np.sum(place.posterior[:, columns] * chance, axis=1))


def broken_twins(mode, certificate):
    """δ ignored, the count halved, or one of two terms dropped."""
    bound, inputs = certificate.bound(), certificate.inputs
    if mode == "transfer":
        yield "hold-out term dropped", certificate.details["disagreement"]
    elif mode == "compress":
        yield "count halved", 0.5 * certificate.observed
    elif mode in ("progressive", "pac-bayes"):
        yield "observed rate", certificate.observed
    elif mode == "recursive":
        yield "excess of the last stage halved", 0.5 * certificate.observed
    elif mode == "vote":
        yield "factor and divergence dropped", 0.5 * inputs.vote.gibbs
    else:
        yield "delta ignored", bound.evaluate(inputs, 0.8).unclipped
        yield "count halved", 0.5 * certificate.observed


def certified(estimator, place, X, y, rng, mode):
    """A certified model, or None if there can be none (a class missing in a training part)."""
    options = {"pool": place.law.sample(250, rng)[0]} if "transfer" in mode else {}
    # fewer fits than by default: the theorems are the same
    options |= {"hold_out": "plain"} if mode == "transfer" else {}  # the other: easy hold-outs
    options |= {"blocks": 6} if "progressive" in mode else {}
    options |= {"members": 6} if "vote" in mode else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        # a search whose folds lack the rare class: it goes on without them, and so do we
        warnings.filterwarnings("ignore", message="The least populated class")
        warnings.simplefilter("ignore", FitFailedWarning)
        warnings.filterwarnings("ignore", message="One or more of the test scores")
        try:
            return certified_fit(
                estimator,
                X,
                y,
                mode=mode,
                delta=DELTA,
                random_state=int(rng.integers(2**31)),
                **options,
            )
        except ValueError as problem:
            # a class is missing in a part, an abstaining model accepts nothing, few inputs come
            # again and again: no claim is made
            said = ("class", "no hold-out row was accepted", "repeat an earlier input")
            if not any(words in str(problem) for words in said):
                raise
            return None


def tally_of(name, mode, scale):
    tally = Tally(draws=DRAWS * scale)
    for place, X, y, rng in rotating(binary_laws(), tally.draws, seed=hash_of(name, mode)):
        model = certified(LEARNERS[name], place, X, y, rng, mode)
        if model is None:
            continue
        certificate, risk = model.certificate_, risk_of(place, model)
        assert certificate.delta == DELTA
        assert not certificate.uncovered  # scaler, gamma and search are inside
        tally.add(mode, certificate.unclipped, risk)
        if mode == "selective":
            coverage = place.mean(model.accepts(place.X).astype(float))
            least = certificate.details["coverage_at_least"]
            tally.add("both statements", certificate.unclipped, risk)
            tally.wrong["both statements"] += int(least > coverage and certificate.value >= risk)
        for label, value in broken_twins(mode, certificate):
            tally.add(label, value, risk)
    return tally


def hash_of(*words):
    return sum(ord(c) * 31**i for i, c in enumerate("/".join(words))) % 2**31


@pytest.mark.parametrize(("name", "mode", "scale"), CASES)
def test_certificates_hold_and_broken_ones_are_caught(name, mode, scale):
    tally = tally_of(name, mode, scale)
    assert tally.issued[mode] > 0.8 * tally.draws
    tally.check_valid(mode, DELTA)
    if mode == "selective":
        tally.check_valid("both statements", DELTA)
    for label in set(tally.issued) - {mode, "both statements"}:
        tally.check_caught(label, DELTA)


@slow
@pytest.mark.parametrize("mode", [*MODES, *STOCHASTIC])
def test_several_classes(mode):
    place = {"waveform": Setting(datasets.Waveform(), 100)}
    tally = Tally(draws=400)
    for here, X, y, rng in rotating(place, tally.draws, seed=9):
        model = certified(SVC(gamma=0.02), here, X, y, rng, mode)
        tally.add(mode, model.certificate_.unclipped, risk_of(here, model))
        for label, value in broken_twins(mode, model.certificate_):
            tally.add(label, value, risk_of(here, model))
    tally.check_valid(mode, DELTA)
    for label in set(tally.issued) - {mode}:
        tally.check_caught(label, DELTA)


@pytest.mark.parametrize("modes", [("auto", "compress"), pytest.param(MODES[:4], marks=slow)])
def test_the_best_of_several_modes_pays_for_all(modes, scale):
    """δ is divided; the smallest of the numbers at full δ each is the broken twin."""
    tally = Tally(draws=DRAWS * scale)
    for place, X, y, rng in rotating(binary_laws(), tally.draws, seed=4):
        model = certified(LEARNERS["fixed"], place, X, y, rng, modes)
        if model is not None:
            assert model.certificate_.ledger.total == pytest.approx(DELTA)
            tally.add("best", model.certificate_.unclipped, risk_of(place, model))
            tally.add("count halved", 0.5 * model.certificate_.observed, risk_of(place, model))
    tally.check_valid("best", DELTA)
    tally.check_caught("count halved", DELTA)


def test_choosing_on_the_counted_rows_must_be_paid(scale):
    """Fifty useless classifiers, the luckiest on the test rows kept: δ/50 holds, δ does not."""
    from mercer import certify

    class Guess:
        classes_ = np.array([-1, 1])

        def __init__(self, seed):
            self.weight = np.random.default_rng(seed).normal(size=2)

        def predict(self, X):
            return np.where(X @ self.weight > 0, 1, -1)

    rng = np.random.default_rng(0)
    models = [Guess(seed) for seed in range(50)]
    tally = Tally(draws=300 * scale)
    for _ in range(tally.draws):
        X, y = rng.normal(size=(60, 2)), rng.choice([-1, 1], 60)  # nothing can be learned
        best = min(models, key=lambda model: np.sum(model.predict(X) != y))
        tally.add("paid", certify(best, X, y, DELTA, candidates=50).unclipped, 0.5)
        tally.add("not paid", certify(best, X, y, DELTA).unclipped, 0.5)
    tally.check_valid("paid", DELTA)
    tally.check_caught("not paid", DELTA)
