"""What all certificates of a fitted machine cost: ``python -m benchmarks.certificates.cost``."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

import mercer
from mercer import SVC, datasets

RESULTS = Path(__file__).parent / "results" / "cost.json"
WANTED = 0.30  # of the training time, at n = 20,000
REPEATS = 3


def cases() -> dict[str, tuple[Any, Any, Any]]:
    digits = datasets.load_digits()
    two = datasets.make_twonorm(20_000, random_state=0)
    ring = datasets.make_ringnorm(20_000, random_state=0)
    ten = make_blobs(20_000, n_features=16, centers=10, cluster_std=6.0, random_state=0)
    return {
        "twonorm, n = 20000": (SVC(gamma=0.02), two[0], two[1]),
        "ringnorm, n = 20000": (SVC(gamma=0.05), ring[0], ring[1]),
        "waveform, 3 classes, n = 20000": (SVC(gamma=0.02), *datasets.Waveform().sample(20_000, 0)),
        "10 Gaussian classes, n = 20000": (SVC(gamma=0.01), *ten),
        "digits, 10 classes, n = 1797": (SVC(gamma=0.05), digits.X / 16, digits.y),
    }


def measure(estimator: Any, X: Any, y: Any) -> dict[str, float]:
    """Best of a few repeats; certificates are computed when first looked at, so that is timed."""
    fits, looks = [], []
    for _ in range(REPEATS):
        start = time.perf_counter()
        model = estimator.fit(X, y)
        middle = time.perf_counter()
        assert model.certificate_ is not None
        assert model.certificates_
        fits.append(middle - start)
        looks.append(time.perf_counter() - middle)
    return {"fit": min(fits), "certificates": min(looks), "share": min(looks) / min(fits)}


def main() -> None:
    mercer.set_config(n_threads=1)
    threadpool_limits(1)
    SVC().fit(*make_blobs(200, centers=5, random_state=0))
    found = {name: measure(*case) for name, case in cases().items()}
    for name, row in found.items():
        print(f"{name:34} {1e3 * row['fit']:8.1f} ms fit {1e3 * row['certificates']:7.1f} ms "
              f"certificates = {row['share']:.0%}")  # fmt: skip
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps({"wanted": WANTED, "cases": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
