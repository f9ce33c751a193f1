"""A forest: the mean of many trees, each grown on its own draw of rows and columns."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from mercer import _config
from mercer.tables.trees.walk import LEAF, TreeArrays, joined

ONE_THREAD = 200_000  # values in the table


class Forest(BaseEstimator):
    """scikit-learn's random forest, or extremely random trees, kept as arrays.

    Parameters
    ----------
    task : {"classification", "regression"}, default="classification"
        What the target is.
    n_estimators : int, default=120
        Number of trees.
    extra : bool, default=False
        Draw the thresholds at random too (``ExtraTrees``).
    max_features : float, int, str or None, default="sqrt"
        Columns looked at for each split; see scikit-learn.
    min_samples_leaf : int, default=1
        Rows in a leaf at least.
    class_weight : "balanced" or None, default=None
        Classes of equal weight, however rare.
    random_state : int, default=0
        Draws rows, columns and thresholds.
    """

    def __init__(
        self,
        task: str = "classification",
        *,
        n_estimators: int = 120,
        extra: bool = False,
        max_features: Any = "sqrt",
        min_samples_leaf: int = 1,
        class_weight: Any = None,
        random_state: int = 0,
    ) -> None:
        self.task = task
        self.n_estimators = n_estimators
        self.extra = extra
        self.max_features = max_features
        self.min_samples_leaf = min_samples_leaf
        self.class_weight = class_weight
        self.random_state = random_state

    def grower(self, cells: int = 0) -> Any:
        """The estimator of scikit-learn that grows the trees, not fitted."""
        from sklearn import ensemble

        classify = self.task == "classification"
        kind = "Classifier" if classify else "Regressor"
        weights = {"class_weight": self.class_weight} if classify else {}
        name = ("ExtraTrees" if self.extra else "RandomForest") + kind
        small = cells < ONE_THREAD  # starting threads would cost more than they save
        return getattr(ensemble, name)(
            n_estimators=self.n_estimators,
            max_features=self.max_features,
            min_samples_leaf=self.min_samples_leaf,
            random_state=self.random_state,
            **weights,
            n_jobs=1 if small else _config.n_threads(),
        )

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees and keep their arrays."""
        X = np.asarray(X, dtype=np.float32)
        grown = self.grower(X.size).fit(X, y)
        self.trees_ = joined([_arrays(tree.tree_) for tree in grown.estimators_])
        self.n_features_in_ = int(grown.n_features_in_)
        if self.task == "classification":
            self.classes_ = grown.classes_
        return self

    def _means(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        rows = np.asarray(X, dtype=np.float32)  # as scikit-learn compares
        value, total = self.trees_.value, np.zeros((len(rows), self.trees_.value.shape[1]))
        for leaf in self.trees_.leaves(rows).T:
            total += value[leaf]
        return total / self.trees_.n_trees

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of the largest share, or means."""
        found = self._means(X)
        return self.classes_[found.argmax(1)] if self.task == "classification" else found[:, 0]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Mean share of each class in the leaves."""
        if self.task != "classification":
            raise AttributeError("a forest for numbers has no classes")
        return self._means(X)


def _arrays(tree: Any) -> TreeArrays:
    """One fitted tree of scikit-learn; its nodes are in order of depth first, children later."""
    leaf = tree.children_left == -1
    n = tree.node_count
    missing = getattr(tree, "missing_go_to_left", np.zeros(n, dtype=bool))
    return TreeArrays(
        roots=np.zeros(1, dtype=np.int32),
        feature=np.where(leaf, LEAF, tree.feature).astype(np.int32),
        threshold=np.where(leaf, 0.0, tree.threshold),
        left=tree.children_left.astype(np.int32),
        right=tree.children_right.astype(np.int32),
        missing_left=np.asarray(missing, dtype=bool),
        value=np.array(tree.value[:, 0, :], dtype=np.float64),
        subset=np.full(n, -1, dtype=np.int32),
        subsets=np.zeros((0, 8), dtype=np.uint32),
    )
