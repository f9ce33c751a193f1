"""Errors of the compiled modules stay ours beside other libraries that are bound the same way."""

import subprocess
import sys

import pytest

ASK = """
import numpy as np
from mercer import _graph
import duckdb  # who comes last is asked first
one = np.zeros((1, 2))
try:
    _graph.nearest(one, one, False, np.empty((1, 4)), np.empty((1, 4), dtype=np.int32), 1)
except Exception as problem:
    print(type(problem).__module__, type(problem).__name__)
try:
    _graph.within(np.zeros((3000, 2)), np.zeros((3000, 2)), True, False, 1.0, 10, 1)
except BaseException as problem:
    print(type(problem).__module__, type(problem).__name__)
"""


def test_no_other_librarys_translators_see_our_errors():
    """duckdb turns every std::bad_alloc it hears of into its own error."""
    pytest.importorskip("duckdb")
    done = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["builtins ValueError", "builtins MemoryError"]
