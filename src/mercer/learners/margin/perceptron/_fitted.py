"""What perceptrons leave: the run itself, and of a stream the rows that were kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.learners._fitted import Fitted
from mercer.learners.margin._expansion import ExpansionFitted
from mercer.learners.margin.perceptron._budget import Kept
from mercer.learners.margin.perceptron._file_order import InputOrder, Runs
from mercer.learners.margin.perceptron.mistakes import MistakeLog

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class StreamState:
    """What a stream leaves: the rows kept, and how many came by."""

    kept: Kept
    vectors: Any
    n: int
    log: MistakeLog


@dataclass(frozen=True, kw_only=True)
class PerceptronFitted(ExpansionFitted):
    """A run over coefficients. ``path`` and ``votes`` are those of a voted rule."""

    log: MistakeLog
    one_pass: bool
    runs: Runs | None = None  # of the labels, in the order met; files of old do not tell
    inputs: InputOrder | None = None
    path: Any = None
    votes: Floats | None = None
    stream: StreamState | None = None


@dataclass(frozen=True, kw_only=True)
class WeightsFitted(Fitted):
    """A run over weights of the features, of several classes in columns.

    ``facts`` of the rows are gone after a stream.
    """

    weights: Floats
    offset: bool
    log: MistakeLog
    one_pass: bool
    runs: Runs | None = None  # of the labels, in the order met; files of old do not tell
    inputs: InputOrder | None = None
    path: Any = None
    weighted: bool = False
    facts: dict[str, Any] | None = None
