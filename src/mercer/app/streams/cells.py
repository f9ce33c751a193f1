"""Machines in cells over all rows that learn: cut by way of files, trained, kept in few arrays."""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.base import clone

from mercer.app.streams.passes import cut_part, kept_bundle
from mercer.app.streams.reading import Reading
from mercer.learners.large.cell_classifier import CellClassifier
from mercer.learners.large.cell_regressor import CellRegressor
from mercer.learners.large.cell_tree import grow_cells
from mercer.learners.large.cut_rows import Bundle, Trained, bundles_of, many_bundles
from mercer.learners.large.from_parts import assembled
from mercer.learners.large.within_memory import told, train_within
from mercer.tables.routes import CACHE, CELL, CUTS


def cells_of(stream: Any, exact: Any, classes: Any, Z: Any, reading: Reading) -> Any:
    """The exact machine in cells; ``Z`` is the pilot, prepared, that the cells are found from."""
    options = stream.options
    size, seed = options.cells or CELL, options.seed % 2**31
    total = int(stream.seen.rows.roles[0])
    tree = grow_cells(Z, max(4.0, size * len(Z) / max(1, total)), seed, CUTS)
    learner = clone(exact)
    if "probability" in learner.get_params(deep=False):
        learner.set_params(probability=False)
    if "cache_size" in learner.get_params(deep=False):
        learner.set_params(cache_size=CACHE)
    many = many_bundles(tree, total)
    cutting = partial(
        cut_part, reading=reading, tree=tree, classes=classes, bundles=many, work=stream.work
    )
    with stream.follow.a_pass("cells: cutting", stream.parts) as done:
        cut = stream.engine.map(cutting, stream.parts, done)

    def run(task: Any, bundles: list[Bundle]) -> list[Trained]:
        with stream.follow.a_pass("cells: training", bundles, Bundle.rows) as done:
            return list(stream.engine.map(task, bundles, done))

    train = partial(kept_bundle, learner=learner, labels=classes is not None, keep=stream.keep)
    bundles = bundles_of(tree, cut, many)
    trained, share = train_within(run, train, bundles, Z.shape[1], options.memory_limit)
    if share < 1.0:
        stream.tell(told(share))
    return assembled(
        CellRegressor if classes is None else CellClassifier,
        learner,
        tree,
        trained,
        n=total,
        width=Z.shape[1],
        cell_size=size,
        random_state=seed,
        classes=classes,
    )
