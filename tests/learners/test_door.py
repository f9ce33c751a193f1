"""The door of all learners: what each kind of rows becomes, what is refused, with which words."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone

from mercer.kernels import Precomputed, Spectrum
from mercer.learners._door import Door, Kind
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner

rng = np.random.default_rng(0)
X = rng.normal(size=(6, 3))
Y = np.array([0.0, 1.0, 0.0, 1.0, 2.0, 1.0])
K = X @ X.T
D = np.abs(X[:, :1] - X[:, 0])
WORDS = ["aa", "ab", "ba", "bb", "abab", "a"]


class Probe(Learner):
    """Hands out what came through its door."""

    def __init__(self, kernel="rbf", metric=None, affinity=None, door=None):
        self.kernel = kernel
        self.metric = metric
        self.affinity = affinity
        self.door = door

    fit = Learner._fit

    @property
    def _door(self):
        return self.door

    def _train(self, sample):
        self.sample = sample
        return Fitted(**rows_of(sample))


def entered(door, X, y=None, weight=None, **arguments):
    return Probe(**arguments, door=door).fit(X, y, weight).sample


KERNEL, METRIC, AFFINITY = (Door(asks=asks) for asks in ("kernel", "metric", "affinity"))
CAME_AS = {
    "a list": (Door(), X.tolist(), {}, Kind.VECTORS, np.float64),
    "single precision": (Door(), X.astype(np.float32), {}, Kind.VECTORS, np.float32),
    "whole numbers": (Door(), np.arange(12).reshape(6, 2), {}, Kind.VECTORS, np.float64),
    "flags": (Door(), X > 0, {}, Kind.VECTORS, np.float64),
    "columns first": (Door(), np.asfortranarray(X), {}, Kind.VECTORS, np.float64),
    "double only": (Door(dtype=np.float64), X.astype("f4"), {}, Kind.VECTORS, np.float64),
    "sparse": (Door(), sparse.coo_array(X), {}, Kind.SPARSE, np.float64),
    "sparse and narrow": (Door(narrow=3), sparse.csc_array(X), {}, Kind.VECTORS, np.float64),
    "strings": (KERNEL, WORDS, {"kernel": Spectrum(2)}, Kind.OBJECTS, object),
    "for a function": (KERNEL, WORDS, {"kernel": max}, Kind.WHOLE, None),
    "a function of vectors": (Door(asks="kernel", functions="pairs"), X, {"kernel": max},
                              Kind.VECTORS, np.float64),
    "kernel values": (KERNEL, K, {"kernel": "precomputed"}, Kind.GRAM, np.float64),
    "by a kernel object": (KERNEL, K, {"kernel": Precomputed()}, Kind.GRAM, np.float64),
    "distances": (METRIC, D, {"metric": "precomputed"}, Kind.DISTANCES, np.float64),
    "similarities": (AFFINITY, K**2, {"affinity": "precomputed"}, Kind.SIMILARITY, np.float64),
    "sparse similarities": (AFFINITY, sparse.csr_array(K**2), {"affinity": "precomputed"},
                            Kind.SIMILARITY, np.float64),
}  # fmt: skip


@pytest.mark.parametrize("name", CAME_AS)
def test_rows_become(name):
    door, given, arguments, kind, dtype = CAME_AS[name]
    sample = entered(door, given, **arguments)
    assert sample.kind is kind
    assert sample.n == 6
    if dtype is not None:
        assert sample.X.dtype == dtype
    if isinstance(sample.X, np.ndarray) and sample.X.ndim == 2:
        assert sample.X.flags.c_contiguous
    if sparse.issparse(sample.X):
        assert sample.X.format == "csr"
        assert sample.X.has_sorted_indices
    if kind is Kind.WHOLE:
        assert sample.X is given


gap, large, bent = X.copy(), X.copy(), K.copy()
gap[2, 1], large[0, 0], bent[0, 1] = np.nan, 1e200, bent[0, 1] + 1.0
BAD = {
    "a gap": (Door(), gap, {}, ValueError, "NaN"),
    "squares overflow": (Door(), large, {}, ValueError, "square overflows"),
    "sparse refused": (Door(sparse=False), sparse.csr_array(X), {}, TypeError, "[Ss]parse"),
    "sparse kernel": (KERNEL, sparse.csr_array(K), {"kernel": "precomputed"}, TypeError, "Sparse"),
    "no square": (KERNEL, X, {"kernel": "precomputed"}, ValueError, "must be a square matrix"),
    "not symmetric": (KERNEL, bent, {"kernel": "precomputed"}, ValueError, r"K\[0, 1\]"),
    "negative distance": (METRIC, -D, {"metric": "precomputed"}, ValueError, "is no distance"),
    "flat": (Door(), X[:, 0], {}, ValueError, "2D array"),
    "too few": (Door(least=9), X, {}, ValueError, "minimum of 9"),
    "complex": (Door(), X + 1j, {}, ValueError, "Complex"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(name):
    door, given, arguments, error, words = BAD[name]
    with pytest.raises(error, match=words):
        entered(door, given, **arguments)


@pytest.mark.parametrize("arguments", [{}, {"kernel": Spectrum(2)}])
def test_targets(arguments):
    rows = WORDS if arguments else X
    many = np.column_stack([Y, Y])
    numbers = entered(Door("kernel", "numbers"), rows, many.astype(int), **arguments)
    assert numbers.y.shape == (6, 2)
    assert numbers.y.dtype == np.float64
    labels = entered(Door("kernel", "labels"), rows, Y.astype(int).astype(str), **arguments)
    assert labels.y.dtype.kind == "U"
    for targets in ("labels", "number"):
        with pytest.raises(ValueError, match=r"shape|1d array"):
            entered(Door("kernel", targets), rows, many, **arguments)
        with pytest.raises(ValueError, match="requires y"):
            entered(Door("kernel", targets), rows, None, **arguments)
        with pytest.raises(ValueError, match="inconsistent numbers"):
            entered(Door("kernel", targets), rows, Y[:4], **arguments)


def test_rows_of_weight_zero_stay_or_go():
    weight = np.array([1.0, 0.0, 2.0, 1.0, 0.0, 1.0])
    there = entered(Door(targets="number"), X, Y, weight)
    assert (there.n, there.dropped, there.kept) == (6, 2, None)
    gone = entered(Door(targets="number", weights="drop"), X, Y, weight)
    assert (gone.n, gone.dropped) == (4, 2)
    assert_array_equal(gone.X, X[[0, 2, 3, 5]])
    assert_array_equal(gone.y, Y[gone.kept])
    square = entered(Door("kernel", weights="drop"), K, None, weight, kernel="precomputed")
    assert_array_equal(square.X, K[np.ix_(gone.kept, gone.kept)])
    assert_array_equal(entered(Door(), X, None, 2.0).weight, np.full(6, 2.0))
    with pytest.warns(UserWarning, match="1 of 6 sample weights are negative"):
        assert entered(Door(), X, None, weight - 2 * (np.arange(6) == 0)).weight[0] == 0
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        entered(Door(), X, None, np.zeros(6))


def test_queries_are_what_the_training_rows_were():
    dense, thin = Probe(door=Door()).fit(X), Probe(door=Door()).fit(sparse.csr_array(X))
    assert sparse.issparse(thin._query(X))
    with pytest.raises(ValueError, match="trained on dense data"):
        dense._query(sparse.csr_array(X))
    with pytest.raises(ValueError, match="3 features"):
        dense._query(X[:, :2])
    words = Probe(kernel=Spectrum(2), door=KERNEL).fit(WORDS)
    assert words._query(["ab"]).dtype == object
    words.set_params(kernel="rbf")  # after fit: the rows stay what they were
    assert words._query(["ab"]).dtype == object


def test_a_failed_fit_leaves_the_old_model_whole():
    model = Probe(door=Door()).fit(X)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="NaN"):
        model.fit(gap[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.column_stack([gap, gap]))
    assert vars(model) == before
    fresh = clone(model)
    with pytest.raises(ValueError, match="NaN"):
        fresh.fit(gap)
    assert not hasattr(fresh, "n_features_in_")


def test_nothing_of_an_older_fit_stays():
    model = Probe(door=Door()).fit(X)
    model.left_over_ = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X[:, :2])
    assert not hasattr(model, "left_over_")
    assert model.n_features_in_ == 2
