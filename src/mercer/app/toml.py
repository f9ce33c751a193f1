"""Write the few kinds of values that ``run.toml`` holds."""

from __future__ import annotations

import json
from typing import Any


def dumps(values: dict[str, Any]) -> str:
    """A TOML document; nested dicts become tables, None is left out."""
    plain = {k: v for k, v in values.items() if v is not None and not isinstance(v, dict)}
    lines = [f"{key} = {_value(value)}" for key, value in plain.items()]
    for name, table in values.items():
        if isinstance(table, dict):
            lines += ["", f"[{name}]"]
            lines += [f"{_key(k)} = {_value(v)}" for k, v in table.items() if v is not None]
    return "\n".join(lines) + "\n"


def _key(key: str) -> str:
    return (
        key
        if key.replace("_", "").replace("-", "").isalnum() and key.isascii()
        else json.dumps(key)
    )


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    # JSON's strings are TOML's basic strings, except for the delete character
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
