"""Does what stands beside a model speak about it? Files get mixed up, and edited by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mercer.io.model_file import ModelFile

CERTIFICATE = "certificate.json"
_COMPARED = ("code", "quantity", "value", "n", "delta")
UNTIED = (
    "the file keeps this certificate beside the model, which carries none: it is NOT VALID for it"
)
OTHER = "the file keeps a certificate of another model beside this one, which DOES NOT HOLD for it"
EDITED = (
    f"{CERTIFICATE} in the folder of the model says something else: one of them was changed or put "
    "there later, and what it says DOES NOT HOLD for this model"
)


def doubts(stored: ModelFile, path: str | Path) -> tuple[str, ...]:
    """What speaks against the certificates that a model file and its folder show."""
    kept, lying = stored.about.get("certificate"), _in_folder(path)
    if not kept and lying is None:
        return ()
    own = getattr(stored.model, "certificate_", None)
    facts = None if own is None else own.to_dict(inputs=False)
    told = []
    if kept and (facts is None or not _same(kept, facts)):
        told.append(UNTIED if facts is None else OTHER)
    if lying is not None and not _repeats(lying, facts, stored.about.get("statement")):
        told.append(EDITED)
    return tuple(told)


def _in_folder(path: str | Path) -> Any:
    """What ``mercer fit`` wrote beside the model, if it is there."""
    place = Path(path).parent / CERTIFICATE
    if str(path) == "-" or not place.is_file():
        return None
    try:
        document = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    ours = isinstance(document, dict) and "mercer_certificate_file" in document
    return document if ours else None


def _repeats(document: Mapping[str, Any], facts: Mapping[str, Any] | None, words: Any) -> bool:
    said = document.get("certificate")
    if facts is None or not isinstance(said, Mapping) or not _same(said, facts):
        return False
    return words is None or document.get("statement") == words


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one.get(name) == other.get(name) for name in _COMPARED)
