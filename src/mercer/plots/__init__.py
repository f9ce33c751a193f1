"""Pictures, as Display classes in the manner of scikit-learn: one per file.

A display is built from an estimator, holds the numbers it shows (``frame()``), and draws them with
``plot(ax=None)``. Matplotlib is imported only then.
"""

from mercer._discover import rooms
from mercer.plots.bound_curve import BoundCurveDisplay
from mercer.plots.certificate_chart import CertificateDisplay
from mercer.plots.clustering import FiedlerDisplay, TrustDisplay
from mercer.plots.coverage import CoverageDisplay
from mercer.plots.criterion_curves import ComponentsDisplay, CriterionCurvesDisplay
from mercer.plots.decision_region import DecisionRegionDisplay
from mercer.plots.embedding import EmbeddingDisplay, SpectrumDisplay
from mercer.plots.evidence_surface import EvidenceSurfaceDisplay
from mercer.plots.gaussian_process import GaussianProcessDisplay
from mercer.plots.gram import GramDisplay
from mercer.plots.learning_curve import LearningCurveDisplay
from mercer.plots.losses import LossDisplay
from mercer.plots.margin_distribution import MarginDistributionDisplay
from mercer.plots.marginal_prior import MarginalPriorDisplay
from mercer.plots.probability import ProbabilityDisplay
from mercer.plots.projection import ProjectionDisplay
from mercer.plots.rank_comparison import RankComparisonDisplay
from mercer.plots.relevance import RelevanceDisplay
from mercer.plots.search_map import SearchMapDisplay
from mercer.plots.sequence_contributions import SequenceContributionsDisplay
from mercer.plots.version_space import VersionSpaceDisplay
from mercer.plots.voronoi import VoronoiDisplay

__all__ = [
    "BoundCurveDisplay",
    "CertificateDisplay",
    "ComponentsDisplay",
    "CoverageDisplay",
    "CriterionCurvesDisplay",
    "DecisionRegionDisplay",
    "EmbeddingDisplay",
    "EvidenceSurfaceDisplay",
    "FiedlerDisplay",
    "GaussianProcessDisplay",
    "GramDisplay",
    "LearningCurveDisplay",
    "LossDisplay",
    "MarginDistributionDisplay",
    "MarginalPriorDisplay",
    "ProbabilityDisplay",
    "ProjectionDisplay",
    "RankComparisonDisplay",
    "RelevanceDisplay",
    "SearchMapDisplay",
    "SequenceContributionsDisplay",
    "SpectrumDisplay",
    "TrustDisplay",
    "VersionSpaceDisplay",
    "VoronoiDisplay",
]

__getattr__, __dir__ = rooms(__name__)
