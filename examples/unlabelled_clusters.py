"""Components, cells and a counterexample: more figures of the lecture notes and of the thesis."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from mercer import SpectralClustering
from mercer.learners.spectral import PCA, KMeans, cluster_table, quantize_density
from mercer.learners.spectral.quadrature import counterexample_g, counterexample_sample

figure = plt.figure(figsize=(17, 16), layout="constrained")
solid = (12, 13)  # panels in three dimensions
axes = [figure.add_subplot(4, 4, i + 1, projection="3d" if i in solid else None) for i in range(14)]
iris = load_iris()

# iris: covariance, spectrum, two components
pca = PCA().fit(iris.data)
scores = pca.transform(iris.data)
eigenvalues = pca.explained_variance_ * (1 - 1 / len(iris.data))  # the text divides by n
axes[0].imshow(np.cov(iris.data.T, bias=True))
axes[0].set_title("covariance of iris", loc="left")
axes[1].bar(range(1, 5), np.sqrt(eigenvalues))
axes[1].set_title(
    "σ: " + ", ".join(f"{v:.4f}" for v in eigenvalues) + " = σ²", loc="left", fontsize=9
)
axes[2].scatter(scores[:, 0], scores[:, 1], c=iris.target, s=10)
axes[2].set_title(
    f"{100 * pca.explained_variance_ratio_[:2].sum():.1f} % in two components", loc="left"
)
print("eigenvalues of iris:", eigenvalues.round(4))

# lemma 9: maximise Σλβ over 0 ≤ β ≤ 1, Σβ ≤ k: the best corner takes the largest λ
corners = np.array([[0, 0], [1, 0], [0, 1]])
axes[3].fill(*corners.T, alpha=0.3)
axes[3].annotate("", (0.8, 0.45), (0.3, 0.17), arrowprops={"arrowstyle": "->"})
axes[3].plot(1, 0, "ro")
axes[3].set_title("polytope of lemma 9, k = 1: the corner of the largest λ", loc="left", fontsize=9)

# k-means on iris: cells in the plane of two components, energy, species per cluster
model = KMeans(3, n_init=10, random_state=0).fit(iris.data)
plane = KMeans(3, n_init=10, random_state=0).fit(scores[:, :2])
x, y = (np.linspace(scores[:, j].min() - 0.5, scores[:, j].max() + 0.5, 200) for j in (0, 1))
mesh = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
axes[4].contourf(x, y, plane.predict(mesh).reshape(200, 200), alpha=0.25, levels=2)
axes[4].scatter(scores[:, 0], scores[:, 1], c=iris.target, s=10)
axes[4].set_title("cells of k-means and the species", loc="left")
axes[5].plot(model.inertia_history_, "o-")
axes[5].set_title(f"energy, down to {model.inertia_:.2f}", loc="left")
table = cluster_table(model.labels_, iris.target)[2]
bottom = np.zeros(3)
for j, name in enumerate(iris.target_names):
    axes[6].bar(range(3), table[:, j], bottom=bottom, label=name)
    bottom += table[:, j]
axes[6].legend(fontsize=8)
axes[6].set_title("species in each cluster", loc="left")
print("sizes of the clusters of iris:", sorted(table.sum(axis=1).tolist()))

# Lloyd on two densities
ramp = np.linspace(0.05, 1.0, 80)[None, :] ** 2 * np.ones((80, 80))
for ax, (name, density) in zip(
    axes[7:9], (("uniform", np.ones((80, 80))), ("ramp", ramp)), strict=True
):
    found = quantize_density(density, 60)
    ax.imshow(density, cmap="Greys", vmin=0, vmax=2, extent=(0, 1, 0, 1), origin="lower")
    ax.plot(found.centres[:, 1], found.centres[:, 0], "r.", markersize=5)
    ax.set_title(f"Lloyd on a {name} density", loc="left")
    print(f"{name}: energy {found.energy[0]:.5f} to {found.energy[-1]:.5f}")

# the thesis' counterexample k(x, y) = xy: g(λ) = 1 only at 0, so v₂ has nothing to converge to
for r in (0.5, 1.0, 2.5):
    for part in (np.linspace(-2, 1.45, 80), np.linspace(3.05, 6, 80)):
        axes[9].plot(part, [counterexample_g(v, r) for v in part], color=f"C{int(2 * r) % 5}")
axes[9].axhline(1.0, color="k", linewidth=0.7)
axes[9].axvspan(1.5, 3.0, alpha=0.15)
axes[9].set_title("g(λ) for r = 0.5, 1, 2.5; shaded: the degrees", loc="left", fontsize=10)
sample = counterexample_sample(200, 0.5, 0)
cut = SpectralClustering(2, affinity="precomputed", laplacian="unnormalized", assign_labels="sign")
cut.fit(np.outer(sample, sample))
axes[10].plot(sample, cut.eigenvectors_[:, 1], ".")
axes[10].set_title(
    f"second eigenvector: it cuts off {np.bincount(cut.labels_).min()} row", loc="left"
)
degrees = np.sort(cut.degrees_)
axes[11].plot(degrees[:12], "o", label="degrees")
axes[11].axhline(cut.eigenvalues_[1], color="r", label="λ₂")
axes[11].legend(fontsize=8)
axes[11].set_title("λ₂ lies between the two lowest degrees", loc="left")
report = cut.trust(subsamples=6)

# three components of iris, and the polytope of lemma 9 in three dimensions, k = 2
axes[12].scatter(*scores[:, :3].T, c=iris.target, s=8)
axes[12].set_title(f"{100 * pca.explained_variance_ratio_[:3].sum():.1f} % in three components")
cube = np.array([c for c in np.ndindex(2, 2, 2) if sum(c) <= 2])
top = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]])
axes[13].plot_trisurf(*top.T, alpha=0.4)
for a in cube:
    for b in cube:
        if np.abs(a - b).sum() == 1:
            axes[13].plot(*np.array([a, b]).T, "k", lw=0.8)
axes[13].scatter(1, 1, 0, color="r", s=40)
axes[13].set_title("polytope of lemma 9, k = 2: the two largest λ")
print(f"counterexample: {report.verdict}")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "unlabelled_clusters.png", dpi=80)
print(f"drawn: {folder / 'unlabelled_clusters.png'}")
