"""The quantities behind the bounds: growth, shattering, covers, complexities, simulations.

`growth` and `vc_dimension` know classes by name; `shattering`, `hypotheses`, `covers` and
`fat_shattering` compute on given points; `rademacher`, `calibration`, `neighbors`, `plug_in` hold
the statements of the lecture notes; `srm`, `compression`, `posteriors`, `stability` connect
learners to bounds; `simulate` lets one watch the proofs; `gaussian`, `distributions` and
`matrices` are the appendix.
"""

from mercer._discover import rooms
from mercer.theory import (
    calibration,
    compression,
    covers,
    distributions,
    fat_shattering,
    gaussian,
    growth,
    hypotheses,
    matrices,
    neighbors,
    plug_in,
    posteriors,
    rademacher,
    shattering,
    simulate,
    srm,
    stability,
    vc_dimension,
)
from mercer.theory.growth import log_growth_of
from mercer.theory.shattering import empirical_vc_dimension, is_shattered
from mercer.theory.srm import select_by_bound
from mercer.theory.vc_dimension import vc_dimension_of

__all__ = [
    "calibration",
    "compression",
    "covers",
    "distributions",
    "empirical_vc_dimension",
    "fat_shattering",
    "gaussian",
    "growth",
    "hypotheses",
    "is_shattered",
    "log_growth_of",
    "matrices",
    "neighbors",
    "plug_in",
    "posteriors",
    "rademacher",
    "select_by_bound",
    "shattering",
    "simulate",
    "srm",
    "stability",
    "vc_dimension",
    "vc_dimension_of",
]

__getattr__, __dir__ = rooms(__name__)
