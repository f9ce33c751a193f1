"""Bounds: evidence in, certificates out. Every file here that defines a `Bound` is a plug-in.

A learner publishes `Evidence`; a `Bound` turns it into a `Certificate` or raises `NotApplicable`.
`assess` evaluates everything side by side, `best_of` reports the best of a declared set with δ
divided over it, `curve` draws any bound over any number.
"""

from mercer._discover import rooms
from mercer.bounds._advice import advised
from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._certificate import Certificate
from mercer.bounds._curve import Curve, curve
from mercer.bounds._easy_pool_record import EasyPool
from mercer.bounds._easy_record import EasyHoldOuts
from mercer.bounds._evidence import Choice, Evidence
from mercer.bounds._ledger import Entry, Ledger
from mercer.bounds._lipschitz_record import Lipschitz
from mercer.bounds._loo_arrays import ridge_loo_residuals, span_estimate, squared_spans
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import (
    Compression,
    HoldOut,
    Mistakes,
    Pick,
    Pool,
    Posterior,
    Progressive,
    Record,
    Stage,
    Vote,
)
from mercer.bounds._registry import available, get
from mercer.bounds._select import assess, best_of, charge_candidates
from mercer.bounds._split import HalfStudy, train_fraction, transfer_fraction
from mercer.bounds._sums_record import DistanceSums
from mercer.bounds._tube_record import MarginTubes
from mercer.bounds.words import names_a_rate

__all__ = [
    "Bound",
    "Certificate",
    "Choice",
    "Compression",
    "Curve",
    "DistanceSums",
    "EasyHoldOuts",
    "EasyPool",
    "Entry",
    "Evidence",
    "HalfStudy",
    "HoldOut",
    "Ledger",
    "Lipschitz",
    "MarginTubes",
    "Mistakes",
    "NotApplicable",
    "Outcome",
    "Pick",
    "Pool",
    "Posterior",
    "Progressive",
    "Record",
    "Stage",
    "Vote",
    "advised",
    "assess",
    "available",
    "best_of",
    "charge_candidates",
    "curve",
    "get",
    "names_a_rate",
    "ridge_loo_residuals",
    "span_estimate",
    "squared_spans",
    "train_fraction",
    "transfer_fraction",
]

__getattr__, __dir__ = rooms(__name__)
