"""``python -m benchmarks.spectral [CASE ...]``: seconds of Mercer and of a peer on the same data.

Each case checks that both found the same thing (eigenvalues, labels) before it reports a ratio.
"""

import argparse
import json
import resource
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import make_moons, make_swiss_roll
from sklearn.metrics import adjusted_rand_score

from benchmarks.spectral.kernel_pca import kernel_pca
from mercer.learners import spectral

RESULTS = Path(__file__).parent / "results" / "latest.json"


def timed(work, times=1):
    """The last result, and the median of the seconds."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return result, float(np.median(seconds))


def isomap(n=5000):
    from sklearn.manifold import Isomap

    X = make_swiss_roll(n, random_state=0)[0]
    ours, mine = timed(lambda: spectral.Isomap(2, n_neighbors=10).fit(X))
    theirs, other = timed(lambda: Isomap(n_neighbors=10, n_components=2).fit(X))
    r = [abs(np.corrcoef(ours.embedding_[:, 0], theirs.embedding_[:, j])[0, 1]) for j in (0, 1)]
    return {"mercer": mine, "scikit-learn": other, "correlation": float(max(r))}


def clustering(n=20_000):
    """The same graph: scikit-learn counts a point among its own neighbours, Mercer does not."""
    from sklearn.cluster import SpectralClustering

    X, y = make_moons(n, noise=0.05, random_state=0)
    ours, mine = timed(lambda: spectral.SpectralClustering(2, affinity="knn").fit(X), 3)
    report, more = timed(ours.trust, 3)
    peer = SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=11, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the moons are two components
        theirs, other = timed(lambda: peer.fit(X), 3)
    scores = [adjusted_rand_score(y, m.labels_) for m in (ours, theirs)]
    return {
        "mercer": mine,
        "scikit-learn": other,
        "trust report": more,
        "with the report, over scikit-learn": (mine + more) / other,
        "verdict": report.verdict,
        "agreement with the truth": scores,
    }


def landmarks(n=200_000):
    X, y = make_moons(n, noise=0.05, random_state=0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model, mine = timed(lambda: spectral.LandmarkSpectralClustering(2).fit(X))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = adjusted_rand_score(y, model.labels_)
    return {
        "mercer": mine,
        "more memory, MB": (after - before) / 1024,
        "whole process, MB": after / 1024,
        "agreement": found,
    }


def landmark_diffusion(n=200_000):
    """Also what the landmarks change: eigenvalues against the full map of 4,000 rows."""
    X, position = make_swiss_roll(n, random_state=0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model, mine = timed(lambda: spectral.LandmarkDiffusionMap(5).fit(X))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ranks = [np.argsort(np.argsort(v)) for v in (model.embedding_[:, 0], position)]
    few = X[:4000]
    part = spectral.LandmarkDiffusionMap(5, n_landmarks=1000).fit(few)
    full = spectral.DiffusionMap(5, length_scale=part.length_scale_).fit(few)
    return {
        "mercer": mine,
        "more memory, MB": (after - before) / 1024,
        "whole process, MB": after / 1024,
        "rank correlation with the roll": float(abs(np.corrcoef(*ranks)[0, 1])),
        "1000 landmarks of 4000 rows, eigenvalues": part.eigenvalues_.tolist(),
        "full map of 4000 rows, eigenvalues": full.eigenvalues_.tolist(),
    }


def _diffusion(epsilon, n=10_000):
    """The same matrix: pydiffmap's kernel is exp(−d²/4ε), its 64 neighbours include the point."""
    X = make_swiss_roll(n, random_state=0)[0]
    ours, mine = timed(
        lambda: spectral.DiffusionMap(5, length_scale=(2 * epsilon) ** 0.5, n_neighbors=63).fit(X),
        3,
    )
    result = {"mercer": mine}
    try:
        from pydiffmap import diffusion_map as dm
    except ImportError as problem:
        return {**result, "pydiffmap": f"not available: {problem}"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, result["pydiffmap"] = timed(
            lambda: dm.DiffusionMap.from_sklearn(n_evecs=5, k=64, epsilon=epsilon, alpha=1.0).fit(
                X
            ),
            3,
        )
    gap = np.abs(ours.eigenvalues_ - (1 + epsilon * theirs.evals)).max()
    return {**result, "largest difference of eigenvalues": float(gap)}


def diffusion():
    """At ε = 1/8, which pydiffmap chooses for these rows (its choice itself is not timed)."""
    return _diffusion(0.125)


def diffusion_wide():
    """At ε = 1, an easier spectrum."""
    return _diffusion(1.0)


ALL = (landmarks, landmark_diffusion, kernel_pca, isomap, clustering, diffusion, diffusion_wide)
CASES = {f.__name__: f for f in ALL}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", nargs="*", metavar="CASE", help=", ".join(CASES))
    names = parser.parse_args().case or list(CASES)
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
