"""Errors a user can act on: the command line shows them without a traceback."""

from __future__ import annotations


class UserError(Exception):
    """Something the user can put right; ``advice`` says how. ``exit_code`` is the command's."""

    exit_code = 2

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(f"{message} {advice}".strip())
        self.message = message
        self.advice = advice


class DataError(UserError, ValueError):
    """The data cannot be used as they are: a file that does not parse, a target that is missing."""

    exit_code = 3


class LimitError(UserError, MemoryError):
    """More memory or time would be needed than is allowed."""

    exit_code = 4


class TargetMissed(UserError):
    """The certificate is worse than what ``--require-error`` asks for."""

    exit_code = 5


class WriteError(UserError, OSError):
    """A file could not be written; what was there before is still there."""

    exit_code = 6
