"""Machines of the lecture notes and of the slides, drawn again.

Perceptrons that turn, features that make classes separable, margins, kernel widths, noise, and the
same steps taken with weights and with kernels.
"""

import sys
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from mercer import SVC, datasets
from mercer.kernels import Linear, Polynomial
from mercer.learners.margin import KernelPerceptron, Perceptron, novikoff_report
from mercer.plots import DecisionRegionDisplay

rng = np.random.default_rng(0)
figure = plt.figure(figsize=(23, 13.5), layout="constrained")
axes = [figure.add_subplot(3, 5, i + 1, projection="3d" if i == 4 else None) for i in range(15)]

# figure 1.2: a label or a number
x = np.sort(rng.uniform(0, 3, 40))
axes[0].plot(x, np.sin(x) + 0.15 * rng.normal(size=40), ".", label="regression: y is a number")
axes[0].plot(x, np.sin(x), "C0", lw=0.8)
label = x + 0.3 * rng.normal(size=40) > 1.5
axes[0].plot(x, label - 2.5, "k.", label="classification: y is a label")
axes[0].step([0, 1.5, 3], [-2.5, -1.5, -1.5], "C1", where="post")
axes[0].set(title="1.2: two kinds of y", xlabel="x", yticks=[], ylim=(-3, 2.2))
axes[0].legend(fontsize=8)

# figures 2.1 and 2.2: a neuron, and how an update turns its weights
w, wrong = np.array([1.0, 0.25]), np.array([-0.35, 0.8])
for vector, name, colour in (
    (w, "w", "C0"),
    (wrong, "x, y = +1", "C1"),
    (w + wrong, "w + x", "C2"),
):
    axes[1].annotate("", vector, (0, 0), arrowprops={"arrowstyle": "->", "color": colour})
    axes[1].annotate(name, vector, xytext=(4, 4), textcoords="offset points", color=colour)
for vector, colour in ((w, "C0"), (w + wrong, "C2")):
    axes[1].axline((0, 0), (-vector[1], vector[0]), color=colour, ls="--", lw=0.8)
before, after = w @ wrong, (w + wrong) @ wrong
axes[1].set(title=f"2.2: ⟨w, x⟩ from {before:.2f} to {after:.2f}", xlim=(-1, 1.5), ylim=(-0.5, 1.5))
axes[1].set_aspect("equal")

# figure 2.1: a perceptron is one neuron
names = ["x₁", "x₂", "x₃", "1"]
for height, (name, weight) in enumerate(zip(names, ["w₁", "w₂", "w₃", "−θ"], strict=True)):
    axes[12].annotate(name, (0, 3 - height), ha="center", va="center", fontsize=12)
    axes[12].annotate("", (0.85, 1.5), (0.08, 3 - height), arrowprops={"arrowstyle": "->"})
    axes[12].annotate(weight, (0.3, 3.05 - height + 0.35 * (height - 1.5)), fontsize=10)
axes[12].annotate("Σ", (1, 1.5), ha="center", va="center", fontsize=16, bbox={"boxstyle": "circle"})
axes[12].annotate("", (1.7, 1.5), (1.15, 1.5), arrowprops={"arrowstyle": "->"})
axes[12].annotate("sign", (1.85, 1.5), ha="center", va="center", fontsize=12)
axes[12].set(title="2.1: a perceptron as one neuron", xlim=(-0.2, 2.1), ylim=(-0.6, 3.6))
axes[12].axis("off")

# updates against Novikoff's limit as two points of one class become opposite; and no separation
angles, made, most = [60, 100, 140, 160, 170, 175], [], []
for degrees in angles:
    half = np.radians(degrees) / 2
    X = np.array([[np.cos(half), np.sin(half)], [np.cos(half), -np.sin(half)]])
    X[1] *= 0.07  # a short one needs many steps to undo one step of a long one
    model = Perceptron(fit_intercept=False, max_iter=5000).fit(np.vstack([X, -X]), [1, 1, -1, -1])
    report = novikoff_report(model, np.vstack([X, -X]), [1, 1, -1, -1])
    made.append(report.updates)
    most.append(report.limit)
axes[2].semilogy(angles, made, "o-", label="updates")
axes[2].semilogy(angles, most, "k--", label="limit R²/γ²")
axes[2].set(title="Nearly opposite points of one class", xlabel="angle between them, degrees")
axes[2].legend(fontsize=8)
noisy = rng.normal(size=(60, 2))
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    stuck = Perceptron(max_iter=30).fit(noisy, rng.choice([-1, 1], 60))
print(f"not separable: {stuck.mistakes_.n_updates} updates in 30 sweeps; {said[0].message}")

# the slides: weights and kernels take the same steps
X, y, _ = datasets.make_gaussian(60, random_state=0)
runs = (
    Perceptron(fit_intercept=False, max_iter=20),
    KernelPerceptron(kernel=Linear(), max_iter=20),
)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the classes overlap: both stop at the limit of sweeps
    primal, dual = (run.fit(X, y) for run in runs)
axes[3].plot(primal.decision_function(X), dual.decision_function(X), ".")
far = float(np.abs(primal.decision_function(X) - dual.decision_function(X)).max())
axes[3].set(
    title=f"Primal and dual perceptron differ by {far:.0e}", xlabel="⟨w, x⟩", ylabel="Σ α k"
)

# figure 3.1: rings become separable by a plane
X, y = make_circles(200, factor=0.4, noise=0.06, random_state=0)
phi = np.column_stack([X[:, 0] ** 2, np.sqrt(2) * X[:, 0] * X[:, 1], X[:, 1] ** 2])
axes[4].scatter(*phi.T, c=y, cmap="coolwarm", s=8)
axes[4].set(title="3.1: (x₁², √2 x₁x₂, x₂²)")
plane = SVC(kernel="linear", C=np.inf, certify=None).fit(phi, y)
print(f"rings: {np.sum(plane.predict(phi) != y)} errors of a plane, ", end="")
Z = rng.normal(size=(50, 2))
full = [np.ones(50), *(np.sqrt(2) * Z.T), *(Z.T**2), np.sqrt(2) * Z[:, 0] * Z[:, 1]]
gap = np.abs(np.column_stack(full) @ np.array(full) - Polynomial(degree=2, coef0=1.0)(Z)).max()
print(f"(1 + xᵀz)² against ⟨φ, φ⟩: {gap:.0e}")

# figure 3.2: hinge loss and strip; figure 3.4: support vectors
t = np.linspace(-2, 3, 200)
axes[5].plot(t, np.maximum(1 - t, 0), label="hinge")
axes[5].step(t, t <= 0, "k", lw=0.8, label="error")
axes[5].set(title="3.2: hinge loss", xlabel="y f(x)")
axes[5].legend(fontsize=8)
X, y, _ = datasets.make_gaussian(80, random_state=3)
strip = SVC(kernel="linear", C=1.0).fit(X[:, :2], y)
width = 2 / np.linalg.norm(strip.coef_)
shown = {"grid": 120, "legend": False}
DecisionRegionDisplay.from_estimator(
    strip, X[:, :2], y, ax=axes[6], title=f"3.2, 3.4: strip 2/‖w‖ = {width:.2f}", **shown
)

# figure 3.3: narrower kernels
X, y, _ = datasets.make_moons(100, scale=0.35, random_state=2)
for ax, sigma in zip(axes[7:10], (2.0, 0.5, 0.15), strict=True):
    model = SVC(C=5.0, gamma=1 / (2 * sigma**2)).fit(X, y)
    wrong = int(np.sum(model.predict(X) != y))
    title = f"3.3: σ = {sigma:g}, {wrong} training errors"
    DecisionRegionDisplay.from_estimator(model, X, y, ax=ax, title=title, **shown)

# the slides: (x, x²) on the line, and what a few flipped labels do to a hard margin
x = np.linspace(-2, 2, 15)
side = np.where(np.abs(x) < 0.9, 1, -1)
axes[10].scatter(x, np.zeros(15), c=side, cmap="coolwarm", s=14)
axes[10].scatter(x, x**2, c=side, cmap="coolwarm", s=30, marker="s")
line = SVC(kernel="linear", C=np.inf, certify=None).fit(np.column_stack([x, x**2]), side)
axes[10].axhline(-line.intercept_[0] / line.coef_[0, 1], color="k", lw=0.8)
axes[10].set(title="Slides: x alone, and (x, x²) with its line", xlabel="x")
fresh, truth, _ = datasets.make_moons(3000, scale=0.2, random_state=6)
flips, errors = [0, 2, 4, 8, 16], {"hard margin": [], "C = 1": []}
X, y, _ = datasets.make_moons(150, scale=0.2, random_state=5)
for count in flips:
    spoiled = y.copy()
    spoiled[rng.permutation(150)[:count]] *= -1
    for name, C in (("hard margin", 1e6), ("C = 1", 1.0)):
        machine = SVC(C=C, gamma=2.0, certify=None).fit(X, spoiled)
        errors[name].append(np.mean(machine.predict(fresh) != truth))
for name, values in errors.items():
    axes[11].plot(flips, values, "o-", label=name)
    print(f"{name:<12}" + "".join(f"{v:>8.3f}" for v in values))
axes[11].set(title="Slides: flipped labels of 150", xlabel="flipped", ylabel="error on fresh rows")
axes[11].legend(fontsize=8)
hard = SVC(C=1e6, gamma=2.0, certify=None).fit(X, spoiled)  # 16 labels are flipped
DecisionRegionDisplay.from_estimator(
    hard, X, spoiled, ax=axes[13], title="Slides: a hard margin follows noise", **shown
)

# the slides: a line in the features (x₁, x₂², x₁x₂) is a curve in the plane
X = rng.uniform(-1, 1, size=(150, 2))
y = np.where(X[:, 0] + 2 * X[:, 1] ** 2 - X[:, 0] * X[:, 1] > 0.5, 1, -1)
lifted = make_pipeline(
    FunctionTransformer(lambda Z: np.column_stack([Z[:, 0], Z[:, 1] ** 2, Z[:, 0] * Z[:, 1]])),
    SVC(kernel="linear", C=100.0),
)
lifted.fit(X, y)
DecisionRegionDisplay.from_estimator(
    lifted, X, y, ax=axes[14], title="Slides: linear in (x₁, x₂², x₁x₂)", **shown
)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "lecture_machines.png", dpi=70)
print(f"drawn: {folder / 'lecture_machines.png'}")
