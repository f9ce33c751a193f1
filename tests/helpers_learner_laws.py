"""Laws with known risk for real learners: draw, fit, certify, and compare with the truth.

Draws rotate over the laws, so a pool of 160 holds 20 of each of the eight. Inputs on which the risk
is measured are fixed per law, and the labels are integrated out exactly.
"""

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from helpers_validity import ACCEPT, COUNTED, REJECT, exact_p
from mercer import datasets
from mercer.bounds import Bound, NotApplicable, available

EVALUATED = 6000


@dataclass(frozen=True, eq=False)
class Setting:
    """A law, the number of rows drawn from it, and inputs to measure risks on."""

    law: datasets.Law
    n: int
    X: np.ndarray = field(init=False)
    posterior: np.ndarray = field(init=False)
    weight: np.ndarray | None = field(init=False)

    def __post_init__(self):
        finite = isinstance(self.law, datasets.DiscreteLaw)
        X = self.law.atoms if finite else self.law.sample(EVALUATED, random_state=10**6)[0]
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "posterior", self.law.posterior(X))
        object.__setattr__(self, "weight", self.law.mass if finite else None)

    def mean(self, values, where=None):
        """Expectation over the inputs, given ``where`` if there is such a mask."""
        weight = np.ones(len(values)) if self.weight is None else self.weight
        weight = weight if where is None else weight * where
        return float(np.average(values, weights=weight)) if weight.sum() > 0 else 0.0

    def wrong(self, prediction):
        """Conditional probability of error at each input."""
        hit = np.asarray(prediction)[:, None] == self.law.classes[None, :]
        return 1.0 - np.sum(self.posterior * hit, axis=1)

    def risk(self, model):
        return self.mean(self.wrong(model.predict(self.X)))


@cache
def binary_laws():
    """Eight laws: easy, curved, discrete, noisy, heavy-tailed, one to fifty."""
    discrete = datasets.make_discrete(2, n_atoms=24, noise=0.1, random_state=3)[2]
    step = np.full(5, 4.0 / (2.0 * np.sqrt(5.0)))
    return {
        "gaussian": Setting(datasets.GaussianPair([-1.0, 0.0], [1.0, 0.0]), 70),
        "twonorm": Setting(datasets.make_twonorm(2, random_state=0)[2], 70),
        "ringnorm": Setting(datasets.make_ringnorm(2, random_state=0)[2], 70),
        "waveform": Setting(datasets.Waveform((0, 1)), 70),
        "discrete": Setting(discrete, 70),
        "label noise": Setting(datasets.Xor(0.5, noise=0.15), 70),
        "heavy tails": Setting(datasets.StudentPair([1.5, 0.0], df=2.0), 70),
        "unbalanced": Setting(datasets.GaussianPair(-step, step, prior=1 / 51), 250),
    }


@dataclass
class Tally:
    """Certificates and truths of many draws, by name of the statement."""

    draws: int = 0
    wrong: dict[str, int] = field(default_factory=dict)
    issued: dict[str, int] = field(default_factory=dict)

    def add(self, name, value, truth, lower=0.0):
        """One statement: violated if the truth is above ``value`` or below ``lower``."""
        bad = value < truth - 1e-12 or lower > truth + 1e-12
        self.issued[name] = self.issued.get(name, 0) + 1
        self.wrong[name] = self.wrong.get(name, 0) + int(bad)

    def check_valid(self, name, delta):
        """A draw without a certificate made no claim and cannot be wrong."""
        COUNTED.append((name, self.wrong[name], self.draws, delta, False))
        p = exact_p(self.wrong[name], self.draws, delta)
        assert p > ACCEPT, f"{name}: {self.wrong[name]} violations in {self.draws} draws, p={p:.2g}"

    def check_caught(self, name, delta):
        COUNTED.append((name, self.wrong[name], self.issued[name], delta, True))
        p = exact_p(self.wrong[name], self.issued[name], delta)
        assert p < REJECT, f"{name} passed: {self.wrong[name]} of {self.issued[name]}, p = {p:.2g}"


def in_sample_bounds(evidence, delta):
    """Every bound (no estimate) that speaks about this evidence."""
    for code, bound in available().items():
        if bound.kind == "bound":
            yield from evaluated(code, bound(), evidence, delta)


def evaluated(name: str, bound: Bound, evidence, delta):
    try:
        yield name, bound.evaluate(evidence, delta)
    except NotApplicable:
        return


def rotating(settings, draws, seed):
    """(setting, X, y, rng) for every draw; a draw with a single class is a draw without a model."""
    rng = np.random.default_rng(seed)
    places = list(settings.values())
    for i in range(draws):
        place = places[i % len(places)]
        X, y = place.law.sample(place.n, rng)
        if len(np.unique(y)) > 1:
            yield place, X, y, rng
