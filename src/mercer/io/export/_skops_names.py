"""Class names in skops files: written as module paths, found again by tags after a move."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable
from typing import Any

from mercer import _storable
from mercer.io.model_file._classes import format_1_names, version_of

SCHEMA, TAGS = "schema.json", "mercer-tags.json"


def is_ours(name: str) -> bool:
    """Whether "module.Class" is a class of Mercer's that models are made of. Functions are not."""
    cls = _storable.class_at(name)
    return cls is not None and _storable.tag_of(cls) is not None


def with_tags(content: bytes, names: Iterable[str]) -> bytes:
    """A skops file that also keeps tag and version of its classes."""
    classes = {name: cls for name in names if (cls := _storable.class_at(name)) is not None}
    found = {name: [_storable.tag_of(cls), version_of(cls)] for name, cls in classes.items()}
    out = io.BytesIO(content)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(TAGS, json.dumps(found))
    return out.getvalue()


def present_names(content: bytes) -> tuple[bytes, dict[str, int] | None]:
    """A skops file whose classes are named by where they are now, and their versions by tag."""
    old = {path.replace(":", "."): tag for path, tag in format_1_names().items()}
    versions: dict[str, int] | None = None  # files from before tags
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as given:
        if TAGS in given.namelist():
            kept = json.loads(given.read(TAGS))
            old |= {name: str(tag) for name, (tag, _) in kept.items()}
            versions = {str(tag): int(version) for tag, version in kept.values()}
        schema = json.loads(given.read(SCHEMA))
        if not _rename(schema, lambda name: _now(name, old)):
            return content, versions
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
            for member in given.infolist():
                text = json.dumps(schema) if member.filename == SCHEMA else given.read(member)
                new.writestr(member.filename, text)
    return out.getvalue(), versions


def _now(name: str, tags: dict[str, str]) -> str:
    """Where the class is that a file calls ``name``; the same name if nobody knows."""
    if not name.startswith("mercer.") or _storable.class_at(name) is not None:
        return name
    cls = _storable.find(tags.get(name))
    return name if cls is None else f"{cls.__module__}.{cls.__qualname__}"


def _rename(tree: Any, now: Callable[[str], str]) -> bool:
    """Rename classes everywhere in a schema; whether there were any to rename."""
    changed = False
    for item in tree.values() if isinstance(tree, dict) else tree:
        if isinstance(item, dict | list):
            changed |= _rename(item, now)
    if isinstance(tree, dict) and isinstance(tree.get("__module__"), str):
        name = f"{tree['__module__']}.{tree.get('__class__')}"
        if (found := now(name)) != name:
            tree["__module__"], _, tree["__class__"] = found.rpartition(".")
            changed = True
    return changed
