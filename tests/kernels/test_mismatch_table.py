"""Few strings take a table of all words instead of a sparse matrix."""

import numpy as np
import pytest

from mercer.kernels import Mismatch


@pytest.mark.parametrize("normalize", [True, False])
def test_few_words_by_table_are_the_sparse_matrix(monkeypatch, normalize):
    rng = np.random.default_rng(8)
    X = ["".join(rng.choice(list("ACGTN"), size=size)) for size in (0, 3, 9, 30, 80)]
    kernel = Mismatch(4, 1, "ACGT", normalize=normalize)
    by_table = kernel(X), kernel(X, X[:2])
    monkeypatch.setattr("mercer.kernels.sequences.mismatch._SMALL", 0)
    np.testing.assert_allclose(by_table[0], kernel(X), rtol=1e-13)
    np.testing.assert_allclose(by_table[1], kernel(X, X[:2]), rtol=1e-13)
    assert by_table[0][0].sum() == 0
