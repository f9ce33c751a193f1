"""A rolled-up sheet flattened: PCA folds it, Isomap and a diffusion map do not.

Right: equal geodesic distance, different diffusion distance: a bottleneck makes points strangers.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_swiss_roll

from mercer import DiffusionMap, Isomap
from mercer.learners.spectral import PCA

X, position = make_swiss_roll(1200, random_state=0)
figure, axes = plt.subplots(1, 4, figsize=(16, 4), layout="constrained")
isomap = Isomap(2, n_neighbors=10).fit(X)
for ax, (name, points) in zip(
    axes,
    {
        "PCA": PCA(2).fit_transform(X),
        "Isomap": isomap.embedding_,
        "diffusion map": DiffusionMap(2, length_scale=(6.0 / 2) ** 0.5).fit_transform(X),
    }.items(),
    strict=False,
):
    ax.scatter(*points.T, c=position, s=6)
    r = np.corrcoef(points[:, 0], position)[0, 1]
    ax.set_title(f"{name}, r = {abs(r):.2f}", loc="left")
    print(f"{name:<14} correlation of its first coordinate with the roll's: {abs(r):.3f}")
print(f"Isomap's residual variance: {isomap.residual_variance_:.4f}")

rng = np.random.default_rng(0)
left, right = (rng.random((250, 2)) + np.array([shift, 0.0]) for shift in (0.0, 1.3))
bridge = np.column_stack([np.linspace(1.0, 1.3, 12), np.full(12, 0.5)])
room = np.vstack([left, right, bridge, [[0.65, 0.5], [0.95, 0.5], [0.05, 0.5]]])
walk = DiffusionMap(10, length_scale=0.1, t=40).fit(room)
across, inside = walk.diffusion_distances([-2, -4, -3])[0, 1:]
axes[3].scatter(*room.T, c=walk.embedding_[:, 0], s=8)
axes[3].set_title("first coordinate of a walk through a door", loc="left")
print(f"diffusion distances: through the door {across:.3f}, inside the room {inside:.3f}")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "unlabelled_manifolds.png", dpi=90)
print(f"drawn: {folder / 'unlabelled_manifolds.png'}")
