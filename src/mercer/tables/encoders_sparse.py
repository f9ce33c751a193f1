"""Columns for a linear machine: indicators and counts of words, mostly zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from mercer.tables._last import recall, remember
from mercer.tables.encoders import (
    ENCODERS,
    GAP,
    CategoryEncoder,
    Encoder,
    as_texts,
)

MOST_TERMS = 50_000
LETTERS_LOOKED_AT = 2_000  # of each text for letters in a row; words are looked at ten times as far
# how texts are cut into terms: words alone and in pairs, and letters in a row inside words
WAYS: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("words", {"ngram_range": (1, 2), "token_pattern": r"(?u)\b\w+\b"}, 10 * LETTERS_LOOKED_AT),
    ("letters", {"analyzer": "char_wb", "ngram_range": (3, 4)}, LETTERS_LOOKED_AT),
)


class SparseLevels(CategoryEncoder):
    """Indicators of many levels; gaps are a level."""

    def __init__(self, max_levels: int = 20_000) -> None:
        super().__init__(max_levels)

    def transform(self, values: NDArray[Any]) -> Any:
        """One coordinate per level; rows of rare and new values are zero in all of them."""
        place = {level: j for j, level in enumerate(self.levels_)}
        found = np.array([place.get(text, -1) for text in as_texts(values)], dtype=np.intp)
        rows = np.flatnonzero(found >= 0)
        shape = len(found), len(self.levels_)
        return sparse.csr_matrix((np.ones(len(rows)), (rows, found[rows])), shape=shape)


class Terms(Encoder):
    """Text as words, pairs of words and letters in a row, rare ones counting more (TF-IDF)."""

    kind = "text"

    def fit(self, values: NDArray[Any]) -> Terms:
        """The terms that occur in several texts, and how rare they are."""
        texts = _plain(values)
        least = 2 if len(texts) > 200 else 1
        self.terms_: list[NDArray[np.str_]] = []
        self.rarity_: list[NDArray[np.float64]] = []
        parts = []
        for _, options, longest in WAYS:
            try:
                seen = CountVectorizer(min_df=least, max_features=MOST_TERMS, **options)
                counts = seen.fit_transform([text[:longest] for text in texts])
            except ValueError:  # no term occurs often enough
                self.terms_.append(np.empty(0, dtype="U1"))
                self.rarity_.append(np.empty(0))
                continue
            in_texts = np.asarray((counts > 0).sum(axis=0)).ravel()
            self.terms_.append(np.array(seen.get_feature_names_out().tolist()))
            self.rarity_.append(np.log((1.0 + len(texts)) / (1.0 + in_texts)) + 1.0)
            parts.append(_weighed(counts, self.rarity_[-1]))
        remember(self, texts, _beside(parts, len(texts)))  # whoever fits asks for these next
        return self

    def transform(self, values: NDArray[Any]) -> Any:
        """Each way of cutting has length one; a text without known terms is zero."""
        texts = _plain(values)
        found = recall(self, texts)
        if found is None:
            found = self._cut(texts)
            remember(self, texts, found)
        return found

    def _cut(self, texts: list[str]) -> Any:
        parts = []
        for (_, options, longest), terms, rarity in zip(
            WAYS, self.terms_, self.rarity_, strict=True
        ):
            if len(terms):
                counter = CountVectorizer(vocabulary=terms.tolist(), **options)
                counts = counter.transform([text[:longest] for text in texts])
                parts.append(_weighed(counts, rarity))
        return _beside(parts, len(texts))

    def words(self) -> str:
        """Say how it is compared."""
        return "text, by words, pairs of words and letters in a row"


def _weighed(counts: Any, rarity: NDArray[np.float64]) -> Any:
    """Counts on a logarithmic scale, rare terms counting more; every text at length one."""
    counts = counts.astype(np.float64)
    counts.sort_indices()  # so that sums have the same bits whoever counted
    counts.data = 1.0 + np.log(counts.data)
    return normalize(counts @ sparse.diags(rarity))


def _beside(parts: list[Any], texts: int) -> Any:
    return sparse.hstack(parts, format="csr") if parts else sparse.csr_matrix((texts, 1))


def _plain(values: NDArray[Any]) -> list[str]:
    return ["" if text == GAP else text for text in as_texts(values)]


SPARSE_ENCODERS: dict[str, type[Encoder]] = ENCODERS | {
    "category": SparseLevels,
    "text": Terms,
}
