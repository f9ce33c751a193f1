"""What a session shows of a result: numbers as they are, arrays by their size."""

import numpy as np

from mercer.kernels import Gaussian
from mercer.learners.margin import enclosing_ball
from mercer.learners.metric import KNNClassifier
from mercer.learners.quantities import exact_leave_one_out

X = np.random.default_rng(0).normal(size=(40, 2))
Y = (X[:, 0] > 0).astype(int)


def test_long_arrays_are_shown_by_their_size():
    assert repr(enclosing_ball(X, Gaussian(1.0))).startswith("Ball(radius=0.")
    assert "weights=<40 float64>" in repr(enclosing_ball(X, Gaussian(1.0)))
    left = repr(exact_leave_one_out(KNNClassifier(3), X, Y))
    assert "predictions=<40 int64>" in left
    assert len(left) < 400


def test_short_arrays_are_shown_whole():
    assert "weights=array([" in repr(enclosing_ball(X[:3], Gaussian(1.0)))
