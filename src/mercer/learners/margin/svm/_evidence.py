"""A fitted margin machine as `Evidence`: all that a bound ever sees of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Choice, Compression, Evidence, span_estimate
from mercer.kernels.structured.from_callable import UserFunction
from mercer.kernels.structured.precomputed import Precomputed
from mercer.learners.margin.svm.machine import Machine

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

SPAN_LIMIT = 600  # support vectors: beyond, the span estimate costs more than the fit
MACHINE_NUMBERS = 50_000_000  # rows × binary machines whose margins are worth keeping

LOSSES = {
    "hinge": "hinge",
    "squared_hinge": "squared-hinge",
    "epsilon_insensitive": "epsilon-insensitive",
    "squared_epsilon_insensitive": "squared-epsilon-insensitive",
}


def publish(estimator: Any, fitted: Any) -> Evidence:
    """Evidence of a fitted classifier, regression or one-class machine."""
    machines: Sequence[Machine] = fitted.machines
    if estimator._kind == "classifier" and len(machines) > 1:
        return _several(estimator, fitted)
    maker = {"classifier": _classifier, "regressor": _regressor, "detector": _detector}
    return maker[estimator._kind](estimator, fitted, machines[0])


def accuracy(estimator: Any, machine: Machine) -> float:
    """How exactly the solver met its conditions, in units of the machine's output."""
    return max(estimator.tol, machine.solution.gap) / abs(machine.scale)


# -- one machine -----------------------------------------------------------------------------------


def _classifier(estimator: Any, fitted: Any, machine: Machine) -> Evidence:
    margins = machine.target * machine.output
    kept = (margins <= 1.0 + accuracy(estimator, machine)) | (machine.coef != 0)
    evidence = Evidence(
        **shared_facts(estimator, fitted, machine),
        task="classification",
        errors=int(np.count_nonzero(_wrong(machine))),
        margins=margins,
        slacks=np.maximum(1.0 - margins, 0.0),
        offset=machine.intercept if estimator.fit_intercept else None,
        compression=compression(estimator, fitted, kept),
    )
    return _with_span(estimator, fitted, machine, evidence)


def _regressor(estimator: Any, fitted: Any, machine: Machine) -> Evidence:
    distance = np.abs(machine.target - machine.output)
    near = accuracy(estimator, machine)
    kept = (distance >= machine.tube - near) | (machine.coef != 0)
    outside = distance > machine.tube + near
    return Evidence(
        **shared_facts(estimator, fitted, machine),
        task="regression",
        errors=int(np.count_nonzero(outside)),
        slacks=np.maximum(distance - machine.tube, 0.0),
        risks={"outside the tube": float(np.mean(outside))},
        offset=machine.intercept if estimator.fit_intercept else None,
        tube=machine.tube,
        compression=compression(estimator, fitted, kept, machine),
    )


def _detector(estimator: object, fitted: Any, machine: Machine) -> Evidence:
    output = machine.output
    kept = (output <= accuracy(estimator, machine)) | (machine.coef != 0)
    return Evidence(
        **shared_facts(estimator, fitted, machine),
        task="novelty",
        errors=int(np.count_nonzero(output <= 0)),
        slacks=np.maximum(-output, 0.0),
        offset=machine.intercept,
        compression=compression(estimator, fitted, kept, machine),
    )


def shared_facts(estimator: object, fitted: Any, machine: Machine) -> dict[str, Any]:
    """Facts that do not depend on what the machine is for."""
    geometric = fitted.geometric and machine.squared_norm >= 0
    own = fitted.own(machine.rows)
    return fitted.facts(own) | {
        "n": len(machine.rows),
        "learner": name(estimator),
        "formulation": _formulation(estimator),
        "loss": LOSSES.get(getattr(estimator, "loss", ""), ""),
        "alphas": np.abs(machine.coef),
        "point_norms": np.sqrt(np.maximum(own, 0.0)) if geometric else None,
        "norm": math.sqrt(machine.squared_norm) if geometric else None,
        "trace": float(np.sum(own)) if geometric else None,
        "C": _one_price(estimator, machine),
        "gap": machine.solution.gap / abs(machine.scale),
        "choices": _choices(estimator, fitted),
        "lost": _lost(fitted),
    }


def _lost(fitted: Any) -> tuple[str, ...]:
    """What only this fit lacks: the solver did not finish, or the kernel turned out indefinite."""
    unfinished = any(not machine.solution.converged for machine in fitted.machines)
    flat = any(machine.scale <= 0 for machine in fitted.machines)
    if unfinished or flat or fitted.indefinite:
        return ("compression", "norm", "point_norms", "trace")
    return ()


def _wrong(machine: Machine) -> Mask:
    """Training rows that ``predict`` gets wrong; an output of zero is class +1."""
    return np.where(machine.output >= 0, 1.0, -1.0) != machine.target


def name(estimator: object) -> str:
    """What sentences call the model."""
    return f"this {type(estimator).__name__}"


def _formulation(estimator: Any) -> str:
    name: str = estimator.known_as
    return "hard-svc" if name == "c-svc" and not np.isfinite(estimator.C) else name


def _one_price(estimator: object, machine: Machine) -> float | None:
    """The C of every row, if there is just one and it was given."""
    price = getattr(estimator, "C", None)
    equal = machine.weight.size > 0 and np.all(machine.weight == machine.weight[0])
    if isinstance(getattr(estimator, "class_weight", None), str):
        return None  # equal by chance: with other rows the prices would have been others
    if price is None or not np.isfinite(price) or not equal:
        return None
    return float(price * machine.weight[0])


# -- compression -----------------------------------------------------------------------------------


def compression(
    estimator: object, fitted: Any, kept: Mask, machine: Machine | None = None
) -> Compression | None:
    """Rows on or inside the margin rebuild the machine, if its problem is fixed row by row.

    Weights computed from the whole sample, or an unfinished solution, break that. The ν-machines
    qualify: at n rows their problem has the constant ν·n, which is known before the data. Their
    pairwise form does not, because the size of a pair is random.
    """
    if not _rebuilds(estimator, fitted):
        return None
    minimal = machine is not None and int(kept.sum()) == int(np.count_nonzero(machine.coef))
    return Compression(len(kept), int(kept.sum()), nondegenerate=minimal)


def _rebuilds(estimator: Any, fitted: Any) -> bool:
    """Whether the kept rows alone determine the machine."""
    machines = fitted.machines
    unfinished = any(not machine.solution.converged for machine in machines)
    balanced = isinstance(getattr(estimator, "class_weight", None), str)
    degenerate = _formulation(estimator) == "nu-svc" and (
        len(machines) > 1 or estimator.class_weight is not None or machines[0].scale <= 0
    )
    excluded = unfinished or balanced or degenerate or not fitted.geometric
    return not (excluded or fitted.weighted)


# -- several machines ------------------------------------------------------------------------------


def _several(estimator: Any, fitted: Any) -> Evidence:
    """A multi-class machine: the union of the kept rows, and each binary machine by itself.

    A row that all machines of its class handle with margin one is predicted correctly under every
    scheme (votes, graph, one against the rest), so the rows outside the union have no errors.
    """
    machines = fitted.machines
    n = machines[0].problem.n
    used, kept = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    for machine in machines:
        margins = machine.target * machine.output
        inside = (margins <= 1.0 + accuracy(estimator, machine)) | (machine.coef != 0)
        used[machine.rows] = True
        kept[machine.rows[inside]] = True
    shared = shared_facts(estimator, fitted, machines[0])
    for single in ("alphas", "point_norms", "norm", "trace"):
        shared[single] = None
    shared |= {
        "n": int(used.sum()),
        "gap": max(m.solution.gap / abs(m.scale) for m in machines),
    }
    together = Evidence(
        **shared,
        n_classes=len(fitted.classes),
        errors=_errors_one_vs_rest(fitted),
        offset=None if not estimator.fit_intercept else 0.0,
        compression=compression(estimator, fitted, kept[used]),
    )
    if len(machines) * n > MACHINE_NUMBERS:
        return together
    return replace(together, machines=tuple(_binary(estimator, fitted, m, used) for m in machines))


def _errors_one_vs_rest(fitted: Any) -> int | None:
    machines = fitted.machines
    if fitted.scheme != "ovr":
        return None  # pairwise machines do not know their output at rows of other classes
    outputs = np.column_stack([machine.output for machine in machines])
    truth = np.column_stack([machine.target for machine in machines]).argmax(axis=1)
    return int(np.count_nonzero(outputs.argmax(axis=1) != truth))


def _binary(estimator: Any, fitted: Any, machine: Machine, used: Mask) -> Evidence:
    """One binary machine counted over all rows: it is never wrong on rows of other classes."""
    place = np.cumsum(used) - 1
    n = int(used.sum())
    margins = np.full(n, np.inf)
    margins[place[machine.rows]] = machine.target * machine.output
    shared = shared_facts(estimator, fitted, machine)
    own = fitted.own(used)
    norms = np.sqrt(np.maximum(own, 0.0))
    return Evidence(
        **shared
        | {
            "n": n,
            "alphas": None,
            "point_norms": None if shared["point_norms"] is None else norms,
            "trace": None if shared["trace"] is None else float(np.sum(own)),
            "choices": (),
        },
        errors=int(np.count_nonzero(_wrong(machine))),
        margins=margins,
        offset=machine.intercept if estimator.fit_intercept else None,
    )


# -- extras ----------------------------------------------------------------------------------------


def _choices(estimator: Any, fitted: Any) -> tuple[Choice, ...]:
    """What was read off the training rows, besides the coefficients."""
    found = list(fitted.choices())
    if isinstance(getattr(estimator, "class_weight", None), str):
        found.append(
            Choice(
                "class_weight",
                "'balanced' reads the class frequencies; only bounds that hold for every weight "
                "vector at once are applied",
                rows="none",
            )
        )
    if estimator.warm_start:
        found.append(
            Choice("the starting point", "warm start: matters only within tol", rows="none")
        )
    return tuple(found)


def _with_span(estimator: Any, fitted: Any, machine: Machine, evidence: Evidence) -> Evidence:
    """Add the span estimate where the support vectors are at hand and few."""
    kernel, vectors = fitted.kernel, fitted.support_vectors
    hidden = isinstance(kernel, UserFunction | Precomputed)
    count = int(np.count_nonzero(machine.coef))
    price = evidence.C
    if hidden or price is None or not 0 < count <= SPAN_LIMIT or evidence.formulation != "c-svc":
        return evidence
    if evidence.loss != "hinge" or evidence.norm is None:
        return evidence
    support = np.flatnonzero(machine.coef)
    order = np.argsort(fitted.support)  # the attribute groups rows by class
    whole = np.asarray(kernel(vectors), dtype=np.float64)  # with noise on the diagonal, as trained
    gram = whole[np.ix_(order, order)]
    estimate = span_estimate(
        gram,
        np.abs(machine.coef[support]),
        (machine.target * machine.output)[support],
        price,
        offset=estimator.fit_intercept,
        n=len(machine.rows),
    )
    return replace(evidence, loo={"span": estimate})
