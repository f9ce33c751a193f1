"""Certificates for any model: spend rows, count, and say what was assumed."""

from mercer.certification.answers.gibbs import GibbsClassifier
from mercer.certification.answers.mixture import ProgressiveMixture
from mercer.certification.answers.selective import SelectiveClassifier
from mercer.certification.answers.vote import WeightedVote
from mercer.certification.certified import Certified
from mercer.certification.checks.assumptions import check_assumptions
from mercer.certification.checks.check import Check
from mercer.certification.checks.finding import CertificateWarning
from mercer.certification.core.certified_fit import certified_fit
from mercer.certification.core.in_sample import in_sample_certificate
from mercer.certification.core.record import Certification
from mercer.certification.core.task import Refused
from mercer.certification.fresh import certify
from mercer.certification.guarantees.asymptotic import cross_validation_estimate
from mercer.certification.guarantees.comparison import Comparison, compare
from mercer.certification.guarantees.groups import certify_groups
from mercer.certification.guarantees.monitor import Monitor
from mercer.certification.guarantees.recall import RecallClassifier, keep_recall
from mercer.certification.guarantees.shift import certify_shifted
from mercer.certification.outside.evidence_from import evidence_from

__all__ = [
    "CertificateWarning",
    "Certification",
    "Certified",
    "Check",
    "Comparison",
    "GibbsClassifier",
    "Monitor",
    "ProgressiveMixture",
    "RecallClassifier",
    "Refused",
    "SelectiveClassifier",
    "WeightedVote",
    "certified_fit",
    "certify",
    "certify_groups",
    "certify_shifted",
    "check_assumptions",
    "compare",
    "cross_validation_estimate",
    "evidence_from",
    "in_sample_certificate",
    "keep_recall",
]
