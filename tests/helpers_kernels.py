"""Every kernel there is, for the contract tests."""

import numpy as np

from mercer.kernels import available

CLASSES = {name: kind for name, kind in available().items() if name != "precomputed"}
CASES = [(name, i) for name, kind in CLASSES.items() for i in range(len(kind.examples()))]


def is_vectors(X):
    return isinstance(X, np.ndarray) and X.dtype.kind == "f"
