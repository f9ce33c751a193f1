"""Shapes seen through distances: figures of the lecture notes, drawn again.

A thick parabola, images with two factors, a roll with a path on it, paths that avoid dense parts,
a walk that forgets, the factor ¼, rings, and cities from a table of distances.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse.csgraph import dijkstra
from sklearn.datasets import make_circles, make_swiss_roll

from mercer import DiffusionMap, Isomap
from mercer.learners.spectral import PCA, ClassicalMDS, KMeans, neighbor_graph

rng = np.random.default_rng(0)
figure, axes = plt.subplots(3, 4, figsize=(17, 12), layout="constrained")
axes = axes.ravel()


def scatter(ax, points, colour, title, **more):
    ax.scatter(points[:, 0], points[:, 1], c=colour, s=8, **more)
    ax.set_title(title, loc="left", fontsize=10)


# a thick parabola: the first principal component folds its branches together
s = rng.uniform(-1.5, 1.5, 500)
parabola = np.column_stack([3 * s**2, 1.2 * s]) + 0.08 * rng.normal(size=(500, 2))
coordinates = {
    "PCA": PCA(1).fit_transform(parabola)[:, 0],
    "diffusion map": DiffusionMap(1).fit_transform(parabola)[:, 0],
}
for ax, (name, found) in zip(axes, coordinates.items(), strict=False):
    ranks = [np.argsort(np.argsort(v)) for v in (found, s)]
    r = abs(np.corrcoef(*ranks)[0, 1])
    scatter(ax, parabola, found, f"parabola by {name}: rank correlation {r:.2f}")
    print(f"parabola, {name:<14} rank correlation with the curve parameter {r:.3f}")

# pictures of a bright spot: 144 pixels, two factors
where = rng.random((400, 2))
grid = np.linspace(0, 1, 12)
far = (grid - where[:, :1])[:, :, None] ** 2 + (grid - where[:, 1:])[:, None, :] ** 2
images = np.exp(-far / 0.08).reshape(400, -1)
scatter(
    axes[2],
    Isomap(2, n_neighbors=10).fit_transform(images),
    where[:, 0],
    "144 pixels, two factors: Isomap",
)

# a roll: straight against geodesic distance, and the path on the graph
roll, position = make_swiss_roll(900, noise=0.0, random_state=0)
flat = Isomap(2, n_neighbors=10).fit(roll)
ends = [
    int(np.hypot(position - 5.5, (roll[:, 1] - 10) / 4).argmin()),
    int(np.hypot(position - 11.8, (roll[:, 1] - 10) / 4).argmin()),
]
lengths, before = dijkstra(flat.graph_, directed=False, indices=ends[0], return_predecessors=True)
path = [ends[1]]
while path[-1] != ends[0]:
    path.append(int(before[path[-1]]))
straight = float(np.linalg.norm(roll[ends[0]] - roll[ends[1]]))
scatter(
    axes[3],
    roll[:, [0, 2]],
    position,
    f"straight {straight:.1f}, along the roll {lengths[ends[1]]:.1f}",
)
axes[3].plot(*roll[ends][:, [0, 2]].T, "k--", linewidth=1)
axes[3].plot(*roll[path][:, [0, 2]].T, "r-", linewidth=1.5)
scatter(axes[4], flat.embedding_, position, "flattened, both paths")
axes[4].plot(*flat.embedding_[ends].T, "k--", linewidth=1)
axes[4].plot(*flat.embedding_[path].T, "r-", linewidth=1.5)
print(f"roll: straight {straight:.1f}, along it {lengths[ends[1]]:.1f}")

# hop counts avoid thin regions... and so they bend towards them in dense ones
cloud = np.vstack([rng.random((900, 2)), 0.5 + 0.12 * rng.normal(size=(900, 2))])
cloud = np.vstack([cloud, [[0.02, 0.5], [0.98, 0.5]]])
axes[5].scatter(*cloud.T, s=2, color="#bbbbbb")
for weights, style in (("distance", "b-"), ("unit", "r-")):
    graph = neighbor_graph(cloud, n_neighbors=12, weights=weights)
    before = dijkstra(graph, directed=False, indices=len(cloud) - 2, return_predecessors=True)[1]
    path = [len(cloud) - 1]
    while path[-1] != len(cloud) - 2:
        path.append(int(before[path[-1]]))
    axes[5].plot(*cloud[path].T, style, label=f"{weights}: {len(path) - 1} steps")
    middle = float(np.abs(cloud[path][:, 1] - 0.5).max())
    print(f"path by {weights}: {len(path) - 1} steps, at most {middle:.2f} off the straight line")
axes[5].legend(fontsize=8)
axes[5].set_title("lengths go straight, hops avoid the dense middle", loc="left", fontsize=10)

# a walk on a line forgets where it began; eigenvalues to the power t
line = np.sort(rng.random(300))[:, None]
walk = DiffusionMap(8, length_scale=(0.004 / 2) ** 0.5, cutoff=12).fit(line)
K = walk.kernel_matrix_.toarray()
P = K / K.sum(axis=1, keepdims=True)
for t, style in ((4, "-"), (64, "--")):
    power = np.linalg.matrix_power(P, t)
    for start, colour in ((90, "C0"), (200, "C1")):
        axes[6].plot(line[:, 0], power[start], style, color=colour, label=f"t = {t}")
axes[6].legend(fontsize=8)
axes[6].set_title("where two walks are after t steps", loc="left", fontsize=10)
steps = np.geomspace(1, 2000, 60)
for value in walk.eigenvalues_:
    axes[7].semilogx(steps, value**steps)
kept = [int(np.sum(walk.eigenvalues_**t > 0.1)) for t in (1, 30, 300)]
axes[7].set_title(f"λᵗ: above 0.1 at t = 1, 30, 300 are {kept}", loc="left", fontsize=10)

# the generator of the walk on a circle is a quarter of the Laplacian
mass = np.linspace(0, 2 * np.pi, 20001)
angle = np.interp((np.arange(3000) + 0.5) / 3000, (mass + 0.5 * np.sin(mass)) / (2 * np.pi), mass)
circle = np.column_stack([np.cos(angle), np.sin(angle)])
f, slope, density = np.sin(angle), np.cos(angle), 1 + 0.5 * np.cos(angle)
for alpha in (0.0, 0.5, 1.0):
    limit = -f + (2 - 2 * alpha) * slope * (-0.5 * np.sin(angle)) / density
    found = (
        DiffusionMap(1, length_scale=0.1, density_exponent=alpha, cutoff=20)
        .fit(circle)
        .generator(f)
    )
    ratio = float(np.median((found / limit)[np.abs(limit) > 0.3]))
    axes[8].plot(angle, found, label=f"α = {alpha:g}: ratio {ratio:.4f}")
    axes[8].plot(angle, 0.25 * limit, "k:", linewidth=1)
    print(f"α = {alpha:g}: generator over its limit without the constant {ratio:.4f}")
axes[8].legend(fontsize=8)
axes[8].set_title("generator (lines) and ¼ of the limit (dots)", loc="left", fontsize=10)

# clusters in the diffusion map: s coordinates, s + 1 clusters
rings, ring = make_circles(500, factor=0.4, noise=0.04, random_state=0)
points = DiffusionMap(1, length_scale=0.18).fit_transform(rings)  # wide enough for one piece
labels = KMeans(2, n_init=10, random_state=0).fit(points).labels_
scatter(axes[9], rings, labels, "rings, clustered in the diffusion map", cmap="coolwarm")
share = float(np.mean(labels == ring))
print(f"rings: {100 * max(share, 1 - share):.0f} % agree")

# cities from great-circle distances (degrees rounded: the table, not the map, is what is given)
cities = {
    "Berlin": (52.5, 13.4), "Paris": (48.9, 2.4), "Madrid": (40.4, -3.7), "Rome": (41.9, 12.5),
    "Oslo": (59.9, 10.8), "Athens": (38.0, 23.7), "Dublin": (53.3, -6.3), "Warsaw": (52.2, 21.0),
    "Lisbon": (38.7, -9.1), "Helsinki": (60.2, 24.9),
}  # fmt: skip
place = np.radians(list(cities.values()))
sines = np.sin(place[:, :1]) * np.sin(place[:, 0])
cosines = np.cos(place[:, :1]) * np.cos(place[:, 0]) * np.cos(place[:, 1:] - place[:, 1])
distances = 6371 * np.arccos(np.clip(sines + cosines, -1, 1))
np.fill_diagonal(distances, 0.0)
mds = ClassicalMDS(2, metric="precomputed").fit(distances)
town = mds.embedding_ * np.sign(mds.embedding_[[9], :] - mds.embedding_[[8], :])
axes[10].scatter(*town.T, s=12)
for name, (x, y) in zip(cities, town, strict=True):
    axes[10].annotate(name, (x, y), fontsize=8)
axes[10].set_title("cities from their distances (km)", loc="left", fontsize=10)
print(mds.euclidean_report())
axes[11].bar(
    range(10),
    np.linalg.eigvalsh(-0.5 * (np.eye(10) - 0.1) @ distances**2 @ (np.eye(10) - 0.1))[::-1],
)
axes[11].set_title("eigenvalues of −½HSH: the Earth is not flat", loc="left", fontsize=10)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "unlabelled_geometry.png", dpi=80)
print(f"drawn: {folder / 'unlabelled_geometry.png'}")
