import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, datasets
from mercer.kernels import Gaussian, Sigmoid
from mercer.plots import GramDisplay


@pytest.fixture(scope="module")
def penguins():
    table = datasets.load_penguins()
    return StandardScaler().fit_transform(table.X), np.array(table.class_names)[table.y]


def test_sorted_by_class_and_then_by_typicality(penguins):
    X, y = penguins
    display = GramDisplay.from_kernel(Gaussian(1.0), X, y)
    frame = display.frame()
    assert sorted(frame["order"]) == list(range(len(X)))
    np.testing.assert_array_equal(frame["y"], y[frame["order"]])
    assert list(frame["y"]) == sorted(frame["y"])
    np.testing.assert_allclose(frame["gram"], Gaussian(1.0)(X[frame["order"]]), rtol=1e-6)
    first = frame["gram"][frame["y"] == "Adelie"][:, frame["y"] == "Adelie"].mean(axis=1)
    assert np.all(np.diff(first) <= 1e-12)


def test_spectrum_is_that_of_the_matrix(penguins):
    X, y = penguins
    display = GramDisplay.from_kernel(Gaussian(1.0), X, y, spectrum=True)
    values = display.frame()["eigenvalues"]
    assert np.all(np.diff(values) <= 0)
    assert values.sum() == pytest.approx(len(X))
    assert display.spectrum_ax_.get_yscale() == "log"


def test_large_samples_are_thinned(penguins):
    X, y = penguins
    display = GramDisplay.from_kernel(Gaussian(1.0), X, y, max_points=50)
    assert display.gram.shape == (50, 50)


def test_class_names_are_on_the_axes(penguins):
    X, y = penguins
    ax = GramDisplay.from_kernel(Gaussian(1.0), X, y).ax_
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["Adelie", "Chinstrap", "Gentoo"]


def test_from_estimator_uses_the_fitted_kernel_and_earlier_steps(penguins):
    table = datasets.load_penguins()
    model = make_pipeline(StandardScaler(), SVC(gamma=0.5)).fit(table.X, table.y)
    display = GramDisplay.from_estimator(model, table.X)
    X, _ = penguins
    square = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(display.gram, np.exp(-0.5 * square), atol=1e-6)
    np.testing.assert_array_equal(display.order, np.arange(len(X)))


def test_negative_values_get_a_diverging_scale(penguins):
    X, y = penguins
    image = GramDisplay.from_kernel(Sigmoid(), X, y).ax_.images[0]
    low, high = image.get_clim()
    assert low == -high


def test_refuses_what_it_cannot_draw(penguins):
    X, y = penguins
    with pytest.raises(TypeError, match="no fitted kernel_"):
        GramDisplay.from_estimator(RidgeClassifier().fit(X, y), X, y)
    with pytest.raises(ValueError, match="square"):
        GramDisplay(gram=np.ones((3, 4)))
    with pytest.raises(ValueError, match="2 labels"):
        GramDisplay(gram=np.eye(3), y=np.array([0, 1]))
