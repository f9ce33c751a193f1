"""Properties that are worked out once: the value is kept, and nobody waits for a lock."""

import functools
import os
import signal
import sys
import threading
import time

import pytest

from mercer._cached import cached_property


def thing(kind):
    class Thing:
        asked = 0
        inside = threading.Event()
        go_on = threading.Event()

        @kind
        def answer(self):
            """What it is."""
            self.asked += 1
            if self.slow:
                self.inside.set()
                self.go_on.wait(60)
            return 42

    return Thing


def make(cls, slow=False):
    made = cls()
    made.slow = slow
    return made


def test_worked_out_once_and_replaced_by_assignment():
    one, other = (make(thing(cached_property)) for _ in range(2))
    assert (one.answer, one.answer, one.asked) == (42, 42, 1)
    one.answer = 7
    assert (one.answer, other.asked) == (7, 0)
    del one.answer
    assert (one.answer, one.asked) == (42, 2)
    assert type(one).answer.__doc__ == "What it is."


def child_answers(kind):
    """Whether a child answers that is forked while another thread works out the same property."""
    cls = thing(kind)
    thread = threading.Thread(target=lambda: make(cls, slow=True).answer, daemon=True)
    thread.start()
    assert cls.inside.wait(60)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(60 if kind is cached_property else 2)
        os._exit(0 if make(cls).answer == 42 else 1)
    _, status = os.waitpid(child, 0)
    cls.go_on.set()
    thread.join()
    return status == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_does_not_wait_for_a_thread_of_its_parent():
    assert child_answers(cached_property)
    if sys.version_info < (3, 12):  # what is avoided
        assert not child_answers(functools.cached_property)


def test_two_models_work_side_by_side():
    cls = thing(cached_property)
    thread = threading.Thread(target=lambda: make(cls, slow=True).answer, daemon=True)
    thread.start()
    assert cls.inside.wait(60)
    begun = time.monotonic()
    assert make(cls).answer == 42
    assert time.monotonic() - begun < 50  # the other one is still inside
    cls.go_on.set()
    thread.join()
