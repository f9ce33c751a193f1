"""Models as skops files: read by scikit-learn users, no code runs unless its type is trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED

from sklearn.base import BaseEstimator

from mercer.errors import DataError, refuse_changed
from mercer.io.atomic import write_bytes
from mercer.io.export._errors import NotExportable, needs
from mercer.io.export._skops_names import is_ours, present_names, with_tags
from mercer.io.export._skops_state import brought_forward, without_derived
from mercer.learners.template import Publishes

EXTRA = "skops"


def to_skops(model: object, path: str | Path) -> Path:
    """Write a fitted estimator or pipeline as a skops file.

    Parameters
    ----------
    model : fitted estimator
        Any of Mercer's, alone or in a scikit-learn pipeline.
    path : str or Path
        Where to; replaced at once or not at all.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    NotExportable
        If something inside is neither Mercer's nor known to skops, such as a function.

    Notes
    -----
    Opening the file with ``skops.io.load`` asks for the types to trust: :func:`trusted_types` lists
    them, and :func:`from_skops` passes them on. What the certificate rests on is worked out before
    writing, because skops keeps a length scale read off the data as a bare number and the choice
    would be forgotten. The file also keeps the stable names of Mercer's classes, so that
    :func:`from_skops` finds them after they have moved; ``skops.io.load`` does not look there.
    """
    io = needs("skops.io", EXTRA)
    refuse_changed(model)
    for part in _certified_parts(model, set()):
        _settle(part)
    try:
        with without_derived(model):
            content = io.dumps(model, compression=ZIP_DEFLATED)
    except Exception as problem:  # skops raises many kinds
        raise NotExportable(
            f"skops cannot write this {type(model).__name__}: {problem}.",
            "A model file (mercer.save) may hold it.",
        ) from None
    asked = io.get_untrusted_types(data=content)
    foreign = [name for name in asked if not is_ours(name)]
    if foreign:
        raise NotExportable(
            f"the model contains {', '.join(foreign)}, which whoever opens the file cannot check.",
            "Use one of Mercer's own kernels and estimators instead of a function or class of "
            "yours.",
        )
    return write_bytes(path, with_tags(content, asked))


def trusted_types(path: str | Path) -> list[str]:
    """Types in a skops file to pass as ``trusted``; all of them are Mercer's own plain data.

    Raises
    ------
    DataError
        If the file asks for anything else, or is not a skops file.
    """
    return _read(path)[1]


def from_skops(path: str | Path) -> Any:
    """The model in a skops file, trusting Mercer's own types and nothing else."""
    content, trusted, versions = _read(path)
    model = needs("skops.io", EXTRA).loads(content, trusted=trusted)
    return brought_forward(model, versions)


def _read(path: str | Path) -> tuple[bytes, list[str], dict[str, int] | None]:
    """The file with the names that classes have today, those to trust, and their versions."""
    io = needs("skops.io", EXTRA)
    try:
        content, versions = present_names(Path(path).read_bytes())
        asked = io.get_untrusted_types(data=content)
    except FileNotFoundError:
        raise DataError(f"there is no file {path}.") from None
    except Exception as problem:
        raise DataError(f"{path} is not a skops file ({type(problem).__name__}).") from None
    foreign = [name for name in asked if not is_ours(name)]
    if foreign:
        raise DataError(
            f"{path} asks to trust {', '.join(foreign[:5])}, which is not part of a Mercer model.",
            "Nothing was run.",
        )
    return content, list(asked), versions


def _settle(part: Any) -> None:
    """Have the evidence of a fitted learner computed and kept."""
    if part.__dict__.get("_issued") is not None:
        _ = part.evidence_


def _certified_parts(value: object, seen: set[int]) -> Iterator[Publishes]:
    """Every learner inside a model, itself included."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, Publishes):
        yield value
    inside: Any = ()
    if isinstance(value, BaseEstimator):
        inside = list(vars(value).values())
    elif isinstance(value, Mapping):
        inside = list(value.values())
    elif isinstance(value, list | tuple):
        inside = value
    for item in inside:
        if isinstance(item, BaseEstimator | Mapping | list | tuple):
            yield from _certified_parts(item, seen)
