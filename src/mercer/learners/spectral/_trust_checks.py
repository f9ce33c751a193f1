"""The single questions of a trust report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer.learners.spectral._trust_samples import Parts
from mercer.learners.spectral.graphs import connectivity

Floats = NDArray[np.float64]
GOOD, WARN, BAD = "good", "caution", "bad"
CLEAR = 0.25  # of what structureless data show: less is a cut that chance does not make
_LEAST_JUMP = 2.0  # of eigenvalues, for any number of clusters
_OVER_CURVE = 1.0  # of what curves without clusters show at most
_OVER_CURVE_IN_GRAPHS = 0.625  # neighbour graphs see no distances, so hardly any gaps by chance


@dataclass(frozen=True)
class TrustCheck:
    """One question, its number, and how it came out."""

    name: str
    value: float
    outcome: str  # "good", "caution", "bad"
    message: str


def connected(K: Any, model: Any) -> TrustCheck:
    """More components than clusters: the cut between them is arbitrary."""
    found = connectivity(K if sparse.issparse(K) else sparse.csr_matrix(K > 0))
    if found.components > model.n_clusters_:
        text = f"the graph has {found.components} components, more than clusters"
        return TrustCheck("connectivity", found.components, BAD, text)
    text = f"{found.components} component(s) for {model.n_clusters_} clusters"
    return TrustCheck("connectivity", found.components, GOOD, text)


def eigenvalues(model: Any) -> TrustCheck:
    """The condition under which the eigenvectors converge (thesis, theorems 11 and 15)."""
    used = model.eigenvalues_[1 : model.n_clusters_]
    if model.laplacian == "unnormalized":
        low = float(model.degrees_.min())
        margin = float((low - used.max(initial=0.0)) / max(low, 1e-300))
        text = (
            f"largest eigenvalue used {used.max(initial=0.0):.3g}, smallest degree {low:.3g} "
            f"(margin {100 * margin:.0f} %): it must lie clearly below the degrees"
        )
        outcome = GOOD if margin > 0.3 else WARN if margin > 0.1 else BAD
        return TrustCheck("eigenvalues against degrees", margin, outcome, text)
    distance = float(np.abs(1.0 - used).min(initial=1.0))
    text = f"eigenvalues used are {distance:.3g} away from 1, where they accumulate"
    outcome = GOOD if distance > 0.2 else WARN if distance > 0.05 else BAD
    return TrustCheck("eigenvalues against 1", distance, outcome, text)


def gap(model: Any, parts: Parts, interval: tuple[float, float]) -> TrustCheck:
    """Whether the eigenvalues used are apart from the next one, and stay so."""
    values, k = model.eigenvalues_, model.n_clusters_
    if len(values) <= k:
        return TrustCheck("gap", 0.0, WARN, "no eigenvalue is left to compare with")
    found, before = float(values[k] - values[k - 1]), float(values[k - 1])
    # eigenvalues of much smaller parts are on another scale: those gaps are compared among them
    small = parts.size < 0.5 * len(model.labels_)
    usual = float(np.median(parts.gaps)) if small and len(parts.gaps) else found
    curve = curve_jump(k)
    over = _OVER_CURVE_IN_GRAPHS if sparse.issparse(model.similarities_) else _OVER_CURVE
    simple = before + found > max(_LEAST_JUMP, over * curve) * before
    usually = f" (curves without clusters: up to {curve:.2g} times as large)" if k > 1 else ""
    text = (
        f"eigenvalue {k} is {before:.3g}, the next {values[k]:.3g}{usually}; over subsamples of "
        f"{parts.size} rows the gap lies between {interval[0]:.3g} and {interval[1]:.3g}"
    )
    steady = interval[0] > 0.3 * usual
    outcome = GOOD if simple and steady else WARN if found > 0.3 * before else BAD
    return TrustCheck("gap", found, outcome, text)


def curve_jump(k: int) -> float:
    """Eigenvalue k + 1 over eigenvalue k, at most, of an evenly filled segment or circle.

    A segment has 0, 1, 4, 9, …, a circle 0, 1, 1, 4, 4, …: its first is double, so that any cut
    into two is as good as any other, and a sample of it is cut where its rows happen to be thin.
    """
    return ((k + k % 2) / (k - 1)) ** 2 if k > 1 else 0.0


def number(model: Any, parts: Parts) -> TrustCheck:
    """How often parts of the rows ask for the same number of clusters."""
    same = float(np.mean(parts.numbers == model.n_clusters_)) if len(parts.numbers) else 1.0
    others = sorted(set(parts.numbers.tolist()) - {0, model.n_clusters_})
    listed = f", others {', '.join(map(str, others))}" if others else ""
    text = f"{100 * same:.0f} % of the subsamples choose {model.n_clusters_} clusters{listed}"
    outcome = GOOD if same > 0.8 else WARN if same > 0.5 else BAD
    return TrustCheck("number of clusters", same, outcome, text)


def localised(model: Any) -> TrustCheck:
    """An eigenvector on one row, or a cluster of very few."""
    vectors = model.eigenvectors_[:, 1:]
    peak = float(np.max(vectors**2 / np.sum(vectors**2, axis=0), initial=0.0))
    smallest = int(np.bincount(model.labels_).min())
    n = len(model.labels_)
    text = f"smallest cluster {smallest} of {n} rows; one row holds {100 * peak:.0f} % of a vector"
    if peak > 0.2 or smallest <= max(2, n // 50):
        return TrustCheck("localisation", peak, BAD, text + ": it merely cuts off a few rows")
    return TrustCheck("localisation", peak, WARN if peak > 0.1 else GOOD, text)


def stable(parts: Parts) -> TrustCheck:
    """Agreement of the parts' clusterings, extended to other rows, with the whole one."""
    if not len(parts.agreement):
        return TrustCheck("stability", 0.0, WARN, "no subsamples were asked for")
    typical, low = float(np.median(parts.agreement)), float(np.quantile(parts.agreement, 0.1))
    text = f"subsamples agree with it at {typical:.2f} (10 % quantile {low:.2f}; 1 is identical)"
    outcome = GOOD if typical > 0.9 else WARN if typical > 0.7 else BAD
    return TrustCheck("stability", typical, outcome, text)


def closed(conductance: float) -> TrustCheck:
    """Whether the random walk stays; for given similarities, where noise cannot be drawn."""
    text = f"a step of the random walk leaves a cluster with probability up to {conductance:.3g}"
    outcome = GOOD if conductance < 0.1 else WARN if conductance < 0.25 else BAD
    return TrustCheck("closed clusters", conductance, outcome, text)


FEWEST = 3  # sets of noise from which a spread can be read


def against_noise(conductance: float, noise: Floats) -> TrustCheck:
    """The same probability, beside what the method finds in rows without structure.

    It must be far smaller, and far outside what chance does to structureless data: few rows on a
    line have large gaps by chance alone.
    """
    if len(noise) < FEWEST:
        return TrustCheck(
            "cut against noise",
            float("nan"),
            WARN,
            f"a step leaves a cluster with probability up to {conductance:.3g}; {len(noise)} sets "
            f"of structureless data could be compared, too few to say what chance does: take "
            f"noise={FEWEST} or more",
        )
    typical = float(np.median(noise))
    ratio = conductance / typical if typical > 0 else np.inf
    away = _deviations(conductance, noise)
    text = (
        f"a step leaves a cluster with probability up to {conductance:.3g}; on structureless data "
        f"of the same extent {typical:.3g} ({away:.1f} standard deviations more, in logarithms). "
        f"That is {ratio:.0%} of it; clusters to believe in have less than {CLEAR:.0%}"
    )
    good, fair = ratio < CLEAR and away > 5.0, ratio < 0.35 and away > 3.0
    return TrustCheck("cut against noise", ratio, GOOD if good else WARN if fair else BAD, text)


def _deviations(conductance: float, noise: Floats) -> float:
    """How many standard deviations of ln(noise) the conductance lies below its mean, at most 99."""
    logs = np.log(np.maximum(noise, 1e-12))
    spread = max(float(logs.std(ddof=1)), 1e-3)
    away = (float(logs.mean()) - float(np.log(max(conductance, 1e-12)))) / spread
    return min(away, 99.0)
