"""Warn when rows that should be fresh are training rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from mercer.certification.checks.duplicates import check_duplicates
from mercer.certification.checks.finding import CertificateWarning
from mercer.learners.describe import answering


def warn_if_seen(model: Any, X: Any, training: Any = None) -> None:
    """Compare rows with the training rows, as far as they are known.

    Without ``training`` a machine is asked for its support vectors; inside a pipeline or a search
    they are compared with the rows as its last step sees them. Equal rows are only reported if so
    many of them are not what a division at random would give, as it does for discrete inputs.
    """
    known = training
    if known is None:
        X, known = _as_kept(model, X)
    fresh, old = row_keys(X), set(row_keys(known))
    repeated = sum(key in old for key in fresh)
    if not repeated:
        return
    found = check_duplicates(known, X, n_permutations=199)
    if found.ok:
        return
    warnings.warn(
        f"{repeated} of {len(fresh)} fresh rows equal rows the model was trained on. If they "
        "are the same records, the certificate is not valid: remove them. "
        f"(Check: {found.message}; p = {found.p_value:.2g}.)",
        CertificateWarning,
        stacklevel=3,
    )


def _as_kept(model: Any, X: Any) -> tuple[Any, Any]:
    """The rows in the space of the learner inside the model, and the rows it kept."""
    model = answering(model)
    while hasattr(model, "best_estimator_") or isinstance(model, Pipeline):
        if isinstance(model, Pipeline):
            X = model[:-1].transform(X) if len(model) > 1 else X
            model = model[-1]
        else:
            model = model.best_estimator_
    return X, getattr(model, "support_vectors_", None)


def row_keys(X: Any) -> list[bytes]:
    """The bytes of every row of a table of numbers; nothing for other objects."""
    if X is None:
        return []
    if sparse.issparse(X):
        csr = X.tocsr().sorted_indices()
        return [
            csr.indices[a:b].tobytes() + csr.data[a:b].astype(np.float64).tobytes()
            for a, b in zip(csr.indptr[:-1], csr.indptr[1:], strict=True)
        ]
    try:
        table = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return []
    if table.ndim != 2 or table.size == 0:
        return []
    return [row.tobytes() for row in np.ascontiguousarray(table + 0.0)]
