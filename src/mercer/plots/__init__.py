"""Pictures, as Display classes in the manner of scikit-learn: one per file.

A display is built from an estimator, holds the numbers it shows (``frame()``), and draws them with
``plot(ax=None)``. Matplotlib is imported only then.
"""

from mercer.plots.decision_region import DecisionRegionDisplay
from mercer.plots.gram import GramDisplay
from mercer.plots.margin_distribution import MarginDistributionDisplay

__all__ = ["DecisionRegionDisplay", "GramDisplay", "MarginDistributionDisplay"]
