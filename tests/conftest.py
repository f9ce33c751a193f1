"""Hypothesis draws the same examples in every run, so that a change is judged by what it changed.

A slow or busy machine fails no test: there is no deadline, and slow drawing is no fault.
``HYPOTHESIS_PROFILE=default`` searches anew each time, with Hypothesis' own limits of time.
"""

import gc
import os
import signal

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_configure(config):
    """One process per core: threads of BLAS and OpenMP would only wait for each other.

    Mercer's own threads stay, and tests of the others' ask for as many as they need.
    """
    if getattr(config.option, "numprocesses", None):
        for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):  # workers inherit them
            os.environ.setdefault(name, "1")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """27,000 tests and what they hold live to the end: the collector need not look for them."""
    gc.disable()


def pytest_collection_finish(session):
    """Only what tests make from here on is looked through: a twelfth of their time was the rest."""
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_earlier_looks():
    """Numbers must not depend on which tests ran before (promise 2)."""
    from mercer.certification.core import looks

    looks.forget()


@pytest.fixture(autouse=True)
def same_draws():
    """``random_state=None`` draws from NumPy's global state: the same in every run of a test."""
    np.random.seed(0)  # noqa: NPY002


@pytest.fixture(autouse=True)
def same_signals():
    """A test that leaves a signal ignored would keep a pool of a later test from being ended."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)
