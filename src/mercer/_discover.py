"""Plug-in folders: a new thing is a new file, and nobody edits a table."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def discover(package: ModuleType, base: type[T]) -> dict[str, type[T]]:
    """Every public concrete subclass of ``base`` defined in a file of ``package`` or its rooms.

    Files, folders and classes whose names start with an underscore are private; a public class
    that says ``plug_in = False`` itself is used by other folders but is nothing to choose. Returns
    class name to class, sorted by name, so that the order does not depend on the file system.
    """
    found: dict[str, type[T]] = {}
    for module in modules(package):
        for name, thing in vars(module).items():
            public = inspect.isclass(thing) and issubclass(thing, base) and name[0] != "_"
            public = public and vars(thing).get("plug_in", True)
            if public and thing.__module__ == module.__name__ and not inspect.isabstract(thing):
                if name in found:
                    raise ImportError(
                        f"{package.__name__}: the name {name} is defined in both "
                        f"{found[name].__module__} and {module.__name__}"
                    )
                found[name] = thing
    return dict(sorted(found.items()))


def modules(package: ModuleType) -> Iterator[ModuleType]:
    """The public modules below a package, those of its sub-packages included."""
    for info in pkgutil.iter_modules(package.__path__):
        if not info.name.startswith("_"):
            module = importlib.import_module(f"{package.__name__}.{info.name}")
            if info.ispkg:
                yield from modules(module)
            else:
                yield module


def rooms(package: str) -> tuple[Callable[[str], ModuleType], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package whose public modules are found by their names.

    They are imported when somebody asks for one, so that ``import mercer`` stays fast.
    """

    def find(name: str) -> ModuleType:
        if name in _public(package):
            return importlib.import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find, names_of(package)


def names_of(package: str) -> Callable[[], list[str]]:
    """``__dir__`` of a package: what it offers and its public modules, not what it imports."""

    def names() -> list[str]:
        held = vars(sys.modules[package])
        own = {name for name in held if name.startswith("__")}
        return sorted({*own, *held.get("__all__", ()), *_public(package)})

    return names


@cache
def _public(package: str) -> frozenset[str]:
    found = pkgutil.iter_modules(sys.modules[package].__path__)
    return frozenset(info.name for info in found if not info.name.startswith("_"))


def snake_case(name: str) -> str:
    """``RationalQuadratic`` as ``rational_quadratic``: the name used on the command line.

    A run of capitals is one word: ``KNNClassifier`` is ``knn_classifier``.
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
