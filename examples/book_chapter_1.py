"""The figures of Herbrich's first chapter: fits, clusters, digits and their neighbours.

1.3: fifteen points and polynomials of degree 1, 3 and 10. 1.4: 150 points in three clusters, and a
density of bumps around them. 1.1, 1.5 and 1.6 show digits of MNIST in the book; here they are the
8 × 8 digits of scikit-learn: 49 of them as a matrix, and three more beside their five neighbours.
Figure 1.2, ranked web pages, is a photograph of a screen.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from mercer.kernels import Gaussian
from mercer.learners.metric import KNNClassifier
from mercer.learners.regression import PolynomialRegression
from mercer.learners.spectral import KMeans

figure = plt.figure(figsize=(16, 8.5), layout="constrained")
axes = figure.subplot_mosaic("fcd\nmmn", height_ratios=(1, 1.05))

# 1.3: the same points, too stiff, right and too lively
rng = np.random.default_rng(42)
x = np.sort(rng.uniform(-1, 1, 15))
t = np.polyval([3, -1.5, -1, 3], x) + 0.1 * rng.standard_normal(15)
line = np.linspace(-1, 1, 400)
truth = np.polyval([3, -1.5, -1, 3], line)
axes["f"].plot(x, t, "ko", label="sample")
for degree in (1, 3, 10):
    model = PolynomialRegression(degree).fit(x[:, None], t)
    seen, told = np.mean((model.predict(x[:, None]) - t) ** 2), model.predict(line[:, None])
    axes["f"].plot(line, told, label=f"degree {degree}")
    between = (line > x[0]) & (line < x[-1])
    error = np.mean((told - truth)[between] ** 2)
    print(f"degree {degree:>2}: squared error {seen:.4f} on the sample, {error:.4f} to the truth")
axes["f"].set(title="1.3: one sample, three polynomials", ylim=(-2.5, 5))

# 1.4: clusters found, and the density that bumps of one width around their centres give
points = np.vstack([0.1 * rng.standard_normal((50, 2)) + c for c in ([1, 0], [-1, 1], [-1, -1])])
clusters = KMeans(3, n_init=10).fit(points)
axes["c"].scatter(*points.T, c=clusters.labels_, s=10, cmap="Set1")
axes["c"].plot(*clusters.cluster_centers_.T, "k*", ms=14, label="centres")
axes["c"].set(title="1.4: 150 points, three clusters", aspect="equal")
grid = np.stack(np.meshgrid(*[np.linspace(-1.8, 1.8, 80)] * 2), -1)
bumps = Gaussian(np.sqrt(0.07))(grid.reshape(-1, 2), clusters.cluster_centers_)
axes["d"].contourf(*np.moveaxis(grid, -1, 0), bumps.mean(axis=1).reshape(80, 80), 15)
axes["d"].set(title="1.4: mixture of three normals, variance 0.07", aspect="equal")
print(f"centres {np.round(clusters.cluster_centers_, 2).tolist()}")

# 1.5: 49 digits as a matrix, one row each; 1.1 and 1.6: three more, each with its neighbours
digits = load_digits()
first = np.argsort(digits.target[:49], kind="stable")
data, labels = digits.data[:49][first], digits.target[:49][first]
axes["m"].imshow(data, cmap="gray_r", aspect="auto")
starts = np.searchsorted(labels, np.arange(10))
axes["m"].set_yticks(starts, [f"{d}" for d in range(10)])
axes["m"].set(title="1.5: 49 digits, 64 pixels each, sorted by class", xlabel="pixel")
model = KNNClassifier(5, certify=None).fit(data, labels)
new = digits.data[49:52]
near = model.kneighbors(new)[1]
rows = [np.hstack([digits.images[49 + i], *[data[j].reshape(8, 8) for j in near[i]]])
        for i in range(3)]  # fmt: skip
axes["n"].imshow(np.vstack(rows), cmap="gray_r")
axes["n"].axvline(7.5, color="tab:red")
axes["n"].hlines([7.5, 15.5], -0.5, 47.5, color="0.6", lw=1)
axes["n"].set(title="1.6: three new digits and their five nearest", xticks=[], yticks=[])
for i, found in enumerate(near):
    print(f"a {digits.target[49 + i]}, its neighbours {labels[found]}")
for name in "fc":
    axes[name].legend(fontsize=8)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "book_chapter_1.png", dpi=80)
print(f"drawn: {folder / 'book_chapter_1.png'}")
