"""Would this clustering survive another sample? A report in numbers and in plain words.

The checks follow chapter II of von Luxburg's thesis (eigenvalues against the degree range, gap and
simplicity, localisation, block norms), and add two that look at the data again: subsamples, and
the same procedure on structureless data of the same extent.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from mercer.learners.spectral._blocks import Blocks, Perturbation, block_norms, perturbation
from mercer.learners.spectral.graphs import connectivity

Floats = NDArray[np.float64]
_SMALL = 2000
GOOD, WARN, BAD = "good", "caution", "bad"


@dataclass(frozen=True)
class TrustCheck:
    """One question, its number, and how it came out."""

    name: str
    value: float
    outcome: str  # "good", "caution", "bad"
    message: str


@dataclass(frozen=True)
class TrustReport:
    """All checks of one clustering and the verdict."""

    checks: tuple[TrustCheck, ...]
    blocks: Blocks
    perturbation: Perturbation
    agreement: Floats  # of each subsample's clustering with the whole one
    gap_interval: tuple[float, float]  # of the eigengap, over the subsamples
    advice: str

    @property
    def verdict(self) -> str:
        """``"trust"``, ``"caution"`` or ``"do not trust"``."""
        outcomes = {check.outcome for check in self.checks}
        return "do not trust" if BAD in outcomes else "caution" if WARN in outcomes else "trust"

    def __str__(self) -> str:
        lines = [f"Verdict: {self.verdict}."]
        lines += [f"  [{c.outcome}] {c.name}: {c.message}" for c in self.checks]
        return "\n".join([*lines, self.advice])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(c.outcome)}</td><td>{escape(c.name)}</td>"
            f"<td>{escape(c.message)}</td></tr>"
            for c in self.checks
        )
        return (
            f"<div><b>Verdict: {escape(self.verdict)}</b><table>{rows}</table>"
            f"<p>{escape(self.advice)}</p></div>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "verdict": self.verdict,
            "checks": [vars(c) for c in self.checks],
            "agreement": self.agreement.tolist(),
            "gap_interval": list(self.gap_interval),
            "conductance": self.blocks.conductance,
            "perturbation": vars(self.perturbation),
            "advice": self.advice,
        }


def trust_report(
    model: Any, *, subsamples: int = 20, share: float = 0.8, noise: int = 8, random_state: Any = 0
) -> TrustReport:
    """Examine a fitted `SpectralClustering`.

    ``subsamples`` clusterings of a ``share`` of the rows are compared with the whole one on all
    rows; ``noise`` data sets drawn uniformly from the box around the data are clustered in the
    same way.
    """
    rng = np.random.default_rng(random_state)
    K, labels = model.similarities_, model.labels_
    with threadpool_limits(1 if len(labels) < _SMALL else None):  # starting threads would cost more
        blocks = block_norms(K, labels)
        runs = [_subsample(model, share, rng) for _ in range(subsamples)]
        last = (
            _against_noise(model, blocks, noise, rng)
            if model.affinity != "precomputed" and noise > 0
            else _closed(blocks)
        )
    agreement = np.array([run[0] for run in runs])
    gaps = np.array([run[1] for run in runs])
    interval = (float(np.quantile(gaps, 0.05)), float(np.quantile(gaps, 0.95)))
    checks = [
        _connected(K, model),
        _eigenvalues(model),
        _gap(model, interval),
        _localised(model),
        _stable(agreement),
        last,
    ]
    return TrustReport(
        tuple(checks), blocks, perturbation(K, labels), agreement, interval, advice(model)
    )


def advice(model: Any) -> str:
    """Normalised or not: what the degrees say."""
    d = model.degrees_
    spread = float(d.max() / max(d.min(), 1e-300))
    if spread < 1.5:
        return (
            f"Degrees vary by a factor of {spread:.2g}: normalised and unnormalised Laplacians "
            "nearly coincide."
        )
    name = model.laplacian
    word = (
        "as used here" if name != "unnormalised" else "rather than the unnormalised one used here"
    )
    return f"Degrees vary by a factor of {spread:.2g}: prefer a normalised Laplacian, {word}."


def _connected(K: Any, model: Any) -> TrustCheck:
    found = connectivity(K if sparse.issparse(K) else sparse.csr_matrix(K > 0))
    if found.components > model.n_clusters_:
        text = f"the graph has {found.components} components, more than clusters"
        return TrustCheck("connectivity", found.components, BAD, text)
    text = f"{found.components} component(s) for {model.n_clusters_} clusters"
    return TrustCheck("connectivity", found.components, GOOD, text)


def _eigenvalues(model: Any) -> TrustCheck:
    used = model.eigenvalues_[1 : model.n_clusters_]
    if model.laplacian == "unnormalised":
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


def _gap(model: Any, interval: tuple[float, float]) -> TrustCheck:
    values, k = model.eigenvalues_, model.n_clusters_
    if len(values) <= k:
        return TrustCheck("gap", 0.0, WARN, "no eigenvalue is left to compare with")
    gap = float(values[k] - values[k - 1])
    before = float(values[k - 1])
    text = (
        f"eigenvalue {k} is {before:.3g}, the next {values[k]:.3g}; over subsamples the gap lies "
        f"between {interval[0]:.3g} and {interval[1]:.3g}"
    )
    outcome = (
        GOOD if gap > before and interval[0] > 0.3 * gap else WARN if gap > 0.3 * before else BAD
    )
    return TrustCheck("gap", gap, outcome, text)


def _localised(model: Any) -> TrustCheck:
    vectors = model.eigenvectors_[:, 1:]
    peak = float(np.max(vectors**2 / np.sum(vectors**2, axis=0), initial=0.0))
    smallest = int(np.bincount(model.labels_).min())
    n = len(model.labels_)
    text = f"smallest cluster {smallest} of {n} rows; one row holds {100 * peak:.0f} % of a vector"
    if peak > 0.2 or smallest <= max(2, n // 50):
        return TrustCheck("localisation", peak, BAD, text + ": it merely cuts off a few rows")
    return TrustCheck("localisation", peak, WARN if peak > 0.1 else GOOD, text)


def _stable(agreement: Floats) -> TrustCheck:
    typical, low = float(np.median(agreement)), float(np.quantile(agreement, 0.1))
    text = f"subsamples agree with it at {typical:.2f} (10 % quantile {low:.2f}; 1 is identical)"
    outcome = GOOD if typical > 0.9 else WARN if typical > 0.7 else BAD
    return TrustCheck("stability", typical, outcome, text)


def _closed(blocks: Blocks) -> TrustCheck:
    leaving = blocks.conductance
    text = f"a step of the random walk leaves a cluster with probability up to {leaving:.3g}"
    return TrustCheck(
        "closed clusters", leaving, GOOD if leaving < 0.1 else WARN if leaving < 0.25 else BAD, text
    )


def _against_noise(model: Any, blocks: Blocks, noise: int, rng: np.random.Generator) -> TrustCheck:
    rows = np.asarray(model._fit_rows, dtype=float)
    centred = rows - rows.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2]
    box = centred @ axes.T
    low, high = box.min(axis=0), box.max(axis=0)
    found = []
    for _ in range(noise):
        drawn = rng.uniform(low, high, size=box.shape) @ axes
        try:
            other = clone(model).set_params(n_clusters=model.n_clusters_).fit(drawn)
        except ValueError:
            continue  # a graph of noise may have isolated points
        found.append(block_norms(other.similarities_, other.labels_).conductance)
    leaving = blocks.conductance
    typical = float(np.median(found)) if found else 1.0
    ratio = leaving / typical if typical > 0 else np.inf
    text = (
        f"a step leaves a cluster with probability up to {leaving:.3g}; on structureless data of "
        f"the same extent {typical:.3g}"
    )
    return TrustCheck(
        "cut against noise", ratio, GOOD if ratio < 0.25 else WARN if ratio < 0.35 else BAD, text
    )


def _subsample(model: Any, share: float, rng: np.random.Generator) -> tuple[float, float]:
    """Agreement on all rows, and the eigengap, of the clustering of a part."""
    n = len(model.labels_)
    rows = np.sort(rng.choice(n, size=max(model.n_clusters_ + 2, int(share * n)), replace=False))
    part = clone(model).set_params(n_clusters=model.n_clusters_)
    try:
        if model.affinity == "precomputed":
            part.fit(model.similarities_[rows][:, rows])
            labels = part.predict(model.similarities_[:, rows])
        else:
            part.fit(np.asarray(model._fit_rows)[rows])
            labels = part.predict(model._fit_rows)
    except ValueError:
        return 0.0, 0.0  # the part has isolated points: nothing to agree with
    values, k = part.eigenvalues_, model.n_clusters_
    gap = float(values[k] - values[k - 1]) if len(values) > k else 0.0
    return float(adjusted_rand_score(model.labels_, labels)), gap
