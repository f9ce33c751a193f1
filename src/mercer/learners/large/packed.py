"""The machines of many cells in few arrays.

Thousands of estimators cost more than their numbers: each has a dictionary of attributes, and is a
dozen parts of a model file. So machines that differ in numbers alone are kept as one of them, the
pattern, and their numbers one after the other; a machine is put together when it is asked for.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer._cached import cached_property
from mercer.kernels.structured.from_callable import UserFunction
from mercer.kernels.structured.precomputed import Precomputed

Places = NDArray[np.intp]


class _OneSum(NamedTuple):
    """A machine of one output, without what an estimator has beside: it answers checked rows."""

    kernel: Any
    vectors: NDArray[Any]
    coef: NDArray[np.float64]
    intercept: float
    classes_: NDArray[Any] | None

    def decision_function(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Σ c_i k(x_i, x) + b."""
        if not len(self.vectors):
            return np.full(len(X), self.intercept)
        if X.dtype != self.vectors.dtype:
            X = X.astype(self.vectors.dtype)
        found = self.kernel._matmul(X, self.vectors, self.coef, same=False)[:, 0]
        return np.asarray(found + self.intercept)

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """The sum, or the class that its sign speaks for."""
        values = self.decision_function(X)
        return values if self.classes_ is None else self.classes_[(values >= 0).astype(np.intp)]


@dataclass(frozen=True)
class PackedLikes:
    """Fitted learners whose records differ in arrays, numbers and tuples of whole numbers only.

    Field f of all machines is ``values[f]``, one after the other in the shapes ``shapes[f]``;
    ``kinds`` say what it was.
    """

    pattern: Any
    kinds: dict[str, str]
    values: dict[str, NDArray[Any]]
    shapes: dict[str, Places]

    @cached_property
    def ends(self) -> dict[str, Places]:
        """Where each machine's part of a field begins and ends."""
        sizes = {name: np.prod(shape, axis=1) for name, shape in self.shapes.items()}
        return {name: np.cumsum([0, *size], dtype=np.intp) for name, size in sizes.items()}

    @classmethod
    def of(cls, machines: list[Any], kinds: dict[str, str]) -> PackedLikes:
        """Their pattern is the first of them, without its numbers."""
        values, shapes = {}, {}
        for name in kinds:
            arrays = [np.asarray(getattr(m.fitted_, name)) for m in machines]
            values[name] = np.concatenate([a.ravel() for a in arrays])
            shapes[name] = np.array([a.shape for a in arrays], dtype=np.intp)
        pattern = machines[0]
        nothing = {f: _restored(kind, values[f][:0]) for f, kind in kinds.items()}
        pattern._settle(replace(pattern.fitted_, **nothing))
        return cls(pattern, kinds, values, shapes)

    @cached_property
    def plain(self) -> bool:
        """Whether answers are one sum over support vectors, Σ c_i k(x_i, x) + b."""
        one = self.pattern
        names = {"support_vectors", "dual_coef", "intercept"}
        many = None if one.fitted_.classes is None else self.shapes["classes"]
        return (
            names <= self.kinds.keys()
            and not isinstance(one.kernel_, UserFunction | Precomputed)
            and (many is None or bool(np.all(many == 2)))
        )

    def sum_of(self, i: int) -> _OneSum:
        """What a plain machine answers from."""
        parts = []
        for name in ("support_vectors", "dual_coef", "intercept"):
            ends = self.ends[name]
            parts.append(self.values[name][ends[i] : ends[i + 1]])
        vectors, coef, intercept = parts
        return _OneSum(
            self.pattern.kernel_,
            vectors.reshape(self.shapes["support_vectors"][i]),
            coef.reshape(-1, 1),
            float(intercept[0]),
            None if self.pattern.fitted_.classes is None
            else self.values["classes"][2 * i : 2 * i + 2],
        )  # fmt: skip

    def __getitem__(self, i: int) -> Any:
        found = {}
        for name, kind in self.kinds.items():
            part = self.values[name][self.ends[name][i] : self.ends[name][i + 1]]
            found[name] = _restored(kind, part.reshape(self.shapes[name][i]))
        model = object.__new__(type(self.pattern))
        model.__dict__.update(self.pattern.__dict__)
        model._settle(replace(self.pattern.fitted_, **found))
        return model


@dataclass(frozen=True)
class PackedMachines:
    """Machines of some cells by what they have in common, their classes for instance.

    ``group`` and ``place`` say where the machine of each cell is; a group of -1 is none.
    """

    groups: tuple[PackedLikes, ...]
    group: Places
    place: Places

    def __len__(self) -> int:
        return len(self.group)

    def __getitem__(self, cell: int) -> Any:
        """The machine of a cell, None if it has none."""
        group = int(self.group[cell])
        return None if group < 0 else self.groups[group][int(self.place[cell])]

    def quick(self, cell: int) -> Any:
        """The machine of a cell, or its sum."""
        group = int(self.group[cell])
        if group < 0 or not self.groups[group].plain:
            return self[cell]
        return self.groups[group].sum_of(int(self.place[cell]))


@dataclass(frozen=True)
class CellMachines(Sequence[Any]):
    """The machines of all cells, in the order of the cells, bundle after bundle."""

    bundles: tuple[Any, ...]
    ends: Places

    @classmethod
    def of(cls, bundles: Sequence[Any]) -> CellMachines:
        """Of what `pack` made."""
        return cls(tuple(bundles), np.cumsum([len(one) for one in bundles], dtype=np.intp))

    def __len__(self) -> int:
        return int(self.ends[-1]) if len(self.ends) else 0

    def __getitem__(self, cell: Any) -> Any:
        if isinstance(cell, slice):
            return [self[i] for i in range(*cell.indices(len(self)))]
        bundle, place = self._found(range(len(self))[cell])  # from the end, and errors, as in lists
        return bundle[place]

    def quick(self, cell: int, dense: bool = True) -> Any:
        """What answers for a cell in the least time; ``dense`` rows have fewer shapes to mind."""
        bundle, place = self._found(cell)
        if dense and isinstance(bundle, PackedMachines):
            return bundle.quick(place)
        return bundle[place]

    def _found(self, cell: int) -> tuple[Any, int]:
        b = int(np.searchsorted(self.ends, cell, side="right"))
        return self.bundles[b], cell - (int(self.ends[b - 1]) if b else 0)

    def __iter__(self) -> Iterator[Any]:
        for bundle in self.bundles:
            for i in range(len(bundle)):
                yield bundle[i]


def pack(machines: list[Any]) -> Any:
    """The machines, None among them, in few arrays; the same list where they do not go."""
    kinds: dict[bytes, dict[str, str]] = {}
    likes: dict[bytes, list[Any]] = {}
    group = np.full(len(machines), -1, dtype=np.intp)
    place = np.zeros(len(machines), dtype=np.intp)
    for cell, machine in enumerate(machines):
        if machine is None:
            continue
        if getattr(machine, "_forget_training", None) is None:
            return machines  # of others it is not known that their record is all they need
        try:
            key, kind = _common(machine)
        except (pickle.PicklingError, AttributeError, TypeError):  # a user's function
            return machines
        kinds.setdefault(key, kind)
        group[cell] = list(kinds).index(key)
        place[cell] = len(likes.setdefault(key, []))
        likes[key].append(machine)
    if 2 * len(likes) > int(np.sum(group >= 0)):
        return machines  # nothing would be saved
    packed = tuple(PackedLikes.of(likes[key], kind) for key, kind in kinds.items())
    return PackedMachines(packed, group, place)


def _common(machine: Any) -> tuple[bytes, dict[str, str]]:
    """What others need to share with a machine to be kept beside it, and what they need not."""
    kinds, same = {}, {}
    for field in fields(machine.fitted_):
        value = getattr(machine.fitted_, field.name)
        kind = _kind(value)
        if kind is None:
            same[field.name] = value
        else:
            kinds[field.name] = kind
            array = kind == "array"
            same[field.name] = (kind, (value.dtype.str, value.ndim) if array else np.size(value))
    settings = machine.get_params(deep=False)
    kernel = settings.pop("kernel", None)  # of the record, with its numbers
    stream = io.BytesIO()
    pickler = pickle.Pickler(stream)
    pickler.fast = True  # whether two parts are one object does not matter
    pickler.dump((type(machine), same, settings, isinstance(kernel, str)))
    return stream.getvalue(), kinds


def _kind(value: Any) -> str | None:
    if isinstance(value, np.ndarray):
        return "array" if value.flags.c_contiguous and value.dtype.kind in "biuf" else None
    if type(value) in (int, float):
        return type(value).__name__
    numbers = type(value) is tuple and value and all(type(v) is int for v in value)
    return "tuple" if numbers else None


def _restored(kind: str, value: NDArray[Any]) -> Any:
    if kind == "array":
        return value
    if kind == "tuple":
        return tuple(value.tolist())
    return value.item() if value.size else {"int": 0, "float": 0.0}[kind]
