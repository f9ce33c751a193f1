"""Classes that were too rare to learn: said, and for matrices of pairs left out beforehand."""

from __future__ import annotations

from typing import Any

from mercer.app.checks import WARNING, Finding
from mercer.app.roles import FitData

MOST_NAMED = 5


def unlearned(data: FitData, model: Any) -> list[Finding]:
    """A note about classes that the model does not know; the certificate counts their rows."""
    if data.target.task != "classification":
        return []
    known = {str(label) for label in getattr(model, "classes_", ())}
    texts = {str(label) for label in data.target.y.tolist()}
    gone = sorted(texts - known)
    if not gone or not known:
        return []
    counts = {name: int(sum(str(v) == name for v in data.target.y.tolist())) for name in gone}
    some = ", ".join(f"'{name}' ({counts[name]})" for name in gone[:MOST_NAMED])
    more = f" and {len(gone) - MOST_NAMED} more" if len(gone) > MOST_NAMED else ""
    words = (
        f"too few rows to learn the class{'es' if len(gone) > 1 else ''} {some}{more}: the model "
        "never answers so, and their rows count as errors"
    )
    return [Finding("rare", WARNING, words)]
