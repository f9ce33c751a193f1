"""In-sample bounds on fitted machines, over eight laws with known risk; broken twins are caught."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from helpers_learner_laws import (
    Setting,
    Tally,
    binary_laws,
    evaluated,
    in_sample_bounds,
    rotating,
)
from mercer import SVC, NuSVC, datasets
from mercer.bounds import get
from mercer.kernels import Laplacian

DELTA, DRAWS = 0.1, 160
slow = pytest.mark.slow

# Nothing here is read off the data, so every bound covers everything.
MACHINES = {
    "gaussian": SVC(gamma=0.1),
    "gaussian, no offset, heavily regularised": SVC(gamma=0.1, C=2e-3, fit_intercept=False),
    "linear": SVC(kernel="linear"),
    "polynomial": SVC(kernel="poly", degree=2, gamma=0.1, coef0=1.0),
    "laplacian, rough": SVC(kernel=Laplacian(2.0), C=10.0),
    "squared hinge": SVC(gamma=0.1, loss="squared_hinge"),
    "nu": NuSVC(gamma=0.1, nu=0.3),
}
QUICK = ("gaussian, no offset, heavily regularised", "linear")
EXPECTED = {
    "gaussian": {"compression", "gaussian-margin", "rademacher", "scenario"},
    "gaussian, no offset, heavily regularised": {
        "gaussian-margin", "gaussian-margin-gibbs", "rademacher", "scenario", "stability",
    },
    "linear": {"cap-margin", "compression", "scenario", "vc", "vc-relative", "vc-zero-error"},
    "polynomial": {"compression", "scenario", "vc", "vc-relative"},
    "laplacian, rough": {"compression", "gaussian-margin", "scenario"},
    "squared hinge": {"compression", "gaussian-margin", "scenario"},
    "nu": {"compression", "scenario", "gaussian-margin"},
}  # fmt: skip
names = pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=slow) for n in MACHINES]
)


def gibbs_risk(place, model, certificate):
    """N(μw/‖w‖, I) errs at (x, y) with probability Φ(−μ·y·f(x)/(‖w‖·‖φ(x)‖)); no offset here."""
    ratio = model.decision_function(place.X) / (
        model.evidence_.norm * np.sqrt(model.kernel_.diag(place.X))
    )
    miss = ndtr(-certificate.details["mu"] * ratio)
    return place.mean(place.posterior[:, 1] * miss + place.posterior[:, 0] * (1 - miss))


def broken_twins(evidence, delta):
    """What the statements become when the price of complexity is forgotten."""
    yield "training error", evidence.errors / evidence.n
    kept = evidence.compression
    if kept is not None:
        free = replace(evidence, compression=replace(kept, size=0))
        for code in ("scenario", "compression"):
            yield f"{code}, kept rows for nothing", get(code)().evaluate(free, delta).unclipped


@functools.cache
def tally_of(name, scale):
    tally = Tally(draws=DRAWS * scale)
    for place, X, y, _ in rotating(binary_laws(), tally.draws, seed=len(name)):
        try:
            model = MACHINES[name].set_params(delta=DELTA).fit(X, y)
        except (ValueError, UserWarning):  # nu does not fit the data: no model, no claim
            assert isinstance(MACHINES[name], NuSVC)
            continue
        risk = place.risk(model)
        for code, certificate in in_sample_bounds(model.evidence_, DELTA):
            if certificate.classifier == "deterministic":
                tally.add(code, certificate.unclipped, risk)
            elif model.evidence_.offset is None:
                tally.add(code, certificate.unclipped, gibbs_risk(place, model, certificate))
        sharp = get("stability")(tau=0.02)
        for label, certificate in evaluated("stability, tau", sharp, model.evidence_, DELTA):
            tally.add(label, certificate.unclipped, risk)
        if model.certificate_ is not None:  # the declared set, δ divided over it
            tally.add("declared", model.certificate_.unclipped, risk)
        for label, value in broken_twins(model.evidence_, DELTA):
            tally.add(label, value, risk)
    return tally


@names
def test_every_applicable_bound_holds(name, scale):
    tally = tally_of(name, scale)
    issued = {code for code in tally.issued if code not in ("training error", "declared")}
    assert issued >= EXPECTED[name], EXPECTED[name] - issued
    for code in issued:
        if "for nothing" not in code:
            tally.check_valid(code, DELTA)
    tally.check_valid("declared", DELTA)


@names
def test_without_the_price_of_complexity_they_fail(name, scale):
    tally = tally_of(name, scale)
    tally.check_caught("training error", DELTA)
    for code in tally.issued:
        if "for nothing" in code:
            tally.check_caught(code, DELTA)


# --- several classes --------------------------------------------------------------------------

SCHEMES = {
    "ovo": SVC(gamma=0.02),
    "ovr": SVC(gamma=0.02, multi_class="ovr"),
    "dag": SVC(gamma=0.02, multi_class="dag"),
    "linear, ovo": SVC(kernel="linear"),
}


@pytest.mark.parametrize(
    "scheme", ["ovo", *(pytest.param(s, marks=slow) for s in list(SCHEMES)[1:])]
)
def test_several_classes(scheme, scale):
    tally = Tally(draws=100 * scale)
    codes = ["scenario", "gaussian-margin"] + (["compression", "rademacher"] if scale > 1 else [])
    place = {"waveform": Setting(datasets.Waveform(), 60)}
    for here, X, y, _ in rotating(place, tally.draws, seed=1):
        model = SCHEMES[scheme].fit(X, y)
        risk, evidence = here.risk(model), model.evidence_
        for code in codes:
            for _, certificate in evaluated(code, get(code)(), evidence, DELTA):
                tally.add(code, certificate.unclipped, risk)
        free = replace(evidence, compression=replace(evidence.compression, size=0))
        broken = get("scenario")().evaluate(free, DELTA)
        tally.add("kept rows for nothing", broken.unclipped, risk)
    assert set(tally.issued) >= set(codes)
    for code in set(tally.issued) - {"kept rows for nothing"}:
        tally.check_valid(code, DELTA)
    tally.check_caught("kept rows for nothing", DELTA)
