"""Losses and their facts; every file of this folder that defines a `Loss` is a plug-in."""

import sys
from typing import Any

from mercer._discover import discover, names_of, snake_case
from mercer.losses._base import Loss, MarginLoss, ResidualLoss

_classes = discover(sys.modules[__name__], Loss)  # type: ignore[type-abstract]
globals().update(_classes)

__all__ = ["Loss", "MarginLoss", "ResidualLoss", "available", "get_loss", *_classes]


def available() -> dict[str, type[Loss]]:
    """Every loss class by its command-line name, e.g. ``"squared_hinge"``."""
    return {snake_case(name): loss for name, loss in _classes.items()}


def get_loss(loss: Any, **parameters: Any) -> Loss:
    """A loss from its name or from an instance, which is returned as it is."""
    if isinstance(loss, Loss):
        return loss
    found = available()
    if not isinstance(loss, str) or loss.replace("-", "_") not in found:
        raise ValueError(f"unknown loss {loss!r}; the names are {', '.join(found)}")
    return found[loss.replace("-", "_")](**parameters)


__dir__ = names_of(__name__)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"mercer.losses has no loss {name!r}; there are {sorted(_classes)}")
