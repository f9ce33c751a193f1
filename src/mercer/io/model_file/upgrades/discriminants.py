"""Classifiers of format 1 on vectors: what stood in ``_told`` and beside it became a record."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.io.model_file.upgrades._steps import made, step, told_step

State = dict[str, Any]
WIDTH = ("n_features_in_", "feature_names_in_")


def attributes(state: State, *known: str) -> State:
    """Public attributes that a learner found besides those it shares with its family."""
    plain = (*WIDTH, "classes_", "coef_", "intercept_", *known)
    return {name: v for name, v in state.items() if name.endswith("_") and name not in plain}


@told_step("learner:fisher-discriminant", "learner:linear-erm")
def plane(state: State, told: State) -> Any:
    """Two classes and a plane between them."""
    return made(
        "record:plane-fitted",
        n=len(told["target"]),
        kind=made("record:kind", "vectors"),
        dropped=told["dropped"],
        classes=state["classes_"],
        coef=state["coef_"],
        intercept=state["intercept_"],
        output=told["output"],
        target=told["target"],
        formulation="erm" if state.pop("_counted", False) else "linear",
        attributes=attributes(state),
    )


@told_step("learner:logistic-classifier")
def logistic(state: State, told: State) -> Any:
    """Scores that are linear in the columns."""
    return made("record:scores-fitted", **_scores(state, told))


@told_step("learner:exponential-family-classifier")
def densities(state: State, told: State) -> Any:
    """Scores that are linear in the statistics of a family."""
    fields = _scores(state, told) | {"family": state["family"]}
    return made("record:densities-fitted", **fields)


def _scores(state: State, told: State) -> State:
    return {
        "n": len(told["codes"]),  # rows of weight zero were not counted then
        "kind": made("record:kind", "vectors"),
        "classes": state["classes_"],
        "coef": state["coef_"],
        "intercept": state["intercept_"],
        "codes": told["codes"],
        "scores": told["scores"],
        "attributes": attributes(state),
    }


@told_step("learner:finite-class-erm")
def finite_class(state: State, told: State) -> Any:
    """The rules and the place of the best one."""
    classes, rules = state["classes_"], state["rules"]
    constant = [classes[i : i + 1] for i in range(len(classes))]
    return made(
        "record:finite-class-fitted",
        n=told["n"],
        kind=made("record:kind", "vectors"),
        classes=classes,
        rules=tuple(constant if rules is None else rules),
        best=state["best_"],
        risks=state["risks_"],
        errors=told["errors"],
        named_before=rules is not None,
    )


@step(0, "learner:halving")
def halving(state: State) -> State:
    """Rules, their vote and what came of the sweeps."""
    if "_wrong" not in state:  # not fitted
        return state
    streamed, errors = state.pop("_streamed"), state.pop("_errors", None)
    state["fitted_"] = made(
        "record:halving-fitted",
        n=state.pop("_rows"),
        kind=made("record:kind", "vectors"),
        classes=state["classes_"],
        rules=state["rules"],
        penalty=state["penalty"],
        vote=made(
            "record:vote-of-rules",
            state["weights_"],
            state.pop("_wrong"),
            state["mistaken_rows_"],
            state["n_restarts_"],
        ),
        n_iter=state["n_iter_"],
        clean=state.pop("_clean"),
        errors=None if streamed else errors,
    )
    return state


@step(2, "learner:fisher-discriminant")
def several_classes(state: State) -> State:
    """A plane became the scores of two classes; ``transform`` was not there."""
    plane = state.get("fitted_")
    if plane is None:
        return {"n_components": None} | state
    w, share = plane.coef[0], float(np.mean(plane.target > 0))
    means, S = plane.attributes["means_"], plane.attributes["covariance_"]
    found = {
        "priors_": np.array([1.0 - share, share]),
        "xbar_": (1.0 - share) * means[0] + share * means[1],
        "scalings_": w[:, None] / (np.sqrt(max(float(w @ S @ w), 0.0)) or 1.0),
        "explained_variance_ratio_": np.ones(1),
    }
    state["fitted_"] = made(
        "record:scores-fitted",
        n=plane.n,
        kind=plane.kind,
        dropped=plane.dropped,
        kept=plane.kept,
        classes=plane.classes,
        coef=plane.coef,
        intercept=plane.intercept,
        codes=(plane.target > 0).astype(np.intp),
        scores=plane.output[:, None],
        attributes=plane.attributes | found,
    )
    return {"n_components": None} | state | found


@step(2, "learner:kernel-fisher")
def kernel_projections(state: State) -> State:
    """The direction of two classes, in the units of ``transform``."""
    fitted = state.get("fitted_")
    if fitted is None:
        return {"n_components": None} | state
    values = fitted.output - fitted.intercept
    gap = float(values[fitted.target > 0].mean() - values[fitted.target < 0].mean())
    unit = np.sqrt(gap) if gap > 0 else 1.0
    fitted.__dict__.update(
        scalings=fitted.coef[:, None] / unit,
        centers=np.array([values.mean() / unit]),
        ratios=np.ones(1),
    )
    found = {"scalings_": fitted.scalings, "explained_variance_ratio_": fitted.ratios}
    return {"n_components": None} | state | found
