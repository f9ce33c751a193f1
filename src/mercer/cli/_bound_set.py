"""``--set PATH=VALUE``: evidence of a bound in words that fit on a command line, both ways.

A path is a field, dotted into records and numbered in lists: ``norm``, ``mistakes.distinct``,
``stages.0.kl``. A value is a number, true, false, none or a word; several are written ``1,2,3``,
``0.3x200`` (two hundred times), ``0:1:50`` (fifty from 0 to 1) or ``@FILE``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mercer.errors import UserError

WORDS = {"true": True, "false": False, "none": None}
LISTS = ("stages", "machines", "choices")  # fields that hold numbered records
LONGEST = 10_000_000


def read_settings(texts: Iterable[str]) -> dict[str, Any]:
    """Settings as a tree like ``Evidence.to_dict``."""
    tree: dict[str, Any] = {}
    for text in texts:
        path, equals, value = text.partition("=")
        if not (equals and path.strip() and value.strip()):
            raise UserError(f"'{text}' is not NAME=VALUE.", "For instance: mistakes.distinct=20")
        _put(tree, path.strip().split("."), read_value(value.strip(), path), text)
    return _numbered(tree)


def _put(tree: dict[str, Any], path: list[str], value: object, text: str) -> None:
    for part in path[:-1]:
        tree = tree.setdefault(part, {})
        if not isinstance(tree, dict):
            raise UserError(f"'{text}': '{part}' was already given a value of its own.")
    tree[path[-1]] = value


def _numbered(tree: dict[str, Any]) -> dict[str, Any]:
    """Numbered records as lists."""
    for name in LISTS:
        if isinstance(tree.get(name), dict):
            parts = tree[name]
            if sorted(parts, key=str) != sorted(map(str, range(len(parts)))):
                raise UserError(f"'{name}' is a list: number its entries {name}.0, {name}.1, ...")
            tree[name] = [_numbered(parts[str(i)]) for i in range(len(parts))]
    return tree


def read_value(text: str, where: str) -> Any:
    """One value, or a list."""
    if text.startswith("@"):
        return _from_file(Path(text[1:]))
    if "," in text:
        return [v for part in text.split(",") for v in _several(part.strip(), where)]
    found = _several(text, where)
    return found if _is_list(text) else found[0]


def _is_list(text: str) -> bool:
    times = text.rpartition("x")
    return bool(times[0] and times[2].isdigit() and _number(times[0]) is not None) or (
        text.count(":") == 2 and all(_number(p) is not None for p in text.split(":"))
    )


def _several(text: str, where: str) -> list[Any]:
    """A number, ``valuexcount`` or ``from:to:count``."""
    if not _is_list(text):
        number = _number(text)
        return [WORDS.get(text.casefold(), text) if number is None else number]
    if ":" in text:
        low, high, count = (float(part) for part in text.split(":"))
        return np.linspace(low, high, _count(count, where)).tolist()
    value, _, times = text.rpartition("x")
    return [_number(value)] * _count(float(times), where)


def _count(value: float, where: str) -> int:
    if not (value == int(value) and 1 <= value <= LONGEST):
        raise UserError(f"{where}: {value:g} is not a number of values between 1 and {LONGEST:,}.")
    return int(value)


def _number(text: str) -> float | int | None:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        found = float(text)
    except ValueError:
        return None
    return None if math.isnan(found) else found


def _from_file(path: Path) -> list[float]:
    """Numbers of a file, separated by anything but digits."""
    try:
        if path.suffix == ".npy":
            return np.load(path, allow_pickle=False).astype(float).ravel().tolist()
        return [float(word) for word in path.read_text().replace(",", " ").split()]
    except OSError as problem:
        raise UserError(f"cannot read {path}: {problem.strerror}.") from None
    except ValueError as problem:
        raise UserError(f"{path} does not hold numbers only: {problem}.") from None


def written(tree: Mapping[str, Any], start: str = "") -> list[str]:
    """The settings that :func:`read_settings` turns into this tree."""
    found: list[str] = []
    for name, value in tree.items():
        path = f"{start}{name}"
        if isinstance(value, Mapping):
            found += written(value, f"{path}.")
        elif name in LISTS and not start.endswith("classes."):
            for i, part in enumerate(value):
                found += written(part, f"{path}.{i}.")
        elif not (isinstance(value, list) and not value):
            found.append(f"{path}={_written_value(value)}")
    return found


def _written_value(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if not isinstance(value, list):
        return str(value)
    if value and isinstance(value[0], list):  # pairs, one after the other
        value = [item for pair in value for item in pair]
    if len(value) > 2 and all(isinstance(v, float) for v in value) and len(set(value)) > 1:
        with np.errstate(all="ignore"):
            line = np.linspace(value[0], value[-1], len(value)).tolist()
        if line == value:
            return f"{value[0]}:{value[-1]}:{len(value)}"
    runs: list[list[Any]] = []
    for item in value:
        if runs and runs[-1][0] == item:
            runs[-1][1] += 1
        else:
            runs.append([item, 1])
    texts = [f"{item}x{times}" if times > 1 else str(item) for item, times in runs]
    alone = len(texts) == 1 and "x" not in texts[0]
    return f"{texts[0]}x1" if alone else ",".join(texts)
