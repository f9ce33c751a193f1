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


class AlarmRaised(UserError):
    """A watched model does worse than it was certified to do, or its inputs have changed."""

    exit_code = 7


class ChangedModel(UserError, ValueError):
    """A model is not the one its certificate is about; it is neither saved nor reported as such."""

    exit_code = 5


def refuse_changed(model: object) -> None:
    """Refuse a certified model that was refitted or given other parameters since.

    Raises
    ------
    ChangedModel
        Naming what was changed, as far as it is known.
    """
    told = getattr(model, "what_changed", None)
    other = told() if callable(told) else ""
    if other:
        raise ChangedModel(
            f"the model was changed after it was certified ({other}): its certificate is about "
            "another one.",
            "Certify it again, or use its model_, which carries no certificate.",
        )


class WriteError(UserError, OSError):
    """A file could not be written; what was there before is still there."""

    exit_code = 6
