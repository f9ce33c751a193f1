"""scikit-learn's steps around a machine, and raw tables of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn import compose, decomposition, impute, linear_model, pipeline, preprocessing

import mercer
from freezing import samples as s
from freezing.case import Case
from mercer.kernels import Gaussian, KmerFeatures
from mercer.kernels.features import NystroemFeatures, RandomFourierFeatures
from mercer.tables import TableMachine

NUMBERS: list[Any] = [
    preprocessing.StandardScaler(),
    preprocessing.MinMaxScaler(),
    preprocessing.MaxAbsScaler(),
    preprocessing.RobustScaler(),
    preprocessing.Normalizer(),
    preprocessing.QuantileTransformer(n_quantiles=10, random_state=0),
    preprocessing.PowerTransformer(),
    preprocessing.FunctionTransformer(None),
    decomposition.PCA(2),
    impute.SimpleImputer(),
    impute.MissingIndicator(),
    NystroemFeatures(Gaussian(1.0), rank=5, random_state=0),
    RandomFourierFeatures(Gaussian(1.0), rank=6, random_state=0),
]
NAMES: list[Any] = [
    preprocessing.OneHotEncoder(handle_unknown="ignore"),
    preprocessing.OrdinalEncoder(),
]


def pipelines() -> Iterator[Case]:
    """One pipeline per step that a model file takes."""
    gaps = np.where(np.abs(s.X) > 1.5, np.nan, s.X)
    for step in NUMBERS:
        rows = gaps if isinstance(step, impute.SimpleImputer | impute.MissingIndicator) else s.X
        yield _case(type(step).__name__, step, rows, rows[:8])
    words = np.array([["red", "low"], ["blue", "high"], ["red", "high"]] * 10, dtype=object)
    for step in NAMES:
        yield _case(type(step).__name__, step, words, words[:6])
    texts, kinds = s.strings(30, 1)
    kmers = pipeline.make_pipeline(KmerFeatures(2), mercer.SVC(kernel="linear"))
    yield Case("pipelines/KmerFeatures", lambda: kmers.fit(texts, kinds), texts[:6])
    columns = compose.make_column_transformer(
        (preprocessing.StandardScaler(), [0, 1]), remainder="passthrough"
    )
    yield _case("ColumnTransformer", columns, s.X, s.Q)
    scaled = preprocessing.StandardScaler()
    linear = pipeline.make_pipeline(scaled, linear_model.LogisticRegression())
    yield Case("pipelines/LogisticRegression", lambda: linear.fit(s.X, s.y), s.Q)
    ridge = pipeline.make_pipeline(scaled, linear_model.Ridge())
    yield Case("pipelines/Ridge", lambda: ridge.fit(s.X, s.target), s.Q)
    for labels in (preprocessing.LabelEncoder(), preprocessing.LabelBinarizer()):
        name = f"pipelines/{type(labels).__name__}"
        yield Case(name, lambda labels=labels: labels.fit(s.names), s.names[:6])


def _case(name: str, step: Any, rows: Any, asked: Any) -> Case:
    whole = pipeline.make_pipeline(step, mercer.SVC(gamma=0.5))
    return Case(f"pipelines/{name}", lambda: whole.fit(rows, s.y), asked)


def tables() -> Iterator[Case]:
    """``TableMachine`` over what X may be, for labels, numbers and at low rank."""
    words, kinds = s.strings(30, 3)
    stored = ["number", "text", "text", "date", "text"]
    mixed = s.table(30, 4)
    inputs: dict[str, tuple[Any, Any, Any, dict[str, Any]]] = {
        "table": (mixed, s.table(8, 5), s.y, {"stored": stored}),
        "sparse": (s.thinned(s.X), s.thinned(s.Q), s.y, {}),
        "objects": (words, s.strings(8, 6)[0], kinds, {"kernel": "spectrum"}),
        "kernel": (s.linear_gram(s.X), s.linear_gram(s.Q), s.y, {}),
        "distance": (s.distances(s.X), s.distances(s.Q), s.y, {}),
    }
    for prepare, (rows, asked, labels, options) in inputs.items():
        settings = {"prepare": prepare, "kernel": "gaussian", **options}
        machine = TableMachine("classification", **settings)
        yield _table(f"tables/{prepare}-classification", machine, rows, labels, asked)
        if prepare in ("table", "sparse"):  # the others are never compressed
            low = TableMachine("regression", **settings, rank=5)
            yield _table(f"tables/{prepare}-regression-low-rank", low, rows, s.target, asked)


def _table(name: str, machine: Any, rows: Any, y: Any, asked: Any) -> Case:
    return Case(name, lambda: machine.fit(rows, y), asked)
