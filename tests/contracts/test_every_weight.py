"""Weights of every learner, setting by setting: k copies, no row at all, or what else they mean."""

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import linprog
from scipy.spatial.distance import cdist
from sklearn.base import clone, is_classifier, is_clusterer, is_regressor
from sklearn.utils.validation import has_fit_parameter

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from matrix.probes import MANY_STEPS, _by, agree  # noqa: E402
from matrix.samples import (  # noqa: E402
    COPIES,
    TARGET,
    TEXTS,
    THREE,
    TWO,
    N,
    X,
    answers,
    fitted,
    plain,
    rows,
    target,
)

from mercer import kernels, metrics  # noqa: E402
from mercer.learners import available  # noqa: E402
from mercer.learners._reasons import reasons  # noqa: E402
from mercer.learners.bayes import BayesPointMachine  # noqa: E402
from mercer.learners.large import NystroemKMeans  # noqa: E402
from mercer.learners.margin import AdaptiveMarginMachine, LeaveOneOutMachine  # noqa: E402

LEARNERS = {cls.__name__: cls for cls in available().values()}
WEIGHTED = [n for n, cls in LEARNERS.items() if has_fit_parameter(plain(cls), "sample_weight")]
RANDOM = np.random.default_rng(7)
HERE = np.where(np.arange(N) % 5 == 0, 0, 1)  # a fifth of the rows is not there
SETTINGS = ("plain", "sparse", "three classes", "two targets", "objects", "precomputed")

PRECISION = "a weight is the precision of a target: what is learned of the noise differs"
TIES = "texts have few different distances, and the optimum is not unique among equal ones"
NOT_COPIES = {
    ("GaussianProcessRegressor", "two targets"): PRECISION,
    ("GaussianProcessRegressor", "objects"): PRECISION,
    ("SparseGaussianProcessRegressor", "two targets"): PRECISION,
    ("SparseGaussianProcessRegressor", "objects"): PRECISION,
    ("Agglomerative", "objects"): TIES,
    ("LipschitzRegressor", "objects"): TIES,
}
DRAWN = {"NystroemKMeans"}  # seeds are drawn by the numbers of rows, which differ


@dataclass(frozen=True)
class Setting:
    """A model with the rows and targets that it is tried on."""

    model: Any
    rows: Any
    target: Any
    square: bool = False

    def part(self, index):
        """The same about some of the rows, some of them several times."""
        some = self.rows[np.ix_(index, index)] if self.square else self.rows[index]
        return some, None if self.target is None else self.target[index]


@cache
def setting(name, how):
    """How a learner is tried, or None if it cannot be."""
    cls = LEARNERS[name]
    model, lacks = plain(cls), reasons(cls)
    own, y, square = model.get_params(deep=False), target(model), rows(model) is not X
    if "tol" in own:
        model.set_params(tol=1e-8)
    if (own.get("max_iter") or 0) > MANY_STEPS:
        model.set_params(max_iter=MANY_STEPS)
    if how == "plain":
        return Setting(model, rows(model), y, square)
    if how == "sparse" and not square:
        return Setting(model, sparse.csr_array(X), y)
    if how == "three classes" and is_classifier(model) and "classes" not in lacks:
        return Setting(model, rows(model), THREE, square)
    if how == "two targets" and is_regressor(model) and "targets" not in lacks:
        return Setting(model, rows(model), np.column_stack([TARGET, -2.0 * TARGET[::-1]]), square)
    if how == "objects" and "objects" not in lacks:
        texts = np.array(TEXTS, dtype=object)
        return Setting(_by(model, kernels.Spectrum(2), metrics.Edit()), texts, y)
    if how == "precomputed" and "precomputed" not in lacks:
        by_distance = "metric" in own and "kernel" not in own
        matrix = cdist(X, X) if by_distance else kernels.Gaussian(1.0)(X)
        return Setting(_by(model, "precomputed", "precomputed"), matrix, y, True)
    return None


def tried(names):
    """All settings of these learners."""
    return [
        pytest.param(name, how, id=f"{name}-{how}")
        for name in names
        for how in SETTINGS
        if setting(name, how) is not None
    ]


def same(one, weight, of):
    """Raise unless a fit with whole weights answers as one on so many copies of each row."""
    index = np.repeat(np.arange(N), weight)
    kept, first = np.flatnonzero(weight), np.flatnonzero(np.diff(index, prepend=-1))
    heavy = fitted(one.model, one.rows, one.target, sample_weight=weight.astype(float))
    again = fitted(one.model, *of.part(index))
    if is_clusterer(one.model):  # clusters may be numbered in another order
        a, b = heavy.labels_[kept], again.labels_[first]
        assert_array_equal(a[:, None] == a, b[:, None] == b)
        return
    if one.square:
        asked = one.rows[kept], one.rows[np.ix_(kept, index)]
    else:
        asked = one.rows[kept], one.rows[kept]
    a, b = answers(heavy, asked[0]), answers(again, asked[1])
    agree(a[kept] if len(a) == N > len(kept) else a, b if len(b) == len(kept) else b[first])


SUMS = [n for n in WEIGHTED if "copies" not in reasons(LEARNERS[n])]


@pytest.mark.parametrize(("name", "how"), tried(SUMS))
def test_a_weight_of_two_is_two_copies(name, how):
    if (name, how) in NOT_COPIES:
        pytest.skip(NOT_COPIES[name, how])
    one = setting(name, how)
    same(one, COPIES, one)


@pytest.mark.parametrize(("name", "how"), tried([n for n in WEIGHTED if n not in DRAWN]))
def test_a_row_of_weight_zero_is_not_there(name, how):
    one = setting(name, how)
    same(one, HERE, one)


def test_exceptions_are_about_settings_that_there_are():
    for name, how in NOT_COPIES:
        assert name in SUMS
        assert setting(name, how) is not None
    assert set(WEIGHTED) >= DRAWN


def test_a_wrong_weight_is_noticed():
    """Of a machine that forgets its weights both tests fail."""
    one = setting("KernelRidge", "plain")

    class Forgetful(type(one.model)):
        def fit(self, X, y, sample_weight=None):
            return super().fit(X, y)

    forgetful = Setting(Forgetful(**one.model.get_params(deep=False)), one.rows, one.target)
    for weight in (COPIES, HERE):
        with pytest.raises(AssertionError):
            same(forgetful, weight, forgetful)


# -- what else a weight means ----------------------------------------------------------------------

MEANT_ELSEWHERE = {
    "KernelPerceptron": "tests/learners/test_perceptrons_of_several_classes.py",
    "Perceptron": "tests/learners/test_perceptrons_of_several_classes.py",
    "LandmarkDiffusionMap": "tests/learners/spectral/test_weights.py",
    "LandmarkSpectralClustering": "tests/learners/spectral/test_weights.py",
    "RelevanceVectorClassifier": "tests/learners/bayes/test_weights.py",
    "RelevanceVectorRegressor": "tests/learners/bayes/test_weights.py",
}
MEANT_HERE = {
    "AdaptiveMarginMachine",
    "LeaveOneOutMachine",
    "BayesPointMachine",
    "NystroemKMeans",
}


def test_every_other_meaning_has_a_test():
    others = {n for n in WEIGHTED if "copies" in reasons(LEARNERS[n])}
    assert others == set(MEANT_ELSEWHERE) | MEANT_HERE
    for name, path in MEANT_ELSEWHERE.items():
        text = (ROOT / path).read_text(encoding="utf-8")
        assert name in text
        assert "weight" in text


@pytest.mark.parametrize("machine", [AdaptiveMarginMachine(0.6), LeaveOneOutMachine()])
def test_a_weight_is_the_price_of_a_slack(machine):
    """(2.57) and (2.58) with prices, by HiGHS."""
    labels = np.where(np.arange(N) % 4 == 1, 1 - TWO, TWO)  # a quarter wrong
    kernel, price, y = kernels.Gaussian(2.0), 0.25 + COPIES**2, 2.0 * labels - 1.0
    K, lam = kernel(X), getattr(machine, "reg_param", 1.0)
    model = clone(machine).set_params(kernel=kernel).fit(X, labels, sample_weight=price)
    matrix = np.hstack([-(np.outer(y, y) * K - lam * np.diag(np.diag(K))), -np.eye(N)])
    cost = np.concatenate([np.zeros(N), price])
    slow = linprog(cost, A_ub=matrix, b_ub=-np.ones(N), bounds=(0, None)).fun
    assert model.objective_ == pytest.approx(slow, abs=1e-5)
    assert slow > model.slacks_.sum() + 1.0  # not the sum without prices


def test_a_weight_divides_the_noise_of_an_output():
    """A Bayes point of weighted rows lives in the version space of K + its noise."""
    kernel, weight = kernels.Gaussian(1.0), 0.5 * COPIES
    model = BayesPointMachine(kernel, reg_param=0.2, tol=0.05, random_state=0)
    model.fit(X, TWO, sample_weight=weight)
    K, y = kernel(X), 2.0 * TWO - 1.0
    noisy = K + np.diag(0.2 / weight) * np.mean(np.diagonal(K))
    length = np.sqrt(np.diagonal(noisy))
    assert_allclose(model.machines_[0].space.A, np.outer(y / length, y / length) * noisy)


def test_a_weight_counts_a_row_in_the_energy_of_clusters():
    """Landmarks are drawn whatever the weights; a row of weight 2 has twice its square."""
    model = NystroemKMeans(3, gamma=0.5, n_landmarks=20, random_state=0)
    weight = 0.5 + RANDOM.uniform(size=N)
    once, twice = (fitted(model, X, None, sample_weight=k * weight) for k in (1.0, 2.0))
    assert_array_equal(once.labels_, twice.labels_)
    assert twice.inertia_ == pytest.approx(2.0 * once.inertia_)
    heavy = fitted(model, X, None, sample_weight=np.where(np.arange(N) == 3, 1e6, 1.0))
    assert heavy.inertia_ < 10.0 * N  # a centre has gone to that row
