"""Attributes as files of format 1 have them, to those of today, one function per family.

Model files call these as they read; skops files of that time go through them too.
"""

from __future__ import annotations

from typing import Any

from mercer.io.model_file.upgrades._steps import made, step, told_step

State = dict[str, Any]

# Records whose class is gone; the step of what held them reads their attributes.
RETIRED = frozenset({"record:abstention"})
LINEAR = ("ridge-regression", "least-squares", "lasso-regression", "polynomial-regression")


@told_step(*(f"learner:{name}" for name in LINEAR))
def linear_regression(state: State, told: State) -> Any:
    """``_told`` became a record."""
    plain = ("coef_", "intercept_", "n_features_in_", "feature_names_in_")
    return made(
        "record:linear-fitted",
        n=told["n"],
        kind=made("record:kind", "vectors"),
        dropped=told["dropped"],
        coef=state["coef_"],
        intercept=state["intercept_"],
        **{name: told[name] for name in ("residuals", "weight", "leverage", "norm")},
        attributes={k: v for k, v in state.items() if k.endswith("_") and k not in plain},
    )


@step(0, "learner:sparse-gaussian-process-regressor")
def sparse_process(state: State) -> State:
    """Only the part of the solved bound is kept that prediction needs."""
    solved = state.pop("_solved", None)
    return state if solved is None else state | {"_reduction": solved.reduction}


@step(0, "record:softmax-process")
def softmax_process(state: State) -> State:
    """What the factored evidence was made of is kept; its factors are made again when needed."""
    evidence = state["evidence"]
    made_of = ("X", "codes", "weight", "theta", "slope", "noise")
    parts = {name: getattr(evidence, name) for name in made_of}
    return state | parts | {"dtype": str(evidence.K.array.dtype)}
