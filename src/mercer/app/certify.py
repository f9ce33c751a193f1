"""The work behind ``mercer certify``."""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.app.apply import new_rows
from mercer.app.doubts import doubts
from mercer.app.labels import labels_of
from mercer.app.other_populations import QUESTIONS, answer_question, question_asked
from mercer.app.reading import reader_options
from mercer.app.streams.lent import opened
from mercer.errors import DataError, UserError
from mercer.io.model_file import ModelFile, open_model
from mercer.io.readers import read
from mercer.io.source import Source, is_pattern
from mercer.tables.columns import label_texts
from mercer.tables.dataset import TEXT, Column, Dataset

FEW = 0.01  # of the rows: fewer that were seen before are no matter
TRAINED_ON = "equal rows the model was trained on"


class Given:
    """A model that is known only by the answers it gave; sentences call it by its class name."""

    def __init__(self, answers: NDArray[Any], number: bool) -> None:
        self.answers = answers
        self._estimator_type = "regressor" if number else "classifier"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=self._estimator_type, target_tags=TargetTags(required=True))

    def predict(self, X: Any) -> NDArray[Any]:
        """The answers, as they were given."""
        return self.answers


def certificate_for(values: dict[str, Any]) -> tuple[Any, list[str]]:
    """The certificate asked for, and notes to show below it."""
    question = question_asked(values)
    if values["predictions"]:
        return _of_predictions(values), []
    if not values["model"]:
        raise UserError("which model?", "Name a model file, or use --predictions FILE.")
    many = bool(values["data"]) and (is_pattern(values["data"]) or bool(values.get("cluster")))
    stored = opened(values["model"]) if many else open_model(values["model"])
    if not values["data"]:
        return _saved(stored, values["model"]), []
    if many:  # tasks in this process are lent the same model
        return _counted(stored, values), list(doubts(stored, values["model"]))
    data = read(values["data"], reader_options(values, stored.about))
    certificate, notes = _fresh(stored, data, values, question)
    return certificate, [*notes, *doubts(stored, values["model"])]


def _counted(stored: ModelFile, values: dict[str, Any]) -> Any:
    """From many files, in batches."""
    from mercer.app.streams.apply import certify_stream

    others = any(values.get(name) for name in ("metric", "ledger", *QUESTIONS))
    if values["error"] != "overall" or values["candidates"] > 1 or others:
        raise UserError(
            "--error, --metric, --candidates, --ledger, --shares, --population and --by are for "
            "fresh rows in one file.",
            "Many files are counted as a whole.",
        )
    return certify_stream(
        stored, values["model"], [values["data"]], reader_options(values, stored.about),
        values["delta"], target=values["target"], tolerance=values["tolerance"],
        cluster=values.get("cluster"), skip_bad=values["skip_bad_files"], quiet=values["as_json"],
    )  # fmt: skip


def _saved(stored: ModelFile, name: str) -> Any:
    from mercer.bounds import Certificate

    found = getattr(stored.model, "certificate_", None)
    if found is None and stored.about.get("certificate"):
        found = Certificate.from_dict(stored.about["certificate"])
    if found is None:
        raise UserError(f"{name} was saved without a certificate.", "Give fresh rows as well.")
    return replace(found, found=(*doubts(stored, name), *found.found))


def _fresh(
    stored: ModelFile, data: Dataset, values: dict[str, Any], question: str | None
) -> tuple[Any, list[str]]:
    from mercer.certification import certify

    name = values["target"] or stored.about.get("target")
    if data.columns and name:
        column = data.column(str(name))
    elif data.labels is not None:
        from mercer.io.readers.numpy_arrays import label_column

        column = label_column("label", data.labels)
    else:
        raise DataError("the fresh rows have no labels.", "Name the column with --target.")
    lost = column.missing
    notes = []
    if lost.any():
        data = data.drop(lost, "no label")
        column = Column(column.name, column.kind, column.values[~lost])
        notes.append(f"{int(lost.sum())} rows without a label were not counted.")
    _refuse_training_file(stored, values)
    regression = stored.about.get("task") == "regression"
    truth = column.values.astype(float) if regression else labels_of(stored.model, column)
    X = new_rows(stored, data)
    tolerance = values["tolerance"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if question is not None:
            certificate = answer_question(question, stored, data, X, truth, values)
        else:
            certificate = certify(
                stored.model, X, truth, values["delta"], error=values["error"],
                tolerance=tolerance, candidates=values["candidates"], ledger=values["ledger"],
                budget=values["budget"], metric=values["metric"],
            )  # fmt: skip
    marked = _by_first_marks(stored, X)  # counts all training rows, not only those that were kept
    known = [words for words in certificate.found if marked and words.endswith(TRAINED_ON)]
    told = (*marked, *(words for words in certificate.found if words not in known))
    notes += [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    return replace(certificate, found=told), [n for n in notes if n not in (*told, *known)]


def _refuse_training_file(stored: ModelFile, values: dict[str, Any]) -> None:
    known = (stored.about.get("data") or {}).get("sha256")
    if known is not None and Source.of(values["data"]).sha256() == known:
        raise DataError(
            "this is the very file the model was trained on.",
            "A certificate needs rows it has never seen. Without a file the saved one is shown.",
        )


def _by_first_marks(stored: ModelFile, X: Any) -> tuple[str, ...]:
    """What marks of the first version tell: files written then keep no others."""
    marks = getattr(stored.model, "row_marks_", None)
    if marks is None or not len(marks) or not isinstance(X, np.ndarray) or X.ndim != 2:
        return ()
    made = [hashlib.blake2b(repr(row).encode(), digest_size=8).digest() for row in X.tolist()]
    known = int(np.isin(np.frombuffer(b"".join(made), dtype=np.uint64), marks).sum())
    if known <= FEW * len(X):
        return ()
    return (f"{known} of {len(X)} fresh rows {TRAINED_ON}",)


def _of_predictions(values: dict[str, Any]) -> Any:
    from mercer.certification import certify
    from mercer.certification.guarantees.metrics import metric_meant

    if not values["truth"] or not values["predicted"]:
        raise UserError("--predictions needs --truth NAME and --predicted NAME.")
    data = read(values["predictions"], reader_options(values))
    truth, guess = data.column(values["truth"]), data.column(values["predicted"])
    for column in (truth, guess):
        if column.missing.any():
            row = int(data.rows[np.flatnonzero(column.missing)[0]])
            raise DataError(f"column '{column.name}' has no value in row {row}.")
    metric = values["metric"]
    of_numbers = metric is not None and "regression" in metric_meant(metric).tasks
    numbers = values["tolerance"] is not None or of_numbers
    if numbers and TEXT in (truth.kind, guess.kind):
        raise DataError("--tolerance is about numbers, but the labels are text.")
    if numbers:
        y, f = truth.values.astype(float), guess.values.astype(float)
    else:
        y, f = label_texts(truth), label_texts(guess)
    return certify(
        Given(f, numbers), np.zeros((len(y), 1)), y, values["delta"], error=values["error"],
        tolerance=values["tolerance"], candidates=values["candidates"], ledger=values["ledger"],
        budget=values["budget"], metric=values["metric"],
    )  # fmt: skip
