"""What a certified model is, whoever made it: a mixture, a vote, a pipeline with a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from mercer.bounds import Certificate, Evidence
from mercer.certification.core.record import Certification

__all__ = ["CertifiedModel"]


@runtime_checkable
class CertifiedModel(Protocol):
    """A model that answers, and the statement about the very model that answers."""

    model_: Any
    certification_: Certification

    def predict(self, X: Any) -> Any:
        """Answer for new samples."""

    @property
    def evidence_(self) -> Evidence | None:
        """What the model publishes about itself; all that a bound sees."""

    @property
    def certificate_(self) -> Certificate | None:
        """The statement that was declared in advance."""

    @property
    def certificates_(self) -> Mapping[str, Certificate]:
        """Every bound and estimate that applies, each at its own δ."""

    @property
    def not_applicable_(self) -> Mapping[str, str]:
        """Why the other bounds say nothing."""
