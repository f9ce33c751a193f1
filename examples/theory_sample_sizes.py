"""How many rows until a bound says anything: growth, margins, and covers.

Left: the exponent of the growth function (figure 4.2 of Herbrich's book). Right: the rows needed by
three margin bounds before they fall below one (figure 4.8), as the ratio of radius to margin grows.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from mercer.bounds import Evidence, get
from mercer.theory.growth import growth_exponent


def rows_needed(complexity, code, **params):
    """Fewest rows at which the bound is below one, all rows at the margin."""
    bound = get(code)(**params)
    start = Evidence(10**7, errors=0, margins=[complexity**-0.5], norm=1.0, radius=1.0)
    return bound.evaluate(start).sample_size(1.0 - 1e-12)


complexities = [1, 2, 5, 10, 20, 50, 100]
bounds = {
    "fat shattering (4.29)": ("margin-fat", {}),
    "Zhang's cover": ("margin-cover", {"cover": "zhang"}),
    "cover by perceptron steps": ("margin-cover", {}),
}
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
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
right.set(xlabel="(radius / margin)²", ylabel="rows", title="Rows until the bound is below 1")
right.legend()
figure.tight_layout()
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "theory_sample_sizes.png", dpi=100)
print(f"drawn: {folder / 'theory_sample_sizes.png'}")
