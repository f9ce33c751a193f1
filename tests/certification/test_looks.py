"""Looks at the same rows are counted, told, shared, and written down only if asked."""

import json
import multiprocessing
import os
from collections import deque

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import mercer
from mercer._marks import cell_bits
from mercer.certification.core import look_columns, look_file, look_shelf, looks

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(120, 3)), RNG.integers(0, 2, 120)
OPTIONS = {"mode": "holdout", "train_fraction": 0.5}
HALF = {"mode": "holdout", "random_state": 0}


def look(seed=0, rows=slice(None), model=None, **more):
    model = GaussianNB() if model is None else model
    return mercer.certified_fit(
        model, X[rows], Y[rows], random_state=seed, **OPTIONS, **more
    ).certificate_


def test_the_second_look_says_so_and_the_first_does_not():
    first, second, third = look(0), look(1), look(2)
    assert first.found == ()
    assert first.about["look"] == {"k": 1, "spent": pytest.approx(0.05)}
    assert str(second).startswith("one of 2 numbers from these rows, which hold together")
    assert "the smallest too, with 90 % confidence;" in str(second)
    assert "with 85 % confidence;" in str(third)
    assert json.loads(json.dumps(third.to_dict()))["about"]["look"]["k"] == 3
    assert third.to_dict()["found"] == list(third.found)


def test_the_same_look_again_costs_nothing():
    for _ in range(2):
        assert [look(seed).about["look"]["k"] for seed in (0, 1, 0, 1, 2)] == [1, 2, 1, 2, 3]


def test_other_models_are_other_looks_and_other_rows_are_not():
    assert look(0).about["look"]["k"] == 1
    assert look(0, model=DecisionTreeClassifier(max_depth=1)).about["look"]["k"] == 2
    assert look(0, model=DecisionTreeClassifier(max_depth=2)).about["look"]["k"] == 3
    rng = np.random.default_rng(1)
    other, labels = rng.normal(size=(120, 3)), rng.integers(0, 2, 120)
    fresh = mercer.certified_fit(GaussianNB(), other, labels, random_state=0, **OPTIONS)
    assert fresh.certificate_.found == ()


def test_most_of_a_table_is_the_same_table():
    look(0)
    assert look(0, rows=slice(20, None)).about["look"]["k"] == 2
    assert mercer.certify(GaussianNB().fit(X[:9], Y[:9]), X[60:], Y[60:]).about["look"]["k"] == 3


def test_tables_of_few_values_share_rows_by_chance():
    rng = np.random.default_rng(2)
    for _ in range(3):
        table, labels = rng.integers(0, 2, (120, 3)), rng.integers(0, 2, 120)
        model = mercer.certified_fit(GaussianNB(), table, labels, random_state=0, **OPTIONS)
        assert model.certificate_.found == ()
    again = mercer.certified_fit(GaussianNB(), table, labels, random_state=1, **OPTIONS)
    assert again.certificate_.about["look"]["k"] == 2, "the very same table is known"


def test_the_same_records_with_other_columns_or_another_kernel_are_the_same_rows():
    def number(model, table, labels):
        fitted = mercer.certified_fit(model, table, labels, random_state=0, **OPTIONS)
        return fitted.certificate_.about["look"]["k"]

    some = ([0, 1, 2], [0, 1], [2, 1], [1])
    assert [number(GaussianNB(), X[:, columns], Y) for columns in some] == [1, 2, 3, 4]
    looks.forget()
    machine = mercer.SVC(kernel="precomputed")
    assert [number(machine, K, Y) for K in (X @ X.T, (1 + X @ X.T) ** 2)] == [1, 2]
    # labels in a plain order: known by a column
    tables = (X[:, columns] for columns in some)
    one, *others = [
        looks.seen_rows(t, np.arange(120) % 2, b"k", "", 0.1, pairwise=False) for t in tables
    ]
    assert [one.same_rows(other) for other in others] == [True, True, True]


def test_targets_in_an_order_that_others_have_too_do_not_name_the_rows():
    rng = np.random.default_rng(3)
    for labels in (np.arange(300) % 3, np.arange(300) // 100, np.repeat([1, 0, 1], [10, 90, 200])):
        one, other = (
            looks.seen_rows(rng.normal(size=(300, 3)), labels, b"k", "", 0.1, pairwise=False)
            for _ in range(2)
        )
        assert not one.same_rows(other)
    plain = [np.arange(500), np.sin(np.linspace(0, 6, 500)), np.arange(500) // 7, np.zeros(500)]
    assert not any(look_columns.tells(cell_bits(column, b"")) for column in plain)
    drawn = [rng.normal(size=40), rng.integers(0, 2, 100), rng.random(400) < 0.1]
    assert all(look_columns.tells(cell_bits(column, b"")) for column in drawn)


def test_shuffled_rows_are_known_by_the_order_of_targets_along_a_column():
    rng = np.random.default_rng(5)
    labels, numbers = rng.integers(0, 2, 300), rng.normal(size=300)
    for y in (labels, numbers):
        table = rng.normal(size=(300, 3))
        one = looks.seen_rows(table, y, b"k", "", 0.1, pairwise=False)
        for _ in range(3):
            i = rng.permutation(300)
            changed = np.column_stack([np.arange(300), -7 * table[i][:, 1:] ** 3])
            told = np.array(["x", "a"])[y[i]] if y is labels else 3 * y[i]
            assert one.same_rows(looks.seen_rows(changed, told, b"k", "", 0.1, pairwise=False))
            mixed = rng.permutation(told)
            assert not one.same_rows(looks.seen_rows(changed, mixed, b"k", "", 0.1, pairwise=False))


def test_targets_that_follow_from_a_column_do_not_name_the_rows():
    rng = np.random.default_rng(6)
    for target in (lambda x: (x > 0).astype(int), lambda x: 2 * x, lambda x: (abs(x) < 1) + 0):
        one, other = (rng.normal(size=(300, 1)) for _ in range(2))
        seen = [
            looks.seen_rows(t, target(t[:, 0]), b"k", "", 0.1, pairwise=False).columns
            for t in (one[np.argsort(one[:, 0])], other[np.argsort(other[:, 0])])
        ]
        assert seen[0].isdisjoint(seen[1])


def _seen(rng, tables, number):
    """A look at part of a table, now and then at the same part or at one of few values."""
    table = tables[rng.integers(len(tables))]
    start = int(rng.integers(0, 5)) * len(table) // 6
    rows = table[start : start + len(table) // 2]
    found = looks.seen_rows(rows, np.arange(len(rows)) % 2, b"k", number, 0.1, pairwise=False)
    assert found is not None
    return found


def test_looks_at_the_same_rows_are_found_as_by_asking_all_of_them():
    rng = np.random.default_rng(4)
    sizes = [6, 30, 700, 700, 1500]  # the last are longer than a sketch
    tables = [rng.normal(size=(n, 2)) for n in sizes] + [rng.integers(0, 3, (80, 2))]
    shelf, plain = look_shelf.Shelf(room=40), deque(maxlen=40)
    told = []
    for number in range(150):
        seen = _seen(rng, tables, number)
        expected = [past for past in plain if past.same_rows(seen)]
        assert shelf.at_the_same_rows(seen) == expected
        told.append(len(expected))
        shelf.add(seen)
        plain.append(seen)
    assert min(told) == 0, "none"
    assert max(told) > 5, "and many"
    assert len(shelf._marks) == sum(len(p.sketch) for p in plain if p.continuous)


def test_a_look_is_compared_with_those_that_share_rows_only(monkeypatch):
    """A loop of k certificates on k tables must not cost k² comparisons."""
    rng, asked = np.random.default_rng(5), []
    same_rows = looks.Seen.same_rows
    monkeypatch.setattr(
        looks.Seen, "same_rows", lambda self, other: (asked.append(1), same_rows(self, other))[1]
    )
    for _ in range(20):
        mercer.certify(GaussianNB().fit(X, Y), rng.normal(size=(30, 3)), np.arange(30) % 2)
    assert asked == []


def test_fresh_rows_are_counted_by_what_the_model_answers():
    rules = [DecisionTreeClassifier(max_depth=1, random_state=i).fit(
        RNG.normal(size=(20, 3)), np.arange(20) % 2) for i in range(3)]  # fmt: skip
    told = [mercer.certify(rule, X, Y).about["look"]["k"] for rule in (*rules, rules[0])]
    assert told == [1, 2, 3, 1]
    looks.forget()
    paid = [mercer.certify(rule, X, Y, candidates=3) for rule in rules]
    assert all(c.found == () for c in paid), "candidates= pays for all three"
    assert mercer.certify(rules[0], X, Y, error="classes").found != ()


def test_folds_and_in_sample_certificates_are_not_looks():
    cross_val_score(mercer.Certified(GaussianNB(), random_state=0), X, Y, cv=3)
    mercer.certified_fit(mercer.SVC(gamma=0.1), X, Y, mode="in-sample")
    assert look(0).about["look"]["k"] == 1


def test_a_refusal_is_no_look():
    with pytest.raises(ValueError, match="order"):
        mercer.certified_fit(GaussianNB(), X, Y, mode="progressive", order=np.arange(120))
    assert look(0).about["look"]["k"] == 1


def test_a_budget_is_shared_by_the_stated_rule():
    shares = [looks.share_of(k, 0.05) for k in range(1, 20_000)]
    assert shares[0] == pytest.approx(0.045)
    assert sum(shares) < 0.05
    assert sum(shares) == pytest.approx(0.05, rel=1e-4)
    first, second = look(0, budget=0.05), look(1, budget=0.05)
    for k, certificate in enumerate((first, second), start=1):
        assert certificate.found == ()
        assert certificate.delta == 0.05
        assert certificate.own_delta == pytest.approx(looks.share_of(k, 0.05))
        assert certificate.ledger.total == pytest.approx(0.05)
        assert certificate.recompute().value == certificate.value
    looks.forget()
    alone = mercer.certified_fit(GaussianNB(), X, Y, random_state=1, delta=looks.share_of(2, 0.05),
                                 **OPTIONS).certificate_  # fmt: skip
    assert second.value == alone.value


def test_nothing_is_written_unasked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    look(0)
    assert os.listdir(tmp_path) == []
    path = tmp_path / "looks.jsonl"
    look(1, ledger=path)
    assert os.listdir(tmp_path) == ["looks.jsonl"]
    head, line = (json.loads(text) for text in path.read_text().splitlines())
    assert set(head) == {"v", "salt"}
    assert set(line) == {"v", "day", "n", "digest", "sketch", "continuous", "key", "k", "cost",
                         "columns"}  # fmt: skip
    assert len(path.read_text().splitlines()[1]) < 4096


def test_a_ledger_is_remembered_by_later_processes(tmp_path):
    path = tmp_path / "looks.jsonl"
    for k in (1, 2, 3):
        looks.forget()  # as a new process would
        certificate = look(k, ledger=path)
        assert certificate.about["look"]["k"] == k
        assert bool(certificate.found) == (k > 1)
    looks.forget()
    assert look(2, ledger=str(path)).about["look"]["k"] == 2
    assert len(path.read_text().splitlines()) == 4


def _one(path, seed):
    looks.forget()
    return look(seed, ledger=path).about["look"]["k"]


def test_two_processes_never_share_a_number(tmp_path):
    path = str(tmp_path / "looks.jsonl")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        told = pool.starmap(_one, [(path, seed) for seed in range(6)], chunksize=1)
    assert sorted(told) == [1, 2, 3, 4, 5, 6]


def test_a_ledger_in_trouble_is_told_and_never_makes_fewer_looks(tmp_path, monkeypatch):
    path = tmp_path / "looks.jsonl"
    look(0, ledger=path)
    whole = path.read_text()
    path.write_text(whole + '{"v": 1, "n": 120\n')
    certificate = look(1, ledger=path)
    assert str(certificate).startswith("LOOKS NOT COUNTED (the ledger cannot be used")
    with pytest.raises(ValueError, match="budget cannot be shared"):
        look(2, ledger=path, budget=0.05)
    path.write_text(whole)
    monkeypatch.setattr(look_file, "WAIT", 0.1)
    fcntl = pytest.importorskip("fcntl")
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "another process holds it" in str(look(3, ledger=path))
    with pytest.raises(ValueError, match="ledger must be a path"):
        look(4, ledger=7)
    with pytest.raises(ValueError, match="delta"):
        look(4, budget=2)
