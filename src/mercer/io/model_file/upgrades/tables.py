"""Preparations of tables from before frames were matched by name."""

from __future__ import annotations

from typing import Any

from mercer.io.model_file.upgrades._steps import step


@step(0, "learner:table-preparation")
def named(state: dict[str, Any]) -> dict[str, Any]:
    """Names that were given are names to match by."""
    return state | ({"named_": state["names"] is not None} if "names_" in state else {})
