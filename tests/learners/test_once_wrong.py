"""What once met a user as a wall or a wrong number, as that user typed it."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.preprocessing import StandardScaler

import mercer
from mercer.kernels import Spectrum
from mercer.kernels.structured._exponential_mixture import ExponentialMixture
from mercer.learners import metric, quantities, spectral
from mercer.learners.discriminant import LogisticClassifier
from mercer.metrics import DTW, Edit, kernel_from_distance

DIABETES = load_diabetes()
WORDS = ["abab", "baba", "abba", "cccc", "ccdc", "cdcc", "dddd", "ddcd"]


def test_left_out_predictions_of_whole_targets_are_not_cut():
    X, y = DIABETES.data[:40], np.rint(DIABETES.target[:40] / 50).astype(int)
    whole = quantities.exact_leave_one_out(mercer.SVR(C=10.0), X, y)
    expected = cross_val_predict(mercer.SVR(C=10.0), X, y.astype(float), cv=LeaveOneOut())
    np.testing.assert_allclose(whole.predictions, expected, atol=1e-6)


@pytest.mark.parametrize("weight", [2 * np.ones(90), 1.0 + np.arange(90) % 3])
def test_weights_above_one_do_not_spoil_a_process(weight):
    X, y = DIABETES.data, DIABETES.target
    process = mercer.GaussianProcessRegressor.automatic
    plain = process().fit(X[:90], y[:90]).score(X[90:], y[90:])
    assert process().fit(X[:90], y[:90], weight).score(X[90:], y[90:]) > plain - 0.05 > 0.3


@pytest.mark.parametrize(
    ("family", "rows"),
    [
        ("bernoulli", load_iris().data),
        ("poisson", -load_iris().data),
        ("poisson", np.array([[np.nan, 1.0], [2.0, 3.0]])),
    ],
)
def test_mixtures_look_at_their_rows(family, rows):
    with pytest.raises(ValueError, match=r"wants|NaN"):
        ExponentialMixture.fit(rows, 2, family)


def test_one_column_of_texts_is_texts():
    table, labels = pd.DataFrame({"s": WORDS[:3] + WORDS[3:6]}), [0, 0, 0, 1, 1, 1]
    machine = mercer.SVC(kernel=Spectrum(2)).fit(table, labels)
    assert machine.predict(table).tolist() == labels
    column = table.to_numpy()
    assert mercer.SVC(kernel=Spectrum(2)).fit(column, labels).predict(column).tolist() == labels


@pytest.mark.parametrize("learner", ["DiffusionMap", "LandmarkDiffusionMap"])
def test_a_torn_graph_is_told_and_rows_stay_apart(learner):
    rows = StandardScaler().fit_transform(load_breast_cancer().data)
    with pytest.warns(spectral.DisconnectedWarning, match="21 components"):
        model = getattr(spectral, learner)(2, random_state=0).fit(rows)
    assert len(np.unique(np.round(model.transform(rows), 8), axis=0)) > 500


def test_one_broken_triangle_among_many_rows_is_found():
    line = np.linspace(0.0, 1.0, 600)
    D = np.abs(line[:, None] - line)
    D[3, 7] = D[7, 3] = 50.0
    with pytest.warns(metric.NotAMetricWarning):
        model = mercer.LipschitzClassifier(metric="precomputed").fit(D, line > 0.5)
    assert not model.metric_holds_
    assert model.certificate_ is None


def test_a_distance_that_knows_it_is_no_metric_is_believed():
    series = [np.full(4, float(i)) for i in range(10)]
    model = mercer.LipschitzClassifier(metric=DTW()).fit(series, [0] * 5 + [1] * 5)
    assert not model.metric_holds_


def test_margins_of_overlapping_classes_are_zero():
    corners = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    assert metric.embedding_margins(cdist(corners, corners), [0, 0, 1, 1])["euclidean"] == 0.0


@pytest.mark.parametrize(
    "learner",
    [
        spectral.SpectralClustering(2, affinity=Spectrum(2)),
        spectral.Isomap(n_components=1, metric=Edit(), n_neighbors=3),
        spectral.ClassicalMDS(1, metric=Edit()),
        spectral.KCenters(2, metric=Edit()),
        spectral.DiffusionMap(1, metric=Edit()),
        spectral.LaplacianEigenmaps(1, metric=Edit()),
        spectral.LocallyLinearEmbedding(n_components=1, metric=Edit(), n_neighbors=3),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_texts_are_taken_wherever_they_can_be_compared(learner):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert learner.fit(WORDS)


def test_no_optimum_is_said():
    with pytest.warns(UserWarning, match="has no optimum"):
        LogisticClassifier(C=np.inf).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])


def test_distances_that_no_points_have_are_said():
    D = np.array([[0, 1, 1, 2.1], [1, 0, 2.1, 1], [1, 2.1, 0, 1], [2.1, 1, 1, 0]])
    with pytest.warns(UserWarning, match="not Euclidean"):
        kernel_from_distance(D)


def test_a_matrix_that_is_no_distance_is_refused():
    rows = np.abs(np.random.default_rng(0).normal(size=(8, 8)))
    with pytest.raises(ValueError, match="itself is zero"):
        mercer.Isomap(metric="precomputed", n_neighbors=3).fit(rows)
