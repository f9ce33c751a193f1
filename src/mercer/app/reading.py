"""How a file is to be read: what the user said, and what a saved model remembers."""

from __future__ import annotations

from typing import Any

from mercer.io.readers import Options

READING = ("format_", "encoding", "separator", "decimal", "header", "missing", "precomputed",
           "stored", "sheet", "query")  # fmt: skip


def reader_options(values: dict[str, Any], about: dict[str, Any] | None = None) -> Options:
    """The reader's options among the values of a command, and what a saved model remembers."""
    if about is not None:
        values = values | {"missing": (*values["missing"], *about.get("missing", ()))}
        values["stored"] = tuple((str(n), str(s)) for n, s in about.get("columns") or ())
        if about.get("prepare") in ("kernel", "distance"):
            values["precomputed"] = about["prepare"]
    known = {name: values[name] for name in READING if values.get(name) is not None}
    known["format"] = known.pop("format_", None)
    return Options(**known)
