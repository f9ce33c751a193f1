"""Pictures, as Display classes in the manner of scikit-learn: one per file.

A display is built from an estimator, holds the numbers it shows (``frame()``), and draws them with
``plot(ax=None)``. Matplotlib is imported only then.
"""

from mercer.plots.bound_curve import BoundCurveDisplay
from mercer.plots.certificate_chart import CertificateDisplay
from mercer.plots.coverage import CoverageDisplay
from mercer.plots.decision_region import DecisionRegionDisplay
from mercer.plots.gram import GramDisplay
from mercer.plots.margin_distribution import MarginDistributionDisplay

__all__ = [
    "BoundCurveDisplay",
    "CertificateDisplay",
    "CoverageDisplay",
    "DecisionRegionDisplay",
    "GramDisplay",
    "MarginDistributionDisplay",
]
