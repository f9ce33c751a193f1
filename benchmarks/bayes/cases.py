"""One function per case; each returns plain numbers, both sides measured in the same process."""

from __future__ import annotations

import resource
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import lapack

import mercer
from mercer.kernels import Gaussian


def clock(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Result, wall seconds and processor seconds."""
    wall, own = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = work()
    return result, time.perf_counter() - wall, time.process_time() - own


def regression_data(n: int, d: int = 5, seed: int = 0) -> tuple[Any, Any]:
    """A smooth function of all inputs with noise 0.1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    f = np.sin(X[:, 0]) + 0.5 * X[:, 1] ** 2 - 0.3 * X[:, 2] * X[:, 3] + 0.4 * np.cos(X[:, 4])
    return X, f + 0.1 * rng.normal(size=n)


def class_data(n: int, d: int = 10, seed: int = 0) -> tuple[Any, Any]:
    """Two overlapping classes, three inputs that matter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X[:, 0] + X[:, 1] ** 2 - X[:, 2] + 0.7 * rng.normal(size=n)
    return X, (score > 1).astype(int)


def sklearn_kernel(d: int, ard: bool, noise: bool) -> Any:
    from sklearn.gaussian_process import kernels

    kernel = kernels.ConstantKernel(1.0) * kernels.RBF(np.ones(d) * np.sqrt(d) if ard else 1.0)
    return kernel + kernels.WhiteKernel(0.1) if noise else kernel


def gpr(n: int, peer: bool = True) -> dict[str, Any]:
    """All hyper-parameters of an ARD kernel and the noise, no restarts on either side."""
    X, y = regression_data(n)
    start = sklearn_kernel(5, True, True)
    ours, wall, own = clock(
        lambda: mercer.GaussianProcessRegressor(start, n_restarts_optimizer=0).fit(X, y)
    )
    found = {"n": n, "mercer": [wall, own], "mercer_evidence": ours.log_marginal_likelihood()}
    found["mercer_evaluations"] = ours.n_evaluations_
    if peer:
        from sklearn.gaussian_process import GaussianProcessRegressor

        theirs, wall, own = clock(
            lambda: GaussianProcessRegressor(start, normalize_y=True).fit(X, y)
        )
        found |= {"sklearn": [wall, own], "sklearn_evidence": theirs.log_marginal_likelihood()}
    return found


def cholesky(n: int) -> dict[str, Any]:
    """One factorisation of that size, the unit of the bar for n = 5,000; the median of three."""
    K = Gaussian(2.0)(regression_data(n)[0]) + 0.1 * np.eye(n)
    runs = []
    for _ in range(3):
        copy = K.copy()
        _, wall, own = clock(lambda copy=copy: lapack.dpotrf(copy.T, lower=0, overwrite_a=1))
        runs.append([wall, own])
    return {"n": n, "cholesky": sorted(runs)[1]}


def gpc(n: int, peer: bool = True) -> dict[str, Any]:
    """A variance and one length scale, Laplace's evidence."""
    X, y = class_data(n)
    start = sklearn_kernel(10, False, False)
    ours, wall, own = clock(lambda: mercer.GaussianProcessClassifier(start).fit(X, y))
    found = {"n": n, "mercer": [wall, own], "mercer_evidence": ours.log_marginal_likelihood()}
    if peer:
        from sklearn.gaussian_process import GaussianProcessClassifier

        theirs, wall, own = clock(lambda: GaussianProcessClassifier(start).fit(X, y))
        found |= {"sklearn": [wall, own], "sklearn_evidence": theirs.log_marginal_likelihood()}
    return found


def rvc(n: int) -> dict[str, Any]:
    """Relevance vector classification."""
    X, y = class_data(n, d=5)
    ours, wall, own = clock(lambda: mercer.RelevanceVectorClassifier().fit(X, y))
    fresh, labels = class_data(2000, d=5, seed=1)
    return {
        "n": n,
        "mercer": [wall, own],
        "relevance_vectors": len(ours.relevance_),
        "log_evidence": ours.log_evidence_,
        "test_accuracy": ours.score(fresh, labels),
    }


def rvr(n: int) -> dict[str, Any]:
    """Relevance vector regression."""
    X, y = regression_data(n)
    ours, wall, own = clock(lambda: mercer.RelevanceVectorRegressor().fit(X, y))
    return {"n": n, "mercer": [wall, own], "relevance_vectors": len(ours.relevance_)}


def sparse(n: int) -> dict[str, Any]:
    """300 inducing points, all hyper-parameters."""
    X, y = regression_data(n)
    fresh, target = regression_data(2000, seed=1)
    ours, wall, own = clock(lambda: mercer.SparseGaussianProcessRegressor().fit(X, y))
    error = float(np.sqrt(np.mean((ours.predict(fresh) - target) ** 2)))
    return {"n": n, "mercer": [wall, own], "test_rmse": error, "noise_sd": 0.1}


def memory(n: int) -> dict[str, Any]:
    """Peak resident memory of a fit above that before it, in n x n arrays of float64."""
    X, y = regression_data(n)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    mercer.GaussianProcessRegressor(n_restarts_optimizer=0, time_limit=20).fit(X, y)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"n": n, "arrays": peak * 1024 / (8 * n * n)}
