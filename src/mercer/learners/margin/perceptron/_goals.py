"""What a visit asks of a rule, and what a mistake changes: of two classes, and of several.

Outputs have one column for two classes and one per class for several. The several-class form is
Kesler's construction with the ultraconservative update of Crammer and Singer (2003): the own class
gains the row and the class with the largest output among the others loses it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mercer.learners.margin.perceptron._file_order import Runs, then

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Signs:
    """Two classes: y f(x), and η y."""

    sign: Floats
    step: Floats
    columns: int = 1

    def take(self, rows: Rows) -> Signs:
        """The goal of some rows."""
        return Signs(self.sign[rows], self.step[rows])

    def values(self, outputs: Floats) -> Floats:
        """Y f(x)."""
        return self.sign * outputs[:, 0]

    def change(self, place: int, outputs: Floats) -> Floats:
        """The step, towards the label."""
        return self.step[place : place + 1] * self.sign[place]

    def wrong(self, outputs: Floats) -> NDArray[np.bool_]:
        """Rows whose predicted class is another."""
        return (outputs[:, 0] >= 0) != (self.sign > 0)


@dataclass(frozen=True)
class Codes:
    """Several classes: the own output minus the best of the others."""

    codes: Rows
    step: Floats
    columns: int

    def take(self, rows: Rows) -> Codes:
        """The goal of some rows."""
        return replace(self, codes=self.codes[rows], step=self.step[rows])

    def values(self, outputs: Floats) -> Floats:
        """F_own(x) − max over the other classes."""
        rows, others = np.arange(len(outputs)), outputs.copy()
        own = others[rows, self.codes]
        others[rows, self.codes] = -np.inf
        return own - others.max(axis=1)

    def change(self, place: int, outputs: Floats) -> Floats:
        """The step for the own class, and against the best of the others."""
        own, others = self.codes[place], outputs.copy()
        others[own] = -np.inf
        change = np.zeros(self.columns)
        change[own], change[others.argmax()] = self.step[place], -self.step[place]
        return change

    def wrong(self, outputs: Floats) -> NDArray[np.bool_]:
        """Rows whose predicted class is another."""
        return outputs.argmax(axis=1) != self.codes


Goal = Signs | Codes  # how far a row is on its side, and what an update adds to its coefficients


def goal_of(codes: Rows, n_classes: int, step: Floats) -> Goal:
    """By the number of classes."""
    if n_classes == 2:
        return Signs(np.where(codes > 0, 1.0, -1.0), step)
    return Codes(codes, step, n_classes)


def flat(values: Floats) -> Floats:
    """Of two classes one column is one number for each row."""
    return values[:, 0] if values.shape[1] == 1 else values


def columns(values: Floats) -> Floats:
    """One number for each row is one column."""
    return values[:, None] if values.ndim == 1 else values


def after(runs: Runs | None, goal: Goal) -> Runs | None:
    """The record of the order after more rows; the test of runs knows two classes only."""
    return then(runs, goal.sign) if isinstance(goal, Signs) else None
