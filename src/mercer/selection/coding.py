"""The labels of a sample as a message: what the compression coefficients count, actually sent.

Sender and receiver know the points (their kernel matrix), not the labels. The message describes a
classifier and the labels that it gets wrong. ``decode_labels(encode_labels(...))`` returns the
labels, and the lengths of the message's fields are those of the formulas with every logarithm
rounded up to whole bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.bounds.numerics.checks import log_level
from mercer.selection._bits import BitReader, BitWriter
from mercer.selection._case import Case, Floats, GramView
from mercer.selection.criteria import _coding as quantities_of
from mercer.selection.criteria._coding import (
    Quantities,
    log_ellipsoid,
    log_sphere,
    log_star,
    quantities,
)

__all__ = [
    "CODES",
    "Message",
    "Quantities",
    "decode_labels",
    "encode_labels",
    "log_ellipsoid",
    "log_sphere",
    "log_star",
    "quantities",
    "risk_of_other_rows",
    "risk_of_the_class",
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
    """Bits, and how many of them each part takes."""

    bits: str
    lengths: dict[str, int]

    @property
    def length(self) -> int:
        """Number of bits."""
        return len(self.bits)


@dataclass(frozen=True)
class Axes:
    """A coordinate system that both sides can compute: columns are the axes' values at the rows."""

    features: Floats  # row i: coordinates of point i
    half_widths: Floats

    def first(self, count: int) -> Axes:
        """The longest axes only."""
        return Axes(self.features[:, :count], self.half_widths[:count])


def encode_labels(case: Case, code: str = "C3") -> Message:
    """The labels of a trained machine's rows as bits, by one of the codes C1 to C5."""
    if code not in CODES:
        raise ValueError(f"code must be one of {CODES}, got {code!r}")
    return _encode_support(case) if code == "C5" else _encode_position(case, code)


def decode_labels(
    message: Message | str, gram: Floats, code: str = "C3", train: Train | None = None
) -> Floats:
    """The labels, from the message and the kernel matrix.

    ``train(rows, labels)`` is needed for C5: it retrains the machine on these rows alone and
    returns its outputs at all rows.
    """
    reader = BitReader(message if isinstance(message, str) else message.bits)
    view = GramView(gram)
    if code == "C5":
        if train is None:
            raise ValueError("C5 sends support vectors: pass train= to rebuild the machine")
        return _decode_support(reader, view, train)
    return _decode_position(reader, view, code)


# -- a normal vector from a codebook ---------------------------------------------------------------


def axes_of(view: GramView, rows: NDArray[np.intp] | None) -> Axes:
    """Principal axes of all centred points, or of some of them, and everyone's coordinates."""
    K = view.centred.array
    part = np.arange(len(K)) if rows is None else rows
    values, vectors = np.linalg.eigh(K[np.ix_(part, part)])
    values, vectors = values[::-1], vectors[:, ::-1]
    # an eigenvector's sign is arbitrary: the largest entry decides, so both sides agree
    signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))])
    keep = values > 1e-10 * max(float(values[0]), 1e-300)
    values, vectors = values[keep], (vectors * signs)[:, keep]
    return Axes(K[:, part] @ (vectors / np.sqrt(values)), np.sqrt(values))


def cells(axes: Axes, rho: float) -> list[int]:
    """How many balls lie along each axis."""
    return [max(1, math.ceil(2.0 * c / rho - 1e-12)) for c in axes.half_widths]


def codebook_size(counts: list[int]) -> int:
    """Number of vectors in the codebook."""
    return math.prod(counts)


def counts_from_size(axes: Axes, size: int) -> list[int]:
    """The grid whose codebook has this size: sizes grow strictly with every added cell."""
    low, high = 0.0, 4.0 * float(axes.half_widths[0]) + 1.0
    for _ in range(2000):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        found = codebook_size(cells(axes, middle))
        if found == size:
            return cells(axes, middle)
        low, high = (middle, high) if found > size else (low, middle)
    raise ValueError("the message is damaged: no codebook has this size")


def _encode_position(case: Case, code: str) -> Message:
    found = quantities_of.quantities(case)
    n, writer = found.n, BitWriter()
    rows = np.sort(found.support) if code in ("C3", "C4") else None
    if rows is not None:
        writer.part("support vectors").subset(rows, n)
    axes, rho = axes_of(case.gram, rows), found.rho
    normal = axes.features.T @ (np.linalg.pinv(axes.features @ axes.features.T) @ found.output)
    normal *= found.radius / max(float(np.linalg.norm(normal)), 1e-300)
    if code == "C4":
        kept, lost, _ = quantities_of.projection(case, found)
        kept, rho = max(1, min(kept, len(normal))), rho * math.sqrt(1.0 - lost**2)
        writer.part("projection").number(kept, n + 1)
        axes, normal = axes.first(kept), normal[:kept]
    writer.part("position")
    if code == "C1":
        steps = max(1, math.ceil(found.radius * math.pi / found.rho))
        rebuilt = _send_angles(writer, normal, steps)
    else:
        rebuilt = _send_cell(writer, axes, normal, rho)
    guess = np.where(axes.features @ rebuilt >= 0, 1.0, -1.0)
    inside = np.flatnonzero(found.inside)
    writer.part("inside").subset(inside, n)
    writer.flags(case.target[inside] > 0)
    wrong = np.flatnonzero((guess != case.target) & ~found.inside)
    writer.part("outside").subset(wrong, n)
    return Message(writer.text(), writer.lengths)


def _decode_position(reader: BitReader, view: GramView, code: str) -> Floats:
    n = view.n
    rows = reader.subset(n) if code in ("C3", "C4") else None
    axes = axes_of(view, rows)
    if code == "C4":
        axes = axes.first(reader.number(n + 1))
    rebuilt = _read_angles(reader, axes) if code == "C1" else _read_cell(reader, axes)
    labels = np.where(axes.features @ rebuilt >= 0, 1.0, -1.0)
    inside = reader.subset(n)
    labels[inside] = np.where(reader.flags(len(inside)), 1.0, -1.0)
    labels[reader.subset(n)] *= -1.0
    return labels


def _send_cell(writer: BitWriter, axes: Axes, normal: Floats, rho: float) -> Floats:
    counts = cells(axes, rho)
    widths = 2.0 * axes.half_widths / np.array(counts)
    place = np.floor((normal + axes.half_widths) / widths).astype(int)
    place = np.clip(place, 0, np.array(counts) - 1)
    size, index = codebook_size(counts), 0
    for position, count in zip(place, counts, strict=True):
        index = index * count + int(position)
    writer.self_delimiting(size)
    writer.number(index, size)
    return (place + 0.5) * widths - axes.half_widths


def _read_cell(reader: BitReader, axes: Axes) -> Floats:
    size = reader.self_delimiting()
    counts = counts_from_size(axes, size)
    index, place = reader.number(size), []
    for count in reversed(counts):
        index, position = divmod(index, count)
        place.append(position)
    widths = 2.0 * axes.half_widths / np.array(counts)
    return (np.array(place[::-1]) + 0.5) * widths - axes.half_widths


def _send_angles(writer: BitWriter, normal: Floats, steps: int) -> Floats:
    """2 steps^(d-1) directions: every angle of the spherical coordinates in equal cells."""
    angles = _angles(normal)
    limits = [steps] * (len(angles) - 1) + [2 * steps]
    place = [min(m - 1, int(a / math.pi * steps)) for a, m in zip(angles, limits, strict=True)]
    size, index = math.prod(limits), 0
    for position, count in zip(place, limits, strict=True):
        index = index * count + position
    writer.self_delimiting(size)
    writer.number(index, size)
    return _direction([(p + 0.5) * math.pi / steps for p in place])


def _read_angles(reader: BitReader, axes: Axes) -> Floats:
    size, dimension = reader.self_delimiting(), len(axes.half_widths)
    steps = _root(size // 2, dimension - 1)
    limits = [steps] * (dimension - 2) + [2 * steps]
    index, place = reader.number(size), []
    for count in reversed(limits):
        index, position = divmod(index, count)
        place.append(position)
    return _direction([(p + 0.5) * math.pi / steps for p in place[::-1]])


def _root(number: int, power: int) -> int:
    low, high = 1, 1 << (number.bit_length() // power + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**power < number else (low, middle)
    return low


def _angles(v: Floats) -> list[float]:
    first = [math.atan2(float(np.linalg.norm(v[k + 1 :])), float(v[k])) for k in range(len(v) - 2)]
    return [*first, math.atan2(float(v[-1]), float(v[-2])) % (2.0 * math.pi)]


def _direction(angles: list[float]) -> Floats:
    v, rest = [], 1.0
    for angle in angles[:-1]:
        v.append(rest * math.cos(angle))
        rest *= math.sin(angle)
    return np.array([*v, rest * math.cos(angles[-1]), rest * math.sin(angles[-1])])


# -- the support vectors themselves ----------------------------------------------------------------


def _encode_support(case: Case) -> Message:
    writer, rows = BitWriter(), np.sort(case.support)
    writer.part("support vectors").subset(rows, case.n)
    writer.part("labels").flags(case.target[rows] > 0)
    others = np.ones(case.n, dtype=bool)
    others[rows] = False
    wrong = np.where(case.output >= 0, 1.0, -1.0) != case.target
    writer.part("outside").subset(np.flatnonzero(wrong & others), case.n)
    return Message(writer.text(), writer.lengths)


def _decode_support(reader: BitReader, view: GramView, train: Train) -> Floats:
    rows = reader.subset(view.n)
    known = np.where(reader.flags(len(rows)), 1.0, -1.0)
    labels = np.where(train(rows, known) >= 0, 1.0, -1.0)
    labels[reader.subset(view.n)] *= -1.0
    labels[rows] = known
    return labels
