"""Pictures of Bayesian machines show the numbers that the machines compute."""

import numpy as np
import pytest

import mercer
from mercer.kernels import Gaussian
from mercer.plots import (
    EvidenceSurfaceDisplay,
    GaussianProcessDisplay,
    MarginalPriorDisplay,
    RelevanceDisplay,
)


@pytest.fixture
def model():
    x = np.linspace(0, 6, 7)
    return mercer.GaussianProcessRegressor.automatic(
        Gaussian(1.0), noise="learn", n_restarts_optimizer=0
    ).fit(x[:, None], np.sin(x))


def test_error_bars_and_samples(model):
    line = np.linspace(-1, 7, 20)
    display = GaussianProcessDisplay.from_estimator(
        model, line, y=np.sin(np.linspace(0, 6, 7)), n_samples=2, width=2.0
    )
    table = display.frame()
    mean, std = model.predict(line[:, None], return_std=True)
    np.testing.assert_allclose(table["high"] - table["low"], 4 * std)
    np.testing.assert_allclose(table["mean"], mean)
    assert {"sample 1", "sample 2"} <= set(table)
    assert len(display.ax_.lines) == 4  # two samples, the mean, the data


def test_the_prior_is_drawn_before_fit():
    display = GaussianProcessDisplay.from_estimator(
        mercer.GaussianProcessRegressor.automatic(Gaussian(1.0)), np.linspace(0, 1, 5)
    )
    np.testing.assert_allclose(display.mean, 0.0)
    np.testing.assert_allclose(display.std, 1.0)


def test_relevance_is_sorted_and_named():
    display = RelevanceDisplay(relevance=[0.1, 2.0, 0.0], names=["a", "b", "c"]).plot()
    assert display.frame()["input"].tolist() == ["b", "a", "c"]
    assert [bar.get_width() for bar in display.ax_.patches] == [2.0, 0.1, 0.0]
    with pytest.raises(ValueError, match="names"):
        RelevanceDisplay(relevance=[1.0], names=["a", "b"])


def test_relevance_of_an_estimator_counts_the_spread_of_the_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)) * [1.0, 10.0]
    model = mercer.GaussianProcessRegressor.automatic(n_restarts_optimizer=0).fit(
        X, np.sin(X[:, 0])
    )
    display = RelevanceDisplay.from_estimator(model, X)
    np.testing.assert_allclose(display.relevance, model.relevance_ * X.std(axis=0))


def test_evidence_surface(model):
    lengths, noises = np.array([0.5, 1.0, 2.0]), np.array([0.01, 0.1])
    display = EvidenceSurfaceDisplay.from_estimator(model, lengths, noises)
    assert display.names == ("length_scale", "noise")
    expected = model.log_marginal_likelihood(np.log([1.0, 0.1]))
    assert display.values[1, 1] == pytest.approx(expected)
    assert display.best()[2] == display.values.max()
    with pytest.raises(ValueError, match="not a parameter"):
        EvidenceSurfaceDisplay.from_estimator(model, lengths, noises, names=("a", "noise"))


def test_marginal_prior_is_symmetric_and_peaks_at_zero():
    display = MarginalPriorDisplay().plot()
    for name, curve in display.frame().items():
        if name != "w":
            np.testing.assert_allclose(curve, curve[::-1])
            assert np.argmax(curve) == 200
    assert len(display.ax_.lines) == 3
