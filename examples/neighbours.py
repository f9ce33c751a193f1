"""Nearest neighbours: Voronoi cells, more votes, and a rule that keeps a tenth of the rows."""

import sys
from pathlib import Path

import matplotlib

from mercer import datasets
from mercer.learners.metric import CondensedNearestNeighbor, KNNClassifier

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
X, y, _ = datasets.make_moons(300, scale=0.3, random_state=0)
fresh, truth, _ = datasets.make_moons(3000, scale=0.3, random_state=1)
models = {
    "1 neighbour": KNNClassifier(1),
    "⌈√n⌉ neighbours": KNNClassifier("root"),
    "condensed": CondensedNearestNeighbor(),
    "net": CondensedNearestNeighbor("net"),
}
figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
grid = np.stack(np.meshgrid(np.linspace(-2.2, 3.2, 150), np.linspace(-1.8, 2.4, 150)), axis=-1)
for ax, (name, model) in zip(axes.ravel(), models.items(), strict=True):
    model.fit(X, y)
    error = 1 - model.score(fresh, truth)
    kept = getattr(model, "kept_", np.arange(len(y)))
    print(f"{name:16s} {len(kept):3d} rows, error {error:.3f}, {model.certificate_}")
    regions = model.predict(grid.reshape(-1, 2)).reshape(150, 150)
    labels = getattr(model, "kept_labels_", y)
    colours = {"cmap": "coolwarm", "vmin": -1, "vmax": 1}
    ax.contourf(grid[..., 0], grid[..., 1], regions, levels=[-2, 0, 2], alpha=0.25, **colours)
    ax.scatter(*X.T, c=y, s=8, alpha=0.35, **colours)
    ax.scatter(*X[kept].T, c=labels, s=22, edgecolors="black", linewidths=0.5, **colours)
    ax.set_title(f"{name}: {len(kept)} rows kept, error {error:.3f}")
figure.savefig(folder / "neighbours.png", dpi=100)
print("neighbours that grow with n:", KNNClassifier("root").fit(X, y).n_neighbors_)
