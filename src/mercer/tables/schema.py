"""What a table model expects of every column: written down, readable, checked against new rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mercer.tables.columns import shown
from mercer.tables.dataset import DATE, TEXT, Column
from mercer.tables.encoders import GAP, CategoryEncoder, Encoder, OrdinalEncoder, as_texts

MOST_LEVELS = 200


@dataclass(frozen=True)
class ColumnSchema:
    """One column: name, kind ("number", "bool", "date", "text"), and what the training rows had.

    ``low`` and ``high`` are the range of numbers and dates (seconds since 1970); ``levels`` the
    values of categories that the model knows apart; ``written`` the format of dates as text.
    """

    name: str
    kind: str
    treatment: str
    gaps: bool = False
    written: str = ""
    levels: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None

    def check(self, column: Column) -> list[str]:
        """What the new values have that the training rows did not; kinds are refused before."""
        told = []
        present = column.values[~column.missing]
        if column.missing.any() and not self.gaps:
            taken = "treated as unknown" if column.kind == TEXT else "the middle value is taken"
            told.append(
                f"column '{self.name}' has no value in {_rows(int(column.missing.sum()))}; the "
                f"training rows had no gaps there: {taken}"
            )
        if self.levels and len(present):
            texts = np.array(as_texts(present))
            new = sorted(set(texts.tolist()) - set(self.levels))
            if new:
                count = int(np.isin(texts, new).sum())
                some = ", ".join(f"'{text[:40]}'" for text in new[:3])
                told.append(
                    f"column '{self.name}' holds {some}{' and others' if len(new) > 3 else ''} in "
                    f"{_rows(count)}, which the model does not know: treated as rare or unknown"
                )
        elif self.low is not None and self.high is not None and len(present):
            values = present.astype(np.float64)
            outside = int(np.sum((values < self.low) | (values > self.high)))
            if outside > 0.05 * len(values) and outside > 1 + 0.01 * len(values):
                ends = (shown(end, self.kind) for end in (self.low, self.high))
                told.append(
                    f"column '{self.name}' lies outside the training range {' to '.join(ends)} in "
                    f"{outside} of {len(values)} rows: the certificate does not cover other data"
                )
        return told


@dataclass(frozen=True)
class Schema:
    """The columns of a model, in its order."""

    columns: tuple[ColumnSchema, ...]

    @classmethod
    def of(cls, preparation: Any, table: Any) -> Schema:
        """From a fitted :class:`TablePreparation` and the training rows as it was given them."""
        encoders = dict(zip(preparation.used_, preparation.encoders_, strict=True))
        words = preparation.treatments()
        return cls(
            tuple(
                _column(name, stored, words[name], encoders.get(j), table[:, j])
                for j, (name, stored) in enumerate(
                    zip(preparation.names_, preparation.stored_, strict=True)
                )
            )
        )

    def to_list(self) -> list[dict[str, Any]]:
        """Plain JSON types, without what is empty."""
        return [
            {key: value for key, value in asdict(column).items() if value not in (None, "", ())}
            for column in self.columns
        ]

    @classmethod
    def from_list(cls, documents: Sequence[dict[str, Any]]) -> Schema:
        """Read what ``to_list`` wrote."""
        return cls(
            tuple(
                ColumnSchema(**document | {"levels": tuple(document.get("levels", ()))})
                for document in documents
            )
        )

    def check(self, columns: Sequence[Column]) -> list[str]:
        """What new rows have that training rows did not; columns are in the schema's order."""
        return [
            words
            for known, column in zip(self.columns, columns, strict=True)
            if not known.treatment.startswith("ignored")
            for words in known.check(column)
        ]


def _column(
    name: str, stored: str, treatment: str, encoder: Encoder | None, values: Any
) -> ColumnSchema:
    kind, _, written = stored.partition(":")
    column = Column(name, kind, values if kind == TEXT else np.asarray(values, dtype=np.float64))
    present = column.values[~column.missing]
    facts: dict[str, Any] = {"gaps": bool(column.missing.any()), "written": written}
    if isinstance(encoder, CategoryEncoder | OrdinalEncoder):
        facts["levels"] = tuple(level for level in encoder.levels_ if level != GAP)[:MOST_LEVELS]
    elif kind != TEXT and len(present):
        facts |= {"low": float(present.min()), "high": float(present.max())}
    return ColumnSchema(name, kind, treatment, **facts)


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def schema_words(document: dict[str, Any]) -> str:
    """One column of a stored schema for people."""
    parts = [document["kind"] + (f" as {document['written']}" if document.get("written") else "")]
    if document.get("levels"):
        levels = document["levels"]
        more = f", ... ({len(levels)})" if len(levels) > 6 else ""
        parts.append(", ".join(levels[:6]) + more)
    elif document.get("low") is not None:
        kind = DATE if document["kind"] == DATE else "number"
        parts.append(f"{shown(document['low'], kind)} to {shown(document['high'], kind)}")
    parts.append("gaps allowed" if document.get("gaps") else "no gaps seen")
    return "; ".join(parts)
