"""Texts as terms: what is remembered of the last question changes no bit of an answer."""

import gc

import numpy as np
import pytest

from mercer.tables import encoders_sparse
from mercer.tables.encoders_sparse import _LAST, Terms


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
    _LAST.clear()
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
    monkeypatch.setattr(encoders_sparse, "REMEMBERED", 100)
    encoder = Terms().fit(texts())
    assert encoder not in _LAST
    encoder.transform(texts(50))
    assert encoder in _LAST
    before = len(_LAST)
    del encoder
    gc.collect()
    assert len(_LAST) == before - 1
