"""A picture of a watched stream: the risk with its limits above, the evidence below."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from mercer.errors import UserError


def draw(values: dict[str, Any]) -> Path:
    """Read the state, draw its history, write the file."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UserError("--picture needs matplotlib.", "Install mercer[app].") from None
    place = Path(values["state"] or f"{values['model']}.monitor.json")
    state = json.loads(place.read_text("utf-8"))
    history, limit = state["history"], state["monitor"]["limit"]
    n = np.array([line["labels"] for line in history])
    figure = Figure(figsize=(7, 5), layout="constrained")
    risk, evidence = figure.subplots(2, 1, sharex=True)
    low, high = ([line[f"risk_at_{end}"] for line in history] for end in ("least", "most"))
    risk.fill_between(n, low, high, color="#0072b2", alpha=0.2, label="95 % at all times")
    risk.plot(n, [line["risk_seen"] for line in history], color="#0072b2", label="errors seen")
    risk.axhline(limit, color="#d55e00", ls="--", label=f"certified: {100 * limit:.3g} %")
    risk.set(ylabel="risk", ylim=(0, min(1.0, 1.2 * max(3 * limit, *high[-1:]))))
    risk.legend(loc="upper right", frameon=False)
    evidence.plot(n, [line["log_evidence"] / np.log(10) for line in history], color="#0072b2")
    edge = -np.log10(state["monitor"]["alpha"])
    evidence.axhline(edge, color="#d55e00", ls="--", label="alarm")
    evidence.set(xlabel="labels", ylabel="evidence (powers of ten)")
    evidence.legend(loc="upper left", frameon=False)
    figure.savefig(values["picture"], dpi=120)
    return Path(values["picture"])
