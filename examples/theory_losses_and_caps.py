"""Three pictures of the appendices: clipped losses, surrogate losses, and the volume of caps.

The clipped margin loss (figure 5.2 of Herbrich's book) tends to the step; the ψ-transform says how
fast a surrogate's excess risk forces the excess error down; the volume of a spherical cap (figure
C.5) is far from its classical bound in high dimensions.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from mercer.bounds.numerics import log_cap_fraction
from mercer.theory.calibration import LOSSES, psi_transform

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4))
margin = np.linspace(-1, 2, 400)
for tau in (0.25, 0.5, 1.0):
    left.plot(margin, np.clip(1 - margin / tau, 0, 1), label=f"τ = {tau}")
left.step(margin, margin <= 0, "k:", label="error")
left.set(title="Clipped margin loss", xlabel="y f(x)")
left.legend()
theta = np.linspace(0, 0.99, 40)
for name in LOSSES:
    middle.plot(theta, [psi_transform(name, t) for t in theta], label=name)
middle.set(title="ψ-transform", xlabel="excess error", ylabel="excess surrogate risk")
middle.legend()
x = np.linspace(0.05, 1, 60)  # 1 − cos of the cap's angle
for n, colour in ((10, "C0"), (100, "C1")):
    exact = [-log_cap_fraction(n, np.sqrt(1 - (1 - v) ** 2)) for v in x]
    classical = (n - 2) * np.log(1 / x) + np.log(2)
    right.plot(x, exact, colour, label=f"exact, n = {n}")
    right.plot(x, classical, colour, ls="--", label=f"bound, n = {n}")
    print(f"n = {n}: at x = 0.1 exact {np.interp(0.1, x, exact):.3f}, ", end="")
    print(f"bound {np.interp(0.1, x, classical):.3f}")
right.set(title="−ln of a cap's share of the sphere", xlabel="x", yscale="log")
right.legend()
figure.tight_layout()
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "theory_losses_and_caps.png", dpi=100)
print(f"drawn: {folder / 'theory_losses_and_caps.png'}")
