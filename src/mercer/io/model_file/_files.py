"""``mercer.save`` and ``mercer.load``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mercer.errors import refuse_changed
from mercer.io.atomic import replacing
from mercer.io.jsonable import jsonable
from mercer.io.model_file import _zip
from mercer.io.model_file._decode import BadModel, Decoder
from mercer.io.model_file._encode import Encoder
from mercer.io.source import Source

LARGEST = 2**34


@dataclass
class ModelFile:
    """What a model file holds: the estimator, and what is known about it."""

    model: Any
    about: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)


def save(model: object, path: str | Path, about: dict[str, Any] | None = None) -> Path:
    """Write a fitted model to a file that is safe to open.

    Parameters
    ----------
    model : fitted estimator
        One of Mercer's, or a scikit-learn Pipeline of its preprocessing and one of Mercer's.
    path : str or Path
        Where to; by custom it ends in ``.mercer``. What was there is replaced at once or not at
        all.
    about : dict, optional
        Plain values to keep beside the model: columns, data fingerprint, certificate.

    Notes
    -----
    Support vector machines and Gaussian processes keep training rows: whoever has the file can read
    them.

    Examples
    --------
    >>> import mercer, tempfile, pathlib
    >>> data = mercer.datasets.load_iris()
    >>> model = mercer.SVC().fit(data.X, data.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = mercer.save(model, pathlib.Path(folder) / "iris.mercer")
    ...     bool((mercer.load(path).predict(data.X) == model.predict(data.X)).all())
    True
    """
    refuse_changed(model)
    encoder = Encoder()
    root = encoder.encode(model)
    manifest = {"versions": _versions(), "about": jsonable(about or {}), "root": root}
    with replacing(path) as stream:
        _zip.write(stream, manifest, encoder.arrays)
    return Path(path)


def load(path: str | Path) -> Any:
    """The model in a file written by :func:`save`. No code of the file is run, whoever made it.

    Raises
    ------
    BadModel
        If the file is damaged, not a model, hostile, or of a newer format.
    """
    return open_model(path).model


def open_model(path: str | Path) -> ModelFile:
    """The model and what is known about it."""
    source = Source.of(path)
    if source.size > LARGEST:
        raise BadModel(f"{source.name} is too large to be a model.")
    with source._raw() as stream:
        manifest, arrays = _zip.unpack(stream, source.name)
    try:
        model = Decoder(arrays, manifest["mercer_model"]).model(manifest["root"])
    except BadModel as problem:
        raise BadModel(f"{source.name}: {problem.message}", problem.advice) from None
    except (KeyError, ValueError, TypeError, IndexError, AttributeError, OverflowError,
            RecursionError, SyntaxError) as problem:  # fmt: skip
        raise BadModel(
            f"{source.name} does not describe a model ({type(problem).__name__}: {problem})."
        ) from None
    about, versions = manifest.get("about"), manifest.get("versions")
    return ModelFile(
        model,
        about if isinstance(about, dict) else {},
        versions if isinstance(versions, dict) else {},
    )


def _versions() -> dict[str, str]:
    from mercer._versions import version

    return {name: version(name) for name in ("mercer", "numpy", "scipy", "scikit-learn")}
