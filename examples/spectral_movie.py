"""The flip-book of von Luxburg's thesis: two moons, one more point in every frame.

Normalized spectral clustering with a Gaussian similarity of width 0.2; the plane is coloured by the
cluster of the nearest training point. ``python spectral_movie.py FOLDER [FRAMES]`` writes a GIF.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from scipy.spatial import cKDTree
from sklearn.datasets import make_moons

from mercer.kernels import Gaussian
from mercer.learners.spectral.laplacians import eigenpairs

SIGMA, FIRST = 0.2, 10
BOX = ((-1.4, 2.4), (-0.9, 1.4))


def frames(count=40, *, noise=0.06, random_state=0, width=114, height=69):
    """Points, clusters and regions of each frame: (points, labels, regions), a point more each."""
    X = make_moons(FIRST + count - 1, noise=noise, random_state=random_state)[0]
    X = X[np.random.default_rng(random_state).permutation(len(X))]
    grid = np.stack(np.meshgrid(np.linspace(*BOX[0], width), np.linspace(*BOX[1], height)), axis=-1)
    before = None
    for n in range(FIRST, FIRST + count):
        points = X[:n]
        vector = eigenpairs(Gaussian(SIGMA)(points), 2, "random-walk")[1][:, 1]
        labels = (vector > 0).astype(int)
        if before is not None and np.mean(labels[:-1] == before) < 0.5:
            labels = 1 - labels  # which side is positive is arbitrary: colours should not jump
        before = labels
        nearest = cKDTree(points).query(grid.reshape(-1, 2))[1]
        yield points, labels, labels[nearest].reshape(height, width)


def movie(file, count=40):
    """Write the frames as a GIF one can watch; returns the clusters of the last frame."""
    every = list(frames(count))
    figure, ax = plt.subplots(figsize=(4.4, 2.9), layout="constrained")
    image = ax.imshow(
        every[0][2], extent=(*BOX[0], *BOX[1]), origin="lower", cmap="coolwarm", alpha=0.4,
        vmin=0, vmax=1, aspect="auto",
    )  # fmt: skip
    dots = ax.scatter([], [], c=[], cmap="coolwarm", vmin=0, vmax=1, s=14, edgecolor="k", lw=0.4)
    newest = ax.scatter([], [], facecolor="none", edgecolor="k", s=60)
    ax.set(xticks=[], yticks=[], xlim=BOX[0], ylim=BOX[1])

    def draw(k):
        points, labels, regions = every[k]
        image.set_data(regions)
        dots.set_offsets(points)
        dots.set_array(labels)
        newest.set_offsets(points[-1:])
        ax.set_title(f"n = {len(points)}", loc="left", fontsize=9)

    clip = FuncAnimation(figure, draw, frames=len(every), interval=120)
    clip.save(file, writer=PillowWriter(fps=8), dpi=70)
    plt.close(figure)
    return every[-1]


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    points, labels, _ = movie(folder / "spectral_movie.gif", count)
    print(
        f"{count} frames, the last with {len(points)} points in clusters of {np.bincount(labels)}"
    )
    print(f"drawn: {folder / 'spectral_movie.gif'}")
