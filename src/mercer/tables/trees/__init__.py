"""Trees of scikit-learn and LightGBM as arrays: fitted there, walked here, stored without code."""

from mercer.tables.trees.boosted import BoostedTrees
from mercer.tables.trees.forest import Forest
from mercer.tables.trees.light import LightTrees

__all__ = ["BoostedTrees", "Forest", "LightTrees"]
