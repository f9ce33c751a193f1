"""Do the files of a run belong together, and does its certificate follow from its evidence?"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mercer.app.doubts import CERTIFICATE, doubts
from mercer.app.files import MODEL, SIGNATURE
from mercer.bounds import Certificate
from mercer.certification.guarantees.recompute import recomputed, why_not_again
from mercer.errors import DataError, UserError
from mercer.io.atomic import write_text
from mercer.io.sealed import MANIFEST, read_manifest, sha256, unfinished

SHORTEST_KEY = 16  # bytes


@dataclass(frozen=True)
class Answer:
    """One thing that was looked at; ``holds`` is None where it could not be."""

    what: str
    holds: bool | None
    words: str


def verify(
    folder: str | Path, data: str | Path | None = None, key: str | Path | None = None
) -> list[Answer]:
    """Compare the files of a run with each other and compute its bound again.

    Parameters
    ----------
    folder : path
        What ``mercer fit`` wrote.
    data : path, default=None
        The file that was learned from; None: where it was then, if it is still there.
    key : path, default=None
        File with the key the folder was signed with.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder.", "Name the folder that `mercer fit` wrote.")
    answers = list(_files(folder))
    document = _document(folder)
    answers += _certificate(folder, document)
    answers += _data(folder, document, data)
    return answers + (_signature(folder, key) if key is not None else [])


def sign(folder: str | Path, key: str | Path) -> Path:
    """Sign the manifest with a secret of the user's (HMAC-SHA256)."""
    folder = Path(folder)
    if any(answer.holds is False for answer in _files(folder)):
        raise UserError("a folder is not signed while its files do not belong together.")
    made = {"algorithm": "HMAC-SHA256", "of": MANIFEST, "signature": _mac(folder, key)}
    return write_text(folder / SIGNATURE, json.dumps(made, indent=1))


def _files(folder: Path) -> Iterator[Answer]:
    manifest = read_manifest(folder)
    if unfinished(folder):
        words = "a newer run was interrupted while it was put in place; --finish completes it"
        yield Answer("folder", False, words)
    if manifest is None:
        yield Answer("folder", False, f"there is no {MANIFEST}: nobody can tell what belongs here")
        return
    for name, known in manifest["files"].items():
        place = folder / str(name)
        if not place.is_file():
            yield Answer(name, False, "is missing")
        elif sha256(place) != known.get("sha256"):
            yield Answer(name, False, "was changed after the run")
        else:
            yield Answer(name, True, "as the run left it")


def _document(folder: Path) -> dict[str, Any] | None:
    place = folder / CERTIFICATE
    if not place.is_file():
        return None
    try:
        found = json.loads(place.read_text("utf-8"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _certificate(folder: Path, document: dict[str, Any] | None) -> Iterator[Answer]:
    if document is None:
        yield Answer("certificate", None, "this run has none")
        return
    try:
        stated = Certificate.from_dict(document.get("certificate") or {})
        lacking = why_not_again(stated)
        if lacking:
            yield Answer(
                "certificate", None, f"cannot be computed again without its rows: {lacking}"
            )
        else:
            again = recomputed(stated) or stated.recompute()
    except (ValueError, TypeError, KeyError, ArithmeticError) as problem:
        yield Answer("certificate", False, f"the bound cannot be computed again: {problem}")
        return
    if not lacking:
        same = abs(again.unclipped - stated.unclipped) <= 1e-9 * max(1.0, abs(stated.unclipped))
        words = f"its evidence gives {100 * again.value:.4g} %, it says {100 * stated.value:.4g} %"
        yield Answer("certificate", bool(same and again.n == stated.n), words)
    if not (folder / MODEL).is_file():
        return
    named = (document.get("model") or {}).get("sha256")
    same_model = named == sha256(folder / MODEL)
    yield Answer("model", same_model, "the one that the certificate names" if same_model
                 else "not the one that the certificate names")  # fmt: skip
    from mercer.io.model_file import open_model

    for words in doubts(open_model(folder / MODEL), folder / MODEL):
        yield Answer("model", False, words)


def _data(
    folder: Path, document: dict[str, Any] | None, data: str | Path | None
) -> Iterator[Answer]:
    about = (document or {}).get("data") or {}
    place, known = data or about.get("path"), about.get("sha256")
    if known is None or place is None:
        yield Answer("data", None, "no file was learned from, or the run does not name it")
    elif not Path(place).is_file():
        yield Answer("data", None, f"{place} is not there; name it with --data")
    else:
        same = sha256(place) == known
        yield Answer("data", same, f"{place} is {'' if same else 'not '}the file learned from")


def _signature(folder: Path, key: str | Path) -> list[Answer]:
    try:
        found = json.loads((folder / SIGNATURE).read_text("utf-8"))["signature"]
    except (OSError, ValueError, KeyError, TypeError):
        return [Answer("signature", False, f"there is no {SIGNATURE} that can be read")]
    same = hmac.compare_digest(str(found), _mac(folder, key))
    words = "made with this key" if same else "not made with this key, or the run was changed"
    return [Answer("signature", same, words)]


def _mac(folder: Path, key: str | Path) -> str:
    try:
        secret = Path(key).read_bytes().strip()
    except OSError as problem:
        raise DataError(f"the key {key} cannot be read: {problem.strerror}.") from None
    if len(secret) < SHORTEST_KEY:
        raise DataError(f"a key has at least {SHORTEST_KEY} bytes, {key} has {len(secret)}.")
    return hmac.new(secret, (folder / MANIFEST).read_bytes(), hashlib.sha256).hexdigest()
