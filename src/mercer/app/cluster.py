"""The work behind ``mercer cluster``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer.app.embed import Embedded
from mercer.app.unlabelled import Unlabelled, load
from mercer.app.write_table import write_table
from mercer.errors import UserError
from mercer.io.atomic import check_folder, write_text
from mercer.learners import spectral
from mercer.learners.spectral.linkage import MOST_ROWS
from mercer.report.rows_page import clusters_page

LANDMARKS = 20_000  # rows beyond which landmarks replace the graph
EXAMINED = 2000  # rows of the clustering that the trust report looks at, if there are more


def cluster(
    path: str,
    *,
    clusters: str,
    laplacian: str,
    colour: str | None,
    ignore: tuple[str, ...],
    out: str,
    trust: bool,
    seed: int,
    values: dict[str, Any],
) -> Embedded:
    """Read, cluster, ask whether to believe it, write labels and a page."""
    folder = check_folder(out)
    data = load(path, colour, ignore, values)
    if len(data.Z) < 3:
        raise UserError(f"{len(data.Z)} rows cannot be clustered.", "At least three are needed.")
    model, small, how = _fit(data, clusters, laplacian, values.get("precomputed"), seed)
    report = small.trust(random_state=seed) if trust else None
    labels = model.labels_
    stem = Path(path).name.split(".")[0] or "data"
    table, html = folder / f"{stem}-clusters.csv", folder / f"{stem}-clusters.html"
    write_table({"row": data.rows.tolist(), "cluster": (labels + 1).tolist()}, table)
    sizes = np.bincount(labels).tolist()
    lines = [
        f"{len(labels):,} rows in {len(sizes)} clusters of {', '.join(map(str, sizes))} ({how})"
    ]
    others = _others(data, labels, values.get("precomputed"), seed)
    if others:
        words = ", ".join(f"{name} {value:.2f}" for name, value in others.items())
        lines.append(f"agreement with other methods (1 is identical): {words}")
    points, where, axes = _coordinates(data, small)
    groups = (labels + 1).tolist()
    named = [f"{text} (cluster {group})" for text, group in zip(data.words, groups, strict=True)]
    title = f"{stem}: clusters"
    write_text(html, clusters_page(title, lines, points, named, groups, axes, where, report, seed))
    if report is not None:
        lines += ["", str(report)]
    if data.colour is not None:
        lines += ["", *_against_classes(labels, data.colour)]
    lines += [*data.notes, "", f"labels  {table}", f"page    {html}"]
    document = {"clusters": sizes, "how": how, "agreement": others,
                "trust": report.to_dict() if report else None,
                "files": {"labels": str(table), "page": str(html)}}  # fmt: skip
    return Embedded(document, lines)


def _fit(data: Unlabelled, clusters: str, laplacian: str, given: str | None, seed: int) -> Any:
    """The clustering of all rows, one small enough to be examined, and how it was done."""
    n = len(data.Z)
    count: Any = "auto" if clusters == "auto" else int(clusters)
    if count != "auto" and not 1 <= count <= n:
        raise UserError(f"{n} rows cannot form {clusters} clusters.", "Ask for fewer.")
    common: dict[str, Any] = {"laplacian": laplacian, "assign_labels": "rows", "random_state": seed}
    if given:
        K = data.Z if given == "kernel" else _from_distances(data.Z)
        model = spectral.SpectralClustering(count, affinity="precomputed", **common).fit(K)
        return model, model, f"{laplacian} Laplacian of the given matrix"
    part = data.Z
    if n > LANDMARKS:
        part = data.Z[np.sort(np.random.default_rng(seed).choice(n, EXAMINED, replace=False))]
    small = spectral.SpectralClustering(count, affinity="knn", **common).fit(part)
    if n <= LANDMARKS:
        return small, small, f"{laplacian} Laplacian of a neighbour graph"
    model = spectral.LandmarkSpectralClustering(small.n_clusters_, random_state=seed).fit(data.Z)
    return model, small, f"landmarks; the report is about {len(part):,} rows of them"


def _others(data: Unlabelled, labels: Any, given: str | None, seed: int) -> dict[str, float]:
    """What simpler methods make of the same rows, where they are not too many."""
    if given or len(labels) > MOST_ROWS or len(np.unique(labels)) < 2:
        return {}
    return spectral.baselines(data.Z, labels, random_state=seed)


def _from_distances(D: Any) -> Any:
    scale = float(np.median(np.sort(D, axis=1)[:, min(7, len(D) - 1)])) or 1.0
    return np.exp(-(D**2) / (2.0 * scale**2))


def _coordinates(data: Unlabelled, small: Any) -> tuple[Any, str, tuple[str, str]]:
    """Where the rows are drawn, what that is, and the names of the axes."""
    square = data.Z.shape[0] == data.Z.shape[1] and len(data.Z) == len(data.words)
    if square and small.affinity == "precomputed":
        where = "the eigenvectors that were clustered"
        return small.eigenvectors_[:, 1:3], where, ("eigenvector 2", "eigenvector 3")
    pca = spectral.PCA(min(2, data.Z.shape[1]))
    points = pca.fit_transform(data.Z)
    shares = [*(100 * float(v) for v in pca.explained_variance_ratio_), 0.0]
    first, second = (f"component {k + 1} ({shares[k]:.0f} % of the variance)" for k in (0, 1))
    return points, "the first two principal components", (first, second)


def _against_classes(labels: ArrayLike, classes: list[str]) -> list[str]:
    _, names, table = spectral.cluster_table(labels, classes)
    width = max(8, *(len(str(name)) for name in names))
    lines = ["cluster  " + "  ".join(f"{name!s:>{width}}" for name in names)]
    return lines + [
        f"{i + 1:>7}  " + "  ".join(f"{count:>{width}}" for count in row)
        for i, row in enumerate(table.tolist())
    ]
