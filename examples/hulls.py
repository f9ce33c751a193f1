"""The geometric view: nearest points of two hulls, the hard margin, and the smallest ball."""

import sys
from pathlib import Path

import matplotlib
import numpy as np
from scipy.spatial import ConvexHull

import mercer
from mercer.kernels import Linear
from mercer.learners.margin import enclosing_ball, nearest_hull_points

matplotlib.use("Agg")
import matplotlib.pyplot as plt

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
rng = np.random.default_rng(3)
X = np.vstack([rng.normal([-1.6, 0], 0.7, (40, 2)), rng.normal([1.6, 0.6], 0.7, (40, 2))])
y = np.repeat([-1, 1], 40)
hulls = nearest_hull_points(X, y)
machine = mercer.SVC(kernel="linear", C=np.inf, tol=1e-8).fit(X, y)
ball = enclosing_ball(X, Linear())
print(f"distance of the hulls {hulls.distance:.4f}")
print(f"margin of the machine {machine.diagnostics_.geometrical_margins.min():.4f} (half of it)")
print(f"radius of the ball    {ball.radius:.4f}")

figure, ax = plt.subplots(figsize=(6.4, 5.2), layout="constrained")
for side, colour in ((-1, "tab:blue"), (1, "tab:orange")):
    points = X[y == side]
    ax.scatter(*points.T, s=18, color=colour)
    corners = points[ConvexHull(points).vertices]
    ax.fill(*corners.T, color=colour, alpha=0.15)
low, high = hulls.points(X)
ax.plot(*np.array([low, high]).T, "k.-", markersize=9, label="nearest points")
middle, normal = (low + high) / 2, (high - low) / hulls.distance
along = np.array([-normal[1], normal[0]])
ends = np.array([middle - 3 * along, middle + 3 * along])
ax.plot(*ends.T, "k-", linewidth=1.5, label="hard margin")
for shift in (-hulls.margin, hulls.margin):
    ax.plot(*(ends + shift * normal).T, "k--", linewidth=0.8)
ax.add_patch(plt.Circle(ball.weights @ X, ball.radius, fill=False, color="0.4"))
ax.plot(*(ball.weights @ X), "+", color="0.4", label="centre of the smallest ball")
ax.set_aspect("equal")
ax.legend(frameon=False)
figure.savefig(folder / "hulls.png", dpi=110)
