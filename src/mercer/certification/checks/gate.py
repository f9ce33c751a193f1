"""May this number be printed? One function asks every check, for Python and the command line."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from mercer._discover import discover
from mercer.bounds import Certificate
from mercer.certification.checks.case import Case
from mercer.certification.checks.finding import (
    FIRST_LINE,
    NOTE,
    CertificateWarning,
    Finding,
    Verdict,
)
from mercer.certification.checks.frozen import NAME as FROZEN
from mercer.certification.checks.frozen import frozen_parts
from mercer.certification.checks.inspection import Inspection
from mercer.certification.checks.seen import NAME as SEEN
from mercer.certification.checks.seen import seen_rows

# the plainest first
CAUSES = ("copies", "copies in part", "near copies", "groups", "row numbers", "order")
LEVEL = 0.01  # per printed number, divided over the checks that can err


@cache
def inspections() -> tuple[Inspection, ...]:
    """Every check of rows, found by discovery."""
    from mercer.certification import checks

    return tuple(cls() for cls in discover(checks, Inspection).values())  # type: ignore[type-abstract]


def look_at(case: Case) -> Verdict:
    """What is the matter with some rows, false alarms held at 1 % for all checks together."""
    found: list[Finding] = []
    for inspection in inspections():
        found += inspection.look(case)
    found = first_cause(holm(found))
    return Verdict(tuple(found), tuple(inspection.name for inspection in inspections()))


def holm(findings: Sequence[Finding], level: float = LEVEL) -> list[Finding]:
    """Findings that stay after Holm's correction; those without a p-value are so."""
    tests = sorted((f for f in findings if f.p_value is not None), key=lambda f: f.p_value or 0.0)
    count, kept = sum(not inspection.exact for inspection in inspections()), []
    for rank, finding in enumerate(tests):
        if finding.p_value is None or finding.p_value > level / max(1, count - rank):
            break
        kept.append(finding)
    return [f for f in findings if f.p_value is None or f in kept]


def first_cause(findings: Sequence[Finding]) -> list[Finding]:
    """Rows hang together for one reason, and show it in many ways: the plainest is told."""
    told = [f.code for f in findings if f.level == FIRST_LINE and f.code in CAUSES]
    if not told:
        return list(findings)
    plainest = min(told, key=CAUSES.index)
    return [f for f in findings if f.code == plainest or f.code not in CAUSES]


def grouped(verdict: Verdict) -> tuple[Any, Verdict]:
    """Groups that mend what was found, and the verdict once they are used; None if none do."""
    for finding in verdict.findings:
        if finding.level == FIRST_LINE and finding.together is not None:
            units = finding.together
            done = replace(finding, level=NOTE, acted="they count as one group")
            rest = [f for f in verdict.findings if f is not finding]
            return units, Verdict((done, *rest), verdict.checked, verdict.facts)
    return None, verdict


def examine(
    certificate: Certificate,
    *,
    rows: Case | None = None,
    estimator: Any = None,
    model: object = None,
    training: Any = None,
    looked: Verdict | None = None,
) -> Verdict:
    """Everything that speaks against a certificate.

    Parameters
    ----------
    certificate : Certificate
        The number in question.
    rows : Case, default=None
        The rows it was computed from.
    estimator : estimator, default=None
        What was trained here: whether parts of it came already fitted.
    model : fitted estimator, default=None
        With ``rows.fresh``: whether it has seen them.
    training : array-like, default=None
        Its training rows, if at hand.
    looked : Verdict, default=None
        What :func:`look_at` found in the rows already, acted on or not.

    Returns
    -------
    Verdict
        ``may_be_printed``, ``gate``, and ``stamp`` to put the words before the number.
    """
    verdict = looked if looked is not None else Verdict()
    if looked is None and rows is not None:
        verdict = look_at(rows)
    if estimator is not None:
        verdict = verdict + Verdict(tuple(frozen_parts(estimator)), (FROZEN,))
    if rows is not None and rows.fresh and model is not None:
        verdict = verdict + Verdict(tuple(seen_rows(model, rows, training)), (SEEN,))
    return verdict


def warn(verdict: Verdict, stacklevel: int = 3) -> None:
    """Say in Python what stands in the first line."""
    for words in verdict.first_words:
        warnings.warn(words, CertificateWarning, stacklevel=stacklevel + 1)
