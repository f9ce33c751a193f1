"""Pictures are tested through the numbers they show and the artists they draw, not their pixels."""

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, datasets
from mercer.plots import DecisionRegionDisplay


@pytest.fixture(scope="module")
def moons():
    X, y, _ = datasets.make_moons(120, scale=0.25, random_state=1)
    return X, y, SVC(C=2.0, gamma=1.0).fit(X, y)


def labels(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_shows_the_decision_function(moons):
    X, y, model = moons
    display = DecisionRegionDisplay.from_estimator(model, X, y, grid=40)
    frame = display.frame()
    plane = np.column_stack([frame["xx"].ravel(), frame["yy"].ravel()])
    np.testing.assert_allclose(frame["response"].ravel(), model.decision_function(plane))
    assert frame["xx"].min() < X[:, 0].min()
    assert frame["yy"].max() > X[:, 1].max()
    np.testing.assert_array_equal(frame["y"], y)
    np.testing.assert_array_equal(np.flatnonzero(frame["support"]), np.sort(model.support_))


def test_categories_follow_the_margin(moons):
    X, y, model = moons
    category = DecisionRegionDisplay.from_estimator(model, X, y, grid=10).frame()["category"]
    margin = y * model.decision_function(X)
    assert np.all(margin[category == "outside"] > 1.0)
    assert np.all(np.abs(margin[category == "on the margin"] - 1.0) <= 0.01)
    assert np.all((margin > 0)[category == "inside the margin"])
    np.testing.assert_array_equal(category == "misclassified", model.predict(X) != y)


def test_legend_counts_what_is_drawn(moons):
    X, y, model = moons
    display = DecisionRegionDisplay.from_estimator(model, X, y, grid=20, title="A title")
    shown = labels(display)
    assert f"support vector ({len(model.support_)})" in shown
    assert "decision line, f = 0" in shown
    assert "margins, f = ±1" in shown
    assert display.ax_.get_title(loc="left") == "A title"


def test_draws_on_given_axes_without_legend(moons):
    import matplotlib.pyplot as plt

    X, y, model = moons
    figure, ax = plt.subplots()
    display = DecisionRegionDisplay.from_estimator(model, X, y, grid=10, ax=ax, legend=False)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert ax.get_legend() is None


def test_pipeline_of_three_classes_with_names():
    table = datasets.load_penguins()
    X, y = table.X[:, :2], np.array(table.class_names)[table.y]
    model = make_pipeline(StandardScaler(), SVC(gamma=0.5)).fit(X, y)
    display = DecisionRegionDisplay.from_estimator(
        model, X, y, grid=60, feature_names=("bill length", "bill depth")
    )
    frame = display.frame()
    assert set(np.unique(frame["response"])) <= {0.0, 1.0, 2.0}
    wrong = frame["category"] == "misclassified"
    np.testing.assert_array_equal(wrong, model.predict(X) != y)
    assert frame["support"].sum() == len(model[-1].support_)
    assert "class Gentoo (123)" in labels(display)
    assert display.ax_.get_xlabel() == "bill length"


def test_works_for_a_classifier_without_support_vectors(moons):
    X, y, _ = moons
    display = DecisionRegionDisplay.from_estimator(RidgeClassifier().fit(X, y), X, y, grid=10)
    assert not display.frame()["support"].any()
    assert not any("support vector" in text for text in labels(display))


def test_a_machine_that_never_reaches_its_margin_still_draws(moons):
    X, y, _ = moons
    model = SVC(C=1e-6, gamma=1.0).fit(X, y)
    display = DecisionRegionDisplay.from_estimator(model, X, y, grid=10)
    assert "decision line, f = 0" not in labels(display) or display.response.min() < 0


def test_refuses_what_it_cannot_draw(moons):
    X, y, model = moons
    with pytest.raises(ValueError, match="in the plane"):
        DecisionRegionDisplay.from_estimator(model, np.ones((5, 3)), np.ones(5))
    with pytest.raises(TypeError, match="no decision_function"):
        DecisionRegionDisplay.from_estimator(KNeighborsClassifier().fit(X, y), X, y)
    with pytest.raises(ValueError, match="not fitted on"):
        DecisionRegionDisplay.from_estimator(model, X, np.full(len(y), 7), grid=5)
