"""Checks of what a certificate assumes, one per file; each gives a `Check` with a valid p-value."""

from mercer.certification.checks.assumptions import check_assumptions
from mercer.certification.checks.check import Check
from mercer.certification.checks.drift import check_drift
from mercer.certification.checks.duplicates import check_duplicates
from mercer.certification.checks.exchangeability import (
    check_exchangeability,
    exchangeability_martingale,
)

__all__ = [
    "Check",
    "check_assumptions",
    "check_drift",
    "check_duplicates",
    "check_exchangeability",
    "exchangeability_martingale",
]
