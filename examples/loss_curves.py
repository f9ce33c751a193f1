"""Every loss as a curve: of the margin for labels, of the residual for numbers.

The picture goes to the folder given (default: here).
"""

import sys
from pathlib import Path

import matplotlib
import numpy as np

from mercer import losses

matplotlib.use("Agg")
import matplotlib.pyplot as plt

t = np.linspace(-2.5, 3, 500)
figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
for name, cls in losses.available().items():
    loss = cls()
    of_margin = isinstance(loss, losses.MarginLoss)
    if not of_margin and not isinstance(loss, losses.ResidualLoss):
        continue  # the cost matrix is a function of neither
    style = "-" if loss.convex else "--"
    axes[0 if of_margin else 1].plot(t, loss(t, 1.0 if of_margin else 0.0), style, label=name)
    print(f"{name:>20}: Lipschitz {loss.lipschitz:g}, up to {loss.upper:g}, convex {loss.convex}")
axes[0].set(xlabel="margin y f", ylabel="loss", ylim=(-0.6, 5), title="labels")
axes[1].set(xlabel="residual f − y", ylim=(0, 5), title="numbers")
for ax in axes:
    ax.legend(frameon=False, fontsize=8)
figure.savefig(Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "loss-curves.png", dpi=110)
