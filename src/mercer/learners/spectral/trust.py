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
from threadpoolctl import threadpool_limits

from mercer.learners._door import Kind
from mercer.learners.spectral import _trust_checks as checks
from mercer.learners.spectral._blocks import Blocks, Perturbation, block_norms, perturbation
from mercer.learners.spectral._trust_checks import BAD, WARN, TrustCheck
from mercer.learners.spectral._trust_samples import cluster_noise, cluster_parts

Floats = NDArray[np.float64]
_SMALL = 2000  # rows up to which clusters are decomposed for the perturbation bound


@dataclass(frozen=True)
class TrustReport:
    """All checks of one clustering and the verdict."""

    checks: tuple[TrustCheck, ...]
    blocks: Blocks
    perturbation: Perturbation
    agreement: Floats  # of each subsample's clustering with the whole one
    gap_interval: tuple[float, float]  # of the eigengap, over the subsamples
    numbers: NDArray[np.intp]  # of clusters, that the gap of each subsample would choose
    advice: str

    @property
    def verdict(self) -> str:
        """``"trust"``, ``"caution"`` or ``"do not trust"``."""
        outcomes = {check.outcome for check in self.checks}
        return "do not trust" if BAD in outcomes else "caution" if WARN in outcomes else "trust"

    def __str__(self) -> str:
        lines = [f"Verdict: {self.verdict}."]
        lines += [f"  [{c.outcome}] {c.name}: {c.message}" for c in self.checks]
        lines += [f"  {self.perturbation_words()}"]
        return "\n".join([*lines, self.advice])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(c.outcome)}</td><td>{escape(c.name)}</td>"
            f"<td>{escape(c.message)}</td></tr>"
            for c in self.checks
        )
        return (
            f"<div><b>Verdict: {escape(self.verdict)}</b><table>{rows}</table>"
            f"<p>{escape(self.perturbation_words())}</p><p>{escape(self.advice)}</p></div>"
        )

    def perturbation_words(self) -> str:
        """The perturbation bound in a sentence."""
        found = self.perturbation
        if found.certified:
            return (
                f"perturbation bound: the clusters' eigenspace is within {found.shift:.2g} of that "
                "of clusters without any similarity between them"
            )
        return (
            f"perturbation bound: says nothing, as what lies between the clusters "
            f"({found.norm:.2g}) is not below half their gap ({found.gap:.2g})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "verdict": self.verdict,
            "checks": [vars(c) for c in self.checks],
            "agreement": self.agreement.tolist(),
            "gap_interval": list(self.gap_interval),
            "numbers": self.numbers.tolist(),
            "conductance": self.blocks.conductance,
            "perturbation": vars(self.perturbation),
            "advice": self.advice,
        }


def trust_report(
    model: Any,
    *,
    subsamples: int = 20,
    share: float = 0.8,
    noise: int = 8,
    most_rows: int = 1500,
    random_state: Any = 0,
) -> TrustReport:
    """Examine a fitted `SpectralClustering`.

    ``subsamples`` clusterings of a ``share`` of the rows are compared with the whole one;
    ``noise`` data sets drawn uniformly from the box around the data are clustered in the same way.
    With many rows, both have at most ``most_rows``, and the cut of the parts, not of the whole, is
    compared with that of the noise: a cut depends on how many rows there are.
    """
    rng = np.random.default_rng(random_state)
    K, labels, k = model.similarities_, model.labels_, model.n_clusters_
    n = len(labels)
    size = max(min(int(share * n), most_rows), min(n, k + 2))
    small = size < int(share * n)
    with threadpool_limits(1):  # starting threads would cost more
        parts = cluster_parts(model, subsamples, size, rng)
        blocks = block_norms(K, labels)
        cut = float(np.median(parts.leaving)) if small and subsamples else blocks.conductance
        last = (
            checks.against_noise(cut, cluster_noise(model, noise, size if small else n, rng))
            if model.fitted_.kind is Kind.VECTORS and noise > 0
            else checks.closed(blocks.conductance)
        )
    interval = (0.0, 0.0)
    if subsamples:
        interval = (float(np.quantile(parts.gaps, 0.05)), float(np.quantile(parts.gaps, 0.95)))
    known = model.eigenvalues_ if n > _SMALL and model.laplacian != "unnormalized" else None
    found = [
        checks.connected(K, model),
        checks.eigenvalues(model),
        checks.gap(model, parts, interval),
        *([checks.number(model, parts)] if model.n_clusters == "auto" else []),
        checks.localised(model),
        checks.stable(parts),
        last,
    ]
    return TrustReport(
        tuple(found),
        blocks,
        perturbation(K, labels, values=known),
        parts.agreement,
        interval,
        parts.numbers,
        advice(model),
    )


def advice(model: Any) -> str:
    """Normalized or not: what the degrees say."""
    d = model.degrees_
    spread = float(d.max() / max(d.min(), 1e-300))
    if spread < 1.5:
        return (
            f"Degrees vary by a factor of {spread:.2g}: normalised and unnormalised Laplacians "
            "nearly coincide."
        )
    name = model.laplacian
    word = (
        "as used here" if name != "unnormalized" else "rather than the unnormalised one used here"
    )
    return f"Degrees vary by a factor of {spread:.2g}: prefer a normalised Laplacian, {word}."
