"""Every bound of one machine against its true risk, as the sample grows.

Two Gaussian classes in five dimensions, where the risk of a linear machine is known in closed form.
The hold-out bound is drawn beside the bounds that spend no rows.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

from mercer import SVC, certified_fit

sizes = [100, 300, 1000, 3000, 10_000]
codes = ["vc", "vc-multiplicative", "vc-split", "gaussian-margin", "rademacher", "compression",
         "scenario"]  # fmt: skip
rng = np.random.default_rng(0)


def draw(n):
    """The risk of one machine and what each bound says about it."""
    y = rng.choice([-1, 1], n)
    X = rng.normal(size=(n, 5))
    X[:, 0] += 1.5 * y
    machine = SVC(kernel="linear", C=0.1).fit(X, y)
    w, b = machine.coef_.ravel(), machine.intercept_[0]
    length = np.linalg.norm(w)
    risk = np.mean([norm.cdf(-(1.5 * w[0] + s * b) / length) for s in (1, -1)])
    found = {code: machine.certificates_[code].unclipped for code in codes}
    held = certified_fit(SVC(kernel="linear", C=0.1), X, y, mode="holdout", random_state=0)
    return {**found, "hold-out": held.certificate_.value, "risk": risk}


draws = {n: [draw(n) for _ in range(8 if n < 5000 else 2)] for n in sizes}
names = [*codes, "hold-out", "risk"]
table = {name: [np.mean([d[name] for d in draws[n]]) for n in sizes] for name in names}
print(f"{'rows':<20}" + "".join(f"{n:>9}" for n in sizes))
figure, ax = plt.subplots(figsize=(7, 4.5))
for name, values in table.items():
    print(f"{name:<20}" + "".join(f"{v:>9.3f}" for v in values))
    style = {"risk": "k-", "hold-out": "k--"}.get(name, "o-")
    ax.loglog(sizes, values, style, label=name)
ax.axhline(1.0, color="0.8", zorder=0)
ax.set(
    xlabel="rows",
    ylabel="error rate",
    title="Bounds against the true risk (means over draws)",
    ylim=(0.03, 5),
)
ax.legend(fontsize=8, ncols=2)
figure.tight_layout()
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "theory_bounds_against_risk.png", dpi=100)
print(f"drawn: {folder / 'theory_bounds_against_risk.png'}")
