"""Classes that never occurred: error rates by class say nothing about them, so how many are there?

The classes of the first rows (or of the model) are known before the counted rows, so the counted
rows of other classes are binomial, whatever was learned in between: at most 1 − δ^{1/m} of new rows
belong to none of them if all m counted rows do. Classes that turn up among the counted rows would
only shrink what is missing. It is a statement of its own beside the certificate, at the same
confidence, and no part of its δ: either may fail without the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from mercer.bounds import Certificate
from mercer.bounds.numerics import clopper_upper
from mercer.bounds.words import confidence


def missing_mass(known: Iterable[Any], counted: NDArray[Any], delta: float) -> float:
    """Limit on the share of new rows whose class is none of those known before counting."""
    before = set(known)
    strange = sum(label not in before for label in counted.tolist())
    return clopper_upper(strange, len(counted), delta)


def with_missing_mass(
    certificate: Certificate, known: Iterable[Any], counted: NDArray[Any], delta: float
) -> Certificate:
    """The certificate of error rates by class, and what it leaves out."""
    if not len(counted):
        return certificate
    limit = missing_mass(known, counted, delta)
    words = (
        f"nothing is said about classes that never occurred: at most {100 * limit:.3g} % of new "
        f"rows have one (a statement of its own, {confidence(delta)} confidence)"
    )
    details = {**certificate.details, "other_classes": {"at_most": limit, "delta": float(delta)}}
    return replace(certificate, assumptions=(*certificate.assumptions, words), details=details)
