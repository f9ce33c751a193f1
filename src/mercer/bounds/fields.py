"""The fields of evidence that hold arrays or records, and what a field is called in prose."""

from __future__ import annotations

from mercer.bounds._easy_pool_record import EasyPool
from mercer.bounds._easy_record import EasyHoldOuts
from mercer.bounds._lipschitz_record import Lipschitz
from mercer.bounds._records import (
    Compression,
    HoldOut,
    Mistakes,
    Pick,
    Pool,
    Posterior,
    Progressive,
    Record,
    Vote,
)
from mercer.bounds._sums_record import DistanceSums
from mercer.bounds._tube_record import MarginTubes

ARRAYS = ("margins", "slacks", "alphas", "point_norms", "spectrum")
RECORDS: dict[str, type[Record]] = {
    "compression": Compression,
    "holdout": HoldOut,
    "progressive": Progressive,
    "easy_holdouts": EasyHoldOuts,
    "easy_pool": EasyPool,
    "tubes": MarginTubes,
    "pick": Pick,
    "pool": Pool,
    "posterior": Posterior,
    "vote": Vote,
    "mistakes": Mistakes,
    "lipschitz": Lipschitz,
    "sums": DistanceSums,
}
MEANINGS = {
    "lipschitz": "a Lipschitz constant in a metric space",
    "sums": "a sum of distance functions in a box declared before the data (domain=(low, high))",
    "errors": "the number of training errors",
    "margins": "the margins y·f(x) of the training rows",
    "slacks": "the slacks of the training rows",
    "alphas": "the dual coefficients",
    "point_norms": "the feature-space norms √k(x,x) of the training rows",
    "norm": "the norm of the weight vector",
    "radius": "a radius √(sup k(x,x)) known before the data",
    "trace": "the trace of the Gram matrix",
    "rank": "the rank of the Gram matrix",
    "dimension": "a finite feature-space dimension",
    "C": "the regularisation constant C",
    "compression": "a compression set (rows that suffice to rebuild the model)",
    "holdout": "rows the model was not trained on (see mercer.certified_fit and mercer.certify)",
    "progressive": "a progressive-validation run (mercer.certified_fit, mode='progressive')",
    "easy_holdouts": "hold-outs among easy rows (mercer.certified_fit, mode='easy')",
    "easy_pool": "easy hold-outs and a pool (mercer.certified_fit, mode='transfer')",
    "tubes": "margin tubes around models of fewer rows (mercer.certified_fit, mode='tube')",
    "pick": "a Pick-to-Learn run (mercer.certified_fit, mode='compress')",
    "pool": "an unlabelled pool",
    "posterior": "a posterior distribution with its KL divergence to a prior",
    "stages": "the stages of a recursive PAC-Bayes run",
    "vote": "the statistics of a majority vote on unseen rows",
    "mistakes": "the log of a mistake-driven learner",
    "log_class_size": "a finite class of rules fixed before the data (ln of its size)",
    "code_length": "a prior over single rules (ln(1/P) of this one)",
    "neighbours": "a number of neighbours",
    "classes": "counts by class (error='classes' or 'balanced')",
    "loss_range": "a finite range of the loss (loss_range=(low, high))",
    "offset": "the offset of the hyperplane; one dimension more if it has one",
    "loo": "the leave-one-out error, or an estimate of it",
    "risks": "the mean losses of the training rows",
}
