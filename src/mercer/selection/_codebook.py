"""Codebooks of normal vectors: cells of an ellipsoid, and directions of a sphere."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.selection._bits import BitReader, BitWriter
from mercer.selection._case import Floats, GramView


@dataclass(frozen=True)
class Axes:
    """A coordinate system that both sides can compute: columns are the axes' values at the rows."""

    features: Floats  # row i: coordinates of point i
    half_widths: Floats

    def first(self, count: int) -> Axes:
        """The longest axes only."""
        return Axes(self.features[:, :count], self.half_widths[:count])


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


def send_cell(writer: BitWriter, axes: Axes, normal: Floats, rho: float) -> Floats:
    """Write the cell of the normal vector; returns the middle of the cell."""
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


def read_cell(reader: BitReader, axes: Axes) -> Floats:
    """The middle of the cell that was sent."""
    size = reader.self_delimiting()
    counts = counts_from_size(axes, size)
    index, place = reader.number(size), []
    for count in reversed(counts):
        index, position = divmod(index, count)
        place.append(position)
    widths = 2.0 * axes.half_widths / np.array(counts)
    return (np.array(place[::-1]) + 0.5) * widths - axes.half_widths


def send_angles(writer: BitWriter, normal: Floats, steps: int) -> Floats:
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


def read_angles(reader: BitReader, axes: Axes) -> Floats:
    """The direction that was sent."""
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
