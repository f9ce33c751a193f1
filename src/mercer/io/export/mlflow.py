"""Models as MLflow folders: a model file, and a description that MLflow's tools read.

MLflow itself is not needed to write one. Loading goes through Mercer, so the model takes frames by
column name and refuses what the training rows did not have, as everywhere.
"""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sklearn.base import is_regressor

from mercer._versions import version
from mercer.certification import Refused
from mercer.io.atomic import new_folder, write_text
from mercer.io.model_file import load, save
from mercer.learners.describe import answering

DATA = "model.mercer"
_TYPES = {"number": "double", "bool": "boolean", "text": "string"}


def to_mlflow(model: Any, path: str | Path) -> Path:
    """Write a fitted model as an MLflow folder.

    Parameters
    ----------
    model : fitted estimator
        Whatever `mercer.save` takes.
    path : str or Path
        A folder that does not exist yet, or is empty.

    Returns
    -------
    Path
        The folder, for ``mlflow.pyfunc.load_model`` or ``mlflow models serve -m``.
    """
    with new_folder(Path(path)) as folder:
        save(model, folder / DATA)
        write_text(folder / "MLmodel", json.dumps(_description(model), indent=1) + "\n")
        needed = f"mercer[app]=={version()}\n"
        write_text(folder / "requirements.txt", needed)
    return Path(path)


def _description(model: object) -> dict[str, Any]:
    """The file ``MLmodel``; JSON is YAML, which MLflow reads."""
    flavour = {"model_data": DATA, "mercer_version": version()}
    loader = {
        "loader_module": __name__,
        "data": DATA,
        "env": {"virtualenv": "requirements.txt"},
        "python_version": platform.python_version(),
    }
    found: dict[str, Any] = {
        "flavors": {"mercer": flavour, "python_function": loader},
        "utc_time_created": datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f"),
        "metadata": _certificate(model),
    }
    columns = _columns(model)
    if columns:
        kind = "double" if is_regressor(model) else "string"
        found["signature"] = {
            "inputs": json.dumps(columns),
            "outputs": json.dumps([{"type": kind, "name": "predicted", "required": True}]),
            "params": None,
        }
    return found


def _columns(model: object) -> list[dict[str, Any]]:
    """Names and types of the columns of a table; dates are text where they were written so."""
    steps = getattr(getattr(answering(model), "best_estimator_", None), "steps", None)
    schema = getattr(steps[0][1], "schema_", ()) if steps else ()
    made = []
    for column in schema:
        kind = _TYPES.get(column["kind"]) or ("string" if column.get("written") else "datetime")
        made.append({"type": kind, "name": column["name"], "required": True})
    return made


def _certificate(model: object) -> dict[str, Any]:
    found = getattr(model, "certificate_", None)
    return {"mercer_certificate": found.first_line()} if found is not None else {}


class _Wrapped:
    """What ``mlflow.pyfunc`` asks."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def predict(self, frame: Any, params: dict[str, Any] | None = None) -> Any:
        """A frame with the predictions, and probabilities or intervals where there are any."""
        import pandas as pd

        found: dict[str, Any] = {"predicted": self.model.predict(frame)}
        if is_regressor(self.model):
            if hasattr(self.model, "predict_interval"):
                found["lower"], found["upper"] = self._interval(frame).T
        else:
            try:
                chances = self.model.predict_proba(frame).T
                found |= {f"p({c})": p for c, p in zip(self.model.classes_, chances, strict=True)}
            except (AttributeError, ValueError, NotImplementedError):
                pass
        return pd.DataFrame(found)

    def _interval(self, frame: Any) -> Any:
        try:
            return self.model.predict_interval(frame)
        except Refused:  # too few rows were held out for a promise: the machine's own
            return answering(self.model).predict_interval(frame)


def _load_pyfunc(path: str) -> _Wrapped:
    """MLflow calls this with the path of the model file; nothing in it is run."""
    return _Wrapped(load(path))
