"""What Ctrl-C and SIGTERM do to a run: states, so that what is promised is kept.

===========  ===================================================================================
state        what a signal does
===========  ===================================================================================
searching    nothing can be saved yet: the run ends, and says so
found        "stopping with the best so far": work that may be cut short is left at once, the best
             setting is trained in about a second, the model is certified, marked and written
stopping     a second signal: the run ends without a model
saved        everything is written: nothing is left to stop
===========  ===================================================================================
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

PATIENCE = 0.8  # seconds after a signal in which a model may still be trained on all rows
SOON = 0.05  # seconds after which a signal that Python has ignored is sent again
AGAIN = 0.4  # seconds after which work that has swallowed the signal is told again
TIMED = hasattr(signal, "setitimer")  # not on Windows
SIGNALS = (signal.SIGINT, signal.SIGTERM)
PROMISE = "\nstopping with the best so far; Ctrl-C again aborts without a model\n"


class OutOfPatience(BaseException):
    """Training on all rows takes longer than somebody who wants to stop will wait."""


class Stopping:
    """The state of one run. Signals come to the main thread; elsewhere nothing is changed."""

    def __init__(self) -> None:
        self.found = self.saved = False
        self.presses = 0
        self._since = 0.0
        self._open = 0  # how deep in work that may be cut short
        self._timed = False
        self._before: dict[int, Any] = {}

    @property
    def asked(self) -> bool:
        """Whether the run shall end with what there is."""
        return self.presses > 0

    @property
    def going_on(self) -> bool:
        """Whether a model was promised."""
        return self.found and self.presses == 1

    def __enter__(self) -> Stopping:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                self._before[number] = signal.signal(number, self._pressed)
            if TIMED:
                self._before[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._alarm)
        return self

    def __exit__(self, *error: object) -> None:
        self._wake(0)
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _pressed(self, number: int, frame: FrameType | None) -> None:
        if self.saved:
            return
        self.presses += 1
        self._since = time.monotonic()
        if not self.found or self.presses > 1:
            raise KeyboardInterrupt
        sys.stderr.write(PROMISE)
        sys.stderr.flush()
        if self._open:
            # an exception raised in a callback or a destructor may get lost on its way
            self._wake(AGAIN, AGAIN)
            raise KeyboardInterrupt

    def _alarm(self, number: int, frame: FrameType | None) -> None:
        if self._timed:
            raise OutOfPatience
        if self._open and self.going_on:
            raise KeyboardInterrupt

    def _wake(self, seconds: float, again: float = 0.0) -> None:
        if self._before and TIMED:
            signal.setitimer(signal.ITIMER_REAL, seconds, again)

    @contextmanager
    def may_be_cut(self) -> Iterator[None]:
        """Work that the first signal ends by KeyboardInterrupt; whoever opens this catches it."""
        self._open += 1
        try:
            if self.asked:
                raise KeyboardInterrupt
            yield
            if self.asked:  # a compiled loop has returned with what it had
                raise KeyboardInterrupt
        except Exception as problem:
            if self.asked:  # Python wraps what is raised while a class is made, for instance
                raise KeyboardInterrupt from problem
            raise
        finally:
            self._open -= 1
            if not self._open:
                self._wake(0)

    @contextmanager
    def with_patience(self) -> Iterator[None]:
        """Work that ends by OutOfPatience when the signal is too long ago."""
        left = self._since + PATIENCE - time.monotonic()
        if left <= 0 or not (self._before and TIMED):
            raise OutOfPatience
        self._timed = True
        self._wake(left)
        try:
            yield
        finally:
            self._timed = False
            self._wake(0)

    def unless_asked(self, work: Callable[[], Any]) -> bool:
        """Do what can be left out; whether it was done to its end."""
        try:
            with self.may_be_cut():
                work()
        except KeyboardInterrupt:
            if not self.going_on:
                raise
            return False
        return True


_now: list[Stopping] = []


def by_a_signal(problem: BaseException | None) -> bool:
    """Whether an error is, or was caused by, a signal."""
    while problem is not None and not isinstance(problem, KeyboardInterrupt):
        problem = problem.__cause__ or problem.__context__
    return problem is not None


def ignored(what: Any) -> bool:
    """Whether Python ignored a Ctrl-C, raised in a callback or a destructor; it is sent again."""
    if not issubclass(what.exc_type, KeyboardInterrupt):
        return False
    if not (_now and _now[-1].going_on):  # whose own alarm comes again
        again = threading.Timer(SOON, _thread.interrupt_main)
        again.daemon = True
        again.start()
    return True


@contextmanager
def heard() -> Iterator[None]:
    """No Ctrl-C gets lost on its way, nor is anybody shown where it did."""
    before = sys.unraisablehook
    sys.unraisablehook = lambda what: None if ignored(what) else before(what)
    try:
        yield
    finally:
        sys.unraisablehook = before


@contextmanager
def stopping() -> Iterator[Stopping]:
    """The state of the run that is going on, or of a new one."""
    if _now and threading.current_thread() is threading.main_thread():
        yield _now[-1]
        return
    with heard(), Stopping() as state:
        if state._before:
            _now.append(state)
        try:
            yield state
        finally:
            if state in _now:
                _now.remove(state)
