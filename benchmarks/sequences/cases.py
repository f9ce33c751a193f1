"""The cases: each returns seconds of Mercer and of a peer on the same data in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import mercer
from mercer.kernels import KmerFeatures, Mismatch, Spectrum, Subsequence
from mercer.learners.metric import LipschitzClassifier
from mercer.metrics import DTW, Edit


def strings(n: int, length: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return ["".join(row) for row in rng.choice(list("ACGT"), (n, length))]


def timed(call: Callable[[], Any], repeats: int = 1) -> dict[str, float]:
    best = {"wall": np.inf, "cpu": np.inf}
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        call()
        best["wall"] = min(best["wall"], time.perf_counter() - wall)
        best["cpu"] = min(best["cpu"], time.process_time() - cpu)
    return best


def spectrum() -> dict[str, Any]:
    X = strings(1000, 300)
    found = timed(lambda: Spectrum(4)(X), 3)
    return {"bar": "<= 0.2 s", "mercer": found, "met": found["wall"] <= 0.2}


def kmers() -> dict[str, Any]:
    X = strings(10_000, 100)
    found = timed(lambda: KmerFeatures(5).fit_transform(X), 2)
    return {"bar": "< 3 s", "mercer": found, "met": found["wall"] < 3}


def mismatch(n: int = 300) -> dict[str, Any]:
    from strkernel.mismatch_kernel import MismatchKernel

    X = strings(n, 300)
    Mismatch(4, 1, "ACGT")(X)  # once, as the peer's compiled parts are loaded by then too
    numbers = np.array([["ACGT".index(c) for c in s] for s in X])
    peer = timed(lambda: MismatchKernel(l=4, k=4, m=1).get_kernel(numbers))
    mine = timed(lambda: Mismatch(4, 1, "ACGT")(X), 3)
    ratio = peer["cpu"] / mine["cpu"]
    theirs = MismatchKernel(l=4, k=4, m=1).get_kernel(numbers[:20]).kernel
    difference = float(np.max(np.abs(theirs - Mismatch(4, 1, "ACGT")(X[:20]))))
    whole = timed(lambda: Mismatch(4, 1, "ACGT")(strings(1000, 300)))
    return {
        "bar": ">= 50 x strkernel",
        "mercer": mine,
        "peer": peer,
        "ratio": ratio,
        "met": ratio >= 50,
        "difference": difference,
        "mercer_1000_strings": whole,
    }


def subsequence(n: int = 1000) -> dict[str, Any]:
    import numba

    @numba.njit(fastmath=True)
    def loop(s: Any, t: Any, p: int, decay: float) -> float:
        before, total = np.ones((s.size + 1, t.size + 1)), 0.0
        for _ in range(p):
            after, total = np.zeros((s.size + 1, t.size + 1)), 0.0
            for i in range(1, s.size + 1):
                running = 0.0
                for j in range(1, t.size + 1):
                    hit = s[i - 1] == t[j - 1]
                    value = decay * decay * before[i - 1, j - 1] if hit else 0.0
                    total += value
                    running = decay * running + value
                    after[i, j] = decay * after[i - 1, j] + running
            before = after
        return total

    X = strings(n, 300)
    numbers = [np.array([ord(c) for c in s]) for s in X[:41]]
    loop(numbers[0], numbers[1], 4, 0.5)
    peer = timed(lambda: [loop(numbers[0], t, 4, 0.5) for t in numbers[1:]], 3)
    kernel = Subsequence(4, 0.5, normalize=False)
    K = kernel(X[:41])
    exact = [loop(numbers[0], t, 4, 0.5) for t in numbers[1:]]
    mine = timed(lambda: kernel(X))
    pairs = n * (n + 1) / 2
    ratio = (peer["cpu"] / 40) / (mine["cpu"] / pairs)
    return {
        "bar": f"<= 20 CPU s for 1000 strings, >= 8 x numba ({n} strings here)",
        "mercer": mine,
        "cpu_for_1000": mine["cpu"] * 500_500 / pairs,
        "peer_per_pair": peer["cpu"] / 40,
        "ratio": ratio,
        "met": bool(mine["cpu"] * 500_500 / pairs <= 20 and ratio >= 8),
        "difference": float(np.max(np.abs(K[0, 1:] - exact) / np.abs(exact))),
    }


def edit() -> dict[str, Any]:
    import rapidfuzz

    rng = np.random.default_rng(1)
    X = ["".join(rng.choice(list("ACGT"), size=rng.integers(30, 60))) for _ in range(2000)]
    threads = mercer._config.n_threads()
    scorer = rapidfuzz.distance.Levenshtein.distance
    mine, peer = [], []
    for _ in range(3):  # in turns
        mine.append(timed(lambda: Edit()(X))["wall"])
        peer.append(
            timed(
                lambda: rapidfuzz.process.cdist(
                    X, X, scorer=scorer, dtype=np.int32, workers=threads
                )
            )["wall"]
        )
    ratio = min(mine) / min(peer)
    return {
        "bar": "rapidfuzz's own speed",
        "mercer": min(mine),
        "peer": min(peer),
        "time_over_peer": ratio,
        "met": ratio < 1.25,
    }


def lipschitz(n: int = 2000) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    y = np.sign(X[:, 0] + 0.5 * rng.normal(size=n))
    prices = (0.001, 0.01, 0.1, 1.0) if n <= 2000 else (0.01, 0.1)
    found = {str(C): timed(lambda C=C: LipschitzClassifier(C=C).fit(X, y)) for C in prices}
    worst = max(value["wall"] for value in found.values())
    if n > 2000:
        return {"bar": "none: practical", "n": n, "mercer": found}
    return {"bar": "< 30 s", "n": n, "mercer": found, "met": worst < 30}


def warping() -> dict[str, Any]:
    from dtaidistance import dtw

    rng = np.random.default_rng(2)
    X = [rng.normal(size=150).cumsum() for _ in range(200)]
    mine = timed(lambda: DTW()(X), 2)
    peer = timed(lambda: dtw.distance_matrix_fast(X, parallel=False), 2)
    difference = float(np.max(np.abs(DTW()(X[:40]) - dtw.distance_matrix_fast(X[:40]))))
    return {
        "bar": "none: beside dtaidistance's compiled code",
        "mercer": mine,
        "peer": peer,
        "ratio": peer["cpu"] / mine["cpu"],
        "difference": difference,
    }


CASES: dict[str, Callable[[], dict[str, Any]]] = {
    "spectrum kernel, 1,000 x 300": spectrum,
    "5-mer features, 10,000 x 100": kmers,
    "mismatch(4,1), 100 x 300": lambda: mismatch(100),
    "mismatch(4,1), 300 x 300": mismatch,
    "warping distances, 200 x 150": warping,
    "gappy subsequence p=4, 1,000 x 300": subsequence,
    "edit distances, 2,000 strings": edit,
    "soft Lipschitz, n = 2,000": lipschitz,
    "soft Lipschitz, n = 5,000": lambda: lipschitz(5000),
}
