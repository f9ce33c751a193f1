"""What can be learned of a law that is known: figures of Banisch's lecture notes and of the slides.

Students who pass with probability x/(x + c) after x hours, neighbours on that law, the two parts of
an excess risk, the best line by enumeration, shattered points, and what VC bounds ask for.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle
from scipy.stats import norm

from mercer import SVC
from mercer.bounds import Evidence, get
from mercer.learners.discriminant import LinearERM
from mercer.learners.metric import KNNClassifier
from mercer.theory.neighbors import bayes_risk, nearest_neighbor_risk
from mercer.theory.shattering import count_dichotomies, unreachable

rng = np.random.default_rng(0)
figure, axes = plt.subplots(2, 4, figsize=(19, 9), layout="constrained")
axes = axes.ravel()

# students: x hours, uniform on [0, 4c], here with c = 1
hours = (np.arange(40_000) + 0.5) / 10_000
eta = hours / (hours + 1)
best, nearest = bayes_risk(eta), nearest_neighbor_risk(eta)
axes[0].plot(hours, eta, label="η(x) = x/(x + c)")
axes[0].fill_between(hours, np.minimum(eta, 1 - eta), alpha=0.3, label=f"errors: L* = {best:.4f}")
axes[0].axvline(1, color="k", ls="--", lw=0.8, label="Bayes rule: x > c")
axes[0].set(title="Students: pass or fail", xlabel="hours / c")
print(
    f"students: L* = {best:.6f}, ¼ ln(5e/4) = {np.log(1.25 * np.e) / 4:.6f}, L_NN = {nearest:.6f}"
)

# neighbours on that law: one goes to L_NN, many to L*
sizes = [10, 30, 100, 300, 1000]
for name, neighbours in (("1 neighbour", 1), ("⌈√n⌉ neighbours", "root")):
    risks = []
    for n in sizes:
        draws = []
        for _ in range(5):
            x = rng.uniform(0, 4, n)
            y = np.where(rng.random(n) < x / (x + 1), 1, -1)
            model = KNNClassifier(neighbours, certify=None).fit(x[:, None], y)
            says = model.predict(hours[::40, None])
            draws.append(np.mean(np.where(says == 1, 1 - eta[::40], eta[::40])))
        risks.append(np.mean(draws))
    axes[1].semilogx(sizes, risks, "o-", label=name)
    print(f"{name:<18}" + "".join(f"{r:>8.4f}" for r in risks))
axes[1].axhline(best, color="k", ls="--", lw=0.8, label="L*")
axes[1].axhline(nearest, color="k", ls=":", lw=0.8, label="L_NN")
axes[1].set(title="Neighbours: true risk over rows", xlabel="rows")

# figure 2.3: rules that are constant on k cells of [0, 4c], 200 rows
cells, split = [1, 2, 4, 8, 16, 32, 64, 128], []
for k in cells:
    place = np.minimum((hours / 4 * k).astype(int), k - 1)
    inside = np.bincount(place, eta) / np.bincount(place)
    within = np.mean(np.where(inside[place] > 0.5, 1 - eta, eta))
    draws = []
    for _ in range(30):
        x = rng.uniform(0, 4, 200)
        y = rng.random(200) < x / (x + 1)
        votes = np.bincount(np.minimum((x / 4 * k).astype(int), k - 1), 2 * y - 1.0, k)
        draws.append(np.mean(np.where(votes[place] > 0, 1 - eta, eta)))
    split.append((within - best, np.mean(draws) - within))
approximation, estimation = np.array(split).T
axes[2].semilogx(cells, approximation, "o-", label="approximation: inf over C − L*")
axes[2].semilogx(cells, estimation, "s-", label="estimation: L(chosen) − inf over C")
axes[2].semilogx(cells, approximation + estimation, "k--", label="excess risk")
axes[2].set(title="2.3: the two parts, 200 rows", xlabel="cells")

# the line with the fewest errors, by enumeration, on two Gaussian classes
rows = [20, 40, 80, 160]
excess, limit, optimum = [], [], norm.cdf(-1.0)
for n in rows:
    draws = []
    for _ in range(6):
        y = rng.choice([-1, 1], n)
        X = rng.normal(size=(n, 2)) + np.outer(y, [1.0, 0.0])
        model = LinearERM(certify=None).fit(X, y)
        w, b = model.coef_.ravel(), model.intercept_[0]
        risk = np.mean([norm.cdf(-(w[0] + s * b) / np.linalg.norm(w)) for s in (1, -1)])
        draws.append(risk - optimum)
    excess.append(np.mean(draws))
    limit.append(np.sqrt(2 / n * (3 * np.log(n) + 6)))
axes[3].loglog(rows, excess, "o-", label="measured excess over the best line")
axes[3].loglog(rows, limit, "k--", label="√(2/l((d+1) ln l + 2(d+1)))")
axes[3].loglog(rows, [2 / n for n in rows], "k:", label="d/l, the price of enumerating")
axes[3].set(title="Best line by enumeration, d = 2", xlabel="rows")
print("enumerated line, excess: " + "".join(f"{e:>8.4f}" for e in excess))

# figure 2.4: the diamond is shattered by boxes, five points are not
diamond = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]])
axes[4].plot(*diamond.T, "ko")
for k, chosen in enumerate(([0], [0, 1], [0, 2], [1, 2, 3])):
    low, high = diamond[chosen].min(axis=0) - 0.08 - 0.03 * k, diamond[chosen].max(axis=0) + 0.08
    axes[4].add_patch(Rectangle(low, *(high - low + 0.03 * k), fill=False, color=f"C{k}"))
five = np.vstack([diamond, [[0.15, 0.1]]])
axes[4].plot(*five[4], "rx", ms=9, label="a fifth: in any box of all four")
reached = count_dichotomies(diamond, "boxes")
axes[4].set(title=f"2.4: boxes cut out {reached} of 16 subsets", aspect="equal", ylim=(-1.4, 1.7))
print(f"diamond: {reached} of 16; five points: {count_dichotomies(five, 'boxes')} of 32, ", end="")
print(f"not {unreachable(five, 'boxes')}")

# VC bounds of the notes and of the slides, for lines in the plane
many = np.geomspace(100, 1e7, 40).astype(int)
lines = {
    "enumerated lines (theorem 2.14)": ("erm-linear", {"formulation": "erm-enumeration"}),
    "shatter coefficients (theorem 2.18)": ("erm-excess-shatter", {"formulation": "erm"}),
}
for name, (code, facts) in lines.items():
    records = [Evidence(int(n), errors=0, dimension=2, offset=0.0, **facts) for n in many]
    axes[5].loglog(many, [get(code)().evaluate(e).unclipped for e in records], label=name)
for h in (3, 10, 100):
    confidence = np.sqrt((h * (np.log(2 * many / h) + 1) + np.log(4 / 0.05)) / many)
    axes[5].loglog(many, confidence, "--", label=f"VC confidence of the slides, h = {h}")
axes[5].axhline(1, color="0.7", lw=0.8)
axes[5].set(title="Widths of VC bounds, δ = 0.05", xlabel="rows")

# the VC dimension that a margin allows, against d + 1
gaps, dimension = np.linspace(0.05, 1.0, 12), []
for gap in gaps:
    X = rng.uniform(-1, 1, size=(200, 20)) / np.sqrt(20)
    y = np.sign(X[:, 0])
    X[:, 0] += gap * y
    machine = SVC(kernel="linear", C=np.inf, fit_intercept=False, certify=None).fit(X, y)
    dimension.append(np.square(X).sum(axis=1).max() * np.square(machine.coef_).sum())
axes[6].semilogy(gaps, dimension, "o-", label="R²‖w‖² of the hard margin")
axes[6].axhline(21, color="k", ls="--", label="d + 1 = 21")
axes[6].set(title="Margin instead of dimension", xlabel="gap added to each class")
print(f"R²‖w‖² from {dimension[0]:.1f} to {dimension[-1]:.2f}, d + 1 = 21")

# sets of the slides: circles around the origin
radii = np.array([[0.5, 0.0], [0.0, 1.0], [1.5, 0.0]])
names = ("circles", "signed circles", "half-lines", "affine", "boxes")
counts = np.array([[count_dichotomies(rng.normal(size=(m, 2)) if c != "half-lines"
                    else rng.normal(size=m), c) for m in range(1, 7)] for c in names])  # fmt: skip
for name, row in zip(names, counts, strict=True):
    axes[7].semilogy(range(1, 7), row, "o-", label=name)
axes[7].semilogy(range(1, 7), 2.0 ** np.arange(1, 7), "k:", label="2ˡ")
axes[7].set(title="Labelings reached on random points", xlabel="points")
print(f"sign(q‖x‖² − b) on three radii: {count_dichotomies(radii, 'signed circles')} of 8")
for ax in axes:
    ax.legend(fontsize=8)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "lecture_risks.png", dpi=75)
print(f"drawn: {folder / 'lecture_risks.png'}")
