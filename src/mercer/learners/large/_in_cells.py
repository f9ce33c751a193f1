"""What learners in cells have in common: cut the rows, train a clone of one learner in each."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from mercer._random import seed_of
from mercer._types import Samples
from mercer.bounds import Choice, Evidence
from mercer.kernels.resolve import meant_by
from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, positive_whole
from mercer.learners._passes import Block, InPasses, Streamed
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import COORDINATES
from mercer.learners.large.cell_tree import CellTree, grow_cells
from mercer.learners.large.cut_rows import (
    BUNDLE,
    Cut,
    Trained,
    bundles_of,
    file_of,
    many_bundles,
    stretches,
    train_bundle,
    trained,
)
from mercer.learners.large.one_cell import trained_in_cell
from mercer.learners.large.packed import CellMachines
from mercer.learners.large.within_memory import told, train_within

Rows = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class CellsFitted(Fitted):
    """The cells and what was trained in each: a model, or None where one label was all there was.

    ``only`` is the place of that label among the classes, -1 where there is a model.
    """

    tree: CellTree
    models: Sequence[Any]
    only: NDArray[np.intp]
    threshold: float = 0.0


class InCells(InPasses, Publishes, MetaEstimatorMixin, Learner):
    """The template of learners in cells."""

    lacks: ClassVar[Mapping[str, str]] = {
        **COORDINATES,
        "certificate": "the cells are cut by looking at the rows, so only rows kept from the "
        "training speak about the model: certified_fit keeps some",
        **dict.fromkeys(
            ("warm_start", "time_limit", "progress"),
            "that of the learner inside, which is given its own",
        ),
    }
    _rules: ClassVar[dict[str, Rule]] = {"cell_size": positive_whole, "n_cuts": positive_whole}
    accounts_for_fit: ClassVar[bool] = True
    estimator: Any
    cell_size: int
    n_cuts: int = 1
    random_state: Any
    fitted_: CellsFitted

    def _learner(self) -> Any:
        raise TypeError(f"{type(self).__name__} does not say what it trains")

    @property
    def _door(self) -> Door:  # type: ignore[override]
        tags = get_tags(self._learner())
        if tags.input_tags.pairwise or not tags.input_tags.two_d_array:
            raise ValueError(
                f"{type(self).__name__} cuts rows into cells by their coordinates, which objects "
                "and matrices of all pairs do not show."
            )
        return Door(targets=self._targets(), sparse=tags.input_tags.sparse, weights="drop")

    def _targets(self) -> Any:
        return "none"

    def _fit(self, X: Samples, y: ArrayLike | None = None, weight: ArrayLike | None = None) -> Any:
        if weight is not None and not has_fit_parameter(self._learner(), "sample_weight"):
            raise ValueError(f"{type(self._learner()).__name__} takes no sample_weight.")
        return super()._fit(X, y, weight)

    def _train(self, sample: TrainingSample) -> CellsFitted:
        """All rows in memory."""
        labels = self._labels_of(sample)
        if labels is not None:
            sample = replace(sample, y=labels.codes)
        tree = grow_cells(sample.X, self.cell_size, seed_of(self.random_state), self.n_cuts)
        learner = self._with_kernel(sample)
        bundles: list[Trained] = []
        made: list[tuple[Any, int]] = []
        held = 0
        for rows in tree.members(sample.X):
            one = trained_in_cell(
                learner, sample.X[rows], None if sample.y is None else sample.y[rows],
                sample.weight[rows], labels is not None,
            )  # fmt: skip
            made.append(one)
            held += len(rows)
            if held >= BUNDLE:
                bundles.append(trained(made))
                made, held = [], 0
        return CellsFitted(
            **rows_of(sample) | {"kind": sample.kind} | joined([*bundles, trained(made)]),
            classes=None if labels is None else labels.classes,
            tree=tree,
        )

    def fit_rows(self, rows: Any, *, engine: Any = None, work: str | Path | None = None) -> Self:
        """Train on rows that need not fit into memory: only a part and a few cells are held.

        Parameters
        ----------
        rows : list of functions, or one
            As for other learners in parts, see :class:`NystroemRidge`; ``mercer.open_rows`` makes
            such functions.
        engine : None, int, str or client
            Who goes through the parts, and then through the cells.
        work : path, optional
            A folder for the rows by cells, which every worker sees; a temporary one of this machine
            by default. It takes as much room as the rows, for each cut.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        with TemporaryDirectory(dir=work, prefix="mercer-cells-") as folder:
            return self._over_parts(rows, engine, partial(self._train_in_files, folder=folder))

    def _train_in_files(self, rows: Streamed, folder: str) -> CellsFitted:
        labels = self._labels_of(rows.labelled)
        classes = None if labels is None else labels.classes
        sample = rows.sample
        least = max(4.0, self.cell_size * sample.n / rows.n)
        tree = grow_cells(sample.X, least, seed_of(self.random_state), self.n_cuts)
        many = many_bundles(tree, rows.n)
        learner = self._with_kernel(sample)
        cut = rows.map(partial(_write, tree=tree, classes=classes, bundles=many, folder=folder))
        task = partial(train_bundle, learner=learner, labels=classes is not None)
        bundles, share = train_within(
            rows.engine.map, task, bundles_of(tree, cut, many), sample.X.shape[1]
        )
        if share < 1.0:
            warnings.warn(told(share), stacklevel=2)
        return CellsFitted(
            **rows_of(sample) | {"n": rows.n} | joined(bundles), classes=classes, tree=tree
        )

    def _labels_of(self, sample: TrainingSample) -> Any:
        return None

    def _with_kernel(self, sample: TrainingSample) -> Any:
        """The learner with the kernel that its arguments mean on all rows, one for all cells."""
        learner = clone(self._learner())
        own = learner.get_params(deep=False)
        if "kernel" in own and "gamma" in own:
            kernel = meant_by(learner, sample.X).kernel
            if kernel.psd is not None:  # a user's function stays one
                learner.set_params(kernel=kernel)
        return learner

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, CellsFitted)
        self.cells_ = fitted.tree
        self.n_cells_ = fitted.tree.n_cells
        self.estimators_ = fitted.models

    def _cells_of(self, X: Any) -> Iterator[tuple[int, Any, Rows, Any]]:
        """Cell, its model, and the rows that are in it."""
        fitted = self.fitted_
        for cell, rows in enumerate(fitted.tree.members(X)):
            if len(rows):  # a machine is put together when it is asked for
                yield cell, self._answering(cell, X), rows, X[rows]

    def _answering(self, cell: int, X: Any) -> Any:
        """What answers for a cell: its machine, or less where that is enough."""
        models = self.fitted_.models
        if isinstance(models, CellMachines):
            return models.quick(cell, isinstance(X, np.ndarray))
        return models[cell]  # of a file that was written before machines were packed

    def _query(self, X: Samples) -> Any:
        check_is_fitted(self)
        kind = self.fitted_.kind
        return Door(
            sparse=kind is Kind.SPARSE or get_tags(self._learner()).input_tags.sparse
        ).query(self, X, kind)

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        cells = Choice("the cells", f"{fitted.tree.n_cells} cut by nearest centres")
        return Evidence(
            n=fitted.n,
            learner=f"this {type(self).__name__}",
            n_classes=2 if fitted.classes is None else len(fitted.classes),
            choices=(cells, *fitted.choices()),
        )


def _write(
    number: int, parts: Iterator[Block], tree: CellTree, classes: Any, bundles: int, folder: str
) -> Cut:
    """The rows of a part, by cells, into files; their places, and where each bundle begins."""

    def pieces() -> Iterator[tuple[Any, Any, Any]]:
        for block in parts:
            y = block.y if classes is None else np.searchsorted(classes, block.y)
            yield block.X, y, block.weight

    cut: list[Any] = []
    for found, first in stretches(pieces(), tree, bundles):
        place = Path(folder) / f"part-{number}-{len(cut)}"
        for what, values in found.items():
            np.save(file_of(place, what), values)
        cut.append((str(place), first.tolist()))
    return cut


def joined(bundles: list[Trained]) -> dict[str, Any]:
    """The machines of all cells, as arguments of the record."""
    return {
        "models": CellMachines.of([machines for machines, _ in bundles]),
        "only": np.concatenate([only for _, only in bundles]),
    }


def assembled(kind: Any, learner: Any, tree: CellTree, bundles: list[Trained], **about: Any) -> Any:
    """A fitted learner in cells from machines that were trained elsewhere.

    ``about`` are ``n``, ``width``, ``cell_size``, ``random_state`` and, with labels, ``classes``.
    """
    model = kind(
        learner,
        cell_size=about["cell_size"],
        n_cuts=tree.roots,
        random_state=about["random_state"],
    )
    model.n_features_in_ = about["width"]
    model._settle(
        CellsFitted(
            n=about["n"],
            kind=Kind.VECTORS,
            classes=about.get("classes"),
            tree=tree,
            **joined(bundles),
        )
    )
    model._rows_seen = None
    return model
