"""Why a model cannot be written in another format."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from mercer.errors import UserError


class NotExportable(UserError, TypeError):
    """The other format cannot express this model; the message names the part and the reason."""

    exit_code = 6


def needs(module: str, extra: str) -> ModuleType:
    """Import an optional package, or say how to get it."""
    try:
        return import_module(module)
    except ImportError:
        raise UserError(
            f"this needs the package {module.partition('.')[0]}, which is not installed.",
            f"Install it with: pip install 'mercer[{extra}]'",
        ) from None
