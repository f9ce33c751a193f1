"""Learners over rows in parts: what they learn from the same rows in memory, on any engine."""

import pickle
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

import mercer
from mercer import SVC, SVR, KernelRidge
from mercer.kernels import Gaussian, Spectrum
from mercer.learners import (
    CellClassifier,
    CellDetector,
    CellRegressor,
    KernelKMeans,
    KMeans,
    KNNClassifier,
    LandmarkDiffusionMap,
    LandmarkSpectralClustering,
    Nystroem,
    NystroemClassifier,
    NystroemKMeans,
    NystroemPCA,
    NystroemRidge,
    RegularizedRiskRegressor,
)
from mercer.learners._passes import RowsInMemory
from mercer.learners.bayes import SparseGaussianProcessRegressor
from mercer.learners.large import cut_rows
from mercer.learners.large._quantile import counted_quantile
from mercer.learners.template import Kind, TrainingSample
from mercer.losses import Quantile

RNG = np.random.default_rng(3)
X = RNG.normal(size=(600, 3)) + 3.0 * RNG.integers(0, 2, 600)[:, None]
TARGET = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=600)
LABEL = np.array(["a", "b", "c"])[np.digitize(X.sum(axis=1), [2.0, 8.0])]
WEIGHT = RNG.uniform(0.5, 2.0, 600)


def made(start, stop, size, y, weight):
    """The batches of a part."""
    for first in range(start, stop, size):
        rows = slice(first, min(first + size, stop))
        given = (X[rows], None if y is None else y[rows], None if weight is None else weight[rows])
        yield given if y is not None or weight is not None else given[0]


def parts(y=None, weight=None, size=70):
    """Three parts and an empty one."""
    ends = [0, 250, 250, 400, 600]
    return [partial(made, a, b, size, y, weight) for a, b in pairwise(ends)]


LEARNERS = {
    "ridge": (NystroemRidge(0.1, n_landmarks=40, random_state=0), TARGET),
    "cg": (NystroemRidge(0.1, n_landmarks=40, solver="cg", tol=1e-12, random_state=0), TARGET),
    "labels": (NystroemClassifier(n_landmarks=40, tol=1e-9, random_state=0), LABEL),
    "logistic": (
        NystroemClassifier(n_landmarks=40, loss="logistic", tol=1e-9, random_state=0),
        LABEL,
    ),
    "process": (
        SparseGaussianProcessRegressor(
            Gaussian(1.0),
            n_inducing=30,
            subset=100,
            refine=3,
            n_restarts_optimizer=0,
            random_state=0,
        ),
        TARGET,
    ),
    "components": (NystroemPCA(3, n_landmarks=40, random_state=0), None),
    "coordinates": (Nystroem(n_components=40, random_state=0), None),
    "diffusion": (LandmarkDiffusionMap(2, n_landmarks=60, random_state=0), None),
    "clusters": (LandmarkSpectralClustering(2, n_landmarks=60, random_state=0), None),
}
SEEDED = {  # where rows are drawn by their place among the parts
    "means": (KMeans(3, random_state=0), None),
    "kernel means": (NystroemKMeans(3, gamma=0.2, n_landmarks=40, random_state=0), None),
}  # fmt: skip


def answer(model):
    """At the rows."""
    for name in ("decision_function", "transform", "predict"):
        if hasattr(model, name):
            return getattr(model, name)(X)
    raise AssertionError


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_parts_teach_what_the_rows_in_memory_teach(name, weighted):
    model, y = LEARNERS[name]
    weight = WEIGHT if weighted else None
    if weighted and name in ("components", "coordinates"):
        pytest.skip("takes no weights")
    options = {} if weight is None else {"sample_weight": weight}
    whole = model.fit(X, y, **options) if y is not None else model.fit(X, **options)
    expected = answer(whole)
    found = model.fit_rows(parts(y, weight))
    assert found is model
    assert_allclose(answer(model), expected, rtol=1e-6, atol=1e-7)
    assert model.fitted_.n == 600
    assert not hasattr(model, "labels_")
    assert not hasattr(model, "embedding_")


@pytest.mark.parametrize("name", LEARNERS | SEEDED)
def test_threads_have_the_bits_of_the_loop(name):
    model, y = (LEARNERS | SEEDED)[name]
    expected = answer(model.fit_rows(parts(y)))
    assert answer(model.fit_rows(parts(y), engine=2)).tobytes() == expected.tobytes()


def test_rows_drawn_stand_for_all_where_there_are_more(monkeypatch):
    monkeypatch.setattr("mercer.learners._passes.SAMPLE", 100)
    model = NystroemRidge(0.1, n_landmarks=80, random_state=0).fit_rows(parts(TARGET))
    rows = {row.tobytes() for row in X}
    assert all(row.tobytes() in rows for row in model.landmarks_)
    assert model.fitted_.moments.mass == 600
    assert model.score(X, TARGET) > 0.95
    again = NystroemRidge(0.1, n_landmarks=80, random_state=0).fit_rows(parts(TARGET, size=31))
    assert_allclose(again.landmarks_, model.landmarks_)  # however the parts were cut into batches


def test_k_means_over_parts_is_near_the_best_of_many_runs():
    best = min(KMeans(6, n_init=5, random_state=s).fit(X).inertia_ for s in range(3))
    model = KMeans(6, random_state=0).fit_rows(parts())
    assert model.inertia_ < 1.1 * best
    assert np.all(np.diff(model.inertia_history_) <= 1e-9 * model.inertia_)
    assert_allclose(-model.score(X), model.inertia_, rtol=1e-9)
    same = KMeans(6, init=X[:6], tol=0.0).fit(X)
    assert_allclose(
        KMeans(6, init=X[:6], tol=0.0).fit_rows(parts()).cluster_centers_,
        same.cluster_centers_,
        rtol=1e-9,
    )


def test_all_rows_as_landmarks_give_the_clusters_of_kernel_k_means():
    best = min(KernelKMeans(3, gamma=0.2, n_init=3, random_state=s).fit(X).inertia_ for s in (0, 1))
    model = NystroemKMeans(3, gamma=0.2, n_landmarks=600, tol=0.0, random_state=0).fit(X)
    assert model.inertia_ == pytest.approx(best, rel=0.02)
    assert np.all(np.diff(model.inertia_history_) <= 1e-9)
    assert np.array_equal(model.labels_, model.predict(X))
    few = NystroemKMeans(3, gamma=0.2, n_landmarks=60, random_state=0).fit_rows(parts())
    assert few.inertia_ < 1.1 * best
    assert len(np.unique(few.predict(X))) == 3


def test_weights_of_k_means_over_parts_are_copies():
    weight = RNG.integers(1, 4, 600).astype(float)
    start = X[:4]
    weighed = KMeans(4, init=start).fit_rows(parts(weight=weight))
    copies = [lambda: iter([np.repeat(X, weight.astype(int), axis=0)])]
    assert_allclose(
        weighed.cluster_centers_, KMeans(4, init=start).fit_rows(copies).cluster_centers_
    )


def test_strings_come_in_parts_at_landmarks():
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("ab" if i % 2 else "aab"), 30)) for i in range(200)]
    y = np.arange(200) % 2
    model = NystroemClassifier(10.0, kernel=Spectrum(3), n_landmarks=50, random_state=0)
    halves = [lambda: [(texts[:90], y[:90])], lambda: [(texts[90:], y[90:])]]
    expected = model.fit(texts, y).decision_function(texts)
    assert_allclose(model.fit_rows(halves).decision_function(texts), expected, atol=1e-6)


def test_conjugate_gradients_and_sums_solve_the_same_problem():
    options = {"n_landmarks": 150, "random_state": 0}
    both = np.column_stack([TARGET, np.cos(X[:, 2])])
    for y in (TARGET, both):
        for offset in (True, False):
            sums = NystroemRidge(0.3, fit_intercept=offset, solver="sums", **options)
            steps = NystroemRidge(0.3, fit_intercept=offset, solver="cg", tol=1e-12, **options)
            assert_allclose(
                steps.fit(X, y, WEIGHT).predict(X), sums.fit(X, y, WEIGHT).predict(X), atol=1e-6
            )
            assert 1.0 <= steps.condition_ < 100  # landmarks tell nearly what the system is
            assert steps.n_iter_ < 60
    assert not hasattr(steps, "partial_fit")
    with pytest.raises(ValueError, match="keep no sums"):
        steps.merge(steps)


def test_steps_that_are_not_enough_are_told():
    from sklearn.exceptions import ConvergenceWarning

    with pytest.warns(ConvergenceWarning, match="1 steps were not enough"):
        NystroemRidge(0.01, n_landmarks=50, solver="cg", max_iter=1, random_state=0).fit(X, TARGET)


def test_components_go_on_with_more_rows_and_are_joined():
    import copy

    whole = NystroemPCA(3, n_landmarks=40, random_state=0).fit(X[:300])
    other = copy.deepcopy(whole)
    one = copy.deepcopy(whole).partial_fit(X[300:])
    assert one.fitted_.n == 600
    other.fitted_ = other.partial_fit(X[300:450]).fitted_
    rest = copy.deepcopy(whole)
    landmarks, both = whole.fitted_.landmarks, whole.landmarks_
    assert len(both) == 40
    phi = landmarks.coordinates(X)
    values = np.linalg.eigvalsh((phi - phi.mean(axis=0)).T @ (phi - phi.mean(axis=0)))[::-1][:3]
    assert_allclose(one.eigenvalues_, values)
    doubled = rest.merge(whole)
    assert_allclose(doubled.eigenvalues_, 2 * whole.eigenvalues_)


def bad(rows):
    return [lambda: [rows]]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "functions"),
        ([X], "functions"),
        (bad(X[:0]), "minimum of 1|no rows"),
        ([lambda: []], "no rows"),
    ],
)
def test_what_is_no_rows_in_parts_is_told(given, words):
    with pytest.raises(ValueError, match=words):
        KMeans(2).fit_rows(given)


def test_a_batch_of_another_width_ends_the_fit_and_leaves_the_old_model():
    model = NystroemPCA(2, n_landmarks=20, random_state=0).fit(X)
    expected = model.transform(X)
    with pytest.raises(ValueError, match="2 features"):
        model.fit_rows([lambda: [X[:50], X[:50, :2]]])
    assert model.transform(X).tobytes() == expected.tobytes()


def test_a_matrix_of_all_pairs_does_not_come_in_parts():
    with pytest.raises(ValueError, match="matrix of all pairs"):
        NystroemRidge(kernel="precomputed").fit_rows(bad((X @ X.T, TARGET)))


CELLS = {
    "classes": (CellClassifier(SVC(C=10.0, gamma=0.5), cell_size=100, random_state=0), LABEL),
    "cuts": (CellClassifier(SVC(gamma=0.5), cell_size=150, n_cuts=2, random_state=0), LABEL),
    "neighbours": (CellClassifier(KNNClassifier(3), cell_size=100, random_state=0), LABEL),
    "numbers": (
        CellRegressor(KernelRidge(0.1, kernel="rbf", gamma=0.5), cell_size=100, random_state=0),
        TARGET,
    ),
    "quantile": (
        CellRegressor(
            RegularizedRiskRegressor(loss=Quantile(0.9), kernel="rbf", gamma=0.5),
            cell_size=100, random_state=0,
        ),
        TARGET,
    ),
    "outliers": (CellDetector(nu=0.1, cell_size=100, random_state=0), None),
}  # fmt: skip


@pytest.mark.parametrize("name", CELLS)
def test_cells_over_parts_are_those_in_memory(name, tmp_path):
    model, y = CELLS[name]
    whole = model.fit(X, y) if y is not None else model.fit(X)
    expected = whole.predict(X)
    cells = whole.n_cells_
    model.fit_rows(parts(y), work=tmp_path)
    assert model.n_cells_ == cells > 3
    if y is None or y is TARGET:
        assert_allclose(model.predict(X), expected, rtol=1e-9, atol=1e-9)
    else:
        assert np.array_equal(model.predict(X), expected)
    assert not list(tmp_path.iterdir())  # what was written is gone
    threads = clone(model).fit_rows(parts(y), engine=2)
    assert answer(threads).tobytes() == answer(model).tobytes()


def test_weights_of_cells_over_parts():
    model = CellClassifier(SVC(gamma=0.5), cell_size=100, random_state=0)
    expected = model.fit(X, LABEL, WEIGHT).decision_function(X)
    found = model.fit_rows(parts(LABEL, WEIGHT)).decision_function(X)
    assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.999, 2.0])
def test_a_quantile_from_counts_is_that_of_the_sorted_values(share):
    values = np.concatenate([RNG.normal(size=400), [-np.inf, 0.0, -0.0], np.repeat(0.5, 50)])
    weight = RNG.uniform(0.5, 2.0, len(values))
    sample = TrainingSample(values[:, None], None, weight, Kind.VECTORS)
    found = counted_quantile(RowsInMemory(sample), lambda b: (b.X[:, 0], b.weight), share)
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order]) > share * weight.sum()
    assert found == values[order[int(reached.argmax()) if reached.any() else -1]]


@pytest.mark.parametrize("name", CELLS)
def test_a_part_may_be_any_size_as_its_rows_are_cut_in_stretches(name, monkeypatch):
    model, y = CELLS[name]
    expected = answer(model.fit_rows(parts(y))).tobytes()
    one_part = [lambda: made(0, 600, 70, y, None)]
    whole = answer(model.fit_rows(one_part)).tobytes()
    sizes = []
    real = cut_rows.ordered

    def seen(pieces, *given):
        held = list(pieces)
        sizes.append(sum(len(Z) for Z, *_ in held))
        return real(held, *given)

    monkeypatch.setattr(cut_rows, "ordered", seen)
    monkeypatch.setattr(cut_rows, "STRETCH", 150 * X[0].nbytes)
    assert answer(model.fit_rows(parts(y))).tobytes() == expected
    assert answer(model.fit_rows(one_part)).tobytes() == whole
    assert max(sizes) <= 150 + 70


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (CellClassifier(SVC(C=10.0, gamma=0.5), cell_size=300, random_state=0), LABEL),
        (CellRegressor(SVR(gamma=0.5), cell_size=300, random_state=0), TARGET),
    ],
)
def test_machines_over_parts_keep_what_answers_need(model, y, tmp_path):
    whole = clone(model).fit(X, y)
    model.fit_rows(parts(y))
    alone = clone(model.estimator).fit(X[:300], y[:300])
    kept = next(one for one in model.estimators_ if one is not None)
    assert len(pickle.dumps(kept.fitted_)) < 0.5 * len(pickle.dumps(alone.fitted_))
    one = next(one for one in model.estimators_ if one is not None)
    with pytest.raises(AttributeError, match="only what answers need"):
        one.solutions_  # noqa: B018
    assert_allclose(answer(model), answer(whole), atol=1e-8)
    mercer.save(model, tmp_path / "m.mercer")
    assert answer(mercer.load(tmp_path / "m.mercer")).tobytes() == answer(model).tobytes()
