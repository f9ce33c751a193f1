"""Learners know their training rows again: all of them, parts of them, from files, in streams."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import mercer
from mercer import kernels
from mercer.learners import LogisticClassifier, Perceptron, RidgeRegression, rows_seen
from mercer.learners.rows_seen import RowsSeen, as_trained, seen_by

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
Y = (X[:, 0] + rng.normal(size=60) > 0) * 1


def shared(learner, rows):
    fresh, old = seen_by(learner).again(as_trained(learner, rows))
    return int(np.isin(fresh, old).sum())


def test_rows_are_known_again_whatever_holds_them():
    model = LogisticClassifier().fit(X, Y)
    assert seen_by(model).n == 60
    for rows in (X, X[::-1], X.astype(np.float32), X.tolist(), sparse.csr_array(X)):
        assert shared(model, rows) == 60
    assert shared(model, X[:20]) == 20
    assert shared(model, X + 0.01) == 0
    sparse_one = LogisticClassifier().fit(sparse.csr_array(X), Y)
    assert shared(sparse_one, X) == 60


def test_texts_and_kernel_matrices_are_known_again():
    texts = [f"row {i}" for i in range(60)]
    model = mercer.SVC(kernel=kernels.Spectrum(2)).fit(texts, Y)
    assert shared(model, np.array(texts, dtype=object)) == 60
    assert shared(model, ["other"]) == 0
    gram = X @ X.T
    model = mercer.SVC(kernel="precomputed").fit(gram, Y)
    assert shared(model, gram[:7]) == 7
    assert shared(model, rng.normal(size=(5, 3)) @ X.T) == 0


def test_wide_kernel_matrices_are_known_by_some_columns():
    Z = rng.normal(size=(400, 3))
    model = mercer.SVC(kernel="precomputed").fit(Z @ Z.T, Z[:, 0] > 0)
    assert shared(model, Z[:9] @ Z.T) == 9


@pytest.mark.parametrize("learner", [LogisticClassifier(), mercer.SVC(), mercer.KernelRidge()])
def test_rows_of_weight_zero_were_not_trained_on(learner):
    """Whoever masks rows by their weights may count on them."""
    weight = np.where(np.arange(60) < 20, 0.0, 1.0)
    model = learner.fit(X, Y, sample_weight=weight)
    assert shared(model, X[:20]) == 0
    assert shared(model, X[20:]) == 40
    if isinstance(learner, mercer.SVC):
        model = mercer.SVC(kernel="precomputed").fit(X @ X.T, Y, sample_weight=weight)
        assert (shared(model, X[:20] @ X.T), shared(model, X[20:] @ X.T)) == (0, 40)


def test_streams_add_to_what_is_remembered():
    model = Perceptron()
    for i in range(60):
        model.partial_fit(X[i : i + 1], Y[i : i + 1], classes=[0, 1])
    seen = seen_by(model)
    assert (seen.n, shared(model, X)) == (60, 60)
    assert len(seen.chunks) <= 7  # a binary counter
    model.fit(X[:2], [0, 1])
    assert shared(model, X) == 2


def test_a_stream_that_began_unmarked_claims_to_know_nothing():
    model = Perceptron()
    with mercer.config(remember_rows=False):
        model.partial_fit(X[:30], Y[:30], classes=[0, 1])
    assert seen_by(model.partial_fit(X[30:], Y[30:])) is None


def test_a_warm_start_still_depends_on_earlier_rows():
    model = mercer.SVC(warm_start=True).fit(X[:40], Y[:40])
    model.fit(X[20:], Y[20:])
    assert (seen_by(model).n, seen_by(model).repeated) == (60, 0)
    assert shared(model, X) == 60


def test_marks_go_with_the_model(tmp_path):
    model = RidgeRegression().fit(X, Y)
    mercer.save(model, tmp_path / "model.mercer")
    for twin in (mercer.load(tmp_path / "model.mercer"), pickle.loads(pickle.dumps(model))):
        assert shared(twin, X) == 60


def test_what_is_not_to_be_remembered_is_not():
    with mercer.config(remember_rows=False):
        model = LogisticClassifier().fit(X, Y)
    assert seen_by(model) is None
    certificate = mercer.certify(model, X, Y)
    assert "nobody can tell" in certificate.about["checks"]["seen"][0]["words"]
    assert certificate.found == ()


def test_large_tables_leave_a_fair_sample(monkeypatch):
    monkeypatch.setattr(rows_seen, "MOST", 1000)
    table = rng.normal(size=(20_000, 2))
    seen = RowsSeen.of(table)
    assert 400 < len(seen.chunks[0]) < 600
    fresh, old = seen.again(table[:5000])
    assert np.isin(fresh, old).all()
    assert 80 < len(fresh) < 170
    for _ in range(10):
        seen = RowsSeen.of(rng.normal(size=(500, 2)), seen)
    assert seen.n == 25_000
    fresh, old = seen.again(table)
    assert np.isin(fresh, old).all()
    assert sum(map(len, seen.chunks)) <= 1000


def test_members_of_a_wrapper_leave_it_to_the_wrapper():
    model = mercer.learners.OneVsRest(mercer.SVC()).fit(X, np.arange(60) % 3)
    assert shared(model, X) == 60
    assert [seen_by(member) for member in model.estimators_] == [None] * 3


def test_a_failed_fit_leaves_the_old_marks():
    model = LogisticClassifier().fit(X, Y)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((4, 3), np.nan), [0, 1, 0, 1])
    assert shared(model, X) == 60
