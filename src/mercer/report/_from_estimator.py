"""From a fitted estimator and its rows to a run record, as the command line would write it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer._versions import versions
from mercer.bounds import Certificate
from mercer.certification.core.fingerprint import fit_name, short_name
from mercer.certification.core.loss import task_of
from mercer.errors import ChangedModel, refuse_changed
from mercer.learners.describe import answering, last_step, name_of
from mercer.report._influence import influential
from mercer.report._predictions import predictions
from mercer.report._search import search_of
from mercer.report._table import checks_of, describe_columns, fingerprint, target_of
from mercer.report.run_record import RunRecord


def record_of(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    fresh: tuple[Any, Any] | None = None,
    certificate: Certificate | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    title: str = "",
) -> RunRecord:
    """Everything that can be said about ``model`` from what is given."""
    learned, judged = _rows(model, X)
    names = feature_names if feature_names is not None else getattr(X, "columns", None)
    record = RunRecord(title=title or name_of(model).removeprefix("this "))
    record.objects = {
        "model": model,
        "X": X,
        "y": y,
        "feature_names": None if names is None else list(names),
        "class_names": class_names,
        "train_rows": learned,
        "counted_rows": judged,
    }
    record.target = target_of(task_of(model), y, class_names)
    if X is not None:
        record.data = describe_columns(X, names) | {"sha256": fingerprint(X, y)}
        record.checks = checks_of(X, y)
    record.model = _model(model)
    record.search = search_of(model)
    _certificates(record, model, certificate)
    rows = fresh if fresh is not None else _unseen(X, y, judged)
    if rows is not None and rows[1] is not None:
        record.predictions = predictions(model, *rows, judged if fresh is None else None)
    record.influential = influential(model, X, y, learned, record.objects)
    record.reproduction = {
        "created": time.strftime("%Y-%m-%d %H:%M:%S"),
        "versions": versions(),
        "model": repr(model),
    }
    return record


def _rows(model: object, X: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Rows learned from and rows judged by; None if the rows were not given."""
    if X is None:
        return None, None
    count = X.shape[0] if hasattr(X, "shape") else len(X)
    found = getattr(model, "certification_", None)
    if found is None or found.n != count:
        return np.arange(count), None
    learned = np.asarray(found.train_rows)
    unseen = found.unseen_rows  # a mixture learns what it was judged by
    return learned, (unseen if len(unseen) else None)


def _unseen(X: Any, y: Any, judged: Any) -> tuple[Any, Any] | None:
    from sklearn.utils import _safe_indexing

    if judged is None or y is None:
        return None
    return _safe_indexing(X, judged), np.asarray(y)[judged]


def _refuse_of_another(model: object, certificate: Certificate) -> None:
    """Refuse a certificate that was made for another model, or before this one was fitted anew."""
    about = certificate.about or {}
    probe = getattr(getattr(model, "certification_", None), "probe", None)
    names = {"fitted": fit_name(model), "model": short_name(probe) if probe else None}
    for key, name in names.items():
        if name is not None and about.get(key) not in (None, name):
            raise ChangedModel(
                f"the certificate is not about this {type(model).__name__}: it was made for "
                "another model, or before this one was given other arguments or fitted anew.",
                "Certify this model, and pass that certificate.",
            )


def _certificates(record: RunRecord, model: object, given: Certificate | None) -> None:
    """The declared certificate, all others, the reasons, and what was spent."""
    refuse_changed(model)
    if given is not None:
        _refuse_of_another(model, given)
    own = given
    around = answering(model) is not model  # what the learner inside says is not about this model
    for holder in (model,) if around else (model, last_step(model)):
        own = own or getattr(holder, "certificate_", None)
        if not record.certificates:
            found = getattr(holder, "certificates_", None) or {}
            record.certificates = {c: v.to_dict(inputs=False) for c, v in found.items()}
            record.not_applicable = dict(getattr(holder, "not_applicable_", None) or {})
    if own is not None:
        record.certificate, record.statement = own.to_dict(), own.first_line()
    if (spent := getattr(model, "certification_", None)) is not None:
        record.certification = spent.to_dict()
        record.timings = {k: float(v) for k, v in spent.seconds.items()}
        record.split = {
            "train": spent.trained_on,
            "counted": spent.counted_on,
            "order": spent.order,
            "seed": spent.seed,
            "words": spent.explain().splitlines()[1],
        }


def _model(model: object) -> dict[str, Any]:
    """What was fitted: the learner, its kernel, its parameters, its size."""
    learner = last_step(model)
    support = getattr(learner, "support_", None)
    kernel = getattr(learner, "kernel_", getattr(learner, "kernel", None))
    inner = answering(model)
    steps = getattr(getattr(inner, "best_estimator_", inner), "steps", ())
    return {
        "learner": type(learner).__name__,
        "words": name_of(model).removeprefix("this "),
        "kernel": None if kernel is None else str(kernel),
        "params": {k: _plain(v) for k, v in learner.get_params(deep=False).items()}
        if hasattr(learner, "get_params")
        else {},
        "steps": [f"{name}: {step!r}" for name, step in steps[:-1]],
        "support": None if support is None else len(support),
        "diagnostics": _diagnostics(learner),
    }


def _diagnostics(learner: object) -> list[str]:
    found = getattr(learner, "diagnostics_", None)
    if found is None:
        return []
    return [line.strip() for line in found.summary().splitlines()[:40]]


def _plain(value: object) -> Any:
    """Numbers and words stay; anything else is written as it prints."""
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)
