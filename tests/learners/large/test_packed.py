"""Machines of cells in few arrays are the machines that were trained, to the last bit."""

import zipfile

import numpy as np
import pytest

import mercer
from mercer.learners import CellClassifier, CellRegressor, KNNClassifier
from mercer.learners.large.one_cell import trained_in_cell
from mercer.learners.large.packed import CellMachines, PackedMachines, _OneSum, pack

RNG = np.random.default_rng(5)
X = RNG.normal(size=(900, 3)).astype(np.float32)
LABELS = {2: (X[:, 0] > 0.2).astype(np.intp), 3: np.digitize(X[:, 0], [-0.5, 0.5])}
NEW = RNG.normal(size=(50, 3)).astype(np.float32)


def machines(learner, y, labels=True):
    """One without rows, one of a single label, and some of unequal size."""
    cuts = [(0, 0), (0, 150), (150, 400), (400, 410), (410, 900)]
    return [trained_in_cell(learner, X[a:b], y[a:b], np.ones(b - a), labels)[0] for a, b in cuts]


@pytest.mark.parametrize("many", [2, 3])
@pytest.mark.parametrize("scheme", ["ovo", "ovr"])
def test_classifiers_answer_as_before(many, scheme):
    shape = {"multi_class": scheme, "decision_function_shape": scheme}
    every = machines(mercer.SVC(C=3.0, gamma=0.5, **shape), LABELS[many])
    before = [m and (m.decision_function(NEW), m.predict(NEW), m.classes_) for m in every]
    found = pack(every)
    assert isinstance(found, PackedMachines)
    assert len(found) == 5
    for cell, was in enumerate(before):
        if was is None:
            assert found[cell] is None
            continue
        values, labels, classes = was
        np.testing.assert_array_equal(found[cell].decision_function(NEW), values)
        np.testing.assert_array_equal(found[cell].predict(NEW), labels)
        np.testing.assert_array_equal(found[cell].classes_, classes)


def test_regressors_answer_as_before():
    every = machines(mercer.SVR(C=3.0, gamma=0.5), X[:, 1].astype(float), labels=False)
    before = [m and m.predict(NEW) for m in every]
    found = pack(every)
    assert isinstance(found, PackedMachines)
    for cell in range(1, 5):
        np.testing.assert_array_equal(found[cell].predict(NEW), before[cell])


def test_what_differs_in_more_than_numbers_stays_a_list():
    y = LABELS[2]
    wide, narrow = (machines(mercer.SVC(gamma=g), y)[1:3] for g in (0.5, 2.0))
    assert isinstance(pack(list(wide)), PackedMachines)
    assert isinstance(pack([wide[0], narrow[1]]), list)  # two kernels
    assert isinstance(pack([*wide, KNNClassifier(1).fit(X, y)]), list)
    assert isinstance(pack(machines(KNNClassifier(1), y)), list)
    assert isinstance(pack(machines(mercer.SVC(probability=True, random_state=0), y)), list)


def test_machines_of_all_cells_are_a_sequence():
    every = machines(mercer.SVC(gamma=0.5), LABELS[2])
    values = [m and m.intercept_[0] for m in every]
    found = CellMachines.of([pack(every[:3]), [], pack(every[3:])])
    assert len(found) == 5
    assert [m and m.intercept_[0] for m in found] == values
    assert [m and m.intercept_[0] for m in found[1:3]] == values[1:3]
    assert found[-1].intercept_[0] == values[-1]
    with pytest.raises(IndexError):
        found[5]


def test_a_file_has_few_parts_and_the_same_answers(tmp_path):
    model = CellClassifier(mercer.SVC(gamma=0.5), cell_size=20, random_state=0)
    model.fit(X, LABELS[3])
    path = mercer.save(model, tmp_path / "m.mercer")
    assert model.n_cells_ > 40
    with zipfile.ZipFile(path) as archive:
        assert len(archive.namelist()) < 3 * model.n_cells_  # nine for each machine otherwise
    again = mercer.load(path)
    assert again.decision_function(NEW).tobytes() == model.decision_function(NEW).tobytes()
    assert again.predict(NEW).tobytes() == model.predict(NEW).tobytes()


def test_numbers_come_back_as_they_were():
    model = CellRegressor(mercer.SVR(gamma=0.5), cell_size=100, random_state=0).fit(X, X[:, 0])
    one = next(m for m in model.estimators_ if m is not None)
    assert type(one.fitted_.n) is int
    assert type(one.fitted_.shape) is tuple
    assert one.shape_fit_[0] <= 100
    assert len(one.support_vectors_) == one.n_support_.sum() == one.dual_coef_.shape[1]


@pytest.mark.parametrize("many", [2, 3])
def test_the_quick_way_has_the_bits_of_the_machines(many, monkeypatch):
    model = CellClassifier(mercer.SVC(gamma=0.5), cell_size=60, n_cuts=2, random_state=0)
    model.fit(X, LABELS[many])
    found = model.decision_function(NEW), model.predict(NEW)
    sums = [model.fitted_.models.quick(cell) for cell in range(model.n_cells_)]
    assert any(type(one) is _OneSum for one in sums) or many == 3
    assert not any(type(one) is _OneSum and len(one.classes_) > 2 for one in sums)
    monkeypatch.setattr(CellMachines, "quick", lambda self, cell, dense=True: self[cell])
    assert model.decision_function(NEW).tobytes() == found[0].tobytes()
    assert model.predict(NEW).tobytes() == found[1].tobytes()


def test_sums_of_regressions_and_classes_are_the_machines():
    for learner, y in ((mercer.SVC(gamma=0.5), LABELS[2]), (mercer.SVR(gamma=0.5), X[:, 1])):
        found = CellMachines.of([pack(machines(learner, y, learner.__class__ is mercer.SVC))])
        for cell in range(5):
            quick, whole = found.quick(cell), found[cell]
            if whole is None:
                assert quick is None
                continue
            assert type(quick) is _OneSum
            assert quick.predict(NEW).tobytes() == whole.predict(NEW).tobytes()
            assert quick.predict(NEW.astype(float)).tobytes() == whole.predict(NEW).tobytes()
        assert type(found.quick(1, dense=False)) is type(learner)
