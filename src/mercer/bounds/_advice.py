"""What stands behind an in-sample bound: the best estimate, and what held-out rows would promise.

A bound on the training rows is honest and usually far above the truth. Whoever reads it should
also read how good the model probably is, and which call would promise something near that.
"""

from __future__ import annotations

import math
from dataclasses import replace

from mercer.bounds._certificate import Certificate
from mercer.bounds._evidence import Evidence
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._registry import get
from mercer.bounds.numerics import clopper_upper
from mercer.bounds.words import names_a_rate, number

ESTIMATES = ("loo-exact", "loo-span", "xi-alpha", "support-vector-count")  # the closest first
_PESSIMISTIC = ("xi-alpha", "support-vector-count")  # of leave-one-out errors, at least as many
_COUNTED = 0.4  # share of the rows that certified_fit keeps from training, at most
_WORTH_SAYING = 0.9  # of the bound: what promises hardly less is not worth its rows


def advised(certificate: Certificate, evidence: Evidence, *, alone: bool = True) -> Certificate:
    """The in-sample certificate, followed by an estimate and the call that would promise more.

    Unless the learner was fitted ``alone``, leaving out a row leaves it in whatever was fitted
    around the learner: no estimate made here can then be trusted, and none is shown.
    """
    two_sided = certificate.lower is not None and certificate.lower > 0  # close to the truth itself
    if certificate.kind != "bound" or two_sided or not names_a_rate(certificate.quantity):
        return certificate
    estimate = _estimate(certificate, evidence) if alone else None
    said = [] if estimate is None else [_as_words(estimate)]
    call = _held_out(certificate, estimate, "" if alone else " around all of it")
    return replace(certificate, advice="; ".join([*said, *([call] if call else [])]))


def _estimate(certificate: Certificate, evidence: Evidence) -> Certificate | None:
    for code in ESTIMATES:
        try:
            found = get(code)().evaluate(evidence, certificate.delta)
        except NotApplicable:
            continue
        if found.quantity == certificate.quantity:
            return found
    return None


def _as_words(estimate: Certificate) -> str:
    most = "at most " if estimate.code in _PESSIMISTIC else ""
    shown = number(estimate.value, estimate)
    return f"probably {most}about {shown} ({estimate.title}, no guarantee)"


def _held_out(certificate: Certificate, estimate: Certificate | None, where: str) -> str:
    """The call that counts on held-out rows, with what it would promise and what it costs."""
    rows = math.floor(_COUNTED * certificate.n)
    if rows < 1:
        return ""
    cost = f"keeping up to {100 * _COUNTED:.0f} % of the rows from training"
    if estimate is not None:
        errors = min(rows, math.ceil(estimate.value * rows))
        promised = clopper_upper(errors, rows, certificate.delta)
        if promised <= _WORTH_SAYING * certificate.value:
            then = f"about {number(promised, certificate)}"
            return f"if so, mercer.certified_fit would promise {then}, {cost}"
        if estimate.code not in _PESSIMISTIC:
            return ""  # held-out rows would promise no less
    return f"mercer.certified_fit{where} would count errors instead, {cost}"
