"""The labels of a sample as a message: what the compression coefficients count, actually sent.

Sender and receiver know the points (their kernel matrix), not the labels. The message describes a
classifier and the labels that it gets wrong. ``decode_labels(encode_labels(model), K)`` returns the
labels, and the lengths of the message's fields are those of the formulas with every logarithm
rounded up to whole bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from mercer.bounds.numerics.checks import log_level
from mercer.selection._bits import BitReader, BitWriter
from mercer.selection._case import Case, Floats, GramView
from mercer.selection._codebook import (
    axes_of,
    read_angles,
    read_cell,
    send_angles,
    send_cell,
)
from mercer.selection.criteria._coding import (
    PRINTED,
    Quantities,
    Reading,
    log_ellipsoid,
    log_sphere,
    log_star,
    projection,
    quantities_of,
    spacing,
)
from mercer.selection.machines import cases_of

__all__ = [
    "CODES",
    "Message",
    "Quantities",
    "Reading",
    "decode_labels",
    "encode_labels",
    "log_ellipsoid",
    "log_sphere",
    "log_star",
    "quantities",
    "risk_of_other_rows",
    "risk_of_the_class",
    "spacing",
]
CODES = ("C1", "C2", "C3", "C4", "C5")
Train = Callable[[NDArray[np.intp], Floats], Floats]


def risk_of_the_class(coefficient: float, n: int, delta: float = 0.05) -> float:
    """Vapnik 1998, section 6.2: 2 (ln 2 · C + ln(1/δ)/n) bounds the risk.

    For codes fixed before the data; the thesis drops the factor 2 of the second term.
    """
    return 2.0 * (math.log(2.0) * coefficient - log_level(delta) / n)


def risk_of_other_rows(coefficient: float, n: int, delta: float = 0.05) -> float:
    """Blum and Langford 2003, corollary 3: C + log2(1/δ)/n bounds the error on n further rows.

    For codes that may depend on the inputs of all 2n rows; with the logarithm in bits, as the
    coefficient is.
    """
    return coefficient - log_level(delta) / math.log(2.0) / n


@dataclass(frozen=True)
class Message:
    """Bits, how many of them each part takes, and what sender and receiver agreed on."""

    bits: str
    lengths: dict[str, int]
    code: str = "C3"
    reading: Reading = PRINTED

    @property
    def length(self) -> int:
        """Number of bits."""
        return len(self.bits)


def quantities(
    model: Any, X: Any = None, y: Any = None, *, machine: int = 0, **reading: Any
) -> Quantities:
    """Radius, margin, support vectors, rows inside the rotation region, errors outside of it.

    Parameters
    ----------
    model : fitted estimator or Case
        A two-class machine, or one of several classes.
    X, y : array-like, default=None
        The training rows and labels; may be left out right after ``fit``.
    machine : int, default=0
        Which binary machine, if the model has several.
    **reading : region, offset, cover, cost
        As in `Reading`.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.datasets import make_moons
    >>> from mercer.selection import coding
    >>> X, y, _ = make_moons(40, random_state=0)
    >>> found = coding.quantities(SVC(C=10.0).fit(X, y))
    >>> found.n, found.r <= coding.quantities(SVC(C=10.0).fit(X, y), region="slab").r
    (40, True)
    """
    return quantities_of(_machine(model, X, y, machine), Reading(**reading))


def encode_labels(
    model: Any,
    code: str = "C3",
    X: Any = None,
    y: Any = None,
    *,
    machine: int = 0,
    **reading: Any,
) -> Message:
    """The training labels of a fitted machine as bits, by one of the codes C1 to C5.

    Parameters
    ----------
    model : fitted estimator or Case
        A two-class machine, or one of several classes (see `mercer.selection.cases_of`).
    code : {"C1", "C2", "C3", "C4", "C5"}, default="C3"
        What is sent: a direction on the sphere, a cell of the ellipsoid of all points or of the
        support vectors, the same after a projection, or the support vectors themselves.
    X, y : array-like, default=None
        The training rows and labels; may be left out right after ``fit``.
    machine : int, default=0
        Which binary machine, if the model has several.
    **reading : region, offset, cover, cost
        As in `Reading`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SVC
    >>> from mercer.datasets import make_moons
    >>> from mercer.selection import coding
    >>> X, y, _ = make_moons(40, random_state=0)
    >>> model = SVC(C=10.0).fit(X, y)
    >>> message = coding.encode_labels(model)
    >>> labels = coding.decode_labels(message, model.kernel_(X))
    >>> bool(np.array_equal(labels > 0, y == model.classes_[1]))
    True
    """
    if code not in CODES:
        raise ValueError(f"code must be one of {CODES}, got {code!r}")
    case, agreed = _machine(model, X, y, machine), Reading(**reading)
    writer = BitWriter()
    if code == "C5":
        _encode_support(writer, case, agreed)
    else:
        _encode_position(writer, case, code, agreed)
    return Message(writer.text(), writer.lengths, code, agreed)


def decode_labels(
    message: Message | str,
    gram: Floats,
    code: str | None = None,
    train: Train | BaseEstimator | None = None,
    **reading: Any,
) -> Floats:
    """The labels −1 and +1 (the second class), from the message and the kernel matrix.

    Parameters
    ----------
    message : Message or str
        What was sent; of plain bits the code and the reading must be told.
    gram : ndarray of shape (n, n)
        Kernel matrix of the rows: ``model.kernel_(X)``, or ``cases_of(model)[k].gram.array``.
    code : str, default=None
        The code of a plain string of bits; "C3" if nothing is said.
    train : estimator or callable, default=None
        Needed for C5: the machine to train again, or ``train(rows, labels)`` that does so on these
        rows alone and returns the outputs at all rows.
    **reading : region, offset, cover, cost
        The reading of a plain string of bits.
    """
    gram = np.asarray(gram, dtype=np.float64)
    if isinstance(message, Message):
        bits, code, agreed = message.bits, code or message.code, message.reading
    else:
        bits, code, agreed = message, code or "C3", Reading(**reading)
    reader, view = BitReader(bits), GramView(gram)
    if code != "C5":
        return _decode_position(reader, view, code, agreed)
    if train is None:
        raise ValueError("C5 sends support vectors: pass train=, the machine to train again")
    again = train if not hasattr(train, "get_params") else _trainer(train, gram)
    return _decode_support(reader, view, again, agreed)


def _machine(model: Any, X: Any, y: Any, machine: int) -> Case:
    found = cases_of(model, X, y)
    if not 0 <= machine < len(found):
        raise ValueError(f"machine={machine}: the model has {len(found)} binary machines")
    return found[machine]


def _trainer(model: object, gram: Floats) -> Train:
    def train(rows: NDArray[np.intp], labels: Floats) -> Floats:
        part = clone(model).set_params(kernel="precomputed")
        part.fit(gram[np.ix_(rows, rows)], labels)
        return np.asarray(part.decision_function(gram[:, rows]), dtype=np.float64)

    return train


def _send_rows(writer: BitWriter, rows: NDArray[Any], n: int, reading: Reading) -> None:
    (writer.subset if reading.cost == "simple" else writer.ranked_subset)(rows, n)


def _read_rows(reader: BitReader, n: int, reading: Reading) -> NDArray[np.intp]:
    return reader.subset(n) if reading.cost == "simple" else reader.ranked_subset(n)


def _others(taken: NDArray[np.bool_], reading: Reading) -> NDArray[np.intp]:
    """The rows among which the next set is one; the simple code always names one of all."""
    everyone = np.arange(len(taken))
    return everyone if reading.cost == "simple" else everyone[~taken]


# -- a normal vector from a codebook ---------------------------------------------------------------


def _encode_position(writer: BitWriter, case: Case, code: str, reading: Reading) -> None:
    found = quantities_of(case, reading)
    n = found.n
    rows = np.sort(found.support) if code in ("C3", "C4") else None
    if rows is not None:
        _send_rows(writer.part("support vectors"), rows, n, reading)
    axes, rho = axes_of(case.gram, rows), found.rho
    linear = case.gram.centred.array @ found.coef
    normal = axes.features.T @ (np.linalg.pinv(axes.features @ axes.features.T) @ linear)
    normal *= found.radius / max(float(np.linalg.norm(normal)), 1e-300)
    if code == "C4":
        kept, lost, _ = projection(case, found)
        kept, rho = max(1, min(kept, len(normal))), rho * math.sqrt(1.0 - lost**2)
        writer.part("projection").number(kept, n + 1)
        axes, normal = axes.first(kept), normal[:kept]
    writer.part("position")
    if code == "C1":
        rho = spacing(rho, len(normal) - 1, reading.cover)
        steps = max(1, math.ceil(found.radius * math.pi / rho))
        rebuilt = send_angles(writer, normal, steps)
    else:
        rebuilt = send_cell(writer, axes, normal, spacing(rho, len(normal), reading.cover))
    score = axes.features @ rebuilt
    guess = np.where(score >= 0, 1.0, -1.0)
    if reading.offset:
        guess = _send_cut(writer.part("offset"), score, case.target, found.inside)
    inside = np.flatnonzero(found.inside)
    _send_rows(writer.part("inside"), inside, n, reading)
    writer.flags(case.target[inside] > 0)
    places = _others(found.inside, reading)
    wrong = np.flatnonzero(((guess != case.target) & ~found.inside)[places])
    _send_rows(writer.part("outside"), wrong, len(places), reading)


def _decode_position(reader: BitReader, view: GramView, code: str, reading: Reading) -> Floats:
    n = view.n
    rows = _read_rows(reader, n, reading) if code in ("C3", "C4") else None
    axes = axes_of(view, rows)
    if code == "C4":
        axes = axes.first(reader.number(n + 1))
    rebuilt = read_angles(reader, axes) if code == "C1" else read_cell(reader, axes)
    score = axes.features @ rebuilt
    labels = np.where(score >= 0, 1.0, -1.0)
    if reading.offset:
        labels = _cut(score, reader.number(n + 1))
    inside = _read_rows(reader, n, reading)
    labels[inside] = np.where(reader.flags(len(inside)), 1.0, -1.0)
    taken = np.zeros(n, dtype=bool)
    taken[inside] = True
    places = _others(taken, reading)
    labels[places[_read_rows(reader, len(places), reading)]] *= -1.0
    return labels


def _cut(score: Floats, below: int) -> Floats:
    """−1 for so many of the lowest scores, +1 for the others."""
    labels = np.ones(len(score))
    labels[np.argsort(score, kind="stable")[:below]] = -1.0
    return labels


def _send_cut(
    writer: BitWriter, score: Floats, target: Floats, inside: NDArray[np.bool_]
) -> Floats:
    """The offset as a cut of the rows' order: the one with the fewest errors to send."""
    order = np.argsort(score, kind="stable")
    counts = (~inside[order]).astype(np.intp)
    positive = counts * (target[order] > 0)  # an error if the cut is above it
    negative = counts - positive
    errors = np.append(0, np.cumsum(positive)) + np.append(np.cumsum(negative[::-1])[::-1], 0)
    below = int(np.argmin(errors))
    writer.number(below, len(score) + 1)
    return _cut(score, below)


# -- the support vectors themselves ----------------------------------------------------------------


def _encode_support(writer: BitWriter, case: Case, reading: Reading) -> None:
    rows = np.sort(case.support)
    _send_rows(writer.part("support vectors"), rows, case.n, reading)
    writer.part("labels").flags(case.target[rows] > 0)
    taken = np.zeros(case.n, dtype=bool)
    taken[rows] = True
    places = _others(taken, reading)
    wrong = (np.where(case.output >= 0, 1.0, -1.0) != case.target) & ~taken
    _send_rows(writer.part("outside"), np.flatnonzero(wrong[places]), len(places), reading)


def _decode_support(reader: BitReader, view: GramView, train: Any, reading: Reading) -> Floats:
    rows = _read_rows(reader, view.n, reading)
    known = np.where(reader.flags(len(rows)), 1.0, -1.0)
    labels = np.where(train(rows, known) >= 0, 1.0, -1.0)
    taken = np.zeros(view.n, dtype=bool)
    taken[rows] = True
    places = _others(taken, reading)
    labels[places[_read_rows(reader, len(places), reading)]] *= -1.0
    labels[rows] = known
    return labels
