"""LightGBM's trees, where it is installed; a fitted model answers without it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from mercer import _config
from mercer.errors import UserError
from mercer.tables.trees.boosted import ONE_THREAD, BoostedTrees
from mercer.tables.trees.walk import BITS, LEAF, TreeArrays, joined

WORDS = 8  # of a set of categories: 256 levels


def installed() -> bool:
    """Whether LightGBM is there; it is not loaded."""
    return find_spec("lightgbm") is not None


class LightTrees(BoostedTrees):
    """LightGBM's boosted trees, kept as arrays.

    The parameters are those of `BoostedTrees`. Reading and asking a model needs no LightGBM.
    """

    def grower(self) -> Any:
        """The estimator of LightGBM that grows the trees, not fitted."""
        if not installed():
            raise UserError(
                "the learner 'lightgbm' needs the package lightgbm.",
                "Install mercer[trees], or take boosting, which scikit-learn grows.",
            )
        import lightgbm

        classify = self.task == "classification"
        kind = lightgbm.LGBMClassifier if classify else lightgbm.LGBMRegressor
        weights = {"class_weight": self.class_weight} if classify else {}
        return kind(
            n_estimators=self.max_iter,
            learning_rate=self.learning_rate,
            num_leaves=self.max_leaf_nodes,
            min_child_samples=self.min_samples_leaf,
            reg_lambda=self.l2_regularization,
            min_data_per_group=self.min_samples_leaf,  # of levels; a hundred would be most tables
            **weights,
            random_state=self.random_state,
            deterministic=True,  # the same trees however many threads
            force_row_wise=True,  # one way to count, not the one that is quicker just now
            verbosity=-1,
        )

    def _grown(self, X: Any, y: Any) -> Any:
        threads = 1 if X.size < ONE_THREAD else _config.n_threads()
        named: Any = list(range(len(self.categories))) or "auto"
        grower = self.grower().set_params(n_jobs=threads)
        return grower.fit(X, y, categorical_feature=named)

    def _keep(self, grown: Any) -> None:
        told = grown.booster_.dump_model()
        self.start_ = np.zeros(told["num_tree_per_iteration"])  # it is in the first leaves
        self.trees_ = joined([arrays_of(one["tree_structure"]) for one in told["tree_info"]])


def arrays_of(root: dict[str, Any]) -> TreeArrays:
    """One tree as LightGBM tells it, parents before their children."""
    nodes = list(_nodes(root))
    place = {id(node): at for at, node in enumerate(nodes)}
    n = len(nodes)
    feature, subset = np.full(n, LEAF, dtype=np.int32), np.full(n, -1, dtype=np.int32)
    left, right = np.full(n, LEAF, dtype=np.int32), np.full(n, LEAF, dtype=np.int32)
    threshold, value, gap = np.zeros(n), np.zeros((n, 1)), np.zeros(n, dtype=bool)
    sets: list[list[int]] = []
    for at, node in enumerate(nodes):
        if "split_feature" not in node:
            value[at] = node["leaf_value"]
            continue
        feature[at] = node["split_feature"]
        left[at], right[at] = place[id(node["left_child"])], place[id(node["right_child"])]
        if node["decision_type"] == "==":  # a gap is in no set and goes right
            subset[at] = len(sets)
            sets.append(_bits(node["threshold"]))
        else:
            threshold[at], gap[at] = node["threshold"], _gap_left(node)
    subsets = np.array(sets, dtype=np.uint32).reshape(-1, WORDS)
    roots = np.zeros(1, dtype=np.int32)
    return TreeArrays(roots, feature, threshold, left, right, gap, value, subset, subsets)


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        if "split_feature" in one:
            waiting += [one["right_child"], one["left_child"]]


def _gap_left(node: dict[str, Any]) -> bool:
    """Where a gap goes: of a column without gaps in training LightGBM takes it for a zero."""
    if node["missing_type"] == "NaN":
        return bool(node["default_left"])
    return float(node["threshold"]) >= 0.0


def _bits(codes: str) -> list[int]:
    """The set ``0||3||17``, one bit each."""
    words = [0] * WORDS
    for code in map(int, codes.split("||")):
        words[code // BITS] |= 1 << (code % BITS)
    return words
