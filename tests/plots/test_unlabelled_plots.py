"""Pictures of embeddings and clusterings hold the numbers they show."""

import matplotlib
import matplotlib.pyplot
import numpy as np
import pytest
from sklearn.datasets import make_moons

from mercer import Isomap, SpectralClustering
from mercer.learners.spectral import PCA
from mercer.plots import EmbeddingDisplay, FiedlerDisplay, SpectrumDisplay, TrustDisplay

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def fitted():
    X, y = make_moons(120, noise=0.05, random_state=0)
    return X, y, SpectralClustering(2, affinity="kernel", n_init=3).fit(X)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    matplotlib.pyplot.close("all")


def test_embedding(fitted):
    X, y, _ = fitted
    display = EmbeddingDisplay.from_estimator(
        Isomap(n_neighbors=70, n_components=2).fit(X), groups=y
    )
    frame = display.frame()
    assert frame["x1"] == pytest.approx(display.points[:, 0])
    assert frame["group"].tolist() == y.tolist()
    assert len(display.ax_.collections) == 2
    model = PCA(1).fit(X)
    with pytest.raises(ValueError, match="pass X"):
        EmbeddingDisplay.from_estimator(model)
    assert set(EmbeddingDisplay.from_estimator(model, X).frame()) == {"x1"}
    with pytest.raises(ValueError, match="3 groups for 120"):
        EmbeddingDisplay(points=X, groups=[1, 2, 3])
    with pytest.raises(ValueError, match="table"):
        EmbeddingDisplay(points=[1.0, 2.0])


def test_spectrum_marks_the_gap(fitted):
    model = fitted[2]
    display = SpectrumDisplay.from_estimator(model)
    assert display.frame()["eigenvalue"] == pytest.approx(model.eigenvalues_)
    assert display.used == 2
    assert display.ax_.texts[0].get_text() == "gap"
    with pytest.raises(ValueError, match="list of numbers"):
        SpectrumDisplay(values=[])


def test_second_eigenvector_in_order(fitted):
    model = fitted[2]
    frame = FiedlerDisplay.from_estimator(model).frame()
    assert np.all(np.diff(frame["entry"]) >= 0)
    assert np.array_equal(model.labels_[frame["row"]], frame["cluster"])
    with pytest.raises(ValueError, match="no second"):
        FiedlerDisplay.from_estimator(SpectralClustering(1).fit(fitted[0]))


def test_trust(fitted):
    model = fitted[2]
    report = model.trust(subsamples=4, noise=2)
    display = TrustDisplay.from_estimator(model, report)
    assert display.frame()["check"] == [c.name for c in report.checks]
    assert display.ordered.shape == (120, 120)
    assert report.verdict in display.axes_[1].get_title(loc="left")
