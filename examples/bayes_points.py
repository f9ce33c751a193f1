"""Version space: a billiard on the sphere and what a Fisher direction looks like beside it.

Figures 3.7 and 3.8 of Herbrich's book: the first bounces of a kernel billiard for points in three
dimensions, and two Gaussian classes with Fisher's discriminant; beside it ten points of each class
projected on its direction.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from mercer import BayesPointMachine
from mercer.kernels import Linear
from mercer.learners.bayes.point.billiard import play
from mercer.learners.bayes.point.version_space import VersionSpace, perceptron

# Figure 3.7: five bounces in the version space of six points.
rng = np.random.default_rng(4)
X = rng.normal(size=(6, 3))
y = np.sign(X @ np.array([0.6, 0.3, 1.0]))
space = VersionSpace.of(X @ X.T, y)
Z = y[:, None] * X / np.linalg.norm(X, axis=1, keepdims=True)
found = play(space, perceptron(space, rng), rng, tol=1e-3, keep=6)
path = np.array(found.trajectory) @ Z
centre = found.centre @ Z
model = BayesPointMachine(Linear(), reg_param=0.0).fit(X, y)
volume = model.version_space_volume()
low, high = volume.interval()
print(f"version space is {volume.volume:.4f} of the sphere, 95% interval {low:.4f} to {high:.4f}")
print(f"centre after {found.n_bounces} bounces: {np.round(centre, 3)}")

sphere = rng.normal(size=(4000, 3))
sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
inside = np.all(sphere @ Z.T > 0, axis=1)
figure = plt.figure(figsize=(18, 5.5))
ax = figure.add_subplot(1, 3, 1, projection="3d")
ax.scatter(*sphere[~inside].T, s=1, color="0.85")
ax.scatter(*sphere[inside].T, s=4, color="tab:blue", label="version space")
ax.plot(*path.T, color="tab:orange", lw=1.5, marker="o", ms=3, label="ball")
ax.scatter(*centre, s=90, marker="*", color="k", label="centre")
ax.view_init(elev=45, azim=np.degrees(np.arctan2(centre[1], centre[0])))
ax.set(title="3.7: five bounces")
ax.legend(fontsize=8)

# Figure 3.8: two Gaussian classes with a common covariance.
rng = np.random.default_rng(4)
noise = np.array([[1.0, 0.5], [0.5, 1.0]])
points = np.vstack([rng.normal(size=(40, 2)) @ noise + m for m in ([-1, 1], [1, -1])])
label = np.repeat([-1, 1], 40)
means = [points[label == c].mean(axis=0) for c in (-1, 1)]
within = sum(np.cov(points[label == c].T) for c in (-1, 1)) / 2
fisher = np.linalg.solve(within, means[1] - means[0])
bayes_point = BayesPointMachine(Linear() + 1.0, reg_param=1.0).fit(points, label)
w = bayes_point.dual_coef_[0] @ points
cosine = fisher @ w / np.linalg.norm(fisher) / np.linalg.norm(w)
print(f"cosine of the Fisher direction and the soft Bayes point: {cosine:.3f}")
ax = figure.add_subplot(1, 3, 2)
for c, marker in ((-1, "o"), (1, "s")):
    ax.plot(*points[label == c].T, marker, ms=4)
middle, across = (means[0] + means[1]) / 2, np.array([-fisher[1], fisher[0]])
line = middle + np.outer([-5, 5], across / np.linalg.norm(across))
ax.plot(*line.T, "k", label="Fisher's discriminant")
grid = np.linspace(-4, 4, 60)
mesh = np.array([[a, b] for b in grid for a in grid])
level = bayes_point.decision_function(mesh).reshape(60, 60)
ax.contour(grid, grid, level, levels=[0], colors="tab:red", linestyles="--")
ax.plot([], [], "r--", label="Bayes point")
ax.set(title="3.8: two Gaussian classes", xlim=(-4, 4), ylim=(-4, 4), aspect="equal")
ax.legend(frameon=False, fontsize=8)

# The other half of figure 3.8: ten points of each class and where they fall on Fisher's direction.
ax = figure.add_subplot(1, 3, 3)
unit = fisher / np.linalg.norm(fisher)
ax.plot(*(middle + np.outer([-3, 3], unit)).T, "k", label="Fisher's direction")
for c, marker, colour in ((-1, "o", "C0"), (1, "s", "C1")):
    cloud = points[label == c][:10]
    shadow = middle + np.outer((cloud - middle) @ unit, unit)
    for point, foot in zip(cloud, shadow, strict=True):
        ax.plot(*np.array([point, foot]).T, color="0.7", lw=0.7, zorder=0)
    ax.plot(*cloud.T, marker, ms=4, color=colour)
    ax.plot(*shadow.T, marker, ms=7, mfc="none", color=colour)
ax.set(title="3.8: ten of each, projected", xlim=(-4, 4), ylim=(-4, 4), aspect="equal")
ax.legend(frameon=False, fontsize=8)
figure.tight_layout()
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "bayes_points.png", dpi=80)
print(f"drawn: {folder / 'bayes_points.png'}")
