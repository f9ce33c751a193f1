"""scikit-learn's own checks on every learner without labels."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer.learners import spectral

ESTIMATORS = [
    spectral.PCA(2),
    spectral.PCA(2, route="gram"),
    spectral.KernelPCA(2, kernel="rbf"),
    spectral.KMeans(3, n_init=2),
    spectral.KCentres(3),
    spectral.KernelKMeans(3, n_init=2),
    spectral.ClassicalMDS(2),
    spectral.Isomap(2, n_neighbors=5),
    spectral.DiffusionMap(2),
    spectral.DiffusionMap(2, n_neighbors=8),
    spectral.LandmarkDiffusionMap(2, n_landmarks=12),
    spectral.SpectralClustering(2, n_init=2),
    spectral.LandmarkSpectralClustering(2, n_landmarks=10),
]


def expected(estimator):
    """As for scikit-learn's own class: seeding draws rows, so weights change the draw."""
    if not isinstance(estimator, spectral.KMeans):
        return {}
    name = "check_sample_weight_equivalence_on_dense_data"
    return {name: "weights and repetitions lead to other random starts"}


@pytest.mark.filterwarnings("ignore::mercer.learners.spectral.DisconnectedWarning")
@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
