"""Boosted trees: a sum of small trees, each fitted to what those before it left over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from mercer import _config
from mercer._blas import mind_forks
from mercer.tables.trees.walk import LEAF, TreeArrays, joined

ONE_THREAD = 500_000  # values in the table


class BoostedTrees(BaseEstimator):
    """scikit-learn's histogram gradient boosting, kept as arrays.

    Parameters
    ----------
    task : {"classification", "regression"}, default="classification"
        What the target is.
    categories : sequence of int, default=()
        Columns whose whole numbers are names of levels; a split puts a set of them to the left.
    max_iter, learning_rate, max_leaf_nodes, min_samples_leaf, l2_regularization
        See ``sklearn.ensemble.HistGradientBoostingClassifier``.
    class_weight : "balanced" or None, default=None
        Classes of equal weight, however rare.
    random_state : int, default=0
        Draws the rows by which bins are found, if there are many.
    """

    def __init__(
        self,
        task: str = "classification",
        *,
        categories: Sequence[int] = (),
        max_iter: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 31,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        class_weight: Any = None,
        random_state: int = 0,
    ) -> None:
        self.task = task
        self.categories = categories
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.class_weight = class_weight
        self.random_state = random_state

    def grower(self) -> Any:
        """The estimator of scikit-learn that grows the trees, not fitted."""
        from sklearn import ensemble

        classify = self.task == "classification"
        kind = "Classifier" if classify else "Regressor"
        weights = {"class_weight": self.class_weight} if classify else {}
        return getattr(ensemble, f"HistGradientBoosting{kind}")(
            max_iter=self.max_iter,
            learning_rate=self.learning_rate,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
            l2_regularization=self.l2_regularization,
            early_stopping=False,
            categorical_features=list(range(len(self.categories))) or None,
            **weights,
            random_state=self.random_state,
        )

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees and keep their arrays."""
        mind_forks()
        X = np.asarray(X, dtype=np.float64)
        self.n_features_in_ = X.shape[1]
        self.levels_ = [np.unique(X[~np.isnan(X[:, j]), j]) for j in self.categories]
        grown = self._grown(self._ordered(X), y)
        if self.task == "classification":
            self.classes_ = grown.classes_
        self._keep(grown)
        return self

    def _grown(self, X: NDArray[np.float64], y: Any) -> Any:
        with _threads_for(X.size):
            return self.grower().fit(X, y)

    def _keep(self, grown: Any) -> None:
        """``start_`` and ``trees_`` of the fitted estimator."""
        self.start_ = np.array(grown._baseline_prediction, dtype=np.float64).ravel()
        self.trees_ = joined([_arrays(one) for several in grown._predictors for one in several])

    def _ordered(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Categories first, as places among the levels of the training rows; others are gaps."""
        named = [int(j) for j in self.categories]
        rest = [j for j in range(X.shape[1]) if j not in set(named)]
        out = X[:, named + rest]
        for k, levels in enumerate(self.levels_):
            place = np.clip(np.searchsorted(levels, out[:, k]), 0, max(0, len(levels) - 1))
            known = levels[place] == out[:, k] if len(levels) else np.zeros(len(out), dtype=bool)
            out[:, k] = np.where(known, place, np.nan)
        return out

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Sums of the leaves, one column per class, or one number."""
        check_is_fitted(self)
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.n_features_in_:
            raise ValueError(f"X must have {self.n_features_in_} columns, has shape {X.shape}")
        outputs = len(self.start_)
        leaves = self.trees_.leaves(self._ordered(X))
        raw = np.tile(self.start_, (len(X), 1))
        for tree in range(self.trees_.n_trees):
            raw[:, tree % outputs] += self.trees_.value[leaves[:, tree], 0]
        return raw[:, 0] if outputs == 1 else raw

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities."""
        if self.task != "classification":
            raise AttributeError("trees for numbers have no classes")
        raw = self.decision_function(X)
        if raw.ndim == 1:
            positive = expit(raw)
            return np.column_stack([1.0 - positive, positive])
        return np.asarray(softmax(raw, axis=1))

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels or numbers."""
        if self.task != "classification":
            return self.decision_function(X)
        return self.classes_[self.predict_proba(X).argmax(1)]


def _threads_for(cells: int) -> Any:
    """One thread for small tables: on a busy machine threads that wait for each other cost most."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1 if cells < ONE_THREAD else _config.n_threads(), "openmp")


def _arrays(tree: Any) -> TreeArrays:
    """One tree of the ensemble; its nodes are stored parents first."""
    nodes = tree.nodes
    leaf = nodes["is_leaf"].astype(bool)
    asks = nodes["is_categorical"].astype(bool) & ~leaf
    sets = np.asarray(tree.raw_left_cat_bitsets, dtype=np.uint32).reshape(-1, 8)
    return TreeArrays(
        roots=np.zeros(1, dtype=np.int32),
        feature=np.where(leaf, LEAF, nodes["feature_idx"].astype(np.int32)).astype(np.int32),
        threshold=np.where(leaf, 0.0, nodes["num_threshold"]),
        left=nodes["left"].astype(np.int32),
        right=nodes["right"].astype(np.int32),
        missing_left=nodes["missing_go_to_left"].astype(bool),
        value=nodes["value"].astype(np.float64)[:, None],
        subset=np.where(asks, nodes["bitset_idx"].astype(np.int32), np.int32(-1)),
        subsets=sets,
    )
