"""Laws, covers, few rows and stability: appendix A of Herbrich's book, and a table of digits.

The sparsity table (Graepel, Herbrich and Williamson 2001, ten digits against the rest, 60 000 rows)
is quoted; its bounds are computed here from the rows kept, by the exact tail instead of (5.16).
"""

import sys
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from mercer import SVC
from mercer.bounds import Compression, Evidence, get
from mercer.datasets import make_moons
from mercer.learners.discriminant import FisherDiscriminant
from mercer.learners.metric import KNNClassifier
from mercer.theory.covers import greedy_cover, greedy_packing, sup_distances
from mercer.theory.distributions import FAMILIES, binomial
from mercer.theory.gaussian import Normal, log_density
from mercer.theory.simulate import no_free_lunch
from mercer.theory.stability import delete_one, regularized_beta

figure, axes = plt.subplots(2, 4, figsize=(19, 9), layout="constrained")
axes = axes.ravel()

# figures A.2 and A.3: the laws of table A.1 (the printed parameters are unreadable; these are ours)
whole = np.arange(21)
for name, law, params in (
    ("binomial, 20 and 0.2", binomial(20), (0.2,)),
    ("binomial, 20 and 0.5", binomial(20), (0.5,)),
    ("Poisson, 2", FAMILIES["poisson"], (2.0,)),
    ("Poisson, 10", FAMILIES["poisson"], (10.0,)),
):
    mass = np.exp([law.log_density(float(i), *params) for i in whole])
    axes[0].plot(whole, mass, "o-", ms=4, lw=0.8, label=name)
    print(f"{name}: {mass.sum():.4f} of its mass is on 0 to 20")
axes[0].set(title="A.2: probabilities", xlabel="i")
x = np.linspace(0.01, 4, 400)
for name, params in (("exponential", (1.0,)), ("gamma", (3.0, 0.5)), ("normal", (2.0, 0.25))):
    axes[1].plot(x, [np.exp(FAMILIES[name].log_density(v, *params)) for v in x], label=name)
inside = x[x < 1]
axes[1].plot(inside, [np.exp(FAMILIES["beta"].log_density(v, 2.0, 3.0)) for v in inside])
axes[1].lines[-1].set_label("beta, 2 and 3")
axes[1].set(title="A.3: densities", xlabel="x")

# figure A.4: two normals in the plane
side = np.linspace(-3, 3, 61)  # the peak is one of them
for ax, rho in zip(axes[2:4], (0.0, 0.5), strict=True):
    normal = Normal(np.zeros(2), np.array([[1.0, rho], [rho, 1.0]]))
    height = np.exp([[log_density(normal, np.array([a, b])) for a in side] for b in side])
    ax.contourf(side, side, height, levels=12, cmap="Blues")
    ax.set(title=f"A.4: covariance {rho:g}, peak {height.max():.3f}", aspect="equal")

# figure A.5: a cover and a packing of the same planar set
rng = np.random.default_rng(0)
angle, reach = rng.uniform(0, 2 * np.pi, 400), np.sqrt(rng.random(400))
cloud = np.column_stack([1.6 * reach * np.cos(angle), reach * np.sin(angle)])
distances = np.linalg.norm(cloud[:, None] - cloud[None, :], axis=2)
eps = 0.6
cover, packing = greedy_cover(distances, eps), greedy_packing(distances, eps)
axes[4].plot(*cloud.T, ".", ms=2, color="0.6")
for i in cover:
    axes[4].add_patch(plt.Circle(cloud[i], eps, fill=False, color="C0", lw=0.8))
for i in packing:
    axes[4].add_patch(plt.Circle(cloud[i], eps / 2, color="C1", alpha=0.35))
axes[4].plot([], [], "C0", label=f"cover: {len(cover)} balls of radius ε")
axes[4].plot([], [], "C1", label=f"packing: {len(packing)} balls of radius ε/2, disjoint")
axes[4].set(title="A.5: cover and packing", aspect="equal", ylim=(-2, 2.4))
assert distances[np.ix_(packing, packing)][np.triu_indices(len(packing), 1)].min() > eps
print(f"cover {len(cover)}, packing {len(packing)}, sup-norm cover ", end="")
print(len(greedy_cover(sup_distances(cloud), eps)))

# the sparsity table: the perceptron keeps fewer rows and guarantees more
kept = {
    "perceptron": (740, 643, 1168, 1512, 1078, 1277, 823, 1103, 1856, 1920),
    "support vector machine": (1379, 989, 1958, 1900, 1224, 2024, 1527, 2064, 2332, 2765),
}
for shift, (name, counts) in zip((-0.2, 0.2), kept.items(), strict=True):
    records = [Evidence(60_000, compression=Compression(60_000, d)) for d in counts]
    percent = [100 * get("compression")().evaluate(e).value for e in records]
    axes[5].bar(np.arange(10) + shift, percent, 0.4, label=name)
    print(f"{name:<24}" + "".join(f"{p:>7.2f}" for p in percent))
axes[5].set(title="Digits: bound from the rows kept, %", xlabel="digit", xticks=range(10))
axes[5].set_ylim(0, 24)

# no free lunch: off the sample, over all labelings, every learner errs half of the time
sizes = [6, 12, 18, 24]
for name, learner in {"1 neighbour": KNNClassifier(1), "Fisher": FisherDiscriminant()}.items():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some labelings leave both classes with one mean
        off = [no_free_lunch(30, m, learner, draws=100) for m in sizes]
    axes[6].plot(sizes, off, "o-", label=name)
    print(f"no free lunch, {name:<12}" + "".join(f"{e:>7.3f}" for e in off))
axes[6].axhline(0.5, color="k", lw=0.8)
axes[6].set(title="No free lunch: error off the sample", xlabel="rows of 30", ylim=(0, 1))

# stability: how far the hinge loss moves when one row goes, against κ²/(2λm)
lam, rows, largest = 0.05, [30, 60, 120, 240], []


def fit(X, y, weight):
    machine = SVC(C=1 / (2 * lam * len(y)), gamma=1.0, fit_intercept=False, certify=None)
    return machine.fit(X, y, sample_weight=weight).decision_function


for m in rows:
    X, y, law = make_moons(m, scale=0.35, random_state=m)
    probe = delete_one(fit, lambda f, t: np.maximum(1 - t * f, 0), X, y, law.sample(300, 1))
    largest.append(probe.largest)
promised = [regularized_beta(1.0, 1.0, lam, m) for m in rows]
axes[7].loglog(rows, largest, "o-", label="largest change, every row deleted once")
axes[7].loglog(rows, promised, "k--", label="β = κ²/(2λm)")
axes[7].set(title="Stability: change of the hinge loss", xlabel="rows")
print("stability, measured over promised: ", np.round(np.divide(largest, promised), 2))
for ax in (axes[0], axes[1], axes[4], axes[5], axes[6], axes[7]):
    ax.legend(fontsize=8)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "theory_appendix.png", dpi=75)
print(f"drawn: {folder / 'theory_appendix.png'}")
