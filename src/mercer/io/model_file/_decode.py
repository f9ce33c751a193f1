"""A tree of JSON values back to objects: only listed classes, and none of their code runs."""

from __future__ import annotations

import dataclasses
import enum
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from mercer.bounds.numerics.level import Level
from mercer.errors import DataError
from mercer.io.model_file._classes import FORBIDDEN_STATE, find, name_since, version_of
from mercer.io.model_file.upgrades import RETIRED, Retired, as_certified, still_inside, upgraded
from mercer.kernels.bandwidth import Resolved

DEEPEST = 60
DTYPES = "fiubUSc"


class BadModel(DataError):
    """The model file is damaged, hostile or of another version."""


class Decoder:
    """Builds objects from their JSON form."""

    def __init__(self, arrays: Sequence[NDArray[Any]], form: int) -> None:
        self._arrays = arrays
        self._form = form
        self._retired = False
        self._objects: dict[int, Any] = {}
        self._frozen: dict[int, NDArray[Any]] = {}
        self._tagged: dict[str, Callable[[Any, int], Any]] = {
            "$int": lambda v, d: int(_text(v, 400)),
            "$level": lambda v, d: Level.from_log(float(v)),
            "$float": lambda v, d: {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}[v],
            "$bytes": lambda v, d: bytes.fromhex(_text(v, 10**7)),
            "$tuple": lambda v, d: tuple(self._list(v, d)),
            "$set": lambda v, d: set(self._list(v, d)),
            "$frozenset": lambda v, d: frozenset(self._list(v, d)),
            "$dict": self._dict,
            "$slice": lambda v, d: slice(*self._list(v, d)),
            "$range": lambda v, d: range(*[int(x) for x in v]),
            "$scalar": self._scalar,
            "$dtype": lambda v, d: _dtype(v),
            "$dtype_class": lambda v, d: _dtype(v).type,
            "$objects": self._object_array,
            "$sparse": self._sparse,
            "$ref": self._ref,
            "$resolved": self._resolved,
            "$masked": self._masked,
            "$member": self._member,
            "$tuple_of": self._tuple_of,
        }

    def model(self, tree: Any) -> Any:
        """The whole model; nothing in it may be of a class that is gone."""
        found = self.decode(tree)
        left = still_inside(found) if self._retired else None
        if left is not None:
            raise BadModel(f"the file holds a {left.tag!r}, which this version no longer has.")
        return found

    def decode(self, tree: Any, depth: int = 0) -> Any:
        """The value a JSON tree stands for."""
        if depth > DEEPEST:
            raise BadModel("the model is nested too deeply.")
        if tree is None or isinstance(tree, str | bool | int | float):
            return tree
        if isinstance(tree, list):
            return [self.decode(item, depth + 1) for item in tree]
        if "$object" in tree:
            return self._object(tree, depth)
        if "$array" in tree:
            return self._array(tree)
        if len(tree) != 1:
            raise BadModel(f"unknown value with the keys {sorted(map(str, tree))[:5]}.")
        tag, value = next(iter(tree.items()))
        if tag not in self._tagged:
            raise BadModel(f"unknown kind of value {str(tag)[:40]!r}.")
        return self._tagged[tag](value, depth + 1)

    def _list(self, values: list[Any], depth: int) -> list[Any]:
        if not isinstance(values, list):
            raise BadModel("a list was expected.")
        return [self.decode(item, depth) for item in values]

    def _dict(self, pairs: Any, depth: int) -> dict[Any, Any]:
        return {self.decode(k, depth): self.decode(v, depth) for k, v in pairs}

    def _scalar(self, value: Any, depth: int) -> Any:
        kind, plain = value
        return _dtype(kind).type(self.decode(plain, depth))

    def _array(self, tree: Any) -> NDArray[Any]:
        number = tree["$array"]
        if type(number) is not int or not 0 <= number < len(self._arrays):
            raise BadModel(f"there is no array {number!r}.")
        if not tree.get("frozen"):
            return self._arrays[number]
        if number not in self._frozen:
            frozen = np.array(self._arrays[number])
            frozen.setflags(write=False)
            self._frozen[number] = frozen
        return self._frozen[number]

    def _object_array(self, value: Any, depth: int) -> NDArray[Any]:
        items = self._list(value["items"], depth)
        flat = np.empty(len(items), dtype=object)
        for i, item in enumerate(items):
            flat[i] = item
        return flat.reshape([int(v) for v in value["shape"]])

    def _sparse(self, value: Any, depth: int) -> Any:
        parts = tuple(
            np.asarray(self.decode(value[k], depth)) for k in ("data", "indices", "indptr")
        )
        rows, columns = (int(v) for v in value["shape"])
        make = sparse.csr_matrix if value["kind"] == "matrix" else sparse.csr_array
        made = make(parts, shape=(rows, columns))
        made.check_format(full_check=True)  # indices outside the matrix would crash compiled code
        return made

    def _ref(self, number: Any, depth: int) -> Any:
        if number not in self._objects:
            raise BadModel(f"there is no object {number!r} to refer to.")
        return self._objects[number]

    def _resolved(self, value: Any, depth: int) -> Any:
        number, rule = value
        return Resolved(float(number), _text(rule, 40))

    def _masked(self, value: Any, depth: int) -> Any:
        data, mask, fill = self._list(value, depth)
        return np.ma.MaskedArray(data, mask=mask, fill_value=fill)

    def _member(self, value: Any, depth: int) -> Any:
        name, member = value
        cls = self._class(name)
        if not issubclass(cls, enum.Enum):
            raise BadModel(f"{cls.__name__} has no members.")
        return cls[_text(member, 100)]

    def _tuple_of(self, value: Any, depth: int) -> Any:
        name, items = value
        cls = self._class(name)
        if not issubclass(cls, tuple):
            raise BadModel(f"{cls.__name__} is no tuple.")
        return tuple.__new__(cls, self._list(items, depth))

    def _class(self, name: Any) -> type:
        cls = find(self._present_name(name))
        if cls is None:
            raise BadModel(
                f"the file names the class {str(name)[:100]!r}, which this version of Mercer does "
                "not load.",
                "It may come from a newer version; nothing was run.",
            )
        return cls

    def _present_name(self, name: Any) -> Any:
        return name_since(name) if self._form == 1 else name

    def _object(self, tree: Any, depth: int) -> Any:
        name = self._present_name(tree["$object"])
        if name in RETIRED or (self._form == 1 and _is_gone(name)):
            self._retired = True
            return Retired(name, self._state(tree, depth))
        cls = self._class(tree["$object"])
        made: Any = object.__new__(cls)
        if type(tree.get("id")) is int:
            self._objects[tree["id"]] = made
        state = self._state(tree, depth)
        for name in FORBIDDEN_STATE.get(cls.__name__, ()):
            if state.get(name) is not None:
                raise BadModel(f"{cls.__name__}.{name} must be empty in a model file.")
        state = self._brought_forward(cls, tree, state)
        _check_parameters(cls, state)
        if dataclasses.is_dataclass(cls) and not hasattr(made, "__dict__"):
            for name, item in state.items():
                object.__setattr__(made, name, item)
        else:
            made.__dict__.update(state)
        if self._form == 1:
            made = self._objects[tree.get("id")] = as_certified(made)
        return made

    def _state(self, tree: Any, depth: int) -> dict[str, Any]:
        state = dict(tree["state"])
        return {str(name): self.decode(item, depth + 1) for name, item in state.items()}

    def _brought_forward(self, cls: type, tree: Any, state: dict[str, Any]) -> dict[str, Any]:
        """The attributes as the class has them today."""
        version, now = tree.get("version", 0), version_of(cls)
        if type(version) is not int or not 0 <= version <= now:
            raise BadModel(
                f"{cls.__name__} in the file has version {str(version)[:20]}; this version of "
                f"Mercer reads up to {now}.",
                "Update Mercer.",
            )
        return upgraded(str(self._present_name(tree["$object"])), version, now, state)


def _is_gone(name: Any) -> bool:
    """Whether this is a record of format 1 whose class is no longer there."""
    return str(name).startswith("record:") and find(name) is None


def _check_parameters(cls: type, state: dict[str, Any]) -> None:
    """A parameter of the constructor that is missing is filled with its default, if it has one.

    So a model written before a parameter existed still loads.
    """
    for name in state:
        if not name.isidentifier() or name.startswith("__"):
            raise BadModel(f"{name[:40]!r} cannot be an attribute.")
    if dataclasses.is_dataclass(cls):
        for f in dataclasses.fields(cls):
            if f.name in state:
                continue
            if f.default is not dataclasses.MISSING:
                state[f.name] = f.default
            elif f.default_factory is not dataclasses.MISSING:
                state[f.name] = f.default_factory()
            else:
                raise BadModel(f"{cls.__name__} in the file has no {f.name}.")
        return
    if not issubclass(cls, BaseEstimator):
        return
    for name, parameter in inspect.signature(cls.__init__).parameters.items():  # type: ignore[misc]
        if name == "self" or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if name not in state and parameter.default is not parameter.empty:
            state[name] = parameter.default


def _dtype(name: Any) -> np.dtype[Any]:
    found = np.dtype(_text(name, 20))
    if found.kind not in DTYPES:
        raise BadModel(f"arrays of {found} are not loaded.")
    return found


def _text(value: object, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise BadModel("a short text was expected.")
    return value
