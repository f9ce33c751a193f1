"""The work behind ``mercer embed``."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mercer.app.unlabelled import Unlabelled, load
from mercer.app.write_table import write_table
from mercer.errors import UserError
from mercer.io.atomic import check_folder, write_text
from mercer.kernels import Gaussian
from mercer.learners import spectral
from mercer.learners.spectral import neighbor_scale
from mercer.report.rows_page import embedding_page

NEIGHBOURS = 10
MANY = 4000  # beyond which landmarks keep Isomap affordable


@dataclass
class Embedded:
    """What was computed, for people and for programs."""

    document: dict[str, Any]
    lines: list[str]


def embed(
    path: str,
    *,
    method: str,
    dimension: int,
    colour: str | None,
    ignore: tuple[str, ...],
    out: str,
    seed: int,
    values: dict[str, Any],
) -> Embedded:
    """Read, embed, write coordinates and a page."""
    folder = check_folder(out)
    data = load(path, colour, ignore, values)
    given = values.get("precomputed")
    suited = {"distance": "mds", "kernel": "kernel-pca"}
    if given and method != suited[given]:
        if method != "pca":  # which nobody asked for: it is the default
            data.notes.append(
                f"{method} needs rows; a matrix of pairs is embedded by {suited[given]}"
            )
        method = suited[given]
    if dimension >= len(data.Z):
        raise UserError(f"{len(data.Z)} rows have no {dimension} coordinates.", "Ask for fewer.")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", spectral.DisconnectedWarning)
        points, facts = _points(data, method, dimension, given, seed)
    notes = [*data.notes, *(str(w.message) for w in said)]
    columns: dict[str, Any] = {"row": data.rows.tolist()}
    columns |= {f"x{j + 1}": points[:, j].tolist() for j in range(points.shape[1])}
    stem = Path(path).name.split(".")[0] or "data"
    table, html = folder / f"{stem}-embedding.csv", folder / f"{stem}-embedding.html"
    write_table(columns, table)
    title = f"{stem}: {facts['method']}"
    listed = [*facts["lines"], *notes]
    write_text(
        html,
        embedding_page(title, facts["method"], points, data.words, data.colour, listed, seed),
    )
    document = {**facts, "rows": len(points), "notes": notes,
                "files": {"coordinates": str(table), "page": str(html)}}  # fmt: skip
    lines = [f"{len(points):,} rows in {points.shape[1]} coordinates by {facts['method']}"]
    lines += [*facts["lines"], *notes, "", f"coordinates  {table}", f"page         {html}"]
    return Embedded(document, lines)


def _points(
    data: Unlabelled, method: str, dimension: int, given: str | None, seed: int
) -> tuple[Any, dict[str, Any]]:
    Z = data.Z
    if method == "pca":
        pca = spectral.PCA(min(dimension, Z.shape[1]), random_state=seed)
        points = pca.fit_transform(Z)
        share = float(pca.explained_variance_ratio_.sum())
        return points, _facts("principal components", [f"{100 * share:.1f} % of the variance kept"])
    if method == "kernel-pca":
        kernel: Any = "precomputed" if given else Gaussian(2.0 * neighbor_scale(Z))
        model = spectral.KernelPCA(dimension, kernel=kernel, random_state=seed)
        share = float(model.fit(Z).explained_variance_ratio_.sum())
        points = model.eigenvectors_ * np.sqrt(model.eigenvalues_)
        return points, _facts(
            "kernel principal components", [f"{100 * share:.1f} % of the variance kept"]
        )
    if method == "isomap":
        few = 400 if len(Z) > MANY else None
        iso = spectral.Isomap(dimension, n_neighbors=NEIGHBOURS, n_landmarks=few, random_state=seed)
        points = iso.fit_transform(Z)
        return points, _facts("Isomap", [f"residual variance {iso.residual_variance_:.3f}"])
    if method == "diffusion":
        walk = spectral.DiffusionMap(dimension, random_state=seed)
        return walk.fit_transform(Z), _facts("a diffusion map", [walk.bandwidth_.reason])
    near = min(NEIGHBOURS, len(Z) - 1)
    if method == "lle":
        lle = spectral.LocallyLinearEmbedding(
            n_neighbors=near, n_components=dimension, random_state=seed
        )
        points = lle.fit_transform(Z)
        told = f"of the {lle.n_neighbors_} nearest neighbours of every row"
        return points, _facts("locally linear embedding", [told])
    if method == "laplacian":
        maps = spectral.LaplacianEigenmaps(dimension, n_neighbors=near, random_state=seed)
        told = f"of the {near} nearest neighbours of every row"
        return maps.fit_transform(Z), _facts("Laplacian eigenmaps", [told])
    mds = spectral.ClassicalMDS(dimension, metric="precomputed" if given else "euclidean")
    points = mds.fit_transform(Z)
    return points, _facts("multidimensional scaling", [mds.euclidean_report()])


def _facts(method: str, lines: list[str]) -> dict[str, Any]:
    return {"method": method, "lines": lines}
