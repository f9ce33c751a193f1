"""What can be said about a model from outside: its name, its classes, its own evidence, choices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils._tags import get_tags
from sklearn.utils.validation import check_is_fitted

from mercer.bounds import Certificate, Choice, Evidence, advised, best_of
from mercer.learners._frozen import AROUND, surroundings
from mercer.learners._publishes import DECLARED

__all__ = [
    "AROUND",
    "Answering",
    "answering",
    "best_in_sample",
    "check_model",
    "check_not_frozen",
    "check_trainable",
    "classes_of",
    "is_pairwise",
    "last_step",
    "name_of",
    "note_choice",
    "outer_choices",
    "own_evidence",
    "surroundings",
]


class Answering:
    """Mixin of what stands around a fitted model and answers by it (``mercer.Certified``)."""

    model_: Any


def answering(model: object) -> Any:
    """The model that answers: what a fitted ``mercer.Certified`` holds, else the model itself.

    Whoever asks a model what it is (``isinstance``, ``hasattr``, private attributes) asks this one:
    the wrapper hands on public names only.
    """
    held = vars(model).get("model_") if isinstance(model, Answering) else None
    return model if held is None else held


def is_pairwise(model: object) -> bool:
    """Whether rows are values against the training rows: a precomputed kernel or distance."""
    try:
        return bool(get_tags(model).input_tags.pairwise)
    except (AttributeError, TypeError):  # no estimator of scikit-learn's
        return False


def name_of(model: object) -> str:
    """What sentences call the model."""
    model = answering(model)
    if isinstance(model, Pipeline):
        return "this pipeline (" + " → ".join(type(s).__name__ for _, s in model.steps) + ")"
    if hasattr(model, "best_estimator_"):
        return f"this {type(model).__name__} over {name_of(model.best_estimator_)[5:]}"
    return f"this {type(model).__name__}"


def check_model(model: object) -> None:
    """Refuse what cannot predict, or was not fitted."""
    if isinstance(model, type):
        raise TypeError(f"{model.__name__} is a class; pass a fitted instance of it")
    if not callable(getattr(model, "predict", None)):
        raise TypeError(f"{type(model).__name__} has no predict method, so it cannot be certified")
    if not hasattr(model, "fit"):
        return  # a model from elsewhere that only predicts
    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise NotFittedError(f"{error} A certificate is about a fitted model.") from None
    except (TypeError, AttributeError):
        return  # it has a fit, but is no scikit-learn estimator


def check_trainable(estimator: object) -> None:
    """Refuse what cannot be fitted again and again."""
    if isinstance(estimator, Answering):
        raise TypeError(
            f"{type(estimator).__name__} spends rows itself: certify the estimator inside it, or "
            "call its own fit"
        )
    if isinstance(estimator, type):
        raise TypeError(f"{estimator.__name__} is a class; pass an instance of it")
    missing = [name for name in ("fit", "predict", "get_params") if not hasattr(estimator, name)]
    if missing:
        raise TypeError(
            f"{type(estimator).__name__} has no {missing[0]} method: certified_fit needs a "
            "scikit-learn estimator. A model that only predicts can be certified by mercer.certify."
        )


def check_not_frozen(estimator: object) -> None:
    """Refuse a model that is frozen as a whole: nothing would be trained here."""
    cloned = getattr(estimator, "__sklearn_clone__", None)
    if callable(cloned) and cloned() is estimator:
        raise ValueError(
            f"{type(estimator).__name__} is already fitted and will not be fitted again, so rows "
            "of X it has seen would be counted as unseen. Use mercer.certify with fresh rows."
        )


def classes_of(model: object) -> np.ndarray | None:
    """The labels a classifier knows, None if it does not say."""
    classes = getattr(model, "classes_", None)
    return None if classes is None or isinstance(classes, list) else np.asarray(classes)


def last_step(model: object) -> Any:
    """The learner inside a certified model, a search or a pipeline."""
    model = answering(model)
    model = getattr(model, "best_estimator_", model)
    return last_step(model.steps[-1][1]) if isinstance(model, Pipeline) else model


def own_evidence(model: object) -> Evidence | None:
    """What a Mercer learner inside ``model`` publishes, with the choices made around it added."""
    learner = last_step(model)
    try:
        evidence = learner.evidence_
    except AttributeError:
        return None
    outer = outer_choices(model)
    own = [c for c in evidence.choices if not outer or c.what != AROUND]  # now they have names
    found = tuple(dict.fromkeys((*own, *outer)))  # noted on both sides
    return replace(evidence, learner=name_of(model), choices=found)


def note_choice(model: object, choice: Choice) -> None:
    """Have the learner inside say, before its own numbers, what its bounds do not cover."""
    learner = last_step(model)
    if hasattr(learner, "_note_choice"):
        learner._note_choice(choice)


def outer_choices(model: object) -> tuple[Choice, ...]:
    """Preprocessing fitted on, and parameters tuned on, the training rows."""
    model, found = answering(model), []
    if hasattr(model, "best_estimator_"):
        tried = getattr(model, "cv_results_", {})
        count = len(tried["params"]) if "params" in tried else None
        found.append(Choice("hyper-parameters", type(model).__name__, candidates=count))
        return (*found, *outer_choices(model.best_estimator_))
    if isinstance(model, Pipeline):
        fitted = [type(s).__name__ for _, s in model.steps[:-1] if not isinstance(s, str)]
        if fitted:
            found.append(Choice("preprocessing", ", ".join(fitted)))
        found += outer_choices(model.steps[-1][1])
    return tuple(found)


def best_in_sample(model: object, evidence: Evidence, delta: float) -> Certificate:
    """The best of the bounds declared for plain fits, and the advice that goes with it.

    Raises
    ------
    NotApplicable
        If none of them applies.
    """
    certificate = best_of(evidence, delta, DECLARED)
    return advised(certificate, evidence, alone=not outer_choices(model))
