"""Quantities read off fitted machines and samples: margins, version space, norms, errors."""

from mercer._discover import rooms
from mercer.learners.quantities.conventions import (
    C_from_lambda,
    C_from_nu,
    class_weights_from_lambdas,
    gram_shift,
    lambda_from_C,
    length_scale,
    numbered,
    ridge_penalty,
    signed,
    signs,
    unsigned,
    zero_one,
)
from mercer.learners.quantities.kkt import KKT, kkt
from mercer.learners.quantities.loo import LeaveOneOut, exact_leave_one_out
from mercer.learners.quantities.margins import Margins, margins
from mercer.learners.quantities.rkhs import Expansion, sparsity
from mercer.learners.quantities.version_space import (
    InscribedBall,
    Separability,
    inscribed_ball,
    is_consistent,
    separability,
)

__all__ = [
    "KKT",
    "C_from_lambda",
    "C_from_nu",
    "Expansion",
    "InscribedBall",
    "LeaveOneOut",
    "Margins",
    "Separability",
    "class_weights_from_lambdas",
    "exact_leave_one_out",
    "gram_shift",
    "inscribed_ball",
    "is_consistent",
    "kkt",
    "lambda_from_C",
    "length_scale",
    "margins",
    "numbered",
    "ridge_penalty",
    "separability",
    "signed",
    "signs",
    "sparsity",
    "unsigned",
    "zero_one",
]

__getattr__, __dir__ = rooms(__name__)
