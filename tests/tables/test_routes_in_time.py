"""Routes are tried while there is time, and one of them always is."""

import numpy as np
import pytest

from mercer import SVC
from mercer.kernels import Gaussian
from mercer.tables.routes import fit_by_routes


@pytest.mark.parametrize(
    ("clock", "tried"),
    [
        ([None] * 9, ["exact", "cells", "low-rank"]),
        ([0.0] * 9, ["exact"]),
        ([5.0, 5.0, 0.0, 0.0, 0.0, 0.0], ["exact", "cells"]),
    ],
)
def test_no_route_begins_when_no_time_is_left(clock, tried):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    left = iter(clock)
    found = fit_by_routes(SVC(kernel=Gaussian(1.0)), Gaussian(1.0), X, np.sign(X[:, 0]),
                          "classification", rank=20, cell_size=100,
                          time_left=lambda: next(left))  # fmt: skip
    assert [one.route for one in found.tried] == tried
    assert found.route in tried
