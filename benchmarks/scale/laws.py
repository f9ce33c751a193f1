"""Two laws of 20 columns: many places, which is good for cells, and one smooth function."""

import numpy as np


def places(n, seed=0, d=20, clusters=400, noise=0.05, law=7):
    """400 clusters in eight hidden dimensions, each with its label; 5 % of the labels flipped."""
    g = np.random.default_rng(law)
    centers = g.normal(size=(clusters, 8))
    label = np.where(g.random(clusters) < 0.5, 1, -1)
    mixing = g.normal(size=(8, d)) / np.sqrt(8)
    rng = np.random.default_rng(seed)
    which = rng.integers(0, clusters, n)
    hidden = centers[which] + 0.35 * rng.normal(size=(n, 8))
    X = hidden @ mixing + 0.1 * rng.normal(size=(n, d))
    y = label[which].copy()
    flip = rng.random(n) < noise
    y[flip] = -y[flip]
    return X.astype(np.float32), y


def smooth(n, seed=0, d=20, law=7, noise=0.3):
    """A sum of 30 sines of directions, and noise."""
    g = np.random.default_rng(law)
    W = g.normal(size=(30, d)) / np.sqrt(d)
    a = g.normal(size=30) / 5
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X.astype(np.float32), np.sin(2 * X @ W.T) @ a + noise * rng.normal(size=n)
