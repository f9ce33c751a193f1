"""Bounds and estimates of ``mercer.bounds`` as criteria: they read the candidate's evidence."""

from __future__ import annotations

from typing import ClassVar

from mercer.bounds import NotApplicable, get
from mercer.selection._case import Case
from mercer.selection.criteria._base import Criterion, NotForThis, Score


class _OfBound(Criterion):
    """Value of one bound, not cut off at 1 so that vacuous values can still be compared."""

    bound: ClassVar[str] = ""
    kind = "bound"

    def _score(self, case: Case) -> Score:
        """The bound's value for this candidate alone; selection itself is not paid for here."""
        try:
            certificate = get(self.bound)().evaluate(case.evidence, case.delta)
        except NotApplicable as no:
            raise NotForThis(f"criterion={self.code!r}: {no.reason}") from no
        return Score(float(certificate.unclipped), {"value": float(certificate.value)})


class PacBayes(_OfBound):
    """The Gaussian-posterior margin bound."""

    code = "pac-bayes"
    title = "PAC-Bayesian margin bound"
    reference = "Langford and Shawe-Taylor 2003"
    bound = "gaussian-margin"


class RademacherCriterion(_OfBound):
    """The margin bound from Rademacher complexity."""

    code = "rademacher"
    title = "Rademacher margin bound"
    reference = "Bartlett and Mendelson 2002"
    bound = "rademacher"


class StabilityCriterion(_OfBound):
    """The bound from uniform stability."""

    code = "stability"
    title = "stability bound"
    reference = "Bousquet and Elisseeff 2002"
    bound = "stability"


class Scenario(_OfBound):
    """The bound from the number of support vectors."""

    code = "scenario"
    title = "scenario bound on the number of support vectors"
    reference = "Campi and Garatti 2018"
    bound = "scenario"


class XiAlphaCriterion(_OfBound):
    """Joachims' estimate."""

    code = "xi-alpha"
    title = "ξα estimate of the leave-one-out error"
    reference = "Joachims 2000"
    kind = "estimate"
    bound = "xi-alpha"


class JaakkolaHausslerCriterion(_OfBound):
    """For machines without an offset."""

    code = "jaakkola-haussler"
    title = "Jaakkola–Haussler estimate of the leave-one-out error"
    reference = "Jaakkola and Haussler 1999"
    kind = "estimate"
    bound = "jaakkola-haussler"
