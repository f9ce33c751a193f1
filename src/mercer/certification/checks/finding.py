"""What a check found, and what all of them together say about a number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Certificate
from mercer.bounds.plain_data import plain
from mercer.certification.core.task import Refused

REFUSE, FIRST_LINE, NOTE = "refuse", "first line", "note"
LEVELS = (REFUSE, FIRST_LINE, NOTE)  # the gravest first


class CertificateWarning(UserWarning):
    """A certificate was made, but something about it deserves a second look."""


@dataclass(frozen=True)
class Finding:
    """One thing that speaks against a certificate.

    ``code`` names the check. ``level`` is ``"refuse"`` (no number), ``"first line"`` (the words
    stand before the number, in the JSON, and fail ``--require-error``) or ``"note"`` (told below
    it). ``p_value`` belongs to statistical checks only. ``acted`` says what was done about it:
    what was acted on is a note. ``together`` numbers the groups that would mend it.
    """

    code: str
    level: str
    words: str
    p_value: float | None = None
    acted: str = ""
    together: NDArray[np.intp] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise ValueError(f"level must be one of {LEVELS}, got {self.level!r}")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return plain(replace(self, together=None))


@dataclass(frozen=True)
class Verdict:
    """May this number be printed? ``checked`` lists all checks that were made."""

    findings: tuple[Finding, ...] = ()
    checked: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def may_be_printed(self) -> bool:
        """Whether nothing found refuses the number altogether."""
        return not any(finding.level == REFUSE for finding in self.findings)

    @property
    def gate(self) -> bool:
        """Whether the number may be relied on: nothing found stands in the first line."""
        return not any(finding.level in (REFUSE, FIRST_LINE) for finding in self.findings)

    @property
    def first_words(self) -> tuple[str, ...]:
        """What has to stand before the number."""
        return tuple(f.words for f in self.findings if f.level == FIRST_LINE)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is told below the number, and what was done about it."""
        notes = (f for f in self.findings if f.level == NOTE)
        return tuple(f"{f.words}; {f.acted}" if f.acted else f.words for f in notes)

    def __add__(self, other: Verdict) -> Verdict:
        both = tuple(dict.fromkeys((*self.findings, *other.findings)))
        checked = tuple(dict.fromkeys((*self.checked, *other.checked)))
        return Verdict(both, checked, {**self.facts, **other.facts})

    def about(self, **facts: Any) -> Verdict:
        """The same verdict, with facts that say which model and which rows it is about."""
        return replace(self, facts={**self.facts, **facts})

    def stamp(self, certificate: Certificate) -> Certificate:
        """The certificate with what was found before its number.

        Raises
        ------
        Refused
            If the number may not be printed.
        """
        for finding in self.findings:
            if finding.level == REFUSE:
                raise Refused(finding.words)
        found = tuple(dict.fromkeys((*self.first_words, *certificate.found)))
        checks: dict[str, Any] = {name: [] for name in self.checked}
        checks |= _by_code(self.findings)
        about = {**(certificate.about or {}), **self.facts, "checks": checks}
        return replace(certificate, found=found, about=about)


def _by_code(findings: tuple[Finding, ...]) -> dict[str, list[dict[str, Any]]]:
    table: dict[str, list[dict[str, Any]]] = {}
    for finding in findings:
        table.setdefault(finding.code, []).append(finding.to_dict())
    return table
