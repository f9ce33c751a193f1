"""Rows for tests of streams: two numbers and a word, a label, a target and a group."""

import numpy as np
import pyarrow as pa

ROWS = 3000


def sample(seed, n=ROWS):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    word = np.where(rng.random(n) < 0.5, "in", "out")
    label = np.where((X**2).sum(axis=1) + (word == "in") > 2.0, "far", "near")
    flip = rng.random(n) < 0.05
    label[flip] = np.where(label[flip] == "far", "near", "far")
    target = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)
    group = rng.integers(0, 40, n) + 40 * seed
    return pa.table({"a": X[:, 0], "b": X[:, 1], "word": word, "y": label, "t": target, "g": group})
