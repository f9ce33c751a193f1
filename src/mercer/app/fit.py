"""``mercer.fit``: what ``mercer fit`` does, from Python."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mercer._notebook_bar import in_notebook
from mercer._stopping import stopping
from mercer.app.files import write_all
from mercer.app.labels import Labels, read_labels
from mercer.app.options import SEED, FitOptions
from mercer.app.run import Run, run_fit
from mercer.app.streams.too_large import in_memory_or_batches
from mercer.certification import Certified
from mercer.errors import DataError, UserError
from mercer.io.atomic import new_folder
from mercer.io.readers import Options, read
from mercer.io.source import Source
from mercer.io.streams import is_many
from mercer.tables.dataset import Column, Dataset
from mercer.tables.frames import column_of, dataset_of, is_frame


def fit(
    data: Any,
    y: Any = None,
    *,
    target: str | None = None,
    group: str | None = None,
    order: str | None = None,
    ignore: Sequence[str] = (),
    keep: Sequence[str] = (),
    treat: Mapping[str, str] | None = None,
    strings: str | None = None,
    task: str | None = None,
    kernel: str = "auto",
    combine: str = "auto",
    learner: str = "auto",
    certify: str | None = "auto",
    delta: float = 0.05,
    tolerance: float | None = None,
    error: str = "overall",
    metric: str | None = None,
    ledger: str | None = None,
    budget: float | None = None,
    seed: int = SEED,
    route: str = "auto",
    rank: int | None = None,
    cells: int | None = None,
    time_limit: float | None = None,
    memory_limit: str | None = None,
    cluster: Any = None,
    work: str | Path | None = None,
    skip_bad_files: bool = False,
    output: str | Path | None = None,
    report: str = "html",
    verbose: bool | None = None,
    **reading: Any,
) -> Certified:
    """Learn to predict a column, choose kernel and parameters, certify the result.

    The same program as ``mercer fit``, with the same defaults: columns get their roles and
    treatment, a search chooses the kernel, and part of the rows is spent on the certificate.

    Parameters
    ----------
    data : data frame, Arrow table, dictionary, array, sparse matrix, list of strings, or path
        What to learn from. A frame (pandas, polars), an Arrow table or a dictionary has named
        columns; a path is read as the command reads it. A folder, a pattern such as
        ``"big/*.parquet"``, a list of `Path`, a Dask data frame or array, and functions without
        arguments that each make frames (the same ones whenever they are called) are read in
        batches, and need not fit into memory; labels are then text, as in files.
    y : array-like or path, default=None
        The target, if it is no column of ``data``. Of a file its last column is taken, or the one
        called ``target``; the others may group or order the rows of a matrix.
    target : str, default=None
        Name of the column to predict.
    group, order : str, default=None
        Columns whose equal values belong together, or that say when a row was recorded.
    ignore, keep : sequence of str, default=()
        Columns to leave out, and columns to use although they look like keys.
    treat : mapping, default=None
        Column to "number", "category", "ordinal", "ordinal:low<mid<high", "date" or "text".
    strings : str, default=None
        Compare the strings of this column alone.
    task : {"classification", "regression"}, default=None
        What to learn, if it is not plain from the target.
    kernel, combine, learner : str, default="auto"
        What to try; ``learner="kernel"`` keeps to kernel machines. See
        :class:`mercer.tables.TableMachine`.
    certify : str or None, default="auto"
        Where the certificate comes from, a mode of :func:`mercer.certified_fit`; None: nowhere.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.
    tolerance : float, default=None
        Regression: count targets further away than that; None: say within which distance 90 % of
        the predictions are.
    error : {"overall", "classes", "balanced"}, default="overall"
        Classification: what is certified, the error rate of all rows, the largest one within a
        class, or their mean. For the last two learners are chosen by the mean, and are also tried
        with classes of equal weight.
    metric : str, default=None
        What is certified in place of the error: ``"f1"``, ``"auc"``, ``"precision:positive=yes"``,
        ``"error_quantile:share=0.95"``, ..., see :func:`mercer.certify`. For ``"f1"`` and
        ``"balanced_accuracy"`` learners are chosen by it, too.
    ledger : str, default=None
        File that counts looks at the same rows across runs.
    budget : float, default=None
        Probability of error that all looks at these rows share, in place of ``delta``.
    seed : int, default=20261115
        Everything random follows from it.
    route : {"auto", "exact", "measured", "cells", "low-rank"}, default="auto"
        How to learn from many rows: "auto" is exact up to 20,000 and measures all routes beyond.
    rank, cells : int, default=None
        Landmarks of the low-rank route, and most rows of a cell.
    time_limit, memory_limit : float and str, default=None
        Seconds for the whole run, about, and for instance ``"2GB"``.
    cluster : str or distributed.Client, default=None
        Rows in batches on a Dask cluster: its address, ``"local:4"`` workers here, or a client.
    work : path, default=None
        Files in batches: where to keep what was done for each, so that a second call goes on.
    skip_bad_files : bool, default=False
        Files in batches: leave out those that cannot be read; the certificate names them.
    output : path, default=None
        Folder for model, certificate, report and run.toml; None: nothing is written.
    report : {"html", "md", "json", "none"}, default="html"
        Kind of report in ``output``.
    verbose : bool or None, default=None
        Show a plan and progress; None: in notebooks, and nowhere else.
    **reading
        How a file is written: ``format``, ``encoding``, ``separator``, ``decimal``, ``header``,
        ``missing``, ``key``; ``precomputed="kernel"`` or ``"distance"`` for a square matrix.

    Returns
    -------
    Certified
        Fitted; ``certificate_`` is about exactly this model. ``run_`` is the record of the run,
        which :func:`mercer.report.write` turns into a page. Frames given to ``predict`` are
        matched by column name.

    Examples
    --------
    >>> import mercer
    >>> data = mercer.datasets.load_breast_cancer()
    >>> model = mercer.fit(data.X, data.y, kernel="gaussian")
    >>> model.certificate_.value < 0.1
    True
    """
    known = _reading(reading)
    loud = in_notebook() if verbose is None else bool(verbose)
    options = FitOptions(
        target=target,
        group=group,
        order=order,
        ignore=tuple(ignore),
        keep=tuple(keep),
        treat=dict(treat or {}),
        strings=strings,
        task=task,
        kernel=kernel,
        combine=combine,
        learner=learner,
        certify=certify,
        delta=delta,
        tolerance=tolerance,
        error=error,
        metric=metric,
        ledger=ledger,
        budget=budget,
        seed=seed,
        route=route,
        rank=rank,
        cells=cells,
        time_limit=time_limit,
        memory_limit=memory_limit,
        reading=known,
    )
    begun = time.monotonic()
    many = is_many(data) or cluster is not None or work is not None or skip_bad_files
    with stopping():
        if many:
            run = _in_batches(data, y, options, cluster, work, skip_bad_files, loud)
        else:
            one = data if y is None else None
            here = partial(_in_memory, data, y, options, not loud, begun)
            run = in_memory_or_batches(here, one, options, not loud)
        if output is not None:
            with new_folder(Path(output)) as folder:
                write_all(run.record, run.data, run.model, folder, report)
    return _with_record(run)


def _reading(words: Mapping[str, Any]) -> Options:
    """How to read a file; a word that nothing is called gets the nearest ones."""
    for word in words:
        if word not in (known := {f.name for f in fields(Options)}):
            near = get_close_matches(word, [*known, *signature(fit).parameters], 1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise TypeError(f"fit() got an unexpected keyword argument '{word}'.{hint}")
    return Options(**words)


def _in_memory(data: Any, y: Any, options: FitOptions, quiet: bool, begun: float) -> Run:
    source = Source.of(data) if isinstance(data, str | Path) else None
    known = options.reading
    raw = read(source, known) if source is not None else in_memory(data, known)
    labels = _labels(y, raw.n, options.target)
    return run_fit(raw, options, source=source, labels=labels, quiet=quiet, typed=True, begun=begun)


def _in_batches(
    data: Any, y: Any, options: FitOptions, cluster: Any, work: Any, skip_bad: bool, verbose: bool
) -> Run:
    from mercer.app.streams.fit import fit_stream
    from mercer.app.streams.options import StreamOptions

    if y is not None:
        raise UserError("rows in batches have their target among the columns.", "Give target=.")
    place = None if work is None else str(work)
    return fit_stream(data, options, StreamOptions(cluster, place, skip_bad, not verbose))


def _labels(y: Any, n: int, target: str | None) -> Labels | None:
    """Labels from a file of their own, or as they are."""
    if isinstance(y, str | Path):
        return read_labels(y, target)
    return None if y is None else Labels(target_column(y, n))


def in_memory(data: Any, known: Options) -> Dataset:
    """Data that are already there, as a reader would return them."""
    if sparse.issparse(data):
        return Dataset("sparse", "sparse", matrix=sparse.csr_matrix(data, dtype=np.float64))
    if known.precomputed is not None:
        return Dataset("square", "array", matrix=np.asarray(data, dtype=np.float64))
    if not is_frame(data) and np.ndim(data) == 1:
        things = np.empty(len(data), dtype=object)
        things[:] = list(data)
        if not all(isinstance(thing, str) for thing in things):
            raise DataError(
                "a list of objects must hold strings.",
                "Pass a data frame, a two-dimensional array or strings.",
            )
        return Dataset("objects", "list", objects=things)
    return dataset_of(data)


def target_column(y: Any, n: int) -> Column:
    """The target as a column."""
    name = getattr(y, "name", None)
    values = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.ndim != 1 or len(values) != n:
        raise DataError(f"y has shape {values.shape}; one value for each of {n} rows is needed.")
    return column_of(str(name) if name is not None else "target", values, [])


def _with_record(run: Run) -> Certified:
    run.model.run_ = run.record
    return run.model
