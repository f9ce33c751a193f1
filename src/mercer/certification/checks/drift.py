"""Do new rows still come from the law the certificate speaks about?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.stats import ks_2samp

from mercer._types import Samples
from mercer.certification.checks.check import (
    LEVEL,
    Check,
    Floats,
    check_level,
    check_permutations,
    column_names,
    few_columns,
    numeric,
    permutation_p,
)
from mercer.gram import KernelGram
from mercer.kernels.bandwidth import median_distance
from mercer.kernels.vectors.gaussian import Gaussian

NAME = "drift"
_WIDTHS = (0.5, 1.0, 2.0)  # times the median distance


def check_drift(
    X: Samples,
    X_new: Any,
    y: ArrayLike | None = None,
    y_new: ArrayLike | None = None,
    *,
    level: float = LEVEL,
    n_permutations: int = 499,
    max_rows: int = 1500,
    random_state: int | np.random.Generator | None = 0,
    feature_names: Any = None,
) -> Check:
    """Compare the rows behind a certificate with new ones.

    All columns together: kernel mean discrepancy with Gaussian kernels of three widths, by
    permutation (at most ``max_rows`` random rows of each side). Each column by itself: two-sample
    Kolmogorov–Smirnov on all rows, Holm's correction over the columns. Labels, if given on both
    sides: the distance of the class shares (or Kolmogorov–Smirnov for numbers). The overall p-value
    is the smallest of the parts times their number.

    ``details["columns"]`` holds the corrected p-value of every column, ``details["parts"]`` that
    of every part.
    """
    level = check_level(level)
    count = check_permutations(n_permutations, level)
    old, new = numeric(X, "X"), numeric(X_new, "X_new")
    if old.shape[1] != new.shape[1]:
        raise ValueError(f"X has {old.shape[1]} columns and X_new {new.shape[1]}")
    if min(old.shape[0], new.shape[0]) < 2:
        raise ValueError("at least two rows are needed on each side")
    if (y is None) != (y_new is None):
        raise ValueError("labels must be given on both sides or on none")
    rng = np.random.default_rng(random_state)
    cut = old.shape[0]
    both, projected = few_columns(_stacked(old, new))  # together: one scale for both sides
    old, new = both[:cut], both[cut:]
    names = column_names(old.shape[1], feature_names, projected)
    columns = holm([_ks(a, b) for a, b in zip(old.T, new.T, strict=True)])
    parts = {
        "all columns together": kernel_two_sample(old, new, rng, count, max_rows),
        "single columns": min(columns),
    }
    if y is not None:
        parts["labels"] = _label_drift(np.asarray(y), np.asarray(y_new), rng, count)
    p = min(1.0, len(parts) * min(parts.values()))
    moved = [name for name, value in zip(names, columns, strict=True) if value <= level]
    details = {
        "columns": dict(zip(names, columns, strict=True)),
        "parts": parts,
        "moved": moved,
        "permutations": count,
    }
    message = _words(p <= level, moved, parts, level, old.shape[0], new.shape[0])
    return Check(NAME, -float(np.log10(min(parts.values()))), p, message, p > level, details)


def _stacked(old: Any, new: Any) -> Any:
    if sparse.issparse(old) or sparse.issparse(new):
        return sparse.vstack([sparse.csr_array(old), sparse.csr_array(new)], format="csr")
    return np.concatenate([old, new])


def kernel_two_sample(
    old: Floats, new: Floats, rng: np.random.Generator, count: int, max_rows: int
) -> float:
    """Permutation p-value of the kernel mean discrepancy, the best of three widths."""
    pair = [_some(side, max_rows, rng) for side in (old, new)]
    pool = np.concatenate(pair)
    spread = pool.std(axis=0)
    pool = pool / np.where(spread > 0, spread, 1.0)
    weight = np.concatenate(
        [np.full(len(pair[0]), 1.0 / len(pair[0])), np.full(len(pair[1]), -1.0 / len(pair[1]))]
    )
    mixed = np.column_stack([weight, *(rng.permutation(weight) for _ in range(count))])
    width = median_distance(pool)
    # w'Kw for all permutations at once: one product with the Gram matrix, which is never stored
    discrepancy = [
        np.sum(mixed * KernelGram(Gaussian(factor * width), pool).matmul(mixed), axis=0)
        for factor in _WIDTHS
    ]
    return permutation_p(np.column_stack(discrepancy))[0]


def holm(p_values: list[float]) -> list[float]:
    """Holm's step-down correction: each p-value is valid whatever was found in the others."""
    p = np.asarray(p_values)
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected.tolist()


def _ks(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Kolmogorov–Smirnov; exact where that is quick, and conservative when values repeat."""
    return float(ks_2samp(a, b, method="exact" if len(a) + len(b) <= 1000 else "asymp").pvalue)


def _some(rows: Floats, limit: int, rng: np.random.Generator) -> Floats:
    return rows if len(rows) <= limit else rows[rng.choice(len(rows), limit, replace=False)]


def _label_drift(
    y: NDArray[Any], y_new: NDArray[Any], rng: np.random.Generator, count: int
) -> float:
    """Class shares by permutation; numbers with many values by Kolmogorov–Smirnov."""
    pool = np.concatenate([y.ravel(), y_new.ravel()])
    labels, codes = np.unique(pool, return_inverse=True)
    if pool.dtype.kind == "f" and len(labels) > 20:
        return _ks(y.ravel(), y_new.ravel())
    total = np.bincount(codes, minlength=len(labels))
    # under the null the counts on one side are a draw without replacement from all of them
    seen = np.bincount(codes[: y.size], minlength=len(labels))
    drawn = rng.multivariate_hypergeometric(total, y.size, size=count, method="marginals")
    expected = total * (y.size / pool.size)
    distance = np.abs(np.vstack([seen, drawn]) - expected).sum(axis=1)
    return float(np.mean(distance >= distance[0] - 1e-9))


def _words(
    found: bool, moved: list[str], parts: dict[str, float], level: float, n: int, n_new: int
) -> str:
    if not found:
        return f"{n_new} new rows look like the {n} rows of the certificate"
    text = f"the {n_new} new rows do not follow the law of the {n} rows of the certificate"
    if moved:
        shown = ", ".join(moved[:5]) + (", ..." if len(moved) > 5 else "")
        text += f"; {len(moved)} column(s) moved: {shown}"
    elif parts.get("labels", 1.0) <= level:
        text += "; the labels moved"
    else:
        text += "; no single column moved, their dependence did"
    return text + ". The certificate does not speak about such rows"
