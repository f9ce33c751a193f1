"""Evidence of models that Mercer did not train."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import _num_samples

from mercer._types import Samples
from mercer.bounds import Choice, Evidence
from mercer.certification.checks.case import Case
from mercer.certification.checks.gate import look_at
from mercer.certification.outside import reader_of
from mercer.learners.describe import (
    answering,
    check_model,
    is_pairwise,
    name_of,
    outer_choices,
    own_evidence,
)

NEAR = 1e-6


def evidence_from(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    radius: float | None = None,
    loss_range: tuple[float, float] | None = None,
    choices: Iterable[Choice] = (),
) -> Evidence:
    """What bounds may know about a model trained elsewhere, read off it and checked on its rows.

    Margins, norms and errors are computed anew from the rows. Models whose training is an
    optimisation (support vector machines, ridge, logistic regression) must satisfy its optimality
    conditions on exactly these rows, else they are refused. What the model chose by looking at the
    rows (``gamma="scale"``, a scaler before it, a search around it) is recorded, and bounds that do
    not cover it say so.

    Parameters
    ----------
    model : fitted estimator or mapping
        scikit-learn's ``SVC``, ``NuSVC``, ``SVR``, ``LinearSVC``, ``LogisticRegression``, any other
        linear classifier, ``KernelRidge``, ``GaussianProcessClassifier`` and ``-Regressor``,
        ``KNeighborsClassifier``, any other classifier (its errors are all that is known), a
        pipeline or search around them, or a Mercer learner. A mapping holds the facts themselves:
        fields of :class:`mercer.bounds.Evidence` such as ``n``, ``margins``, ``norm``, ``radius``.
    X : array-like
        The rows the model was trained on, in that order; with a precomputed kernel their matrix.
    y : array-like
        Their labels or targets.
    radius : float, default=None
        A bound on the feature-space norm of every possible point, known before the data.
    loss_range : (float, float), default=None
        Smallest and largest possible loss of a regression.
    choices : iterable of Choice
        Further things that were chosen by looking at the rows.

    Returns
    -------
    Evidence
        For :func:`mercer.bounds.assess`, :func:`mercer.bounds.best_of` or any single bound.

    Raises
    ------
    ValueError
        If the numbers contradict each other, or the model was not trained on these rows.
    """
    if isinstance(model, Mapping):
        if X is not None or y is not None:
            raise ValueError("facts in a mapping speak for themselves: leave X and y out")
        evidence = _from_facts(model)
    else:
        evidence = _from_model(model, X, y)
        evidence = replace(evidence, choices=(*evidence.choices, *_of_rows(model, X, y)))
    facts: dict[str, Any] = {"choices": (*evidence.choices, *choices)}
    if radius is not None:
        facts["radius"] = float(radius)
        facts["machines"] = tuple(replace(m, radius=float(radius)) for m in evidence.machines)
    if loss_range is not None:
        facts["loss_range"] = loss_range
    evidence = replace(evidence, **facts)
    for part in (evidence, *evidence.machines):
        check_consistent(part)
    return evidence


def _from_facts(facts: Mapping[str, Any]) -> Evidence:
    """A mapping: numbers of somebody else's model."""
    if "n" not in facts:
        raise ValueError("the facts need n, the number of rows")
    values = dict(facts)
    if "margin" in values:  # one number for all rows
        values["margins"] = np.atleast_1d(np.asarray(values.pop("margin"), dtype=float))
    return Evidence.from_dict(values)


def _from_model(model: Any, X: Any, y: Any) -> Evidence:
    check_model(model)
    if X is None or y is None:
        raise ValueError("pass the rows and labels the model was trained on")
    X = X if hasattr(X, "shape") else np.asarray(X)
    if _num_samples(X) != len(y):
        raise ValueError(f"X has {_num_samples(X)} rows, y has {len(y)}")
    published = own_evidence(model)
    if published is not None:
        if published.n != len(y):
            raise ValueError(f"the model was trained on {published.n} rows, these are {len(y)}")
        return published
    learner, rows = _inside(model, X)
    rows, y = rows if sparse.issparse(rows) else np.asarray(rows), np.asarray(y)
    with warnings.catch_warnings():  # rows are read by number from here on, not by name
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        evidence = (reader_of(learner) or _counted)(learner, rows, y)
    found = (*evidence.choices, *outer_choices(model))
    return replace(evidence, learner=name_of(model), choices=found)


def _of_rows(model: Any, X: Any, y: Any) -> tuple[Choice, ...]:
    """What speaks against taking the rows for independent draws: in-sample bounds count each."""
    table = X if hasattr(X, "shape") else np.asarray(X)
    found = look_at(Case(table, np.asarray(y), is_pairwise(model))).first_words
    return tuple(Choice(f"what hangs together: {words}", "found in the rows") for words in found)


def _inside(model: object, X: Samples) -> tuple[Any, Any]:
    """The last step of a search or pipeline, and the rows as they reach it."""
    model = answering(model)
    model = getattr(model, "best_estimator_", model)
    if not isinstance(model, Pipeline):
        return model, X
    rows = model[:-1].transform(X) if len(model.steps) > 1 else X
    return _inside(model.steps[-1][1], rows)


def _counted(model: Any, X: Samples, y: Any) -> Evidence:
    """Nothing but the training errors of a rule."""
    if not hasattr(model, "classes_"):
        raise ValueError(
            f"{type(model).__name__} is no classifier and of no kind that is known here; "
            "mercer.certify with fresh rows works for any model"
        )
    wrong = int(np.count_nonzero(np.asarray(model.predict(X)) != np.asarray(y)))
    return Evidence(len(y), errors=wrong, n_classes=max(2, len(model.classes_)))


def check_consistent(e: Evidence) -> None:
    """Refuse numbers that no model can have."""
    if e.radius is not None and e.point_norms is not None:
        longest = float(e.point_norms.max())
        if longest > e.radius * (1 + NEAR):
            raise ValueError(
                f"a row has norm {longest:.6g}, beyond the radius {e.radius:.6g} that was declared"
            )
    if e.margins is not None and e.errors is not None and len(e.margins) == e.n:
        sure, perhaps = int((e.margins < 0).sum()), int((e.margins <= 0).sum())
        if not sure <= e.errors <= perhaps:
            raise ValueError(f"{e.errors} errors do not go with {sure} negative margins")
    if e.margins is not None and e.norm is not None and e.point_norms is not None:
        finite = np.isfinite(e.margins)
        if len(e.margins) == len(e.point_norms) and finite.any():
            room = e.norm * e.point_norms[finite] + abs(e.offset or 0.0)
            excess = float((np.abs(e.margins[finite]) - room).max())
            if excess > NEAR * (1.0 + float(room.max())):
                raise ValueError(
                    "a margin exceeds |w|·|x| + |b|: margins, norm and point norms do not belong "
                    "to one model"
                )
    if e.trace is not None and e.point_norms is not None and len(e.point_norms) == e.n:
        total = float(np.sum(np.square(e.point_norms)))
        if abs(total - e.trace) > NEAR * max(1.0, total):
            raise ValueError(f"the trace is {e.trace:.6g}, the squared norms add up to {total:.6g}")
