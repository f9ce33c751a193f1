"""How many rows until a bound says anything: growth, margins, and covers.

Left: the exponent of the growth function (figure 4.2 of Herbrich's book). Right: the rows needed by
three margin bounds before they fall below one (figure 4.8), as the ratio of radius to margin grows;
dashed, the rows from which the first theorem may be used at all (remark 4.33). Crosses: the robust
bound (4.33) with all rows at margin one, and with a single row at margin zero among them.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from mercer.bounds import Evidence, get
from mercer.bounds.numerics import fat_bound
from mercer.theory.growth import growth_exponent


def rows_needed(complexity, code, **params):
    """Fewest rows at which the bound is below one, all rows at the margin."""
    bound = get(code)(**params)
    start = Evidence(10**7, errors=0, margins=[complexity**-0.5], norm=1.0, radius=1.0)
    return bound.evaluate(start).sample_size(1.0 - 1e-12)


def robust_rows(dimension, delta=0.05):
    """Fewest rows at which the robust bound with this effective dimension is below one."""
    low, high = 1000, 10**7
    while high - low > 1:
        m = (low + high) // 2
        strata = (16 + np.log2(m)) * m
        low, high = (low, m) if fat_bound(dimension, m, delta, strata=strata) < 1 else (m, high)
    return high


complexities = [1, 2, 5, 10, 20, 50, 100]
bounds = {
    "fat shattering (4.29)": ("margin-fat", {}),
    "Zhang's cover": ("margin-cover", {"cover": "zhang"}),
    "cover by perceptron steps": ("margin-cover", {}),
}
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5))
ratios = np.linspace(1e-3, 1, 300)
left.plot(ratios, [growth_exponent(r) for r in ratios])
left.set(xlabel="VC dimension / rows", ylabel="exponent of growth per row", title="Growth function")
zoom = left.inset_axes((0.55, 0.1, 0.4, 0.4))
zoom.plot(ratios[ratios < 1 / 30], [growth_exponent(r) for r in ratios if r < 1 / 30])
zoom.set_title("below 1/30", fontsize=8)
print(f"{'(radius/margin)²':<27}" + "".join(f"{c:>10}" for c in complexities))
for name, (code, params) in bounds.items():
    rows = [rows_needed(c, code, **params) for c in complexities]
    right.loglog(complexities, rows, "o-", label=name)
    print(f"{name:<27}" + "".join(f"{r:>10}" for r in rows))
right.loglog(complexities, [32 * c for c in complexities], "k--", label="theorem 4.32 applies")
for dimension, name in ((65, "no row short of it"), (65 * 16, "one row at zero")):
    rows = robust_rows(dimension)
    right.loglog(1, rows, "x", ms=9, label=f"robust (4.33), {name}")
    print(f"robust margin bound, margin = radius, {name}: {rows:,} rows")
right.set(xlabel="(radius / margin)²", ylabel="rows", title="Rows until the bound is below 1")
right.legend(fontsize=8)
figure.tight_layout()
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "theory_sample_sizes.png", dpi=100)
print(f"drawn: {folder / 'theory_sample_sizes.png'}")
