"""One function per case; each returns plain numbers, both sides measured in the same process."""

from __future__ import annotations

import resource
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
from scipy.linalg import lapack

import mercer
from mercer.kernels import Gaussian

Peers = tuple[str, ...]


PATIENCE = 120.0  # seconds for a peer


def clock(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Result, wall seconds and processor seconds."""
    wall, own = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = work()
    return result, time.perf_counter() - wall, time.process_time() - own


def regression_data(n: int, d: int = 5, seed: int = 0, noise: float = 0.1) -> tuple[Any, Any]:
    """A smooth function of all inputs, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    f = np.sin(X[:, 0]) + 0.5 * X[:, 1] ** 2 - 0.3 * X[:, 2] * X[:, 3] + 0.4 * np.cos(X[:, 4])
    return X, f + noise * rng.normal(size=n)


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


def gpr(n: int, peers: Peers = ("sklearn",)) -> dict[str, Any]:
    """All hyper-parameters of an ARD kernel and the noise, no restarts on either side."""
    X, y = regression_data(n)
    start = sklearn_kernel(5, True, True)
    ours, wall, own = clock(
        lambda: mercer.GaussianProcessRegressor.automatic(start, n_restarts_optimizer=0).fit(X, y)
    )
    found = {"n": n, "mercer": [wall, own], "mercer_evidence": ours.log_marginal_likelihood()}
    found["mercer_evaluations"] = ours.n_evaluations_
    if "sklearn" in peers:
        from sklearn.gaussian_process import GaussianProcessRegressor

        theirs, wall, own = clock(
            lambda: GaussianProcessRegressor(start, normalize_y=True).fit(X, y)
        )
        found |= {"sklearn": [wall, own], "sklearn_evidence": theirs.log_marginal_likelihood()}
    if "gpy" in peers:
        model, wall, own = clock(lambda: _gpy(X, y))
        found |= {"gpy": [wall, own], "gpy_evidence": float(model.log_likelihood())}
    return found


def iterative(n: int) -> dict[str, Any]:
    """Learning by products alone beside GPyTorch, whose way it is: the same model, start and rows.

    GPyTorch takes fifty steps of Adam, as its examples do, or what it can do in `PATIENCE`
    seconds, and a factor of all rows up to 10,000 of them.
    """
    import gpytorch
    import torch

    X, y = regression_data(n)
    X_test, y_test = regression_data(2000, seed=1)
    start = sklearn_kernel(5, True, False)
    learner = mercer.GaussianProcessRegressor.automatic(start, n_restarts_optimizer=0, solver="cg")
    ours, wall, own = clock(lambda: learner.fit(X, y))
    found = {"n": n, "mercer": [wall, own], "mercer_rmse": _rmse(ours.predict(X_test), y_test)}
    found["mercer_evidence"] = ours.log_marginal_likelihood_value_
    found["mercer_evidence_error"] = ours.log_marginal_likelihood_error_

    class Process(gpytorch.models.ExactGP):
        def __init__(self, rows: Any, targets: Any, likelihood: Any) -> None:
            super().__init__(rows, targets, likelihood)
            self.mean = gpytorch.means.ZeroMean()
            self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=5))

        def forward(self, rows: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean(rows), self.kernel(rows))

    rows = torch.tensor(X, dtype=torch.float32)
    targets = torch.tensor((y - y.mean()) / y.std(), dtype=torch.float32)
    torch.manual_seed(0)
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Process(rows, targets, likelihood)
    model.kernel.base_kernel.lengthscale = float(np.sqrt(5.0))
    model.kernel.outputscale, likelihood.noise = 1.0, 0.1
    evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)

    def learn() -> tuple[float, int]:
        model.train()
        likelihood.train()
        steps = torch.optim.Adam(model.parameters(), lr=0.1)
        begun, taken = time.perf_counter(), 0
        while taken < 50 and (taken == 0 or time.perf_counter() - begun < PATIENCE):
            steps.zero_grad()
            loss = -evidence(model(rows), targets)
            loss.backward()
            steps.step()
            taken += 1
        return -float(loss.detach()) * n, taken

    with gpytorch.settings.max_cholesky_size(10_000):  # its own products took minutes for a step
        (last, taken), wall, own = clock(learn)
    model.eval()
    likelihood.eval()
    with torch.no_grad(), gpytorch.settings.max_cholesky_size(10_000):
        mean = model(torch.tensor(X_test, dtype=torch.float32)).mean.numpy() * y.std() + y.mean()
    return found | {
        "gpytorch": [wall, own],
        "gpytorch_steps of 50": taken,
        "gpytorch_evidence, as it estimates it": last,
        "gpytorch_rmse": _rmse(mean, y_test),
    }


def _gpy(X: Any, y: Any) -> Any:
    """The same model, start and targets in GPy, by its default optimiser until it stops."""
    import GPy

    target = ((y - y.mean()) / y.std())[:, None]
    kernel = GPy.kern.RBF(5, 1.0, np.full(5, np.sqrt(5.0)), ARD=True)
    model = GPy.models.GPRegression(X, target, kernel, noise_var=0.1)
    model.optimize(max_iters=2000)
    return model


def cholesky(n: int) -> dict[str, Any]:
    """One factorisation of that size, the unit of the bar for n = 5,000; the median of three."""
    K = Gaussian(2.0)(regression_data(n)[0]) + 0.1 * np.eye(n)
    runs = []
    for _ in range(3):
        copy = K.copy()
        _, wall, own = clock(lambda copy=copy: lapack.dpotrf(copy.T, lower=0, overwrite_a=1))
        runs.append([wall, own])
    return {"n": n, "cholesky": sorted(runs)[1]}


def gpc(n: int, peers: Peers = ("sklearn",)) -> dict[str, Any]:
    """A variance and one length scale, Laplace's evidence."""
    X, y = class_data(n)
    start = sklearn_kernel(10, False, False)
    ours, wall, own = clock(lambda: mercer.GaussianProcessClassifier.automatic(start).fit(X, y))
    found = {"n": n, "mercer": [wall, own], "mercer_evidence": ours.log_marginal_likelihood()}
    found["mercer_evaluations"] = ours.n_evaluations_
    if "sklearn" in peers:
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
        "log_evidence": ours.log_marginal_likelihood_value_,
        "test_accuracy": ours.score(fresh, labels),
    }


def rvr(n: int) -> dict[str, Any]:
    """Relevance vector regression."""
    X, y = regression_data(n)
    ours, wall, own = clock(lambda: mercer.RelevanceVectorRegressor().fit(X, y))
    fresh, target = regression_data(2000, seed=1, noise=0.0)
    return {
        "n": n,
        "mercer": [wall, own],
        "relevance_vectors": len(ours.relevance_),
        "log_evidence": ours.log_marginal_likelihood_value_,
        "rmse": _rmse(ours.predict(fresh), target),
    }


def sparse(n: int) -> dict[str, Any]:
    """300 inducing points, all hyper-parameters; errors are those of the noise-free function."""
    X, y = regression_data(n)
    before = _peak()
    ours, wall, own = clock(lambda: mercer.SparseGaussianProcessRegressor().fit(X, y))
    found = {"n": n, "mercer": [wall, own], "megabytes": (_peak() - before) / 1e6}
    fresh, target = regression_data(2000, seed=1, noise=0.0)
    found["rmse"] = _rmse(ours.predict(fresh), target)
    part = slice(0, 2000)
    exact = mercer.GaussianProcessRegressor.automatic().fit(X[part], y[part])
    few = mercer.SparseGaussianProcessRegressor().fit(X[part], y[part])
    mean, std = exact.predict(fresh, return_std=True, latent=True)
    ours_mean, ours_std = few.predict(fresh, return_std=True, latent=True)
    found["on 2,000 rows"] = {
        "rmse": _rmse(ours_mean, target),
        "rmse of the exact process": _rmse(mean, target),
        "rms difference of the means": _rmse(ours_mean, mean),
        "median ratio of the error bars": float(np.median(ours_std / std)),
        "evidence bound": few.elbo_,
        "log evidence": exact.log_marginal_likelihood(),
    }
    return found


def _rmse(guess: Any, target: Any) -> float:
    return float(np.sqrt(np.mean((guess - target) ** 2)))


def _peak() -> int:
    """Largest resident memory so far, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def memory(n: int) -> dict[str, Any]:
    """Peak resident memory of fits above that before them, in n x n arrays of their own precision.

    Each in a process of its own, for a peak never falls.
    """
    found: dict[str, Any] = {"n": n}
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        for kind in ("regression", "classification"):
            for dtype in ("float64", "float32"):
                found[f"{kind} {dtype}"] = pool.submit(_arrays, n, kind, dtype).result()
    return found


def _arrays(n: int, kind: str, dtype: str) -> float:
    regression = kind == "regression"
    X, y = regression_data(n) if regression else class_data(n)
    name = mercer.GaussianProcessRegressor if regression else mercer.GaussianProcessClassifier
    name.automatic(dtype=dtype).fit(
        X[:400], y[:400]
    )  # what is loaded on first use is not the fit's own
    before = _peak()
    name.automatic(dtype=dtype, n_restarts_optimizer=0).fit(X, y)
    return (_peak() - before) / (np.dtype(dtype).itemsize * n * n)
