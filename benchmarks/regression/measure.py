"""One measurement in a process of its own: ``python -m benchmarks.regression.measure CASE WHO``.

Writes one JSON object to standard output. The data come from a seed, so that all libraries see the
same numbers.
"""

from __future__ import annotations

import json
import math
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.worker import peak_mb

ROWS, COLUMNS = 10_000, 10
GAMMA = 0.1
PATH = np.logspace(-3, 2, 20)


def draw(n: int, d: int) -> tuple[Any, Any]:
    """A smooth function of three of d columns, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, np.sin(X[:, 0]) + 0.3 * X[:, 1] * X[:, d - 1] + 0.1 * rng.normal(size=n)


def ridge(who: str, alpha: Any, n: int, d: int) -> dict[str, Any]:
    """Seconds, memory and residual of one fit."""
    X, y = draw(n, d)
    if who == "scikit-learn":
        from sklearn.kernel_ridge import KernelRidge

        model = KernelRidge(alpha, kernel="rbf", gamma=GAMMA)
    else:
        from mercer import KernelRidge

        solver = "eigen" if who == "mercer, one decomposition" else "auto"
        model = KernelRidge(alpha, kernel="rbf", gamma=GAMMA, solver=solver)
    type(model)(**model.get_params()).fit(X[:500], y[:500])  # loads and warms what is loaded late
    before = peak_mb(reset=True)
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    used = getattr(model, "alpha_", alpha)
    return {
        "seconds": seconds,
        "megabytes": peak_mb() - before,
        "residual": residual(X, y, model.dual_coef_, float(used)),
        "method": getattr(model, "solver_", "cholesky"),
    }


def residual(X: Any, y: Any, coef: Any, alpha: float) -> float:
    """‖y − (K + αI)c‖ / ‖y‖, by products in double precision."""
    from mercer.kernels import Gaussian

    image = Gaussian(1.0 / np.sqrt(2.0 * GAMMA)).matmul(X, X, coef)
    return float(np.linalg.norm(y - image - alpha * coef) / np.linalg.norm(y))


def logistic(who: str, name: str) -> dict[str, Any]:
    """Seconds of the best of several fits, and the objective reached."""
    from sklearn.datasets import load_digits

    if name == "digits":
        X, y = load_digits(return_X_y=True)
        X = X / 16.0
    else:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(20_000, 50))
        scores = X @ rng.normal(size=(50, 10)) + 2 * rng.gumbel(size=(20_000, 10))
        y = scores.argmax(axis=1)
    if who == "mercer":
        from mercer.learners.discriminant import LogisticClassifier

        model: Any = LogisticClassifier()
    else:
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(solver=who.removeprefix("scikit-learn, "), max_iter=1000)
    # Some solvers are faster with one thread of BLAS; each library is given its better choice.
    seconds, threads = math.inf, 0
    for limit in (1, None):
        with threadpool_limits(limit, user_api="blas"):
            found = min(_timed(lambda: model.fit(X, y)) for _ in range(5))
        if found < seconds:
            seconds, threads = found, limit or 0
    scores = model.decision_function(X)
    top = scores.max(axis=1)
    losses = np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top - scores[np.arange(len(y)), y]
    value = float(losses.sum() + 0.5 * np.sum(model.coef_**2))
    return {"seconds": seconds, "objective": value, "threads": threads or "all"}


def _timed(task: Callable[[], Any]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


LOGISTIC = (
    "mercer",
    *(f"scikit-learn, {s}" for s in ("lbfgs", "newton-cg", "newton-cholesky", "saga")),
)
CASES: dict[str, tuple[tuple[str, ...], Callable[[str], dict[str, Any]]]] = {
    "ridge, alpha = 1": (
        ("mercer", "scikit-learn"),
        lambda who: ridge(who, 1.0, ROWS, COLUMNS),
    ),
    "ridge, alpha = 0.1": (
        ("mercer", "scikit-learn"),
        lambda who: ridge(who, 0.1, ROWS, COLUMNS),
    ),
    "ridge, alpha = 0.01": (
        ("mercer", "scikit-learn"),
        lambda who: ridge(who, 0.01, ROWS, COLUMNS),
    ),
    "path of 20 with leave-one-out, low rank": (
        ("mercer", "mercer, one decomposition", "scikit-learn"),
        lambda who: ridge(who, PATH if who == "mercer" else 0.1, ROWS, 2),
    ),
    "path of 20 with leave-one-out, full rank, 2,000 rows": (
        ("mercer", "mercer, one decomposition", "scikit-learn"),
        lambda who: ridge(who, PATH if who == "mercer" else 0.1, 2000, COLUMNS),
    ),
    "path of 20 with leave-one-out, full rank, 5,000 rows": (
        ("mercer", "scikit-learn"),
        lambda who: ridge(who, PATH if who == "mercer" else 0.1, 5000, COLUMNS),
    ),
    "path of 20 with leave-one-out, full rank, 10,000 rows": (
        ("mercer", "scikit-learn"),
        lambda who: ridge(who, PATH if who == "mercer" else 0.1, ROWS, COLUMNS),
    ),
    "multinomial logistic, digits": (LOGISTIC, lambda who: logistic(who, "digits")),
    "multinomial logistic, 20,000 x 50, 10 classes": (LOGISTIC, lambda who: logistic(who, "big")),
}


def main() -> None:
    """Run one case for one library."""
    case, who = sys.argv[1:3]
    warnings.simplefilter("ignore")
    sys.stdout.write(json.dumps(CASES[case][1](who)) + "\n")


if __name__ == "__main__":
    main()
