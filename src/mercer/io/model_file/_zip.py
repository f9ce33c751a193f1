"""The container: a zip of one JSON manifest and plain arrays, every part with its checksum."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from mercer import _config
from mercer.errors import LimitError
from mercer.io.model_file._decode import BadModel

FORMAT = 2  # what is written
READABLE = (1, 2)
MANIFEST, CHECKSUM = "manifest.json", "checksum.txt"
MOST_MEMBERS = 100_000
MOST_RATIO = 200  # how much smaller than its contents a member may be
SMALL = 1 << 20  # below this size the ratio does not matter
_STAMP = (1980, 1, 1, 0, 0, 0)  # equal models give equal bytes


def write(stream: IO[bytes], manifest: dict[str, Any], arrays: list[NDArray[Any]]) -> None:
    """A model file, array by array: of a large model there is never a second copy."""
    if len(arrays) + 2 > MOST_MEMBERS:
        raise LimitError(f"a model file has at most {MOST_MEMBERS:,} parts, not {len(arrays):,}.")
    members = {f"arrays/{i:05d}.npy": array for i, array in enumerate(arrays)}
    measured = {name: _measured(array) for name, array in members.items()}
    sums = {name: found.sha.hexdigest() for name, found in measured.items()}
    text = json.dumps(
        {"mercer_model": FORMAT, **manifest, "checksums": sums}, allow_nan=False, indent=1
    ).encode()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        digest = hashlib.sha256(text).hexdigest().encode()
        for name, data in {MANIFEST: text, CHECKSUM: digest}.items():
            archive.writestr(_info(name), data)
        for name, array in members.items():
            info = _info(name)
            info.file_size = measured[name].size
            with archive.open(info, "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _STAMP)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


class _Measure:
    """Takes bytes and keeps their checksum and number."""

    def __init__(self) -> None:
        self.sha = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> None:
        self.sha.update(data)
        self.size += len(data)


def _measured(array: NDArray[Any]) -> _Measure:
    found = _Measure()
    np.lib.format.write_array(found, array, allow_pickle=False)
    return found


def unpack(stream: IO[bytes], name: str) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Manifest and arrays, after checking sizes, version and checksums in this order."""
    try:
        with zipfile.ZipFile(stream) as archive:
            _check_sizes(archive, name)
            return _contents(archive, name)
    except (BadModel, LimitError):
        raise
    except Exception as problem:  # damage may raise zlib.error, struct.error, KeyError, anything
        raise _damaged(name, f"{type(problem).__name__}: {problem}") from None


def _damaged(name: str, reason: str) -> BadModel:
    return BadModel(
        f"{name} is not a model file, or it is damaged ({' '.join(reason.split())[:120]}).",
        "Nothing was run. Get the file again from where it was made.",
    )


def _check_sizes(archive: zipfile.ZipFile, name: str) -> None:
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise BadModel(f"{name} has {len(members)} parts; that is no model of ours.")
    names = [member.filename for member in members]
    if MANIFEST not in names or CHECKSUM not in names:
        raise BadModel(f"{name} is a zip file, but not a model of Mercer's.")
    if len(set(names)) < len(names):
        raise BadModel(f"{name} has two parts of the same name.")
    total = sum(member.file_size for member in members)
    limit = _config.memory_limit()
    if total > limit:
        raise LimitError(f"{name} would unpack to {total / 1e6:,.0f} MB, more than the limit.")
    for member in members:
        large = member.file_size > SMALL
        if large and member.file_size > MOST_RATIO * max(1, member.compress_size):
            raise BadModel(f"{name}: the part {member.filename[:60]!r} is compressed suspiciously.")


def _contents(archive: zipfile.ZipFile, name: str) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    text = archive.read(MANIFEST)
    if hashlib.sha256(text).hexdigest().encode() != archive.read(CHECKSUM).strip():
        raise _damaged(name, "the checksum of the manifest does not fit")
    manifest = json.loads(text)
    if not isinstance(manifest, dict):
        raise _damaged(name, "the manifest is no object")
    version = manifest.get("mercer_model")
    if type(version) is not int or version not in READABLE:
        made = manifest.get("versions")
        by = made.get("mercer") if isinstance(made, dict) else None
        raise BadModel(
            f"{name} has format {version!r}; this version of Mercer reads formats up to {FORMAT}.",
            f"It was written by Mercer {by}; update Mercer." if by else "Update Mercer.",
        )
    arrays = []
    for part, digest in manifest["checksums"].items():
        data = archive.read(part)
        if hashlib.sha256(data).hexdigest() != digest:
            raise _damaged(name, f"the checksum of {part} does not fit")
        arrays.append(_load(data, part))
    return manifest, arrays


def _load(data: bytes, part: str) -> NDArray[Any]:
    """An array whose header agrees with its bytes."""
    from mercer.io.readers.numpy_arrays import load_array

    return load_array(io.BytesIO(data), part, len(data))
