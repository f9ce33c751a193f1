"""A seeded sample of the validity tests by default, the full size with ``-m slow``."""

import pytest


@pytest.fixture(params=[1, pytest.param(5, marks=pytest.mark.slow)], ids=["sample", "full"])
def scale(request):
    """How many times the default number of draws."""
    return request.param
