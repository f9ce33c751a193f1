"""What was fitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mercer._clean import clean
from mercer.report._blocks import Block, Bullets, Facts, More, Note, Table
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._text import number, rounded


class ModelSection(Section):
    """Learner, kernel, parameters, state of the solver."""

    key, title, order = "model", "The model", 30

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """The record's own account."""
        if not source.record.model:
            raise Absent("nothing is known about the model")
        return {**source.record.model, "plan": source.record.plan.get("words", "")}

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """Facts, then parameters and diagnostics folded away."""
        if data.get("interrupted"):
            words = data.get("stopped", "this is the best so far")
            yield Note(f"The fit was stopped before its end: {words}.", "warning")
        facts = [("learner", clean(data.get("words") or data.get("learner", ""), 160))]
        if data.get("kernel"):
            facts.append(("kernel", rounded(data["kernel"])))
        if data.get("support") is not None:
            total = f" of {number(data['trained_on'])}" if data.get("trained_on") else ""
            facts.append(("support vectors", f"{number(data['support'])}{total}"))
        if data.get("plan"):
            facts.append(("plan", clean(data["plan"], 200)))
        facts += [("before it", clean(step, 200)) for step in data.get("steps", ())]
        yield Facts(facts)
        if data.get("diagnostics"):
            yield More(
                "Inside the machine", [Bullets([clean(s, 200) for s in data["diagnostics"]])]
            )
        if data.get("params"):
            rows = [[clean(k), clean(number(v), 120)] for k, v in data["params"].items()]
            yield More("All parameters", [Table(["parameter", "value"], rows)], paper=False)

    def numbers(self, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Support vectors and numeric parameters."""
        if data.get("support") is not None:
            yield "support vectors", data["support"]
        for name, value in data.get("params", {}).items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield f"parameter {name}", value
