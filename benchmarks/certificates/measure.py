"""One draw: every way to a certificate on the same rows in the same order."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks.certificates.rows import Draw, Row
from mercer.certification import CertificateWarning, Refused, certified_fit
from mercer.learners.describe import last_step

DELTA = 0.05
WAYS: dict[str, dict[str, Any]] = {
    "80/20": {"mode": "holdout", "train_fraction": 0.8},
    "60/40": {"mode": "holdout", "train_fraction": 0.6},
    "50/50": {"mode": "holdout", "train_fraction": 0.5},
    "auto": {"mode": "auto"},
    "auto, tight": {"mode": "auto", "objective": "tight"},
    "progressive": {"mode": "progressive"},
    "compress": {"mode": "compress"},
    "transfer": {"mode": "transfer", "hold_out": "plain"},
    "selective": {"mode": "selective"},
}
LOOSE: dict[str, dict[str, Any]] = {  # of interest to students of bounds: fewer draws
    "pac-bayes": {"mode": "pac-bayes"},
    "recursive": {"mode": "recursive"},
    "vote": {"mode": "vote"},
}
EASY: dict[str, dict[str, Any]] = {  # came later: fewer draws
    "easy": {"mode": "easy"},
    "easy, one model": {"mode": "easy", "models": 1},
    "transfer, easy": {"mode": "transfer"},
    "tube": {"mode": "tube", "anchors": 5},
}
ALL_ROWS = "all rows"
EVERYTHING = (*WAYS, ALL_ROWS)


def measure(row: Row, seed: int, ways: Iterable[str] = EVERYTHING) -> dict[str, dict[str, float]]:
    """Value, true (or test) error and seconds of every way; the all-rows model and its bounds."""
    draw = row.draw(row.n, seed)
    found: dict[str, dict[str, float]] = {}
    for name in ways:
        if name == ALL_ROWS:
            found |= on_all_rows(row, draw)
            continue
        options = (WAYS | LOOSE | EASY)[name]
        more = {"pool": draw.pool} if name.startswith("transfer") else {}
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CertificateWarning)
            try:
                model = certified_fit(
                    row.estimator,
                    draw.X,
                    draw.y,
                    delta=DELTA,
                    random_state=seed,
                    **options,
                    **more,
                )
            except Refused:  # beforehand, because nothing could be said
                found[name] = {"value": 1.0, "seconds": time.perf_counter() - start, "risk": 0.0}
                continue
        seconds = time.perf_counter() - start
        found[name] = {"value": model.certificate_.value, "seconds": seconds} | risk(model, draw)
    return found


def risk(model: Any, draw: Draw) -> dict[str, float]:
    wrong = draw.wrong(np.asarray(model.predict(draw.points)))
    if not hasattr(model, "accepts"):
        return {"risk": float(wrong.mean())}
    accepted = model.accepts(draw.points)
    return {"risk": float(wrong[accepted].mean()), "coverage": float(accepted.mean())}


def on_all_rows(row: Row, draw: Draw) -> dict[str, dict[str, float]]:
    """The model everybody would ship, and whatever can be said about it without other rows."""
    start = time.perf_counter()
    model = certified_fit(row.estimator, draw.X, draw.y, mode=None)
    fitted = time.perf_counter()
    error = risk(model, draw)
    machine = last_step(model)
    # the scaler of a pipeline is a choice these do not cover; the laws need no scaler
    certificates = machine.certificates_
    done = time.perf_counter()
    found = {ALL_ROWS: {"value": np.nan, "seconds": fitted - start} | error}
    for code, certificate in certificates.items():
        if certificate.classifier == "deterministic":
            label = f"{certificate.kind}: {code}"
            found[label] = {"value": certificate.value, "seconds": done - fitted} | error
    declared = machine.certificate_
    if declared is not None:
        label = "bound: declared set"
        found[label] = {"value": declared.value, "seconds": done - fitted} | error
    return found
