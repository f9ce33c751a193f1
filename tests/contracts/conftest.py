"""What several contract tests run over."""

import numpy as np
import pytest

from helpers_kernels import CASES, CLASSES


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def case(request):
    """A kernel and two samples of its own kind of data."""
    name, i = request.param
    kind, rng = CLASSES[name], np.random.default_rng(7)
    return kind.examples()[i], kind.example_data(17, rng), kind.example_data(11, rng)
