"""Regression, neighbours, logistic maps and digits: figures of Peyré's lecture notes, drawn again.

A joint density with its conditional mean, iris regions for growing numbers of neighbours, logistic
maps that harden, losses above the error, and ten digits in the plane of two components.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from scipy.stats import norm

from mercer import KernelRidge
from mercer.datasets import load_digits, load_iris, make_moons
from mercer.learners.discriminant import KernelLogistic, LogisticClassifier
from mercer.learners.metric import KNNClassifier
from mercer.learners.spectral import PCA

rng = np.random.default_rng(0)
figure = plt.figure(figsize=(22, 17), layout="constrained")
axes = [figure.add_subplot(4, 5, i + 1, projection="3d" if i == 15 else None) for i in range(20)]

# figures 12.8 to 12.10: y given x is normal around a curve; the best line only follows its trend
side = np.linspace(-3, 3, 120)
curve = np.sin(1.5 * side) + 0.4 * side
joint = norm.pdf(side)[None, :] * norm.pdf(side[:, None], curve[None, :], 0.4)
slope = np.sum(norm.pdf(side) * side * curve) / np.sum(norm.pdf(side) * side**2)
axes[0].contourf(side, side, joint, levels=15, cmap="Greys")
axes[0].plot(side, curve, "r", label="E(y | x)")
axes[0].plot(side, slope * side, "b--", label=f"best line, slope {slope:.2f}")
axes[0].set(title="12.8–12.10: joint density", xlabel="x", ylabel="y", ylim=(-3, 3))
axes[0].legend(fontsize=8)

# figures 12.11 and 12.12: iris in two components, R neighbours (of a star: red lines)
iris = load_iris()
plane = PCA(2).fit_transform(iris.X)
low, high = plane.min(axis=0) - 0.5, plane.max(axis=0) + 0.5
u, v = (np.linspace(a, b, 100) for a, b in zip(low, high, strict=True))
mesh = np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 2)
number = np.unique(iris.y, return_inverse=True)[1]
for ax, R in zip(axes[1:5], (1, 5, 10, 40), strict=True):
    model = KNNClassifier(R, certify=None).fit(plane, number)
    ax.contourf(
        u, v, model.predict(mesh).reshape(100, 100), levels=[-0.5, 0.5, 1.5, 2.5], alpha=0.3
    )
    ax.scatter(*plane.T, c=number, s=8)
    wrong = int(np.sum(model.predict(plane) != number))
    ax.set_title(f"12.11–12: R = {R}, {wrong} training errors")
    query = np.array([0.6, 0.6])
    ax.plot(*query, "r*")
    for i in np.argsort(np.linalg.norm(plane - query, axis=1))[:R]:
        ax.plot(*np.array([query, plane[i]]).T, "r", lw=0.5)
    print(f"iris, {R:>2} neighbours: {wrong} training errors")

# figure 12.13: logistic maps of growing ‖β‖, on the line and in the plane
for size, ax in zip((0.5, 2, 10), axes[6:9], strict=True):
    axes[5].plot(side, expit(size * side), label=f"‖β‖ = {size:g}")
    beta = size * np.array([0.8, 0.6])
    height = expit(beta[0] * side[None, :] + beta[1] * side[:, None])
    ax.contourf(side, side, height, levels=np.linspace(0, 1, 11), cmap="coolwarm")
    ax.set(title=f"12.13: ‖β‖ = {size:g}", aspect="equal")
axes[5].set(title="12.13: θ(⟨x, β⟩)", xlabel="x")
axes[5].legend(fontsize=8)

# figure 12.14: every loss above the error, the logistic one divided by ln 2
s = np.linspace(-2.5, 2, 300)
curves = {
    "hinge": np.maximum(1 + s, 0),
    "logistic / ln 2": np.logaddexp(0, s) / np.log(2),
    "exponential": np.exp(s),
    "square": (1 + s) ** 2,
}
for name, values in curves.items():
    assert np.all(values >= (s >= 0) - 1e-12)
    axes[9].plot(s, values, label=name)
axes[9].step(s, s >= 0, "k", label="error")
axes[9].set(title="12.14: losses above the error", xlabel="−y⟨x, β⟩", ylim=(0, 4))
axes[9].legend(fontsize=8)

# figure 12.15: two Gaussian classes, ω apart
for ax, omega in zip(axes[10:13], (0.5, 1.5, 3.0), strict=True):
    y = np.repeat([-1, 1], 100)
    X = rng.normal(size=(200, 2)) + np.outer(y, [omega / 2, 0])
    model = LogisticClassifier(C=100.0, certify=None).fit(X, y)
    grid = np.stack(np.meshgrid(2 * side, 2 * side), axis=-1).reshape(-1, 2)
    chance = model.predict_proba(grid)[:, 1].reshape(120, 120)
    ax.contourf(
        2 * side, 2 * side, chance, levels=np.linspace(0, 1, 11), cmap="coolwarm", alpha=0.6
    )
    ax.contour(2 * side, 2 * side, chance, levels=[0.5], colors="k")
    ax.scatter(*X.T, c=y, cmap="coolwarm", s=6)
    length = float(np.linalg.norm(model.coef_))
    ax.set_title(f"12.15: ω = {omega:g}, ‖β‖ = {length:.2f}")
    print(f"ω = {omega:g}: ‖β‖ = {length:.2f}, {np.sum(model.predict(X) != y)} training errors")

# figures 12.16 and 12.17: digits, their components, and the map of ten probabilities
digits = load_digits()
number = np.asarray(digits.y).astype(int)
strip = np.hstack([digits.X[np.flatnonzero(number == k)[0]].reshape(8, 8) for k in range(10)])
axes[13].imshow(np.vstack([strip[:, :40], np.zeros((3, 40)), strip[:, 40:]]), cmap="Greys")
axes[13].set(title="12.16: digits of 8 × 8", xticks=[], yticks=[])
scores = PCA(3).fit_transform(digits.X) / 10
tint = plt.get_cmap("tab10")(np.arange(10))[:, :3]
axes[14].scatter(*scores[:, :2].T, c=tint[number], s=3)
axes[14].set_title("12.16: two components")
axes[15].scatter(*scores.T, c=tint[number], s=2)
axes[15].set_title("12.16: three components")
model = LogisticClassifier(C=1.0, certify=None).fit(scores[:, :2], number)
u = np.linspace(-3.5, 3.5, 90)
mesh = np.stack(np.meshgrid(u, u), axis=-1).reshape(-1, 2)
maps = model.predict_proba(mesh)
tiles = [maps[:, k].reshape(90, 90)[::-1] for k in range(9)]
axes[16].imshow(np.vstack([np.hstack(tiles[i : i + 3]) for i in (0, 3, 6)]), cmap="Greys")
for cut in (90, 180):
    axes[16].axhline(cut, color="0.6", lw=0.8)
    axes[16].axvline(cut, color="0.6", lw=0.8)
axes[16].set(title="12.17: P(0) to P(8), row by row", xticks=[], yticks=[])
axes[17].imshow((maps @ tint).reshape(90, 90, 3), origin="lower", extent=(-3.5, 3.5, -3.5, 3.5))
axes[17].set_title("12.17: colours mixed by probability")
print(f"digits in two components: {model.score(scores[:, :2], number):.3f} right")

# figure 12.18: kernel ridge on the line for several widths; figure 12.19: a kernel in the plane
x = np.sort(rng.uniform(-3, 3, 30))
y = np.sin(2 * x) + 0.2 * rng.normal(size=30)
axes[18].plot(x, y, "k.")
for sigma in (0.1, 0.5, 2.0):
    ridge = KernelRidge(0.1, kernel="rbf", gamma=1 / (2 * sigma**2), certify=None)
    axes[18].plot(side, ridge.fit(x[:, None], y).predict(side[:, None]), label=f"σ = {sigma:g}")
axes[18].set(title="12.18: kernel ridge", xlabel="x", ylim=(-2, 2))
axes[18].legend(fontsize=8)
X, y, _ = make_moons(150, scale=0.3, random_state=0)
model = KernelLogistic(C=10.0, gamma=1.0, certify=None).fit(X, y)
chance = model.predict_proba(grid / 2)[:, 1].reshape(120, 120)
axes[19].contourf(side, side, chance, levels=np.linspace(0, 1, 11), cmap="coolwarm", alpha=0.6)
axes[19].contour(side, side, chance, levels=[0.5], colors="k")
axes[19].scatter(*X.T, c=y, cmap="coolwarm", s=8)
axes[19].set_title("12.19: kernel logistic")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "lecture_maps.png", dpi=65)
print(f"drawn: {folder / 'lecture_maps.png'}")
