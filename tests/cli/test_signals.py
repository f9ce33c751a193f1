"""Ctrl-C and SIGTERM at any moment: what is promised is kept, and nothing half-written stays.

The moments are processor seconds of the command itself, so a busy machine changes nothing. What
every state does is tested in tests/app/test_stopping.py, at moments that are chosen by name; all
moments of all runs are ``python -m benchmarks.faults signals``.
"""

import signal
import sys
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.faults.signals import CASES, Place, judged, tried
from benchmarks.faults.with_signal import Ended, run_with_signal

from mercer.cli import run

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="sends signals by their time"
)
MOMENTS = np.linspace(0.05, 0.98, 40)  # shares of the processor time of the whole run


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_a_run_keeps_its_promise_at_some_moments(place):
    found = tried("fit", [0.5, 0.9], place)
    assert not found["broken"]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_run_keeps_its_promise_at_every_moment(place, case):
    found = tried(case, MOMENTS, place)
    assert not found["broken"]
    if case.endswith(("fit", "search")):
        assert found["found"]["a marked model was saved"] >= 3


@pytest.mark.slow
def test_the_second_signal_ends_without_a_model(place):
    arguments = place.arguments("fit")
    ended = run_with_signal(2.0, arguments, times=100)  # again and again while it ends
    assert ended.code == 130, ended.err
    assert not ended.traceback
    assert not place.written()


def test_broken_promises_are_seen(place):
    """The judge itself: each of these was a fault of earlier versions."""
    fine = Ended(130, "", "interrupted; nothing was saved", 1.0, 0.1)
    assert judged(fine, place, {}) == "it ended without a result, and said so"
    for bad in (
        replace(fine, err="Traceback (most recent call last)"),
        replace(fine, err="stopping with the best so far\ninterrupted; nothing was saved"),
        replace(fine, after=2.5),
        replace(fine, code=-15),
        replace(fine, err=""),
    ):
        with pytest.raises((AssertionError, OSError)):
            judged(bad, place, {})
    (place.out / ".half.tmp").write_text("")
    with pytest.raises(AssertionError):
        judged(fine, place, {})


def test_the_command_called_from_python_leaves_signals_as_they_were(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["mercer", "--version"])
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with pytest.raises(SystemExit, match="0"):
        run()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    assert capsys.readouterr().out.startswith("mercer ")
