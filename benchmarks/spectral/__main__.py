"""``python -m benchmarks.spectral [CASE ...]``: seconds of Mercer and of a peer on the same data.

Each case checks that both found the same thing (eigenvalues, labels) before it reports a ratio.
"""

import argparse
import json
import resource
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import make_moons, make_swiss_roll
from sklearn.metrics import adjusted_rand_score

from mercer.kernels import Gaussian
from mercer.learners import spectral

RESULTS = Path(__file__).parent / "results" / "latest.json"


def timed(work):
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def kernel_pca(n=10_000, k=10):
    from sklearn.decomposition import KernelPCA

    X = np.random.default_rng(0).normal(size=(n, 10))
    ours, mine = timed(lambda: spectral.KernelPCA(k, kernel=Gaussian(3.0)).fit(X))
    peer = KernelPCA(k, kernel="rbf", gamma=1 / 18, eigen_solver="arpack", random_state=0)
    theirs, other = timed(lambda: peer.fit(X))
    gap = float(np.max(np.abs(ours.eigenvalues_ / theirs.eigenvalues_ - 1)))
    return {"mercer": mine, "scikit-learn": other, "largest relative difference": gap}


def isomap(n=5000):
    from sklearn.manifold import Isomap

    X = make_swiss_roll(n, random_state=0)[0]
    ours, mine = timed(lambda: spectral.Isomap(2, n_neighbors=10).fit(X))
    theirs, other = timed(lambda: Isomap(n_neighbors=10, n_components=2).fit(X))
    r = [abs(np.corrcoef(ours.embedding_[:, 0], theirs.embedding_[:, j])[0, 1]) for j in (0, 1)]
    return {"mercer": mine, "scikit-learn": other, "correlation": float(max(r))}


def clustering(n=20_000):
    from sklearn.cluster import SpectralClustering

    X, y = make_moons(n, noise=0.05, random_state=0)
    ours, mine = timed(lambda: spectral.SpectralClustering(2, affinity="knn").fit(X))
    peer = SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=10, random_state=0)
    theirs, other = timed(lambda: peer.fit(X))
    scores = [adjusted_rand_score(y, m.labels_) for m in (ours, theirs)]
    return {"mercer": mine, "scikit-learn": other, "agreement with the truth": scores}


def landmarks(n=200_000):
    X, y = make_moons(n, noise=0.05, random_state=0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model, mine = timed(lambda: spectral.LandmarkSpectralClustering(2).fit(X))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = adjusted_rand_score(y, model.labels_)
    return {"mercer": mine, "more memory, MB": (after - before) / 1024, "agreement": found}


def diffusion(n=10_000):
    X = make_swiss_roll(n, random_state=0)[0]
    _, mine = timed(lambda: spectral.DiffusionMap(5, sigma=1.0, cutoff=5.0).fit(X))
    result = {"mercer": mine}
    try:
        from pydiffmap import diffusion_map as dm
    except ImportError as problem:
        return {**result, "pydiffmap": f"not available: {problem}"}
    peer = dm.DiffusionMap.from_sklearn(n_evecs=5, k=64, epsilon=1.0, alpha=1.0)
    try:
        result["pydiffmap"] = timed(lambda: peer.fit(X))[1]
    except Exception as problem:  # an old package against new libraries
        result["pydiffmap"] = f"fails here: {problem}"
    return result


CASES = {f.__name__: f for f in (kernel_pca, isomap, clustering, landmarks, diffusion)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", nargs="*", choices=[*CASES, []], default=list(CASES))
    names = parser.parse_args().case
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in names:
        found[name] = CASES[name]()
        peer = next((v for k, v in found[name].items() if k in ("scikit-learn", "pydiffmap")), None)
        if isinstance(peer, float):
            found[name]["ratio"] = peer / found[name]["mercer"]
        print(name, json.dumps(found[name]), flush=True)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
