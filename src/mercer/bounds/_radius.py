"""A radius known before the data, or one measured on the sample and paid for.

Bounds on classifiers that ask for a radius R with ‖x‖ ≤ R for every point stay valid with the
largest norm of the sample, rounded up to a declared value r: send every point beyond r to the
origin. The training rows do not move, so neither do their margins nor the trained w; a new point
beyond r gets the output 0, which counts as an error. So the risk of the classifier is at most that
of the truncated one, whose radius is r by construction. It holds for each fixed r, so the declared
r = 2^(j/8) share δ with weights ~1/(1+|j|)². For a loss that output 0 does not make largest (a
regression) the argument fails, and a radius must be known.
"""

from __future__ import annotations

import math
from dataclasses import replace

from mercer.bounds._evidence import Evidence
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds.numerics import integer_weights

STEPS = 8  # declared radii per doubling: at most 9 % are lost by rounding up
MEASURED = {"radius": "point_norms"}  # what stands in for a radius
KNOWN = "no new point lies outside the declared radius"


def declared_radius(measured: float) -> tuple[float, int]:
    """The smallest 2^(j/8) that is at least ``measured``, and j."""
    j = math.ceil(STEPS * math.log2(measured))
    while 2.0 ** (j / STEPS) < measured:
        j += 1
    return 2.0 ** (j / STEPS), j


def with_radius(evidence: Evidence) -> tuple[Evidence, float, str, tuple[str, ...]]:
    """Evidence that has a radius, the share of δ left, what the ledger says, what is assumed."""
    if evidence.radius is not None:
        return evidence, 1.0, "", (KNOWN,)
    measured = float(evidence.need("point_norms").max())
    if measured == 0.0:
        raise NotApplicable("every row is the zero vector: there is no radius")
    radius, j = declared_radius(measured)
    why = f"radius {radius:.4g} measured on the sample, declared radii 2^(j/8) share δ"
    return replace(evidence, radius=radius), integer_weights(j), why, ()
