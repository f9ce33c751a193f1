"""What ``kernel=`` means: a name, a `Kernel`, a function, or nothing, on these rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from scipy import sparse

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.algebra.arithmetic import Scaled
from mercer.kernels.bandwidth import Resolved, median_distance
from mercer.kernels.sklearn_names import from_sklearn, sklearn_gamma_of
from mercer.kernels.sklearn_objects import is_sklearn_kernel, translate
from mercer.kernels.structured.from_callable import (
    FromCallable,
    RowFunction,
    UserFunction,
    takes_two_rows,
)
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.validate import as_data
from mercer.kernels.vectors.gaussian import Gaussian

MANY = 30  # columns: beyond, one length scale for all of them


@dataclass(frozen=True)
class Meant:
    """The kernel that was meant, and what a learner wants to know about how it came about.

    Attributes
    ----------
    kernel : Kernel
        With numbers where heuristics stood.
    gamma : float
        scikit-learn's ``gamma`` if the kernel was given by its name for it, else 0.
    bounds : mapping
        Limits of the parameters, by name, that came with a scikit-learn kernel object.
    read_off : tuple of (what, how)
        What was read off the rows: a certificate has to know.
    checked : bool
        Whether `mercer.gram.build_gram` may take the rows as they are.
    """

    kernel: Kernel
    gamma: float = 0.0
    bounds: Mapping[str, Any] = field(default_factory=dict)
    read_off: tuple[tuple[str, str], ...] = ()
    checked: bool = False


def kernel_meant(
    kernel: Any,
    X: Samples,
    *,
    gamma: float | str = "scale",
    degree: float = 3,
    coef0: float = 0.0,
    default: Callable[[Any], Kernel] | None = None,
    functions: Literal["whole", "rows", "pairs"] = "whole",
) -> Meant:
    """The kernel meant by a learner's arguments on these training rows.

    Parameters
    ----------
    kernel : Kernel, str, callable or None
        A name is scikit-learn's (`SKLEARN_KERNELS`). A named kernel is checked against the rows
        here; a `Kernel` is resolved here and checks the rows when the Gram is built.
    X : the training rows, validated
        A precomputed matrix has been checked by whoever validated it.
    gamma, degree, coef0 : scikit-learn's parameters of the named kernels
        ``gamma=None`` is its default of the pairwise kernels: one over the columns, 1 for "chi2".
    default : callable ``X -> Kernel``, optional
        What ``kernel=None`` means.
    functions : {"whole", "rows", "pairs"}
        Who calls a plain function: "whole" hands it all samples once, exactly as the user has them
        (a `UserFunction`); "rows" does so too, unless it answers two rows with one number, as the
        functions do that scikit-learn's pairwise kernels take; "pairs" calls it on pairs of blocks
        of validated vectors, and takes kernel objects of scikit-learn's Gaussian processes for what
        they are, with their bounds.

    Returns
    -------
    Meant
        The kernel with numbers, and how it came about.
    """
    if isinstance(kernel, str):
        return _named(kernel, X, gamma, degree, coef0)
    if kernel is None and default is not None:
        found = default(X)
        return Meant(found, read_off=(("the kernel's parameters", "read off the rows"),))
    bounds: Mapping[str, Any] = {}
    if functions == "pairs" and is_sklearn_kernel(kernel):
        kernel, bounds = translate(kernel)
    elif not isinstance(kernel, Kernel):
        return Meant(_from_function(kernel, X, functions))
    resolved = kernel.resolve(X)
    found_on = read_off(kernel, gamma, resolved)
    return Meant(resolved, 0.0, bounds, found_on, isinstance(resolved, Precomputed))


def read_off(kernel: Any, gamma: float | str, resolved: Kernel) -> tuple[tuple[str, str], ...]:
    """Which parameters of the resolved kernel the training rows have chosen, and how."""
    if not resolved.data_dependent:
        return ()
    if isinstance(kernel, str):
        return (_by_gamma(gamma),)
    return (("the kernel's parameters", f"a heuristic of {kernel!r} read the rows"),)


def _by_gamma(gamma: float | str) -> tuple[str, str]:
    return "gamma", f"gamma={gamma!r}: 1/(columns · variance of X)"


def ard_gaussian(X: Any, variance: float = 1.0) -> Kernel:
    """A variance times a Gaussian with a length scale per column, up to 30 columns."""
    if sparse.issparse(X) or X.shape[1] > MANY:
        return Scaled(Gaussian(float(median_distance(X))), variance)
    spread = X.std(axis=0, dtype=np.float64)
    lengths = np.where(spread > 0, spread * np.sqrt(X.shape[1]), np.inf)
    if not np.any(spread > 0):
        lengths = np.ones(X.shape[1])
    return Scaled(Gaussian(lengths), variance)


def _named(name: str, X: Samples, gamma: float | str | None, degree: float, coef0: float) -> Meant:
    if gamma is None:
        gamma = 1.0 if name == "chi2" else "auto"
    kernel = from_sklearn(name, gamma, degree, coef0)
    if isinstance(kernel, Precomputed):
        return Meant(kernel, checked=True)
    rows = X if hasattr(X, "dtype") else as_data(X, kernel.accepts)
    found = kernel._resolved(rows)
    for parameter, value in found.items():  # the kernel is ours: no copy
        setattr(kernel, parameter, value)
    kernel._check(rows)  # parameters, and for some kernels non-negative numbers
    chosen = any(isinstance(value, Resolved) for value in found.values())
    found_on = (_by_gamma(gamma),) if chosen else ()
    return Meant(kernel, sklearn_gamma_of(kernel), read_off=found_on, checked=rows is X)


def _from_function(kernel: Any, X: Samples, functions: str) -> Kernel:
    if not callable(kernel):
        raise TypeError(
            f"kernel={kernel!r} is not a kernel; pass a mercer Kernel, a kernel of "
            "sklearn.gaussian_process.kernels, a name such as 'rbf', a function, or 'precomputed'"
        )
    if functions == "pairs":
        return FromCallable(kernel)
    rows = functions == "rows" and takes_two_rows(kernel, X)
    return (RowFunction if rows else UserFunction)(kernel, objects=True)


def meant_by(estimator: Any, X: Any) -> Meant:
    """The kernel meant by the arguments ``kernel, gamma, degree, coef0`` of an estimator."""
    return kernel_meant(
        estimator.kernel,
        X,
        gamma=estimator.gamma,
        degree=estimator.degree,
        coef0=estimator.coef0,
    )
