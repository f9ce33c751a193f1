"""Which model a certificate is about: its parameters, and its answers on a few probe rows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing

from mercer._config import remembers_rows
from mercer._types import Predictor
from mercer.certification.core.probe_rows import CannotBeKept, given, kept
from mercer.certification.core.rows import Rows
from mercer.learners.describe import answering, last_step
from mercer.learners.rows_seen import RowsSeen, seen_by

PROBES = 64
OUTPUTS = "outputs"
_NEAR = 1e-6  # of the spread of the answers: what another processor may change
_OUTPUTS_NEAR = 1e-4  # of the spread of outputs, which nobody rounds to labels
# arguments that change neither the model nor its answers
_QUIET = frozenset({"verbose", "n_jobs", "time_limit", "cache_size", "warm_start", "certify",
                    "delta", "memory", "verbose_feature_names_out", "error_score",
                    "progress"})  # fmt: skip


def training_marks(rows: Rows, trained: NDArray[np.intp]) -> RowsSeen | None:
    """Salted marks of the rows a model was trained on: enough to know them again, not to read.

    Of a kernel matrix all columns count: predictions take values against all rows of the fit.
    """
    return RowsSeen.of(rows.take(trained)) if remembers_rows() else None


def fingerprint(model: Any, rows: Rows, trained: NDArray[np.intp]) -> dict[str, Any]:
    """Parameters, and answers on at most 64 of the rows."""
    some = np.unique(np.linspace(0, rows.n - 1, PROBES).astype(np.intp))
    whole = rows.pairwise and getattr(model, "columns", None) is not None
    probes = rows.take(some, None if whole else trained) if rows.pairwise else None
    probes = _safe_indexing(rows.X, some) if probes is None else probes
    found: dict[str, Any] = {"params": params_of(model)}
    try:
        held = kept(probes)
        first, again = answers(model, probes), answers(model, given(held))
    except (ValueError, NotImplementedError):  # it answers in other ways only
        return found
    if _same(first, again):  # a rule that draws lots cannot be known by its answers
        found |= {"rows": held, "answers": first}
    return found


def short_name(mark: Mapping[str, Any]) -> str:
    """A fingerprint in one word, for a certificate."""
    told = repr(sorted(mark["params"].items())).encode()
    for what, values in mark.get("answers", {}).items():
        if what != OUTPUTS:  # their last digits are those of a processor
            told += repr(np.asarray(values).tolist()).encode()
    return hashlib.blake2b(told, digest_size=8).hexdigest()


def fit_name(model: object) -> str:
    """One word for a fitted model: its arguments, and the rows that a learner of Mercer's saw."""
    told, seen = repr(sorted(params_of(model).items())).encode(), seen_by(last_step(model))
    if seen is not None:
        told += seen.salt + str(seen.n).encode()
    return hashlib.blake2b(told, digest_size=8).hexdigest()


def what_changed(model: Any, mark: Mapping[str, Any] | None) -> str:
    """What is another about a model since its fingerprint was taken; empty if nothing is."""
    if not mark:
        return ""
    now, then = params_of(model), mark["params"]
    # an argument that only one of them has is of another version of the class: nobody changed it
    names = sorted(name for name in now.keys() & then.keys() if now[name] != then[name])
    if names:
        return ", ".join(names)
    if "answers" not in mark:
        return ""
    try:
        rows = given(mark["rows"])
    except CannotBeKept:  # the frames it was trained on cannot be built here
        return ""
    return "" if _same(mark["answers"], answers(model, rows)) else "its answers"


def params_of(model: object) -> dict[str, str]:
    """Constructor arguments, those inside others too, as short texts."""
    if not hasattr(model, "get_params"):
        return {}
    found = {"": type(model).__name__}
    for name, value in model.get_params(deep=True).items():
        if name.split("__")[-1] not in _QUIET:
            found[name] = _word(value)
    return found


def answers(model: Predictor, rows: Any) -> dict[str, NDArray[Any]]:
    """Predictions, which rows a model that abstains would answer, and what labels are read off.

    A model fitted anew may have the same labels on a few rows, but hardly the same outputs.
    """
    model = answering(model)
    found = {"predict": np.asarray(model.predict(rows))}
    if hasattr(model, "accepts"):
        found["accepts"] = np.asarray(model.accepts(rows))
    for method in ("decision_function", "predict_proba"):
        if is_classifier(model) and hasattr(model, method):
            try:
                return found | {OUTPUTS: np.asarray(getattr(model, method)(rows), dtype=float)}
            except (AttributeError, ValueError, NotImplementedError):  # a vote of others without
                continue
    return found


def _same(then: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether all that was kept is as it was; files of the first formats kept no outputs."""
    return then.keys() <= now.keys() and all(
        _near(then[k], now[k], _OUTPUTS_NEAR if k == OUTPUTS else _NEAR) for k in then
    )


def _near(then: Any, now: Any, near: float) -> bool:
    a, b = np.asarray(then), np.asarray(now)
    if a.shape != b.shape:
        return False
    if a.dtype.kind == "f" and b.dtype.kind == "f":
        spread = np.ptp(a[np.isfinite(a)]) if np.isfinite(a).any() else 0.0
        return bool(np.allclose(a, b, rtol=near, atol=near * spread, equal_nan=True))
    return bool(np.array_equal(a.astype(object), b.astype(object)))


def _word(value: object) -> str:
    """A value as a short text that does not depend on where it lies in memory."""
    if value is None or isinstance(value, str | bool | int | float | np.number):
        return repr(value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, np.ndarray):
        told = value.tobytes() if value.dtype.kind in "biuf" else repr(value.tolist()).encode()
        return hashlib.blake2b(told, digest_size=8).hexdigest()
    if isinstance(value, list | tuple):
        return f"[{', '.join(_word(v) for v in value)}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{k}: {_word(v)}' for k, v in value.items())}}}"
    named = getattr(value, "__qualname__", None)
    return str(named) if named is not None else type(value).__qualname__
