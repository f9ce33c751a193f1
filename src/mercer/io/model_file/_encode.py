"""Objects to a tree of JSON values and a list of arrays."""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
from collections.abc import Mapping
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._storable import is_derived
from mercer.bounds.numerics.level import Level
from mercer.errors import UserError
from mercer.io.model_file._classes import name_of, version_of
from mercer.kernels.bandwidth import Resolved

LARGEST_WHOLE = 2**63
LEFT_OUT = ("_sklearn_version", "_skl_callbacks")
FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType, functools.partial, np.ufunc)


class NotStorable(UserError, TypeError):
    """Something in the model cannot be written as plain data."""

    exit_code = 6


class Encoder:
    """Collects arrays and remembers objects that were met before."""

    def __init__(self) -> None:
        self.arrays: list[NDArray[Any]] = []
        self._seen: dict[Any, int] = {}
        self._keep: list[Any] = []  # keeps ids valid while encoding

    def encode(self, value: object, where: str = "model") -> Any:
        """The JSON form of ``value``; ``where`` names the place in errors."""
        if isinstance(value, enum.Enum):
            return {"$member": [self._name(type(value), where), value.name]}
        if value is None or isinstance(value, str) or value is True or value is False:
            return value
        if type(value) is int:
            return value if abs(value) < LARGEST_WHOLE else {"$int": str(value)}
        if type(value) is float:
            return value if math.isfinite(value) else {"$float": repr(value)}
        if type(value) is Level:  # a failure probability; only a tiny one needs its logarithm
            return {"$level": value.log} if value.tiny else float(value)
        if type(value) is Resolved:
            return {"$resolved": [float(value), value.rule]}
        if isinstance(value, bytes):
            return {"$bytes": value.hex()}
        if isinstance(value, np.ndarray):
            return self._array(value, where)
        if isinstance(value, np.generic):
            return {"$scalar": [value.dtype.str, self.encode(value.item(), where)]}
        if isinstance(value, np.dtype):
            return {"$dtype": value.str}
        if isinstance(value, type) and issubclass(value, np.generic):
            return {"$dtype_class": np.dtype(value).str}
        return self._container(value, where)

    def _container(self, value: Any, where: str) -> Any:
        if type(value) is list:
            return [self.encode(v, f"{where}[{i}]") for i, v in enumerate(value)]
        if type(value) is tuple:
            return {"$tuple": [self.encode(v, f"{where}[{i}]") for i, v in enumerate(value)]}
        if isinstance(value, tuple):
            items = [self.encode(v, f"{where}[{i}]") for i, v in enumerate(value)]
            return {"$tuple_of": [self._name(type(value), where), items]}
        if isinstance(value, set | frozenset):
            kind = "$frozenset" if isinstance(value, frozenset) else "$set"
            return {kind: [self.encode(v, where) for v in sorted(value, key=repr)]}
        if type(value) in (dict, MappingProxyType):
            pairs = [
                [self.encode(k, where), self.encode(v, f"{where}[{k!r}]")] for k, v in value.items()
            ]
            return {"$dict": pairs}
        if isinstance(value, slice):
            return {
                "$slice": [self.encode(v, where) for v in (value.start, value.stop, value.step)]
            }
        if isinstance(value, range):
            return {"$range": [value.start, value.stop, value.step]}
        if sparse.issparse(value):
            return self._sparse(value, where)
        return self._object(value, where)

    def _array(self, value: NDArray[Any], where: str) -> Any:
        if isinstance(value, np.ma.MaskedArray):
            return {"$masked": [self.encode(np.ma.getdata(value), where),
                                self.encode(np.ma.getmaskarray(value), where),
                                self.encode(value.fill_value, where)]}  # fmt: skip
        if value.dtype.hasobject:
            items = [self.encode(v, f"{where}[{i}]") for i, v in enumerate(value.ravel().tolist())]
            return {"$objects": {"shape": list(value.shape), "items": items}}
        number = self._remember(value)
        if number is None:
            # the order of the axes decides in which order products are summed, so it is kept
            self.arrays.append(np.array(value, order="K", copy=not _whole(value)))
            number = self._seen[_identity(value)] = len(self.arrays) - 1
        found: dict[str, Any] = {"$array": number}
        if not value.flags.writeable:
            found["frozen"] = True
        return found

    def _sparse(self, value: Any, where: str) -> Any:
        csr = value.tocsr()
        kind = "matrix" if isinstance(value, sparse.spmatrix) else "array"
        parts = {
            name: self.encode(getattr(csr, name), where) for name in ("data", "indices", "indptr")
        }
        return {"$sparse": {"kind": kind, "shape": [int(v) for v in csr.shape], **parts}}

    def _object(self, value: object, where: str) -> Any:
        name = self._name(type(value), where)
        known = self._remember(value)
        if known is not None:
            return {"$ref": known}
        number = len(self._seen) + 1
        self._seen[_identity(value)] = number
        state = {key: self.encode(item, f"{where}.{key}") for key, item in state_of(value).items()}
        found = {"$object": name, "id": number, "state": state}
        version = version_of(type(value))
        return found | {"version": version} if version else found

    def _name(self, cls: type, where: str) -> str:
        name = name_of(cls)
        if name is None and issubclass(cls, FUNCTIONS):
            raise NotStorable(
                f"{where} is a function: a model file cannot hold code.",
                "Use one of Mercer's own kernels, metrics or transformers in its place, or keep "
                "the model with pickle where you trust the file.",
            )
        if name is None:
            raise NotStorable(
                f"{where} is a {cls.__module__}.{cls.__qualname__}: a model file cannot hold it.",
                "Only Mercer's own estimators and kernels and scikit-learn's preprocessing can be "
                "stored; functions and classes of your own cannot.",
            )
        return name

    def _remember(self, value: object) -> int | None:
        known = self._seen.get(_identity(value))
        if known is not None:
            return known
        self._keep.append(value)
        return None


def _identity(value: object) -> Any:
    """Equal for two views of the same numbers too: sparse matrices hold views of shared arrays."""
    if isinstance(value, np.ndarray):
        address = value.__array_interface__["data"][0]
        return address, value.shape, value.strides, value.dtype.str
    return id(value)


def _whole(array: NDArray[Any]) -> bool:
    return array.flags.c_contiguous or array.flags.f_contiguous


def state_of(value: object) -> Mapping[str, Any]:
    """What to store of an object: what it says itself, or its attributes without derived ones."""
    own = getattr(value, "_model_state", None)
    if own is not None:
        return own()
    return stored_attributes(value)


def stored_attributes(value: object) -> dict[str, Any]:
    """The attributes of an object; a ``cached_property`` is worked out again when asked for."""
    if dataclasses.is_dataclass(value) and not hasattr(value, "__dict__"):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    return {
        name: item
        for name, item in vars(value).items()
        if name not in LEFT_OUT and not is_derived(type(value), name)
    }
