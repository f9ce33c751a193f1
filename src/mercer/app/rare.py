"""Classes that were too rare to learn: said, and for matrices of pairs left out beforehand."""

from __future__ import annotations

from mercer.app.checks import WARNING, Finding
from mercer.app.roles import FitData
from mercer.errors import DataError

MOST_NAMED = 5
LEAST = 3  # rows outside the commonest class: some to learn from, one to count


def refuse_one_class(data: FitData) -> None:
    """Say before the work that there is nothing to tell apart."""
    counts = sorted(data.target.counts.items(), key=lambda item: -item[1])
    others = sum(count for _, count in counts[1:])
    if data.target.task == "classification" and 0 < others < LEAST:
        raise DataError(
            f"{others} of {others + counts[0][1]:,} rows are not of the class '{counts[0][0]}': "
            "that is too few to learn what tells them apart.",
            f"At least {LEAST} are needed, and some dozens for a useful answer; to find what is "
            "unlike the rest, leave out the target and look at detectors.",
        )


def unlearned(data: FitData, model: object) -> list[Finding]:
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
