"""Tags: what a class is called in files, whatever module it lives in.

A tag is a kind and the class's name in lower case with hyphens, ``"learner:svc"`` or
``"record:machine"``. It is worked out from the class, so no table is kept by hand; a class that
is renamed states the tag that files know it by (`record` for plain records, ``_tag`` for others).
Only classes defined in Mercer have one: a user's subclass neither inherits nor gets a tag.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib
import inspect
import os
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from mercer._cached import cached_property

C = TypeVar("C", bound=type)
DERIVED = (cached_property, functools.cached_property)  # noqa: TID251 (other people's classes)

# Where the classes of a kind are looked for, likely places first. Where in these packages a class
# lives does not matter. ``Kernel``, ``Metric``, ``Loss`` and ``Bound`` say their kind themselves
# (``_stored_as``); other estimators are learners; dataclasses, enumerations and tuples are records.
_PACKAGES = {
    "kernel": ("mercer.kernels",),
    "metric": ("mercer.metrics",),
    "loss": ("mercer.losses",),
    "bound": ("mercer.bounds",),
    "learner": (
        "mercer.learners",
        "mercer.certification",
        "mercer.selection",
        "mercer.tables",
        "mercer.kernels",
    ),
    "record": (
        "mercer.bounds",
        "mercer.solvers",
        "mercer.gram",
        "mercer.kernels",
        "mercer.metrics",
        "mercer.certification",
        "mercer.learners",
        "mercer.selection",
        "mercer.tables",
    ),
}
PACKAGES = tuple(sorted({package for some in _PACKAGES.values() for package in some}))
LONGEST = 100

_known: dict[str, type] = {}
_twice: dict[str, type] = {}  # a second class with the tag: a mistake, told when it matters
_read: set[str] = set()  # modules whose classes are in _known


def record(name: str) -> Callable[[C], C]:
    """Say what a record is called in files, where its class is called otherwise."""

    def tagged(cls: C) -> C:
        cls._tag = f"record:{name}"  # type: ignore[attr-defined]
        return cls

    return tagged


def tag_of(cls: type) -> str | None:
    """The tag of a class, None if its objects are not stored."""
    if not inside(cls.__module__) or "." in cls.__qualname__:  # inside a function or a class
        return None
    stated = vars(cls).get("_tag")
    if stated is not None:
        return str(stated)
    kind = None if cls.__name__.startswith("_") or inspect.isabstract(cls) else _kind_of(cls)
    return f"{kind}:{kebab_case(cls.__name__)}" if kind else None


def find(tag: Any) -> type | None:
    """The class with this tag, None if there is none. Imports Mercer's own modules at most."""
    if not isinstance(tag, str) or len(tag) > LONGEST:
        return None
    if tag in _known:
        return _known[tag]
    packages = _PACKAGES.get(tag.partition(":")[0], ())
    for name, module in list(sys.modules.items()):  # what is imported needs no search
        if inside(name) and module is not None:
            _read_classes(name, module)
    if tag in _known or not packages:
        return _known.get(tag)
    for package in packages:
        for name in _by_likeness(_module_names((package,)), tag):
            _read_classes(name, importlib.import_module(name))
            if tag in _known:
                return _known[tag]
    return None


def class_at(name: str) -> type | None:
    """The class defined at "module.Class" in one of the packages, None if there is none."""
    module, _, kind = name.rpartition(".")
    if not inside(module):
        return None
    try:
        found = getattr(importlib.import_module(module), kind, None)
    except ImportError:
        return None
    return found if inspect.isclass(found) and found.__module__ == module else None


def tags() -> dict[str, type]:
    """Every tag and its class. Imports all packages whose objects may be stored."""
    for name in _module_names(PACKAGES):
        _read_classes(name, importlib.import_module(name))
    for tag, cls in _twice.items():
        raise ImportError(
            f"{cls.__module__}.{cls.__name__} and {_known[tag].__module__}.{_known[tag].__name__} "
            f"are both called {tag!r} in files: state another tag."
        )
    return dict(sorted(_known.items()))


def is_derived(cls: type, name: str) -> bool:
    """Whether an attribute is worked out again when it is missing: then files leave it out."""
    return isinstance(inspect.getattr_static(cls, name, None), DERIVED)


def kebab_case(name: str) -> str:
    """``KNNClassifier`` as ``knn-classifier``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()


def _kind_of(cls: type) -> str | None:
    from sklearn.base import BaseEstimator

    stated = getattr(cls, "_stored_as", None)
    if stated is not None:
        return str(stated)
    if issubclass(cls, BaseEstimator):
        return "learner"
    plain = dataclasses.is_dataclass(cls) or issubclass(cls, enum.Enum | tuple)
    return "record" if plain else None


def inside(module: str) -> bool:
    """Whether a module is in a package whose classes may be stored."""
    return f"{module}.".startswith(tuple(f"{package}." for package in PACKAGES))


def _module_names(packages: tuple[str, ...]) -> Iterator[str]:
    """Every module of the packages; only the packages themselves are imported for it."""
    for package in packages:
        yield package
        yield from _below(list(importlib.import_module(package).__path__), f"{package}.")


def _below(path: list[str], prefix: str) -> Iterator[str]:
    for info in pkgutil.iter_modules(path, prefix):
        yield info.name
        if info.ispkg:
            folder = info.name.rpartition(".")[2]
            yield from _below([os.path.join(place, folder) for place in path], f"{info.name}.")


def _by_likeness(names: Iterator[str], tag: str) -> list[str]:
    """Modules that share words with the tag first: for speed only, every one is looked at."""
    words = set(re.split("[:-]", tag))
    return sorted(names, key=lambda name: -len(words.intersection(re.split("[._]", name))))


def _read_classes(name: str, module: Any) -> None:
    """Take down the classes that a module defines."""
    if name in _read:
        return
    spec = getattr(module, "__spec__", None)
    if getattr(spec, "_initializing", False):  # a part of it is not there yet
        return
    for cls in list(vars(module).values()):
        if not inspect.isclass(cls) or cls.__module__ != name:
            continue
        tag = tag_of(cls)
        if tag is None:
            continue
        if _known.setdefault(tag, cls) is not cls:
            _twice[tag] = cls
    _read.add(name)
