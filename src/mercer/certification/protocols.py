"""What a certified model is, whoever made it: a mixture, a vote, a pipeline with a certificate."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from mercer.bounds import Evidence
from mercer.certification.core.record import Certification
from mercer.learners.protocols import Stated

__all__ = ["CertifiedModel"]


@runtime_checkable
class CertifiedModel(Stated, Protocol):
    """A model that answers, and the statement about the very model that answers."""

    model_: Any
    certification_: Certification

    def predict(self, X: Any) -> Any:
        """Answer for new samples."""

    @property
    def evidence_(self) -> Evidence | None:
        """What the model publishes about itself; all that a bound sees."""
