"""Trees of scikit-learn as plain arrays: fitted there, walked here, stored without code."""

from mercer.tables.trees.boosted import BoostedTrees
from mercer.tables.trees.forest import Forest

__all__ = ["BoostedTrees", "Forest"]
