"""Kernel PCA beside scikit-learn's ARPACK route: in one process, and each in processes of its own.

``python -m benchmarks.spectral.kernel_pca mercer|scikit-learn`` fits once and prints the seconds.
"""

import json
import subprocess
import sys
import time

import numpy as np

TIMES = 3


def data(n=10_000):
    return np.random.default_rng(0).normal(size=(n, 10))


def mercer(X, k=10):
    from mercer.kernels import Gaussian
    from mercer.learners.spectral import KernelPCA

    return KernelPCA(k, kernel=Gaussian(3.0)).fit(X)


def scikit_learn(X, k=10):
    from sklearn.decomposition import KernelPCA

    return KernelPCA(k, kernel="rbf", gamma=1 / 18, eigen_solver="arpack", random_state=0).fit(X)


FITS = {"mercer": mercer, "scikit-learn": scikit_learn}


def seconds(fit, X):
    """Of one fit, imports not counted."""
    fit(X[:600], 2)
    start = time.perf_counter()
    model = fit(X)
    return model, time.perf_counter() - start


def apart(name):
    """Of one fit in a process of its own, whose memory is fresh."""
    command = [sys.executable, "-m", "benchmarks.spectral.kernel_pca", name]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def kernel_pca():
    X, found = data(), {}
    models, times = {}, {name: [] for name in FITS}
    for _ in range(TIMES):
        for name, fit in FITS.items():
            models[name], took = seconds(fit, X)
            times[name].append(took)
    found |= {name: float(np.median(times[name])) for name in FITS}
    alone = {name: float(np.median([apart(name) for _ in range(TIMES)])) for name in FITS}
    values = [models[name].eigenvalues_ for name in FITS]
    return {
        **found,
        "largest relative difference": float(np.max(np.abs(values[0] / values[1] - 1))),
        "all seconds": times,
        "a process each": alone,
        "ratio with a process each": alone["scikit-learn"] / alone["mercer"],
    }


if __name__ == "__main__":
    print(json.dumps(seconds(FITS[sys.argv[1]], data())[1]))
