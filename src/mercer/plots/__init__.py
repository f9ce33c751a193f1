"""Pictures, as Display classes in the manner of scikit-learn: one per file.

A display is built from an estimator, holds the numbers it shows (``frame()``), and draws them with
``plot(ax=None)``. Matplotlib is imported only then.
"""

from mercer.plots.bound_curve import BoundCurveDisplay
from mercer.plots.certificate_chart import CertificateDisplay
from mercer.plots.coverage import CoverageDisplay
from mercer.plots.decision_region import DecisionRegionDisplay
from mercer.plots.evidence_surface import EvidenceSurfaceDisplay
from mercer.plots.gaussian_process import GaussianProcessDisplay
from mercer.plots.gram import GramDisplay
from mercer.plots.margin_distribution import MarginDistributionDisplay
from mercer.plots.marginal_prior import MarginalPriorDisplay
from mercer.plots.relevance import RelevanceDisplay

__all__ = [
    "BoundCurveDisplay",
    "CertificateDisplay",
    "CoverageDisplay",
    "DecisionRegionDisplay",
    "EvidenceSurfaceDisplay",
    "GaussianProcessDisplay",
    "GramDisplay",
    "MarginDistributionDisplay",
    "MarginalPriorDisplay",
    "RelevanceDisplay",
]
