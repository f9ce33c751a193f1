"""A property that is worked out once, without the lock that Python 3.11's own holds meanwhile.

There the lock belongs to the class: two models cannot work out theirs side by side, and a child
that is forked while another thread is inside waits for ever. Python 3.12 dropped the lock; two
threads that ask at once may work out the same value twice.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property  # noqa: TID251
else:

    class cached_property:
        """The first value that `work` gives for an object, kept under the name of the property."""

        def __init__(self, work):
            self.func = work
            self.__doc__ = work.__doc__

        def __set_name__(self, owner, name):
            self.name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            return instance.__dict__.setdefault(self.name, self.func(instance))
