"""error="classes" and error="balanced" in every mode, over laws whose class risks are known."""

import numpy as np
import pytest
from scipy.special import ndtr

from helpers_learner_laws import Setting, Tally, binary_laws, rotating
from mercer import SVC, datasets
from mercer.bounds import NotApplicable
from mercer.certification import (
    CertificateWarning,
    GibbsClassifier,
    ProgressiveMixture,
    SelectiveClassifier,
    certified_fit,
)
from mercer.certification.modes import compress as _compress

DELTA = 0.1
slow = pytest.mark.slow
MODES = ("compress", "transfer", "progressive", "selective", "pac-bayes", "recursive", "vote")
CASES = [("compress", "classes", 1), ("transfer", "balanced", 1)]
CASES += [
    pytest.param(mode, error, 3, marks=slow) for mode in MODES for error in ("classes", "balanced")
]


def chances(place, model):
    """Probability of each label at the inputs, and which of them are accepted."""
    if isinstance(model, SelectiveClassifier):
        return chances(place, model.model)[0], model.accepts(place.X)
    if isinstance(model, ProgressiveMixture):
        each = [chances(place, single)[0] for single in model.models]
        return np.average(each, axis=0, weights=model.sizes), None
    if isinstance(model, GibbsClassifier):
        second = ndtr(model._means(place.X)[:, 0] / model._lengths(place.X))
        return np.column_stack([1 - second, second]), None
    return (model.predict(place.X)[:, None] == place.law.classes).astype(float), None


def class_risks(place, model):
    right, accepted = chances(place, model)
    weight = np.ones(len(place.X)) if place.weight is None else place.weight
    weight = weight if accepted is None else weight * accepted
    mass = weight[:, None] * place.posterior
    return np.sum(mass * (1 - right), axis=0) / np.maximum(mass.sum(axis=0), 1e-300)


def certified(place, X, y, rng, mode, error):
    options = {"pool": place.law.sample(250, rng)[0]} if mode == "transfer" else {}
    options |= {"members": 5} if mode == "vote" else {}
    options |= {"blocks": 5} if mode == "progressive" else {}
    try:
        return certified_fit(
            SVC(gamma=0.1), X, y, mode=mode, error=error, delta=DELTA,
            random_state=int(rng.integers(2**31)), **options,
        )  # fmt: skip
    except (NotApplicable, ValueError) as problem:  # a class is missing in some part: no claim
        if "class" not in str(problem) and "accepted" not in str(problem):
            raise
        return None


@pytest.mark.filterwarnings(f"ignore::{CertificateWarning.__module__}.CertificateWarning")
@pytest.mark.parametrize(("mode", "error", "scale"), CASES)
def test_class_conditional_errors(mode, error, scale, monkeypatch):
    monkeypatch.setattr(_compress, "WORTH", np.inf)  # pick even where it does not pay
    # a mixture that answers by a hash is refused where inputs repeat (test_repeated_inputs)
    without = {"unbalanced", "discrete"} if mode == "progressive" else {"unbalanced"}
    places = {k: v for k, v in binary_laws().items() if k not in without}
    step = np.full(5, 0.8)  # one to six, with enough rows of the rare class to count
    places["one to six"] = Setting(datasets.GaussianPair(-step, step, prior=1 / 7), 160)
    tally = Tally(draws=160 * scale)
    for place, X, y, rng in rotating(places, tally.draws, seed=len(mode + error)):
        model = certified(place, X, y, rng, mode, error)
        if model is None:
            continue
        certificate, risks = model.certificate_, class_risks(place, model)
        codes = {"transfer": "transfer-classes", "progressive": "progressive-classes"}
        codes |= {"vote": "by-class-vote", "compress": "by-class", "selective": "by-class"}
        codes |= {"pac-bayes": "by-class-gibbs", "recursive": "by-class-gibbs"}
        assert certificate.code == codes[mode]
        truth = risks.max() if error == "classes" else risks.mean()
        tally.add(mode, certificate.unclipped, truth)
        seen = certificate.observed
        if seen is None:  # a vote
            seen = np.mean([e.vote.gibbs for e in certificate.inputs.classes.values()])
        tally.add("half of what was seen", 0.5 * seen, truth)
    assert tally.issued[mode] > 0.8 * tally.draws
    tally.check_valid(mode, DELTA)
    tally.check_caught("half of what was seen", DELTA)
