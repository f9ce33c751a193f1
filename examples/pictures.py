"""The three pictures of a fitted machine, written to the folder given (default: here)."""

import sys
from pathlib import Path

import matplotlib

from mercer import SVC, datasets
from mercer.plots import DecisionRegionDisplay, GramDisplay, MarginDistributionDisplay

matplotlib.use("Agg")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
X, y, _ = datasets.make_xor(200, scale=0.45, random_state=0)
model = SVC(C=1.0, gamma=1.0).fit(X, y)
for name, display in {
    "regions": DecisionRegionDisplay.from_estimator(model, X, y, title="XOR"),
    "margins": MarginDistributionDisplay.from_estimator(model, X, y),
    "gram": GramDisplay.from_estimator(model, X, y, spectrum=True),
}.items():
    display.figure_.savefig(folder / f"xor-{name}.png", dpi=110)
    print(folder / f"xor-{name}.png", *sorted(display.frame()))
