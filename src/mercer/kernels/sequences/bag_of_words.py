"""Documents as bags of words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from mercer._types import Samples
from mercer.kernels.sequences._counted import CountedKernel, split_rows
from mercer.kernels.validate import n_rows, real

_WORD = re.compile(r"\w+")


class ReadWeights(Mapping[Any, float]):
    """Weights of words that were read off a training sample."""

    _tag = "record:read-weights"

    def __init__(self, weights: dict[Any, float]) -> None:
        self.weights = weights

    def __getitem__(self, word: Any) -> float:
        return self.weights[word]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.weights)

    def __len__(self) -> int:
        return len(self.weights)

    def __repr__(self) -> str:
        return repr(self.weights)


class BagOfWords(CountedKernel):
    """Shared words: k(u, v) = Σ_b β_b² count_b(u) count_b(v) (Herbrich, (2.24)).

    Parameters
    ----------
    words : sequence of words, or None
        The lexicon; None: every word.
    weights : None, "idf", or mapping from word to β ≥ 0
        "idf" gives rare words more weight: β_b = ln(documents / documents with b), counted in the
        training sample by ``resolve``, as learners do; a word that occurs in every document then
        counts for nothing, and a word that never occurred is left out.
    substrings : bool
        The book's reading: an occurrence is any window equal to the word, also inside another
        word; needs ``words``. By default a document is cut into words, runs of letters, digits
        and underscores; a list of tokens is taken as it is.
    lowercase : bool
        Upper and lower case are the same (when strings are cut into words).
    normalize : bool
        Give every document length one.

    Examples
    --------
    >>> from mercer.kernels import BagOfWords
    >>> BagOfWords(normalize=False)(["to be or not to be"], ["To be!"])
    array([[4.]])
    """

    def __init__(
        self,
        words: Any = None,
        weights: Any = None,
        substrings: bool = False,
        lowercase: bool = True,
        normalize: bool = True,
    ) -> None:
        self.words = words
        self.weights = weights
        self.substrings = substrings
        self.lowercase = lowercase
        self.normalize = normalize

    @property
    def data_dependent(self) -> bool:
        """Whether the weights are, or were, read off the data."""
        return isinstance(self.weights, (str, ReadWeights))

    def _resolved(self, X: Samples) -> dict[str, Any]:
        if not isinstance(self.weights, str):
            return {}
        if self.weights != "idf":
            raise ValueError(f"BagOfWords: weights={self.weights!r}; use 'idf', None or a mapping")
        found: Counter[Any] = Counter()
        for bag in self._bags(X):
            found.update(bag.keys())
        n = n_rows(X)
        return {"weights": ReadWeights({b: float(np.log(n / k)) for b, k in found.items()})}

    def _check_parameters(self) -> None:
        if isinstance(self.words, str):
            raise ValueError(f"BagOfWords: words must be a list of words, got {self.words!r}")
        if self.substrings and self.words is None:
            raise ValueError("BagOfWords: substrings=True needs the lexicon, words=[...]")
        if isinstance(self.weights, str):
            raise ValueError(
                f"BagOfWords: weights={self.weights!r} is counted in a training sample; call "
                "kernel.resolve(X_train) first; learners and Gram objects do"
            )
        if self.weights is not None:
            for word, weight in self.weights.items():
                real(weight, f"BagOfWords: the weight of {word!r}", low=0)

    def _counts(self, samples: tuple[Any, ...]) -> list[Any]:
        columns: dict[Any, int] = {}
        weights: Mapping[Any, float] | None = self.weights
        rows, index, data = [], [], []
        for row, bag in enumerate(bag for sample in samples for bag in self._bags(sample)):
            for word, count in bag.items():
                weight = 1.0 if weights is None else weights.get(word, 0.0)
                if weight:
                    rows.append(row)
                    index.append(columns.setdefault(word, len(columns)))
                    data.append(weight * count)
        shape = (sum(n_rows(sample) for sample in samples), max(1, len(columns)))
        matrix = sparse.coo_array((np.array(data, dtype=float), (rows, index)), shape=shape)
        return split_rows(matrix.tocsr(), samples)

    def _bags(self, X: Any) -> Iterable[Counter[Any]]:
        lexicon = None if self.words is None else set(self.words)
        for document in X:
            if self.substrings:
                yield Counter({b: occurrences(document, b) for b in set(self.words)})
                continue
            tokens = self._tokens(document)
            yield Counter(t for t in tokens if lexicon is None or t in lexicon)

    def _tokens(self, document: Any) -> Iterable[Any]:
        if isinstance(document, bytes):
            document = document.decode("utf-8", "replace")
        if not isinstance(document, str):
            return document.tolist() if isinstance(document, np.ndarray) else document
        return _WORD.findall(document.lower() if self.lowercase else document)

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, Any]:
        return {}

    @classmethod
    def examples(cls) -> list[BagOfWords]:
        """All words, a weighted lexicon, and substrings."""
        weights = {"red": 0.5, "green": 2.0, "blue": 1.0}
        return [cls(), cls(weights=weights, normalize=False), cls(["re", "lu"], substrings=True)]

    @classmethod
    def example_data(cls, n: int, rng: np.random.Generator) -> Any:
        """Sentences of colours, one of them empty."""
        colours = ["red", "green", "blue", "Red"]
        texts = [" ".join(rng.choice(colours, size=1 + i % 5)) for i in range(n)]
        data = np.array(texts, dtype=object)
        data[2] = ""
        return data


def occurrences(document: Any, word: Any) -> int:
    """Windows of the document that equal the word, overlapping ones counted."""
    size = len(word)
    if size == 0:
        return 0
    return sum(document[i : i + size] == word for i in range(len(document) - size + 1))
