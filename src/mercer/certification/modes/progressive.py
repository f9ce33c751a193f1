"""Progressive validation: every model is tested on the block it learns next."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils._tags import get_tags
from sklearn.utils.validation import _num_samples

from mercer.bounds import Progressive, get
from mercer.bounds.numerics import tune_c
from mercer.certification.core.task import Result, Task
from mercer.certification.modes import _by_class as by_class
from mercer.certification.modes._pilot import pilot_rate

START = 0.5


class ProgressiveMixture(BaseEstimator):
    """Several models; a keyed hash of each input decides, once and for all, which one answers.

    A deterministic function: equal inputs get equal answers. Averaged over the key, which was drawn
    without looking at data, its risk is the mean risk of the models weighted by their blocks.

    Parameters
    ----------
    models : sequence of fitted estimators
    sizes : sequence of int
        Rows of the block each model was tested on: its share of the inputs.
    key : bytes
        Key of the hash.
    columns : sequence of index arrays or None
        For a precomputed kernel: the rows each model was trained on.
    """

    def __init__(
        self, models: Sequence[Any], sizes: Sequence[int], key: bytes, columns: Any = None
    ) -> None:
        self.models = models
        self.sizes = sizes
        self.key = key
        self.columns = columns

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.models[-1])

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None) -> ProgressiveMixture:
        """Refuse: new models would have no certificate."""
        raise TypeError("use mercer.certified_fit(..., mode='progressive') to fit a new mixture")

    @property
    def classes_(self) -> NDArray[Any]:
        """All labels that some model knows."""
        return np.unique(np.concatenate([model.classes_ for model in self.models]))

    def route(self, X: Any) -> NDArray[np.intp]:
        """Number of the model that answers for each row."""
        ends = np.cumsum(self.sizes)
        numbers = hash_numbers(X, self.key)
        return np.searchsorted(ends, numbers % np.uint64(ends[-1]), side="right")

    def predict(self, X: Any) -> NDArray[Any]:
        """Answers of the models the rows are routed to."""
        return self.gather(X, lambda model, rows: np.asarray(model.predict(rows)))

    def gather(self, X: Any, answer: Callable[[Any, Any], NDArray[Any]]) -> NDArray[Any]:
        """``answer(model, rows)`` of every model for its own rows, put back in order."""
        which = self.route(X)
        parts, places = [], []
        for number in np.unique(which):
            mine = np.flatnonzero(which == number)
            rows = _safe_indexing(X, mine)
            if self.columns is not None:
                rows = np.asarray(rows)[:, self.columns[number]]
            parts.append(answer(self.models[number], rows))
            places.append(mine)
        order = np.argsort(np.concatenate(places), kind="stable")
        return np.concatenate(parts)[order]


def progressive(task: Task) -> Result:
    """Train on half, then test and learn block by block; certify the mixture of the models."""
    task.only("random", mode="progressive")
    start = task.order.cut(START)
    count = min(task.options["blocks"], task.n - start)
    rate = pilot_rate(task, start)
    c = tune_c(rate, task.n - start, task.delta)
    ends = start + (np.arange(1, count + 1) * (task.n - start)) // count
    starts = np.concatenate([[start], ends[:-1]])
    models, wrong, judge = [], [], task.judge
    if by_class.wanted(task):  # a row counts for one class only, so wrong rows are rarer
        labels = np.unique(task.rows.labels(task.first(start)))
        c = tune_c(rate / max(2, len(labels)), task.n - start, task.delta / max(2, len(labels)))
    for begin, end in zip(starts, ends, strict=True):
        train, block = task.first(int(begin)), task.first(int(end), int(begin))
        models.append(task.fit(train))
        # one tolerance for all models: that of the first, which was known before the first block
        judge = judge.for_model(models[0])
        predicted = task.predict(models[-1], block, train)
        wrong.append(judge.scores(task.rows.labels(block), predicted))
    total = float(np.concatenate(wrong).sum())
    mixture = ProgressiveMixture(
        models,
        [int(size) for size in ends - starts],
        hash_key(task.order.seed),
        [task.first(int(b)) for b in starts] if task.rows.pairwise else None,
    )
    rows, code = task.n - start, "progressive" if task.judge.counts else "progressive-loss"
    run = Progressive(rows, round(total), models=count, c=c, trained_on=start)
    if not task.judge.counts:
        mean = min(1.0, total / rows)
        run = Progressive(rows, models=count, c=c, trained_on=start, mean_loss=mean)
    if by_class.wanted(task):
        run = replace(run, classes=_table(task, mixture, start, np.concatenate(wrong)))
    evidence = task.evidence(models[-1], start, own=False, progressive=run)
    if by_class.wanted(task):
        certificate = by_class.certificate(task, evidence, "progressive-classes")
    else:
        certificate = judge.annotate(get(code)().evaluate(evidence, task.delta))
    certificate = replace(certificate, assumptions=(*certificate.assumptions, *_routing(task)))
    split = {"start": start, "models": count, "c": c, "pilot_rate": rate, "errors": total}
    train = task.first(int(starts[-1]))
    return Result(mixture, certificate, evidence, train, task.first(task.n, start), split)


def _table(
    task: Task, mixture: ProgressiveMixture, start: int, wrong: NDArray[np.float64]
) -> dict[str, tuple[int, int]]:
    """Rows and errors of every class over all blocks."""
    masks = by_class.class_masks(mixture, task.rows.labels(task.first(task.n, start)))
    return {k: (int(mine.sum()), round(float(wrong[mine].sum()))) for k, mine in masks.items()}


def _routing(task: Task) -> tuple[str, ...]:
    """The mixture is hashed: fine for inputs that do not repeat, to be said where they do."""
    everyone = list(_row_bytes(task.rows.X))
    repeated = len(everyone) - len(set(everyone))
    if not repeated:
        return ("inputs hardly ever repeat, so the hash spreads them over the models",)
    task.notes.append(
        f"{repeated} of {len(everyone)} rows repeat an earlier input. Equal inputs are routed to "
        "the same model; if few inputs carry much of the probability, the mean over the models "
        "holds for a model drawn at random per query rather than by the hash."
    )
    return ("no single input carries much probability, though some inputs repeat",)


def hash_numbers(X: Any, key: bytes) -> NDArray[np.uint64]:
    """One number below 2⁶⁴ per row, as good as random to whoever does not know the key."""
    return np.array(
        [
            int.from_bytes(hashlib.blake2b(row, digest_size=8, key=key).digest(), "little")
            for row in _row_bytes(X)
        ],
        dtype=np.uint64,
    )


def hash_key(seed: int | None) -> bytes:
    """A key that depends on the recorded seed and on nothing else."""
    return np.random.default_rng([seed or 0, 0x6D657263]).bytes(16)


def _row_bytes(X: Any) -> Any:
    """The bytes of every row; equal rows give equal bytes, whatever the container."""
    if sparse.issparse(X):
        csr = X.tocsr().copy()
        csr.sum_duplicates()
        csr.eliminate_zeros()
        for a, b in zip(csr.indptr[:-1], csr.indptr[1:], strict=True):
            data = csr.data[a:b].astype(np.float64)
            yield csr.indices[a:b].astype(np.int64).tobytes() + data.tobytes()
        return
    try:
        table = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        table = None
    if table is not None and table.ndim == 2:
        yield from (row.tobytes() for row in np.ascontiguousarray(table + 0.0))
        return
    values = X.to_numpy() if hasattr(X, "to_numpy") else X
    for i in range(_num_samples(values)):
        row = values[i]
        yield repr(row.tolist() if isinstance(row, np.ndarray) else row).encode()
