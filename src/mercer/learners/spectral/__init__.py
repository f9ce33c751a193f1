"""Learning without labels: components, clusters, embeddings, and whether to believe them."""

from mercer._discover import rooms
from mercer.learners.spectral._affinity import neighbor_scale
from mercer.learners.spectral._blocks import Blocks, Perturbation, block_norms, perturbation
from mercer.learners.spectral._pieces import DisconnectedWarning
from mercer.learners.spectral._seeding import seeding_factor
from mercer.learners.spectral._trust_checks import TrustCheck
from mercer.learners.spectral.agglomerative import Agglomerative
from mercer.learners.spectral.diffusion_map import DiffusionMap
from mercer.learners.spectral.graphs import (
    Connectivity,
    bridge_components,
    connectivity,
    neighbor_graph,
)
from mercer.learners.spectral.isomap import Isomap
from mercer.learners.spectral.k_centers import KCenters
from mercer.learners.spectral.k_means import (
    EmptyClusterError,
    KMeans,
    cluster_table,
)
from mercer.learners.spectral.kernel_k_means import KernelKMeans
from mercer.learners.spectral.kernel_pca import KernelPCA
from mercer.learners.spectral.landmark import LandmarkSpectralClustering
from mercer.learners.spectral.landmark_diffusion import LandmarkDiffusionMap
from mercer.learners.spectral.laplacian_eigenmaps import LaplacianEigenmaps
from mercer.learners.spectral.linkage import baselines, linkage_labels
from mercer.learners.spectral.locally_linear_embedding import LocallyLinearEmbedding
from mercer.learners.spectral.mds import ClassicalMDS
from mercer.learners.spectral.mixture_clustering import MixtureClustering
from mercer.learners.spectral.paths import density_lengths, shortest_paths
from mercer.learners.spectral.pca import PCA
from mercer.learners.spectral.quantization import Quantizer, quantize_density
from mercer.learners.spectral.spectral_clustering import SpectralClustering, eigengap
from mercer.learners.spectral.stress_mds import StressMDS
from mercer.learners.spectral.trust import TrustReport, trust_report

__all__ = [
    "PCA",
    "Agglomerative",
    "Blocks",
    "ClassicalMDS",
    "Connectivity",
    "DiffusionMap",
    "DisconnectedWarning",
    "EmptyClusterError",
    "Isomap",
    "KCenters",
    "KMeans",
    "KernelKMeans",
    "KernelPCA",
    "LandmarkDiffusionMap",
    "LandmarkSpectralClustering",
    "LaplacianEigenmaps",
    "LocallyLinearEmbedding",
    "MixtureClustering",
    "Perturbation",
    "Quantizer",
    "SpectralClustering",
    "StressMDS",
    "TrustCheck",
    "TrustReport",
    "baselines",
    "block_norms",
    "bridge_components",
    "cluster_table",
    "connectivity",
    "density_lengths",
    "eigengap",
    "linkage_labels",
    "neighbor_graph",
    "neighbor_scale",
    "perturbation",
    "quantize_density",
    "seeding_factor",
    "shortest_paths",
    "trust_report",
]

__getattr__, __dir__ = rooms(__name__)
