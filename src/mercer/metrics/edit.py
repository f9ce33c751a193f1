"""Edit distances between strings and token lists."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from mercer import _config
from mercer._types import Samples
from mercer.kernels.sequences.encoded import check_sequences
from mercer.metrics._base import Floats, Metric

KINDS = {"levenshtein": "Levenshtein", "indel": "Indel", "damerau": "DamerauLevenshtein"}


class Edit(Metric):
    """The least number of edits that turn one sequence into the other; computed by rapidfuzz.

    Parameters
    ----------
    kind : "levenshtein", "indel" or "damerau"
        Edits are insertion, deletion and replacement; insertion and deletion only; or also the
        exchange of neighbours. All three are metrics, none is Euclidean in general.
    """

    accepts = frozenset({"strings", "objects"})
    is_metric = True

    def __init__(self, kind: str = "levenshtein") -> None:
        self.kind = kind

    def _check(self, X: Samples, name: str = "X") -> None:
        if self.kind not in KINDS:
            raise ValueError(f"Edit: kind={self.kind!r} is not one of {sorted(KINDS)}")
        check_sequences(X, "Edit", name)

    def _tile(self, X: Samples, Y: Samples) -> Floats:
        fuzz = rapidfuzz()
        scorer = getattr(fuzz.distance, KINDS[self.kind]).distance
        left = _plain(X)
        right = left if X is Y else _plain(Y)
        threads = _config.n_threads() if len(left) * len(right) > 1000 else 1
        return fuzz.process.cdist(
            left, right, scorer=scorer, dtype=np.int32, workers=threads
        ).astype(np.float64)

    @classmethod
    def examples(cls) -> list[Edit]:
        """All kinds."""
        return [cls(kind) for kind in KINDS]

    @classmethod
    def example_data(cls, n: int, rng: np.random.Generator) -> Any:
        """Strings over four letters; all different, so that distance zero means equal."""
        words = [f"{'ACGT'[i % 4]}{'ACGT'[i // 4 % 4]}{'ACGT'[i // 16 % 4]}" for i in range(n)]
        tails = ["".join(rng.choice(list("ACGT"), size=i % 5)) for i in range(n)]
        return np.array([a + b for a, b in zip(words, tails, strict=True)], dtype=object)


def _plain(X: Any) -> list[Any]:
    return [thing.tolist() if isinstance(thing, np.ndarray) else thing for thing in X]


def rapidfuzz() -> ModuleType:
    """The module, or an error that names the extra."""
    try:
        import rapidfuzz
        import rapidfuzz.distance
        import rapidfuzz.process
    except ImportError as error:
        raise ImportError(
            "edit distances need rapidfuzz: install mercer with the extra 'strings', as in "
            "pip install 'mercer[strings]'"
        ) from error
    return rapidfuzz
