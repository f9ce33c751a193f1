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
    """Where scikit-learn's rule cannot hold, with the reason."""
    if isinstance(estimator, spectral.KMeans):  # as for scikit-learn's own class
        name = "check_sample_weight_equivalence_on_dense_data"
        return {name: "seeding draws rows, so weights and repetitions lead to other random starts"}
    if getattr(estimator, "n_neighbors", None) == 8:  # DiffusionMap with a neighbour graph
        reason = "a new row is joined to its own neighbours, not to those that would list it"
        names = ("check_transformer_general", "check_transformer_data_not_an_array")
        return dict.fromkeys((*names, "check_transformer_general(readonly_memmap=True)"), reason)
    return {}


@pytest.mark.filterwarnings("ignore::mercer.learners.spectral.DisconnectedWarning")
@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
