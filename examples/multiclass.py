"""Three classes from a two-class learner, and in one programme."""

import sys
from pathlib import Path

import matplotlib
import numpy as np

from mercer.datasets import load_iris
from mercer.kernels import Linear
from mercer.learners.margin import Perceptron
from mercer.learners.multiclass import CrammerSingerSVC, DecisionDAG, OneVsOne, OneVsRest
from mercer.plots import DecisionRegionDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
table = load_iris()
X = table.X[:, 2:]
X = (X - X.mean(axis=0)) / X.std(axis=0)
learner = Perceptron(combine="average")
models = {
    "against the rest": OneVsRest(learner),
    "pairs": OneVsOne(learner),
    "graph": DecisionDAG(learner),
    "one programme": CrammerSingerSVC(kernel=Linear() + 1.0, C=10.0),
}
figure, axes = plt.subplots(1, 4, figsize=(17, 4), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    model.fit(X, table.y)
    errors = int(np.sum(model.predict(X) != table.y))
    print(f"{name:16s} {errors} training errors")
    DecisionRegionDisplay.from_estimator(
        model, X, table.y, ax=ax, grid=150, legend=False, title=f"{name}: {errors} errors"
    )
figure.savefig(folder / "multiclass.png", dpi=100)
