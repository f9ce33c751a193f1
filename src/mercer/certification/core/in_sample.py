"""The in-sample certificate of a model that was fitted in the ordinary way."""

from __future__ import annotations

from mercer.bounds import Certificate, NotApplicable
from mercer.bounds.numerics.checks import check_delta
from mercer.certification.checks.gate import examine
from mercer.learners.describe import best_in_sample, check_model, own_evidence


def in_sample_certificate(model: object, delta: float = 0.05) -> Certificate:
    """Certify a fitted Mercer learner, or a pipeline or search around one, from its training rows.

    Scalers and searches are named in the first line as choices that in-sample bounds do not cover;
    the learner alone cannot know about them.

    Parameters
    ----------
    model : fitted estimator
        A Mercer learner, a Pipeline that ends in one, or a search over either.
    delta : float, default=0.05
        Probability with which the statement may be wrong.

    Returns
    -------
    Certificate
        The best of the declared bounds, delta divided over them.

    Raises
    ------
    NotApplicable
        If the model publishes no evidence, or no declared bound applies to it.
    """
    delta = check_delta(delta)
    check_model(model)
    evidence = own_evidence(model)
    if evidence is None:
        raise NotApplicable(
            f"{type(model).__name__} publishes no evidence about itself; use mercer.certify with "
            "fresh rows, or mercer.certified_fit",
            structural=True,
        )
    certificate = best_in_sample(model, evidence, delta)
    verdict = examine(certificate, estimator=model)
    return verdict.stamp(certificate) if verdict.findings else certificate
