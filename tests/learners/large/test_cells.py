"""Machines in cells: the exact machine where there is one, close to it where there are many."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier

import mercer
from mercer.learners import CellClassifier, CellDetector, CellRegressor
from mercer.learners.large.cell_tree import BRANCHES, grow_cells, nearest
from mercer.learners.regression.risk_regressor import RegularizedRiskRegressor
from mercer.losses import Quantile

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3000, 3))
Y = X[:, 0] * X[:, 1] > 0
THREE = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.1 * RNG.normal(size=3000), [-0.5, 0.5])]
TARGET = np.sin(3 * X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=3000)


@pytest.mark.parametrize("size", [100, 700, 20])
def test_cells_are_small_and_a_row_is_in_the_nearest(size):
    tree = grow_cells(X, size, 0)
    cells = tree.assign(X)
    assert np.bincount(cells, minlength=tree.n_cells).max() <= size
    assert_array_equal(np.sort(np.concatenate(list(tree.members(X)))), np.arange(3000))
    for row in range(0, 3000, 500):  # by hand, down the tree
        node = 0
        while tree.count[node]:
            children = np.arange(tree.first[node], tree.first[node] + tree.count[node])
            gaps = np.linalg.norm(tree.centers[children] - X[row], axis=1)
            node = children[gaps.argmin()]
        assert tree.leaves[cells[row]] == node


def test_many_cells_need_several_levels():
    tree = grow_cells(X, 20, 0)
    assert tree.n_cells > BRANCHES
    assert np.sum(tree.count > 0) > 1


def test_equal_rows_cannot_be_cut():
    same = np.ones((500, 2))
    assert grow_cells(same, 100, 0).n_cells == 1
    mixed = np.vstack([same, np.zeros((5, 2))])
    assert grow_cells(mixed, 100, 0).n_cells <= 2


def test_sparse_rows_are_in_the_cells_of_dense_ones():
    tree = grow_cells(X, 200, 0)
    assert_array_equal(tree.assign(sparse.csr_array(X)), tree.assign(X))
    assert_array_equal(grow_cells(sparse.csr_array(X), 200, 0).assign(X), tree.assign(X))
    assert_array_equal(nearest(X[:3], X[:3]), [0, 1, 2])


def test_one_cell_is_the_machine_itself():
    whole = mercer.SVC(C=3.0).fit(X[:600], Y[:600])
    model = CellClassifier(mercer.SVC(C=3.0), cell_size=600).fit(X[:600], Y[:600])
    assert model.n_cells_ == 1
    assert_allclose(model.decision_function(X), whole.decision_function(X))
    ridge = mercer.KernelRidge(kernel="rbf")
    one = CellRegressor(ridge).fit(X[:600], TARGET[:600])
    assert_allclose(one.predict(X), ridge.fit(X[:600], TARGET[:600]).predict(X))


def test_each_cell_has_the_machine_of_its_rows():
    model = CellClassifier(mercer.SVC(C=3.0, gamma=0.5), cell_size=500, random_state=0).fit(X, Y)
    cells = model.cells_.assign(X)
    for cell in range(model.n_cells_):
        rows = cells == cell
        alone = mercer.SVC(C=3.0, gamma=0.5).fit(X[rows], Y[rows])
        assert_allclose(
            model.decision_function(X[rows]), alone.decision_function(X[rows]), rtol=1e-9
        )


def test_many_cells_are_nearly_as_good_as_one_machine():
    fresh = RNG.normal(size=(2000, 3))
    truth = fresh[:, 0] * fresh[:, 1] > 0
    exact = mercer.SVC(C=10.0).fit(X, Y).score(fresh, truth)
    model = CellClassifier(mercer.SVC(C=10.0), cell_size=400, random_state=0).fit(X, Y)
    assert model.score(fresh, truth) > exact - 0.05 > 0.7


def test_several_classes_of_which_cells_see_some():
    model = CellClassifier(mercer.SVC(C=10.0), cell_size=150, random_state=0).fit(X, THREE)
    seen = [1 if m is None else len(m.classes_) for m in model.estimators_]
    assert min(seen) == 1
    assert max(seen) == 3
    assert model.score(X, THREE) > 0.9
    values = model.decision_function(X)
    assert values.shape == (3000, 3)
    assert np.all(np.isfinite(values))
    assert np.mean(model.classes_[values.argmax(axis=1)] == model.predict(X)) > 0.98


def test_probabilities_are_those_of_the_cells():
    learner = mercer.SVC(C=10.0, probability=True, random_state=0)
    model = CellClassifier(learner, cell_size=300, random_state=0).fit(X, THREE)
    shares = model.predict_proba(X)
    assert_allclose(shares.sum(axis=1), 1.0)
    assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(X))
    assert not hasattr(CellClassifier(), "predict_proba")


@pytest.mark.parametrize("level", [0.1, 0.8])
def test_quantiles(level):
    learner = RegularizedRiskRegressor(loss=Quantile(level), C=10.0, kernel="rbf", gamma=1.0)
    model = CellRegressor(learner, cell_size=300, random_state=0).fit(X[:1200], TARGET[:1200])
    assert abs(np.mean(TARGET[:1200] <= model.predict(X[:1200])) - level) < 0.08


@pytest.mark.parametrize("nu", [0.05, 0.3])
def test_the_level_of_outliers_holds_over_all_cells(nu):
    model = CellDetector(nu=nu, cell_size=300, random_state=0).fit(X)
    assert abs(np.mean(model.predict(X) == -1) - nu) <= 1.001 / 3000
    assert_array_equal(model.predict(X) == 1, model.decision_function(X) >= 0)
    assert_array_equal(model.predict([[0.0, 0.0, 0.0], [9.0, 9.0, 9.0]]), [1, -1])


def test_what_has_no_coordinates_is_refused():
    with pytest.raises(ValueError, match="by their coordinates"):
        CellClassifier(mercer.SVC(kernel="precomputed")).fit(X @ X.T, Y)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        CellClassifier(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(3000))


def test_several_cuts_are_the_mean_of_single_ones():
    tree = grow_cells(X, 700, 0, 2)
    whole = np.concatenate(list(tree.members(X)))
    assert_array_equal(np.bincount(whole, minlength=3000), 2)
    model = CellClassifier(mercer.SVC(C=3.0, gamma=0.5), cell_size=700, n_cuts=2, random_state=0)
    model.fit(X, THREE)
    values = np.zeros((3000, 3))
    for root in range(2):
        for rows in (model.cells_.assign(X, root) == c for c in range(model.n_cells_)):
            if rows.any():
                alone = mercer.SVC(C=3.0, gamma=0.5).fit(X[rows], THREE[rows])
                found = alone.decision_function(X[rows])
                if len(alone.classes_) == 2:
                    found = np.column_stack([-found, found])
                less = np.repeat(found.min(axis=1, keepdims=True) - 1.0, 3, axis=1)
                less[:, np.searchsorted(model.classes_, alone.classes_)] = found
                values[rows] += less / 2
    assert_allclose(model.decision_function(X), values, rtol=1e-6, atol=1e-9)
    assert_array_equal(model.predict(X), model.classes_[values.argmax(axis=1)])


def test_two_cuts_of_numbers_and_probabilities_are_means():
    ridge = mercer.KernelRidge(0.1, kernel="rbf", gamma=0.5)
    two = CellRegressor(ridge, cell_size=1000, n_cuts=2, random_state=0).fit(X, TARGET)
    found = np.zeros(3000)
    for root in range(2):
        cells = two.cells_.assign(X, root)
        for cell in np.unique(cells):
            rows = cells == cell
            found[rows] += two.estimators_[cell].predict(X[rows]) / 2
    assert_allclose(two.predict(X), found)
    chances = CellClassifier(KNeighborsClassifier(), cell_size=1000, n_cuts=2, random_state=0)
    assert_allclose(chances.fit(X, Y).predict_proba(X).sum(axis=1), 1.0)
