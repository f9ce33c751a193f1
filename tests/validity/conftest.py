"""A seeded sample of the validity tests by default, the full size with ``-m slow``.

A statement at δ = 0.1 that is wrong at rate 0.2 is rejected by a sample of 160 draws with
probability 0.68 (0.25: 0.97), by 480 draws with 0.999; one that is wrong at rate 0.15 by 480 draws
with 0.62, by 800 with 0.89.
"""

import json

import pytest
from threadpoolctl import threadpool_limits

import mercer
from helpers_validity import COUNTED


@pytest.fixture(params=[1, pytest.param(5, marks=pytest.mark.slow)], ids=["sample", "full"])
def scale(request):
    """How many times the default number of draws."""
    return request.param


@pytest.fixture(scope="module", autouse=True)  # over before other folders have their turn
def one_thread():
    """Thousands of tiny fits, one process per core: threads would only wait for each other."""
    with mercer.config(n_threads=1), threadpool_limits(1):
        yield


@pytest.fixture(autouse=True)
def counted(record_property):
    """Every count of a test goes into the report (``--junitxml``)."""
    COUNTED.clear()
    yield
    for name, wrong, draws, delta, broken in COUNTED:  # counts may be NumPy's integers
        line = (name, int(wrong), int(draws), float(delta), bool(broken))
        record_property("counted", json.dumps(line))
