"""``python -m benchmarks.spectral.trust [SEEDS]``: verdicts of the trust report on known shapes.

Shapes with clusters and without, seeds that no threshold was set on (from 2000 on), 60 to 2000
rows. One row per shape, size and similarity: how often each verdict was given. All seeds for moons
and noise at 200 rows and for the counterexample, fewer elsewhere.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import make_blobs, make_moons

from mercer.learners.spectral import SpectralClustering
from mercer.learners.spectral.quadrature import counterexample_sample

RESULTS = Path(__file__).parent / "results" / "trust.json"
FIRST = 2000
VERDICTS = ("trust", "caution", "do not trust")


def moons(n, seed):
    return make_moons(n, noise=0.05, random_state=seed)[0]


def gaussian(d):
    return lambda n, seed: np.random.default_rng(seed).normal(size=(n, d))


def uniform(d):
    return lambda n, seed: np.random.default_rng(seed).random((n, d))


def ring(n, seed):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return circle + 0.05 * rng.normal(size=(n, 2))


def blobs(n, seed):
    centres = np.array([[0, 0], [6, 0], [0, 6]])
    return make_blobs(n, centers=centres, cluster_std=0.7, random_state=seed)[0]


def unbalanced(n, seed):
    rng = np.random.default_rng(seed)
    few = max(8, n // 10)
    return np.vstack([rng.normal(size=(n - few, 2)), 0.5 * rng.normal(size=(few, 2)) + [8, 0]])


def stretched(n, seed):
    rng = np.random.default_rng(seed)
    long = rng.normal(size=(n, 2)) * [3.0, 0.3]
    long[n // 2 :, 1] += 3.0
    return long


def touching(n, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) + np.where(np.arange(n) < n // 2, 0.0, 2.0)[:, None] * [1, 0]


#: name: (rows, clusters asked for, what the truth is)
SHAPES = {
    "two moons": (moons, 2, "clusters"),
    "three blobs": (blobs, 3, "clusters"),
    "blobs 9 : 1": (unbalanced, 2, "clusters"),
    "two stretched blobs": (stretched, 2, "clusters"),
    "Gaussian, 2-D": (gaussian(2), 2, "none"),
    "Gaussian, 5-D": (gaussian(5), 2, "none"),
    "uniform, 1-D": (uniform(1), 2, "none"),
    "uniform, 2-D": (uniform(2), 2, "none"),
    "uniform, 5-D": (uniform(5), 2, "none"),
    "ring": (ring, 2, "none"),
    "Gaussian, 2-D, three asked": (gaussian(2), 3, "none"),
    "two Gaussians 2σ apart": (touching, 2, "one hump or two"),
}
SIZES = (200, 60, 600, 2000)
MAIN = ("two moons", "Gaussian, 2-D", "uniform, 2-D")


def verdict(shape, n, seed, affinity):
    make, k, _ = SHAPES[shape]
    X = make(n, seed)
    try:
        model = SpectralClustering(k, affinity=affinity, n_init=3, random_state=seed).fit(X)
    except ValueError:
        return "refused"
    return model.trust(subsamples=12, noise=6, random_state=seed).verdict


def counterexample(n, seed):
    x = counterexample_sample(n, 0.5, seed)
    model = SpectralClustering(
        2, affinity="precomputed", laplacian="unnormalized", assign_labels="sign", random_state=seed
    )
    return model.fit(np.outer(x, x)).trust(subsamples=12, random_state=seed).verdict


def count(verdicts):
    return {v: verdicts.count(v) for v in (*VERDICTS, "refused") if v in verdicts}


def main() -> None:
    warnings.simplefilter("ignore")
    seeds = range(FIRST, FIRST + (int(sys.argv[1]) if len(sys.argv) > 1 else 100))
    found = {}
    for n in SIZES:
        some = seeds[:: {60: 4, 200: 4, 600: 12, 2000: 25}[n]]
        for shape in SHAPES:
            for affinity in ("knn", "kernel"):
                if affinity == "kernel" and n > 200:
                    continue
                key = f"{shape}|{n}|{affinity}"
                found[key] = count(
                    [
                        verdict(shape, n, s, affinity)
                        for s in (seeds if n == 200 and shape in MAIN else some)
                    ]
                )
                print(key, found[key], flush=True)
        if n <= 200:
            found[f"k(x, y) = xy|{n}|given"] = count([counterexample(n, s) for s in seeds])
            print(n, "counterexample", found[f"k(x, y) = xy|{n}|given"], flush=True)
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
