"""Fit and use the probability model of a classifier (see ``_probability`` for the model itself)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from mercer import _config
from mercer.learners.margin.svm import _probability as model
from mercer.learners.margin.svm._tasks import Ground
from mercer.learners.margin.svm.machine import Machine
from mercer.learners.margin.svm.training import Budget
from mercer.solvers.problems import InfeasibleNu

Floats = NDArray[np.float64]
Part = tuple[int, NDArray[np.bool_]]  # which machine, which of its rows are held out


def calibrate(
    estimator: Any, machines: Sequence[Machine], gram: Any, budget: Budget, ground: Ground
) -> model.Calibration:
    """Cross-validate every binary machine and fit its two slopes.

    All folds of all machines are further problems on the same Gram and share its rows. Where a
    class has a single sample, or ν does not fit a fold, the training outputs are used instead.
    """
    rng = check_random_state(estimator.random_state)
    outputs = [machine.output.copy() for machine in machines]
    parts: list[Part] = []
    problems = []
    for number, machine in enumerate(machines):
        try:
            new = list(_folds(estimator, machine, rng, ground))
        except InfeasibleNu:
            continue
        parts += [(number, held) for held, _ in new]
        problems += [problem for _, problem in new]
    if problems:
        solutions = estimator._solve(problems, gram, budget, ground)
        for (number, held), problem, solution in zip(parts, problems, solutions, strict=True):
            rest = machines[number]
            left = rest.target[~held], rest.weight[~held]
            part = estimator._read(problem, solution, *left, ground)
            outputs[number][held] = _at(gram, part, rest.rows[held])
    slopes = [
        model.fit_slopes(output, machine.target, machine.weight)
        for output, machine in zip(outputs, machines, strict=True)
    ]
    below, above = np.array(slopes).T
    return model.Calibration(below, above)


def _folds(estimator: Any, machine: Machine, rng: np.random.RandomState, ground: Ground) -> Any:
    fold = model.stratified_folds(machine.target, rng)
    if fold is None:
        return
    for number in range(int(fold.max()) + 1):
        held = fold == number
        rows, label, weight = machine.rows[~held], machine.target[~held], machine.weight[~held]
        yield held, estimator._problem(rows, label, weight, ground)


def _at(gram: Any, machine: Machine, rows: NDArray[np.intp]) -> Floats:
    """Output of a machine at some rows of the training data."""
    active = machine.coef != 0
    support, coef = machine.rows[active], machine.coef[active]
    output = np.empty(len(rows))
    size = _config.block_rows(8 * max(len(support), 1))
    for first in range(0, len(rows), size):
        block = slice(first, first + size)
        output[block] = gram.tile(rows[block], support) @ coef
    return output + machine.intercept


def probabilities(
    calibration: model.Calibration | None,
    values: Floats,
    winners: NDArray[np.intp],
    scheme: str,
) -> Floats:
    """Class probabilities of a fitted classifier from the outputs of its machines."""
    if calibration is None:
        raise NotFittedError("predict_proba is not available when fitted with probability=False")
    positive = calibration.probabilities(values)
    machines = positive.shape[1]
    if machines == 1:
        found = np.column_stack([1 - positive[:, 0], positive[:, 0]])
    elif scheme == "ovr":
        found = positive + 1e-12
        found /= found.sum(axis=1, keepdims=True)
    else:
        found = model.couple(positive, round((1 + (1 + 8 * machines) ** 0.5) / 2))
    return model.agree(found, winners)
