"""Certificates for any model: spend rows, count, and say what was assumed."""

from mercer.certification._adopt import adopt
from mercer.certification._certified_fit import MODES, certified_fit
from mercer.certification._evidence_from import evidence_from
from mercer.certification._fit import fit
from mercer.certification._gibbs import GibbsClassifier
from mercer.certification._of_model import in_sample_certificate
from mercer.certification._progressive import ProgressiveMixture
from mercer.certification._record import Certification
from mercer.certification._seen import CertificateWarning
from mercer.certification._selective import SelectiveClassifier
from mercer.certification._task import Refused
from mercer.certification._vote import WeightedVote
from mercer.certification.checks import Check, check_assumptions
from mercer.certification.fresh import certify

__all__ = [
    "MODES",
    "CertificateWarning",
    "Certification",
    "Check",
    "GibbsClassifier",
    "ProgressiveMixture",
    "Refused",
    "SelectiveClassifier",
    "WeightedVote",
    "adopt",
    "certified_fit",
    "certify",
    "check_assumptions",
    "evidence_from",
    "fit",
    "in_sample_certificate",
]
