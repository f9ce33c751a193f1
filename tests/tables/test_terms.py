"""Texts as terms: what is remembered of the last question changes no bit of an answer."""

import gc

import numpy as np
import pytest
from sklearn.utils import murmurhash3_32

from mercer.tables import _last
from mercer.tables._last import forget, knows
from mercer.tables.encoders import TextEncoder
from mercer.tables.encoders_sparse import Terms


def texts(n=260, seed=0):
    rng = np.random.default_rng(seed)
    words = np.array(["ship", "sail", "port", "corn", "cow", "barn", "grey", "x"])
    return np.array([" ".join(rng.choice(words, 1 + k % 7)) for k in range(n)], dtype=object)


def same(a, b):
    assert a.shape == b.shape
    assert (a != b).nnz == 0


@pytest.mark.parametrize("n", [40, 260])
def test_remembered_answers_are_those_of_cutting_again(n):
    told = texts(n)
    encoder = Terms().fit(told)
    first = encoder.transform(told)  # remembered from fit
    forget(encoder)
    again = encoder.transform(told)  # cut anew
    same(first, again)
    same(encoder.transform(told), again)
    new = texts(n, seed=1)
    same(encoder.transform(new), encoder._cut(list(new)))
    same(encoder.transform(new[:7]), encoder._cut(list(new[:7])))
    same(encoder.transform(told), again)


def test_who_changes_an_answer_changes_no_other():
    told = texts()
    encoder = Terms().fit(told)
    answer = encoder.transform(told)
    answer.data[:] = 0.0
    assert encoder.transform(told).nnz
    assert np.all(encoder.transform(told).data > 0)


def test_a_new_fit_forgets_the_old_terms():
    encoder = Terms().fit(texts())
    encoder.transform(texts())
    encoder.fit(np.array(["other words", "quite other words"] * 20, dtype=object))
    found = encoder.transform(texts())
    same(found, encoder._cut(list(texts())))


def test_texts_are_cut_once_however_often_they_are_asked(monkeypatch):
    cut = []
    was = Terms._cut
    monkeypatch.setattr(Terms, "_cut", lambda self, told: cut.append(len(told)) or was(self, told))
    encoder, told = Terms().fit(texts()), texts(seed=1)
    for _ in range(3):
        encoder.transform(told)
    assert cut == [len(told)]


def test_many_texts_are_not_kept_and_none_longer_than_their_encoder(monkeypatch):
    monkeypatch.setattr(_last, "REMEMBERED", 100)
    encoder = Terms().fit(texts())
    assert not knows(encoder)
    encoder.transform(texts(50))
    assert knows(encoder)
    before = len(_last._LAST)
    del encoder
    gc.collect()
    assert len(_last._LAST) == before - 1


def by_hand(text, size):
    """Letters one after another, as slowly and plainly as can be."""
    row, padded = np.zeros(size), f" {' '.join(text.casefold().split())} "
    for k in range(max(1, len(padded) - 2)):
        code = murmurhash3_32(padded[k : k + 3], seed=0)
        row[abs(code) % size] += 1.0 if code >= 0 else -1.0
    length = np.linalg.norm(row)
    return np.sqrt(2.0) * row / length if length else row


@pytest.mark.parametrize("size", [7, 256])
def test_letters_in_a_row_are_counted_as_by_hand(size):
    told = np.array([*texts(30), "", "a", "Ärger  IM\tHafen", "  ", None], dtype=object)
    encoder = TextEncoder(size).fit(told)
    found = encoder.transform(told)
    for text, row in zip(told, found, strict=True):
        np.testing.assert_array_equal(row, np.zeros(size) if text is None else by_hand(text, size))
    again = encoder.transform(told)
    np.testing.assert_array_equal(again, found)
    again[:] = 5.0  # somebody's copy
    np.testing.assert_array_equal(encoder.transform(told), found)
    np.testing.assert_array_equal(encoder.transform(told[::-1].copy()), found[::-1])
