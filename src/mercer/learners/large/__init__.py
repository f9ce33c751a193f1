"""For more rows than an exact kernel machine takes: cells of exact machines, and landmarks."""

from mercer._discover import rooms
from mercer.learners.large.cell_classifier import CellClassifier
from mercer.learners.large.cell_detector import CellDetector
from mercer.learners.large.cell_regressor import CellRegressor
from mercer.learners.large.nystroem import FourierFeatures, Nystroem
from mercer.learners.large.nystroem_classifier import NystroemClassifier
from mercer.learners.large.nystroem_k_means import NystroemKMeans
from mercer.learners.large.nystroem_pca import NystroemPCA
from mercer.learners.large.nystroem_ridge import NystroemRidge

__all__ = [
    "CellClassifier",
    "CellDetector",
    "CellRegressor",
    "FourierFeatures",
    "Nystroem",
    "NystroemClassifier",
    "NystroemKMeans",
    "NystroemPCA",
    "NystroemRidge",
]

__getattr__, __dir__ = rooms(__name__)
