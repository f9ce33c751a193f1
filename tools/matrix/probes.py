"""One function per column of the table: it tries the capability, and raises if it is not there."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone, is_classifier, is_clusterer, is_regressor
from sklearn.utils.validation import has_fit_parameter

import mercer
from matrix.samples import COPIES, TARGET, TEXTS, THREE, TWO, X, answers, fitted, rows, target
from mercer import kernels, metrics


class Absent(Exception):
    """The capability was tried and is not there."""


@dataclass(frozen=True)
class Column:
    """A capability, whom it can be asked of, and how it is tried."""

    name: str
    asked: Callable[[Any], bool]
    probe: Callable[[Any], None]

    @property
    def meaning(self) -> str:
        """What a filled cell says."""
        return str(self.probe.__doc__)


COLUMNS: list[Column] = []
MANY_STEPS = 10_000


def column(
    name: str, asked: Callable[[Any], bool] = lambda model: True
) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """Enter a probe into the table."""

    def enter(probe: Callable[[Any], None]) -> Callable[[Any], None]:
        COLUMNS.append(Column(name, asked, probe))
        return probe

    return enter


def supervised(model: Any) -> bool:
    """Whether there are labels or numbers to learn."""
    return is_classifier(model) or is_regressor(model)


def need(there: bool, words: str) -> None:
    """Say what is missing."""
    if not there:
        raise Absent(words)


def agree(one: Any, two: Any, rtol: float = 1e-3) -> None:
    """Raise unless the answers are nearly the same."""
    assert_allclose(one, two, rtol=rtol, atol=2e-3 * max(1.0, float(np.ptp(two))))


@column("classes", is_classifier)
def several_classes(model: Any) -> None:
    """More than two classes, without a wrapper put around by hand."""
    found = fitted(model, rows(model), THREE)
    need(len(found.classes_) == 3, "knows fewer than three classes")
    need(np.mean(found.predict(rows(model)) == THREE) > 0.8, "does not learn them")


@column("targets", is_regressor)
def several_targets(model: Any) -> None:
    """Several numbers per row."""
    both = np.column_stack([TARGET, -2.0 * TARGET[::-1]])
    found = fitted(model, rows(model), both).predict(rows(model))
    need(found.shape == both.shape, "answers one target")
    left = np.sum((found - both) ** 2, axis=0) / np.sum((both - both.mean(axis=0)) ** 2, axis=0)
    need(bool(np.all(left < 0.9)), "does not learn them")


@column("weights")
def weights(model: Any) -> None:
    """`fit` takes `sample_weight`."""
    need(has_fit_parameter(model, "sample_weight"), "fit takes no sample_weight")
    X, y = rows(model), target(model)
    heavy = fitted(model, X, y, sample_weight=1.0 * COPIES)
    agree(answers(heavy, X), answers(fitted(model, X, y, sample_weight=1.0 * COPIES), X))


@column("copies")
def copies(model: Any) -> None:
    """A weight of k is the same as k copies of the row."""
    need(has_fit_parameter(model, "sample_weight"), "fit takes no sample_weight")
    own = model.get_params(deep=False)
    if "tol" in own:
        model = clone(model).set_params(tol=1e-8)
    if (own.get("max_iter") or 0) > MANY_STEPS:  # a mean of draws has no last digit to go on for
        model.set_params(max_iter=MANY_STEPS)
    y, repeated = target(model), np.repeat(np.arange(len(X)), COPIES)
    heavy = fitted(model, rows(model), y, sample_weight=1.0 * COPIES)
    twice = fitted(model, rows(model, X[repeated]), None if y is None else y[repeated])
    first = np.flatnonzero(np.diff(repeated, prepend=-1))
    both = rows(model, X[repeated])
    ask = both[first] if both.shape[1] == len(both) else X
    if is_clusterer(model):  # clusters may be numbered in another order
        one, two = heavy.labels_, twice.labels_[first]
        assert_array_equal(one[:, None] == one, two[:, None] == two)
        return
    one, two = answers(heavy, rows(model)), answers(twice, ask)
    agree(one, two if len(two) == len(one) else two[first])


@column("sparse")
def sparse_rows(model: Any) -> None:
    """Sparse rows give what dense ones give."""
    need(rows(model) is X, "takes matrices of all pairs")
    thin = sparse.csr_array(X)
    need_close(answers(fitted(model, thin, target(model)), thin), model)


@column("float32")
def single_precision(model: Any) -> None:
    """Single precision gives nearly the same."""
    small = rows(model).astype(np.float32)
    need_close(answers(fitted(model, small, target(model)), small), model)


def need_close(found: np.ndarray, model: Any) -> None:
    """As the dense, double rows would have it; the labels of a clustering may be named anew."""
    expected = answers(fitted(model, rows(model), target(model)), rows(model))
    if is_clusterer(model) and found.ndim == 1:
        assert len(np.unique(found)) == len(np.unique(expected))
    elif is_classifier(model):
        need(np.mean((found > 0) != (expected > 0)) <= 0.1, "answers differ")
    else:
        assert_allclose(abs(found), abs(expected), atol=2e-2 * float(np.ptp(expected)))


def _by(model: Any, kernel: Any, metric: Any) -> Any:
    """The model with another way to compare two rows."""
    own = model.get_params(deep=False)
    if "estimator" in own:
        inner = mercer.SVC if is_classifier(model) else mercer.SVR
        return clone(model).set_params(estimator=inner(kernel=kernel))
    if "affinity" in own and isinstance(kernel, str):
        return clone(model).set_params(affinity="precomputed")
    name = next((name for name in ("kernel", "metric") if name in own), None)
    need(name is not None, "has neither kernel nor metric")
    model = clone(model).set_params(**{name: kernel if name == "kernel" else metric})
    return model.set_params(optimizer=None) if "optimizer" in own else model


@column("objects")
def objects(model: Any) -> None:
    """Texts, by a kernel or a distance between them."""
    other = _by(model, kernels.Spectrum(2), metrics.Edit())
    found = fitted(other, TEXTS, target(model))
    need(len(answers(found, TEXTS)) == len(TEXTS), "answers not every object")


@column("precomputed")
def all_pairs(model: Any) -> None:
    """A matrix of all pairs."""
    kernel, distances = kernels.Gaussian(1.0), cdist(X, X)
    own = model.get_params(deep=False)
    matrix = distances if "metric" in own and "kernel" not in own else kernel(X)
    found = fitted(_by(model, "precomputed", "precomputed"), matrix, target(model))
    need(len(answers(found, matrix)) == len(X), "answers not every row")


@column("proba", is_classifier)
def probabilities(model: Any) -> None:
    """`predict_proba`, whose most probable class is the predicted one."""
    if "probability" in model.get_params(deep=False):
        model = clone(model).set_params(probability=True)
    if "estimator__probability" in model.get_params():
        model = clone(model).set_params(estimator__probability=True, estimator__random_state=0)
    found = fitted(model, rows(model), target(model))
    need(hasattr(found, "predict_proba"), "has no predict_proba")
    shares = found.predict_proba(rows(model))
    assert_allclose(shares.sum(axis=1), 1.0)
    likely = found.classes_[shares.argmax(axis=1)]
    need(np.mean(likely == found.predict(rows(model))) >= 0.9, "does not agree with predict")


@column("decision", is_classifier)
def outputs(model: Any) -> None:
    """`decision_function`, whose sign is the predicted class."""
    found = fitted(model, rows(model), TWO)
    need(hasattr(found, "decision_function"), "has no decision_function")
    positive = np.asarray(found.decision_function(rows(model))) >= 0
    assert_array_equal(found.classes_[positive.astype(int)], found.predict(rows(model)))


@column("partial_fit")
def streams(model: Any) -> None:
    """`partial_fit`."""
    model = clone(model)
    need(hasattr(model, "partial_fit"), "has no partial_fit")
    y, all_rows = target(model), rows(model)
    parts = [np.arange(0, len(X), 2), np.arange(1, len(X), 2)]
    options = {"classes": [0, 1]} if is_classifier(model) else {}
    for part in parts:
        model.partial_fit(all_rows[part], None if y is None else y[part], **options)
        options = {}
    need(len(answers(model, all_rows)) == len(X), "answers not every row")


@column("saved")
def stored(model: Any) -> None:
    """`mercer.save` and `mercer.load` give the same answers."""
    found = fitted(model, rows(model), target(model))
    with tempfile.TemporaryDirectory() as folder:
        again = mercer.load(mercer.save(found, Path(folder) / "model.mercer"))
    assert_array_equal(answers(again, rows(model)), answers(found, rows(model)))


@column("warm_start")
def warm(model: Any) -> None:
    """`warm_start`."""
    need("warm_start" in model.get_params(deep=False), "has no warm_start")
    found = fitted(clone(model).set_params(warm_start=True), rows(model), target(model))
    before = answers(found, rows(model))
    agree(answers(found.fit(rows(model), target(model)), rows(model)), before, rtol=0.05)


@column("time_limit")
def limited(model: Any) -> None:
    """`time_limit` ends in a model."""
    need("time_limit" in model.get_params(deep=False), "has no time_limit")
    found = fitted(clone(model).set_params(time_limit=1e-6), rows(model), target(model))
    need(len(answers(found, rows(model))) == len(X), "leaves no model")


@column("progress")
def told(model: Any) -> None:
    """`verbose` shows the progress of a fit."""
    need("verbose" in model.get_params(deep=False), "has no verbose")
    with redirect_stderr(StringIO()) as seen:
        fitted(clone(model).set_params(verbose=True), rows(model), target(model))
    need(bool(seen.getvalue().strip()), "shows nothing")


@column("frames")
def frames(model: Any) -> None:
    """Frames of pandas and polars, their columns known by name."""
    import pandas
    import polars

    need(rows(model) is X, "takes matrices of all pairs")
    plainly = answers(fitted(model, X, target(model)), X)
    names = list("abc")
    kinds = (partial(pandas.DataFrame, columns=names), partial(polars.DataFrame, schema=names))
    for make in kinds:
        found = fitted(model, make(X), target(model))
        need(list(found.feature_names_in_) == names, "forgets the names of columns")
        assert_array_equal(answers(found, make(X)), plainly)


@column("set_output", lambda model: hasattr(model, "transform"))
def named_output(model: Any) -> None:
    """`set_output` gives frames."""
    named = clone(model).set_output(transform="pandas")
    found = named.fit_transform(rows(model), target(model))
    need(found.shape[0] == len(X) and hasattr(found, "columns"), "gives no frame")


@column("certificate", supervised)
def certificate(model: Any) -> None:
    """A bound speaks about a plain fit."""
    if "certify" in model.get_params(deep=False):
        model = clone(model).set_params(certify="in-sample")
    found = fitted(model, rows(model), target(model))
    need(hasattr(found, "evidence_"), "publishes no evidence")
    need(bool(found.certificates_), "no bound applies")
