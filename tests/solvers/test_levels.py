"""MERCER_LEVEL: which instruction level the compiled modules use, one process per setting."""

import os
import subprocess
import sys

import pytest

from mercer import _native

SAY = """
from mercer import _graph, _native, _paths, _sequences
print(_native.level(), _paths.level(), _sequences.level(), _graph.level())
"""
FIT = """
import mercer
print(mercer.SVC(gamma=1.0).fit([[0.0], [1.0]], [0, 1]).predict([[0.2]]))
"""
ALIGN = "from mercer.kernels import Subsequence; print(Subsequence()(['abc', 'abd']))"
VERSIONS = "import mercer; mercer.show_versions()"


def run(code, level):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "MERCER_LEVEL": level},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


@pytest.mark.parametrize("level", _native.levels())
def test_every_module_uses_the_level_asked_for(level):
    assert run(SAY, level).stdout.split() == [level] * 4
    assert f"compiled core: {level} (this processor runs" in run(VERSIONS, level).stdout


def test_an_empty_name_is_the_best_level():
    assert run(SAY, "").stdout.split() == [_native.levels()[0]] * 4


@pytest.mark.parametrize("code", [FIT, ALIGN], ids=["solver", "sequences"])
def test_a_level_that_is_none_is_an_error_that_names_those_there_are(code):
    found = run(code, "sse9")
    assert found.returncode == 1  # an exception, not a signal
    assert "ValueError: MERCER_LEVEL: this processor cannot run" in found.stderr
    assert ", ".join(_native.levels()) in found.stderr
    assert "refused (MERCER_LEVEL" in run(VERSIONS, "sse9").stdout
