"""Steps of the proofs, watched: figures of chapter 4 and appendices A and C of Herbrich's book.

A plug-in rule that never becomes good, empty cells in many dimensions, ghost samples, swaps between
two halves, the cone of consistent rules, a cover that answers for its class, and Scheffé's set.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binom, norm

from mercer.bounds import Evidence, get
from mercer.theory.plug_in import l1_distance
from mercer.theory.simulate import (
    ghost_sample,
    ghost_sample_zero_error,
    plug_in_failure,
    swapping_probability,
)

rng = np.random.default_rng(0)
figure = plt.figure(figsize=(23, 9), layout="constrained")
axes = [figure.add_subplot(2, 5, i + 1, projection="3d" if i == 8 else None) for i in range(10)]

# example 4.2: the parameters converge, the rule does not
rows = np.array([5, 10, 30, 100, 300, 1000, 3000, 10_000])
estimates = np.array([plug_in_failure(int(m), random_state=1)[0] for m in rows])
axes[0].semilogx(rows, np.abs(estimates - [1, 2]).max(axis=1), "o-", label="error of θ")
for tie, style in ((2, "s-"), (1, "^-")):
    risks = [plug_in_failure(int(m), tie=tie, random_state=1)[1] for m in rows]
    axes[0].semilogx(rows, risks, style, label=f"risk, ties to class {tie}")
    print(f"example 4.2: risk {risks[-1]:.3f} with ties to class {tie}; the Bayes risk is 0")
axes[0].set(title="4.1: θ converges, the plug-in rule does not", xlabel="rows", ylim=(-0.05, 1.2))
axes[0].legend(fontsize=8)

# figure 4.3: ten cells per axis; what 1000 uniform rows see of them
dimensions = np.arange(1, 7)
seen = [len(np.unique(rng.integers(0, 10, (1000, d)), axis=0)) / 10**d for d in dimensions]
axes[1].semilogy(dimensions, 10.0**dimensions, "o-", label="cells")
axes[1].semilogy(dimensions, seen, "s-", label="share of them that 1000 rows hit")
axes[1].set(title="4.3: ten cells per axis", xlabel="dimension")
axes[1].legend(fontsize=8)

# figure C.1: both sides of the basic lemmas over the deviation
law, m = [0.5], 200
deviations = np.linspace(0.102, 0.13, 8)
found = [ghost_sample(law, m, e) for e in deviations]
axes[2].plot(deviations, [f.left for f in found], "C0-", label="one sample, P(sup > ε)")
axes[2].plot(deviations, [f.right for f in found], "C0--", label="2 P(two samples, sup > ε/2)")
rare = np.full(40, 0.025)
misses = np.linspace(0.011, 0.0245, 8)
found = [ghost_sample_zero_error(rare, m, e) for e in misses]
axes[2].plot(misses, [f.left for f in found], "C1-", label="unseen although P > ε")
axes[2].plot(misses, [f.right for f in found], "C1--", label="2 P(unseen here, > ε/2 there)")
axes[2].set(title=f"C.1: ghost samples, m = {m}", xlabel="ε", yscale="log")
axes[2].legend(fontsize=8)


def halves(ax, pattern, title, free):
    """A double sample: crosses are errors, double arrows join pairs that may be swapped."""
    n = len(pattern)
    for pair, marks in enumerate(pattern):
        for half, mark in enumerate(marks):
            ax.plot(pair + 1, half, "rx" if mark else "ko", ms=10, mfc="white")
            ax.annotate(str(pair + 1 + half * n), (pair + 1, half + 0.12), ha="center", fontsize=9)
        if free[pair]:
            ax.annotate("", (pair + 1, 0.9), (pair + 1, 0.3), arrowprops={"arrowstyle": "<->"})
    ax.set(title=title, yticks=[0, 1], yticklabels=["first half", "ghost"], ylim=(-0.4, 1.5))
    ax.set_xticks([])


# figure C.2: two errors of the ghost half must stay there
pattern = np.array([[0, 0], [0, 1], [0, 0], [0, 1], [0, 0]], dtype=bool)
chance = swapping_probability(pattern)
halves(axes[3], pattern, f"C.2: swaps keep 7 and 9 there: {chance:.3f} ≈ 2⁻²", ~pattern.any(axis=1))
print(f"figure C.2: chance of no error in the first half {chance:.4f} by simulation; it is 1/4")

# figure C.3: six errors in seven pairs; a pair of two errors cannot be told from its swap
count = np.arange(7)
axes[4].bar(count - 0.2, binom.pmf(count, 6, 0.5), 0.4, label="six pairs with one error")
axes[4].bar(
    count + 0.2, binom.pmf(count - 1, 4, 0.5), 0.4, label="one pair with two, four with one"
)
axes[4].set(title="C.3: errors in the first half under swaps", xlabel="errors, m = 7, six in all")
axes[4].set_ylim(0, 0.5)
axes[4].legend(fontsize=8)

# figure C.4: every direction within the angle of the smallest normalised margin is consistent
angle = rng.uniform(-1.05, 1.05, 12)
points = rng.uniform(0.4, 1, 12)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
sine = (points[:, 0] / np.linalg.norm(points, axis=1)).min()  # y⟨w, x⟩/‖x‖ for w = (1, 0)
width = np.arcsin(sine)
turns = np.linspace(-np.pi, np.pi, 721)
right = np.all(np.column_stack([np.cos(turns), np.sin(turns)]) @ points.T > 0, axis=1)
assert right[np.abs(turns) < width - 1e-9].all()
axes[5].plot(np.cos(turns), np.sin(turns), color="0.8")
axes[5].plot(np.cos(turns[right]), np.sin(turns[right]), "C0", lw=5, alpha=0.4, label="consistent")
cone = np.array([[np.cos(width), np.sin(width)], [0, 0], [np.cos(width), -np.sin(width)]])
axes[5].plot(*cone.T, "k--", label=f"sin = γ/‖x‖ = {sine:.2f}")
axes[5].plot(*points.T, "o", color="C1", ms=4, label="y x")
axes[5].annotate("", (1, 0), (0, 0), arrowprops={"arrowstyle": "->"})
axes[5].set(title="C.4: a cone of consistent rules around w", aspect="equal")
axes[5].legend(fontsize=8, loc="lower left")

# figure 4.6: what a cover element within ε says about a large margin and about an error
eps = 0.25
outputs = {"margin > 2ε": np.array([0.62, 0.8]), "one error": np.array([0.62, -0.12])}
for shift, (name, value) in enumerate(outputs.items()):
    x = np.array([1, 2]) + 2.5 * shift
    axes[6].errorbar(x, value, eps, fmt="o", capsize=5, label=f"f, {name}; its cover is in the bar")
axes[6].axhline(0, color="k", lw=0.8)
for level in (eps, 2 * eps):
    axes[6].axhline(level, color="0.6", ls="--", lw=0.8)
axes[6].set(title="4.6: the cover is ≥ ε if the margin is, < ε at an error", ylim=(-0.6, 1.5))
axes[6].set(yticks=[0, eps, 2 * eps], yticklabels=["0", "ε", "2ε"])
axes[6].set_xticks([1, 2, 3.5, 4.5], ["x₁", "x₂", "x₁", "x₂"])
axes[6].legend(fontsize=8)

# figure A.1: Scheffé's set {p > q}
p, q = norm(0, 1).pdf, norm(1.2, 1.5).pdf
x = np.linspace(-4, 6, 600)
axes[7].plot(x, p(x), label="p")
axes[7].plot(x, q(x), label="q")
axes[7].fill_between(x, p(x), q(x), where=p(x) > q(x), alpha=0.3, label="p > q")
axes[7].fill_between(x, p(x), q(x), where=p(x) <= q(x), alpha=0.3, label="p ≤ q: the same area")
half = l1_distance(p, q, -12, 14) / 2
axes[7].set(title=f"A.1: each area is half of ∫|p − q|: {half:.3f}", xlabel="x")
axes[7].legend(fontsize=8)

# figure 4.3 again: the cells themselves, five per axis, in one, two and three dimensions
ticks = np.linspace(0, 1, 6)
axes[8].plot(ticks, 0 * ticks - 1.5, 0 * ticks, "C0|-", ms=8)
for a in ticks:
    axes[8].plot([a, a], [-1.1, -0.1], [0, 0], "C1", lw=0.8)
    axes[8].plot([0, 1], [a - 1.1, a - 1.1], [0, 0], "C1", lw=0.8)
    for b in ticks:
        axes[8].plot([a, a], [b + 0.4, b + 0.4], [0, 1], "C2", lw=0.4)
        axes[8].plot([0, 1], [a + 0.4, a + 0.4], [b, b], "C2", lw=0.4)
        axes[8].plot([a, a], [0.4, 1.4], [b, b], "C2", lw=0.4)
axes[8].set(title="4.3: 5, 25 and 125 cells", xticks=[], yticks=[], zticks=[])
axes[8].set_aspect("equal")

# vacuity: fewest rows at which a bound is below one, no training errors
dimensions = [2, 5, 10, 20, 50, 100, 200]
for code in ("vc", "vc-relative", "vc-zero-error", "vc-multiplicative", "vc-additive"):
    records = [Evidence(10**7, errors=0, dimension=d - 1, offset=0.0) for d in dimensions]
    needed = [get(code)().evaluate(e).sample_size(1 - 1e-12) for e in records]
    axes[9].loglog(dimensions, needed, "o--" if code == "vc-relative" else ".-", label=code)
    print(f"{code:<18} is below 1 from n = " + "".join(f"{n:>8}" for n in needed))
axes[9].set(title="Rows until a bound is below 1, no errors", xlabel="VC dimension")
axes[9].legend(fontsize=8)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "theory_proofs.png", dpi=75)
print(f"drawn: {folder / 'theory_proofs.png'}")
