"""What was done for a partition is kept in ``--work``, so that a second run goes on with its bits.

Names are hashes of all that an answer depends on: another seed, file or setting is another name.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.io.atomic import write_bytes
from mercer.io.model_file import load, save
from mercer.rows import Partition


def name_of(what: str, *given: Any) -> str:
    """A name for what a task with these arguments gives."""
    plain = [replace(one, make=None) if isinstance(one, Partition) else one for one in given]
    stream = io.BytesIO()
    pickler = pickle.Pickler(stream)
    pickler.fast = True  # equal values have equal bytes, be they one object or several
    pickler.dump(plain)
    return f"{what}-{hashlib.sha256(stream.getvalue()).hexdigest()[:20]}"


def kept(part: Partition, task: Callable[[Partition], Any], kind: type, work: str | None) -> Any:
    """The sums of a partition: from the folder of an earlier run, or made and put there."""
    if work is None:
        return task(part)
    path = Path(work) / f"{name_of('sums', task, part)}.npz"
    if path.exists():
        with np.load(path, allow_pickle=False) as found:
            return kind(*(_plain(found[f.name]) for f in fields(kind)))
    sums = task(part)
    stream = io.BytesIO()
    arrays: dict[str, Any] = {f.name: np.asarray(getattr(sums, f.name)) for f in fields(kind)}
    np.savez(stream, **arrays)
    write_bytes(path, stream.getvalue())
    return sums


def _plain(value: NDArray[Any]) -> Any:
    return float(value) if value.ndim == 0 else value


def kept_models(name: str, make: Callable[[], Any], work: str | None) -> Any:
    """Fitted models, and lists and dictionaries of plain values: in the format of model files."""
    if work is None:
        return make()
    path = Path(work) / f"{name}.mercer"
    if path.exists():
        return load(path)
    made = make()
    save(made, path)
    return made
