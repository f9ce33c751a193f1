import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from mercer.datasets import make_gaussian
from mercer.plots import LearningCurveDisplay


def test_the_right_model_reaches_the_bayes_risk():
    law = make_gaussian(1, random_state=0)[2]
    shown = LearningCurveDisplay.from_law(
        LinearDiscriminantAnalysis(), law, (4, 40, 4000), repeats=6, test_rows=4000
    )
    table = shown.frame()
    assert table["mean"][0] > table["mean"][1] > table["mean"][2] - 0.005
    assert abs(table["excess"][2]) < 0.01
    assert np.all(table["lower"] <= table["upper"])
    dashed = shown.ax_.lines[-1].get_ydata()
    assert dashed[0] == law.bayes_risk


def test_samples_of_one_class_give_a_constant_rule():
    law = make_gaussian(1, random_state=0)[2]
    shown = LearningCurveDisplay.from_law(
        {"Fisher": LinearDiscriminantAnalysis()}, law, (1,), repeats=3, test_rows=2000
    )
    np.testing.assert_allclose(shown.frame()["mean"], 0.5, atol=0.05)


def test_tables_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="2 rows of risks for 3 sizes"):
        LearningCurveDisplay((1, 2, 3), {"a": [[0.1], [0.2]]}, 0.1)
    with pytest.raises(ValueError, match="nothing to show"):
        LearningCurveDisplay((1,), {}, 0.1)
