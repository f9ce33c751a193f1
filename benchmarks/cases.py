"""What is timed: one row per case."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from benchmarks import data, text

EVERYONE = ("mercer", "sklearn", "sklearnex-f32", "sklearnex-f64", "libsvm", "thundersvm")
NO_THUNDER = EVERYONE[:-1]  # it needs minutes where the others need seconds
FEW = ("mercer", "sklearn", "sklearnex-f32")


@dataclass(frozen=True)
class Case:
    name: str
    title: str
    build: data.Builder
    gamma: float = 1.0
    C: float = 1.0
    kernel: str = "rbf"
    task: str = "svc"  # svc | svr
    epsilon: float = 0.1
    tol: float = 1e-3
    cache_mb: int = 1000
    touch_gb: float = 1.0  # memory touched by another process before the measurement
    libraries: tuple[str, ...] = NO_THUNDER
    quick: bool = False


def _blobs(n: int, C: float = 1.0, **more) -> Case:  # type: ignore[no-untyped-def]
    name = f"blobs-{n // 1000}k-C{C:g}"
    title = f"blobs {n:,} × 50, C = {C:g}"
    return Case(name, title, partial(data.blobs, n, 50), gamma=1 / 50, C=C, **more)


CASES = {
    case.name: case
    for case in (
        Case("iris", "iris 150 × 4, 3 classes", partial(data.bundled, "iris", hold_out=False), 0.25,
             touch_gb=0.1, libraries=EVERYONE, quick=True),
        Case("digits", "digits 1,401 × 64, 10 classes", partial(data.bundled, "digits"), 1 / 64,
             touch_gb=0.2, libraries=NO_THUNDER, quick=True),
        _blobs(5_000, touch_gb=0.5, libraries=EVERYONE, quick=True),
        _blobs(20_000, touch_gb=2.0),
        _blobs(20_000, 100.0, touch_gb=2.0),
        _blobs(50_000, touch_gb=3.0, cache_mb=2000, libraries=FEW),
        _blobs(100_000, touch_gb=5.0, cache_mb=4000, libraries=("mercer", "sklearnex-f32")),
        Case("separable-20k", "separable 20,000 × 20, C = 10", partial(data.separable, 20_000, 20),
             1 / 20, 10.0),
        Case("mnist-parity", "MNIST odd/even 10,000 × 784, C = 10",
             partial(data.mnist, 10_000, parity=True), 0.02, 10.0),
        Case("mnist-10", "MNIST 10 classes 10,000 × 784, C = 10",
             partial(data.mnist, 10_000, parity=False), 0.02, 10.0),
        Case("text-linear", "20 Newsgroups, sparse, linear", text.newsgroups,
             kernel="linear", libraries=("mercer", "sklearn", "sklearnex-f64")),
        Case("text-rbf", "20 Newsgroups, sparse, Gaussian", text.newsgroups, 0.7,
             libraries=("mercer", "sklearn", "sklearnex-f64")),
        Case("svr-20k", "SVR 20,000 × 10, ε = 0.1", partial(data.regression, 20_000, 10), 0.1,
             task="svr", touch_gb=2.0, libraries=("mercer", "sklearn", "sklearnex-f32")),
        Case("prediction", "predict 20,000 rows, trained on blobs 5,000 × 50",
             partial(data.blobs, 5_000, 50, tests=20_000), 1 / 50, libraries=NO_THUNDER),
        Case("laplacian-5k", "Laplacian kernel, blobs 5,000 × 50", partial(data.blobs, 5_000, 50),
             1 / 50, kernel="laplacian", libraries=("mercer", "sklearn"), quick=True),
    )
}  # fmt: skip
