"""``--require-error``: the exit code that stops a pipeline unless the number may be relied on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mercer.bounds.words import caveats, names_a_rate
from mercer.errors import TargetMissed, UserError


def against(certificate: Mapping[str, Any]) -> tuple[str, ...]:
    """What speaks against a certificate given as plain data, in the words of its first line."""
    uncovered = (choice["what"] for choice in certificate.get("uncovered", ()))
    return caveats(certificate.get("found", ()), uncovered)


def require_error(wanted: float | None, certificate: Mapping[str, Any] | None) -> None:
    """Fail with exit code 5 unless at most ``wanted`` is certified and nothing speaks against it.

    Raises
    ------
    TargetMissed
        Naming the number, or the first thing that speaks against it.
    """
    if wanted is None:
        return
    asked = f"an error of at most {100 * wanted:.3g} % was required"
    if certificate is None:
        raise TargetMissed(f"{asked}, certified is no certificate.")
    other = str(certificate.get("code", "")).startswith(("metric-", "group-gap"))
    if other or certificate.get("side") == "lower" or not names_a_rate(certificate["quantity"]):
        raise UserError(
            f"--require-error is about error rates, not about {certificate['quantity']}.",
            "Leave it out, or certify the error: without --metric, for numbers with --tolerance.",
        )
    value, words = float(certificate["value"]), against(certificate)
    if value > wanted:
        raise TargetMissed(f"{asked}, certified is {100 * value:.3g} %.")
    if words:
        raise TargetMissed(f"{asked}; the certified {100 * value:.3g} % cannot count: {words[0]}.")
