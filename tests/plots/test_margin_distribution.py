import numpy as np
import pytest

from mercer import SVC, datasets
from mercer.plots import MarginDistributionDisplay


def test_margins_and_shares_of_two_classes():
    X, y, _ = datasets.make_gaussian(200, distance=2.0, random_state=0)
    model = SVC(C=1.0).fit(X, y)
    display = MarginDistributionDisplay.from_estimator(model, X, y)
    margin = y * model.decision_function(X)
    np.testing.assert_allclose(display.frame()["margin"], np.sort(margin))
    assert display.frame()["share"][-1] == 1.0
    shares = display.shares()
    assert sum(shares.values()) == pytest.approx(1.0)
    assert shares["misclassified"] == pytest.approx(np.mean(model.predict(X) != y))


def test_margin_of_several_classes_is_own_score_minus_best_other():
    table = datasets.load_iris()
    model = SVC(decision_function_shape="ovr").fit(table.X, table.y)
    margin = MarginDistributionDisplay.from_estimator(model, table.X, table.y).margin
    scores = model.decision_function(table.X)
    expected = [row[k] - np.delete(row, k).max() for row, k in zip(scores, table.y, strict=True)]
    np.testing.assert_allclose(margin, expected)


def test_several_classes_need_one_score_each():
    table = datasets.load_digits()
    model = SVC(decision_function_shape="ovo").fit(table.X[:200], table.y[:200])
    with pytest.raises(ValueError, match="ovr"):
        MarginDistributionDisplay.from_estimator(model, table.X[:200], table.y[:200])


def test_bars_count_every_example_and_never_mix_two_sides():
    values = np.array([-1.3, -0.2, 0.0, 0.3, 0.7, 0.999, 1.0, 1.4, 2.2])
    display = MarginDistributionDisplay(margin=values).plot(bins=10)
    bars = [patch for patch in display.ax_.patches if patch.get_height() > 0]
    assert sum(patch.get_height() for patch in bars) == len(values)
    edges = display._edges(10)
    for special in (0.0, 1.0):
        assert np.isclose(edges, special).any()
    assert edges[0] <= values.min()
    assert edges[-1] >= values.max()


def test_from_predictions():
    display = MarginDistributionDisplay.from_predictions([1, -1, 1], [2.0, 1.0, 0.5])
    np.testing.assert_allclose(display.frame()["margin"], [-1.0, 0.5, 2.0])
    for labels in ([0, 1, 1], [1, -1]):
        with pytest.raises(ValueError, match="-1 and"):
            MarginDistributionDisplay.from_predictions(labels, [2.0, 1.0, 0.5])


def test_draws_on_given_axes():
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    display = MarginDistributionDisplay(margin=np.linspace(-1, 2, 30)).plot(ax=ax, title="Mine")
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert ax.get_title(loc="left") == "Mine"
    assert len(ax.get_legend().get_texts()) == 4
