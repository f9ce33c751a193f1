"""Plain JSON for what a frozen model is asked, and what it answers.

Rows, labels and numbers only: nothing in here may depend on how Mercer stores anything, or the
fixtures would follow the code that they are there to check.
"""

import contextlib
import inspect

import numpy as np
from scipy import sparse

METHODS = (
    "predict",
    "decision_function",
    "predict_proba",
    "predict_interval",
    "score_samples",
    "transform",
    "accepts",
)
FITTED = ("labels_", "embedding_")


def answers_of(model, rows):
    """What the model says about the rows, by the name of the method or attribute."""
    found = {name: getattr(model, name) for name in FITTED if hasattr(model, name)}
    for name in METHODS:
        with contextlib.suppress(AttributeError):  # also one that an inner machine does not have
            found[name] = getattr(model, name)(rows)
    predict = getattr(model, "predict", None)
    if predict is not None and "return_std" in inspect.signature(predict).parameters:
        found["spread"] = predict(rows, return_std=True)[1]
    return {name: value for name, value in found.items() if value is not None}


def certificate_of(model):
    """First line and plain dict of the certificate, or None where there is none."""
    found = getattr(model, "certificate_", None)
    if found is None:
        return None
    return {"first_line": found.first_line(), "dict": found.to_dict()}


def to_plain(value):
    """Arrays, sparse matrices and objects such as strings and sets as JSON values."""
    if sparse.issparse(value):
        csr = value.tocsr()
        parts = [to_plain(part) for part in (csr.data, csr.indices, csr.indptr)]
        return {"csr": parts, "shape": list(csr.shape)}
    if isinstance(value, np.ndarray):
        items = value.ravel().tolist()
        if value.dtype == object:
            return {"objects": [to_plain(v) for v in items], "shape": list(value.shape)}
        return {"array": items, "dtype": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list):
        return [to_plain(v) for v in value]
    if isinstance(value, tuple):
        return {"tuple": [to_plain(v) for v in value]}
    if isinstance(value, set | frozenset):
        return {type(value).__name__: [to_plain(v) for v in sorted(value, key=repr)]}
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TypeError(f"no plain form for {type(value).__name__}")


def from_plain(value):
    """The inverse of :func:`to_plain`."""
    if isinstance(value, list):
        return [from_plain(v) for v in value]
    if not isinstance(value, dict):
        return value
    if "csr" in value:
        parts = tuple(from_plain(part) for part in value["csr"])
        return sparse.csr_array(parts, shape=tuple(value["shape"]))
    if "array" in value:
        return np.array(value["array"], dtype=value["dtype"]).reshape(value["shape"])
    if "objects" in value:
        found = np.empty(len(value["objects"]), dtype=object)
        for i, item in enumerate(value["objects"]):
            found[i] = from_plain(item)
        return found.reshape(value["shape"])
    ((kind, items),) = value.items()
    return {"tuple": tuple, "set": set, "frozenset": frozenset}[kind](map(from_plain, items))
