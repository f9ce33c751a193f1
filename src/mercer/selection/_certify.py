"""A search whose result carries a certificate that covers the choice."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sklearn.base import clone


def certified_search(search: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> Any:
    """Search inside the training part of a mode of ``mercer.certified_fit``: the choice is free."""
    certification = import_module("mercer.certification")  # above this package, so by name
    inner = clone(search).set_params(certify=None)
    model = certification.certified_fit(
        inner,
        X,
        y,
        mode=search.certify,
        delta=search.delta,
        random_state=0 if search.random_state is None else search.random_state,
        sample_weight=sample_weight,
        groups=groups,
    )
    search.__dict__.update({k: v for k, v in model.__dict__.items() if k.endswith("_")})
    return search
