"""The picture of letters shows the numbers it says."""

import numpy as np
import pytest

from mercer import SVC
from mercer.kernels import Spectrum
from mercer.plots import SequenceContributionsDisplay


def test_bars_are_the_shares():
    rng = np.random.default_rng(0)
    X = ["".join(row) for row in rng.choice(list("ACGT"), (60, 20))]
    y = ["yes" if "GC" in s else "no" for s in X]
    model = SVC(kernel=Spectrum(2), C=10.0).fit(X, y)
    display = SequenceContributionsDisplay.from_estimator(model, X[0])
    heights = [bar.get_height() for bar in display.ax_.patches]
    assert heights == pytest.approx(display.frame()["share"])
    total = sum(heights) + model.intercept_[0]
    assert total == pytest.approx(model.decision_function(X[:1])[0], abs=1e-9)
    assert "".join(display.frame()["symbol"]) == X[0]
    long = SequenceContributionsDisplay(sequence="A" * 200, shares=np.zeros(200)).plot()
    assert long.ax_.get_xlabel() == "position"


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match="2 shares for 3"):
        SequenceContributionsDisplay(sequence="abc", shares=[1.0, 2.0])
    model = SVC(kernel=Spectrum(1)).fit(["a", "b", "c"], [0, 1, 2])
    with pytest.raises(ValueError, match="two classes"):
        SequenceContributionsDisplay.from_estimator(model, "abc")
