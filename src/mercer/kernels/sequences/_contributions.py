"""Which positions of a sequence speak for a prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels._base import Kernel
from mercer.kernels.sequences._counted import CountedKernel, row_squares
from mercer.kernels.sequences._sequence_kernel import safe_inverse
from mercer.kernels.sequences.encoded import check_sequences
from mercer.kernels.sequences.mismatch import Mismatch
from mercer.kernels.sequences.spectrum import Spectrum, Substring
from mercer.kernels.sequences.weighted_degree import WeightedDegree
from mercer.kernels.validate import as_objects

Floats = NDArray[np.float64]


def contributions(kernel: Kernel, support: Any, coef: Any, sequence: Any) -> Floats:
    """The share of each symbol of one sequence in f(x) = Σ_i coef_i k(x_i, x).

    For `Spectrum`, `Substring`, `Mismatch` and `WeightedDegree` every window has a weight, and its
    symbols share it equally: the shares add up to f(x). For any other kernel a share is how much f
    falls when the symbol is replaced by one that occurs nowhere; these do not add up.

    Parameters
    ----------
    kernel : Kernel
        Resolved, as ``model.kernel_``.
    support : the sequences x_i, as ``X_train[model.support_]``
    coef : array of shape (len(support),)
        As ``model.dual_coef_[0]``.
    sequence : one string or sequence of tokens
    """
    support, coef = as_objects(support), np.asarray(coef, dtype=np.float64).ravel()
    if len(coef) != len(support):
        raise ValueError(f"{len(coef)} coefficients for {len(support)} sequences")
    single = as_objects([sequence])
    check_sequences(single, "contributions", "the sequence")
    sizes = _window_lengths(kernel)
    if sizes is None:
        return _by_replacement(kernel, support, coef, sequence)
    assert isinstance(kernel, CountedKernel)
    shares = np.zeros(len(sequence))
    scale = 1.0
    if kernel.normalize:
        scale = float(safe_inverse(np.sqrt(row_squares(kernel._counts((single,))[0])))[0])
    weight = coef
    if kernel.normalize:
        weight = coef * safe_inverse(np.sqrt(row_squares(kernel._counts((support,))[0])))
    if isinstance(kernel, WeightedDegree):
        placed = kernel.window_values(support, weight, single)
    for size in sizes:
        count = len(sequence) - size + 1
        if count < 1:
            continue
        if isinstance(kernel, WeightedDegree):
            values = placed[size - 1] * scale
        else:
            windows = as_objects([sequence[i : i + size] for i in range(count)])
            values = _window_values(kernel, support, weight, windows, size) * scale
        for offset in range(size):
            shares[offset : offset + count] += values / size
    return shares


def _window_lengths(kernel: Kernel) -> list[int] | None:
    if isinstance(kernel, Substring | WeightedDegree):
        return list(range(1, int(kernel.length) + 1))
    return [int(kernel.length)] if isinstance(kernel, (Spectrum, Mismatch)) else None


def _window_values(kernel: Any, support: Any, weight: Floats, windows: Any, size: int) -> Floats:
    """F of each window alone, as a part of a longer sequence: its own length does not count."""
    if isinstance(kernel, Substring):  # the windows of one length only, with their weight
        plain: Any = Spectrum(size, normalize=False)
        left, right = (F * kernel.decay**size for F in plain._counts((support, windows)))
    else:
        left, right = kernel._counts((support, windows))
    return np.asarray(right @ (left.T @ weight))


class _Nothing:
    """A symbol that equals no other."""


def _by_replacement(kernel: Kernel, support: Any, coef: Floats, sequence: Any) -> Floats:
    tokens = list(sequence)
    blanks = [[*tokens[:i], _Nothing(), *tokens[i + 1 :]] for i in range(len(tokens))]
    if not blanks:
        return np.zeros(0)
    values = kernel.matmul(as_objects([tokens, *blanks]), support, coef)
    return values[0] - values[1:]
