"""Certificates of a learner: what ``fit`` leaves, computed when somebody looks.

The bounds that need nothing but the trained model. A learner trains on all the rows it is given:
whoever wants to spend rows on a certificate does so around it (``mercer.certified_fit``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

from mercer._card import CardBelow, card
from mercer.bounds import Certificate, Choice, Evidence, NotApplicable, advised, assess, best_of
from mercer.learners import _frozen, _rest
from mercer.learners._copies import noted_again, noted_copies
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners.rows_seen import seen_by

IN_SAMPLE = "in-sample"

# Declared before any data are seen; δ is divided over those that can apply to the learner at all.
DECLARED = ("scenario", "gaussian-margin", "vc-relative")


class Publishes(CardBelow):
    """Mixin before `Learner`: evidence and certificates of the fit, made when somebody looks.

    A learner writes ``_publish_evidence() -> Evidence``. Results are kept, so asking twice is free.
    """

    known_as: ClassVar[str] = ""  # what criteria, search routes and evidence call the learner
    certify: Any
    delta: float
    _issued: dict[str, Any]
    _declared: ClassVar[tuple[str, ...]] = DECLARED
    # arguments that change neither the model nor its answers
    _quiet: ClassVar[frozenset[str]] = frozenset(
        {"verbose", "n_jobs", "time_limit", "cache_size", "warm_start", "certify", "delta"}
    )

    def _publish_evidence(self) -> Evidence:
        raise TypeError(f"{type(self).__name__} publishes no evidence")

    def _settle(self, fitted: Fitted) -> None:
        super()._settle(fitted)  # type: ignore[misc]
        self._forget_certificates()

    def _look_at(self, sample: TrainingSample) -> None:
        for choice in (*noted_copies(sample), *noted_again(seen_by(self))):
            self._note_choice(choice)

    def _card(self) -> str:
        if self._issued["certify"] is None:
            return ""
        found = self.certificate_
        none = "none applies; not_applicable_ has the reasons"
        said = none if found is None else found.first_line()
        return card(type(self).__name__, [("guarantee", said)])

    def _forget_certificates(self) -> None:
        """Nothing said about an older model holds for the new one; note what this fit was."""
        self._issued = {
            "certify": self.certify,
            "delta": float(self.delta),
            "params": _frozen.snapshot(self),
            "noted": _frozen.around(_frozen.surroundings(self)),
        }

    @property
    def evidence_(self) -> Evidence:
        """What the fitted model publishes about itself."""
        return self._kept("evidence", self._evidence_with_choices)

    def _evidence_with_choices(self) -> Evidence:
        model, noted = self._as_fitted(), self._issued.get("noted", ())
        fitted = getattr(model, "fitted_", None)
        if isinstance(fitted, _rest.RestFitted):
            evidence = _rest.evidence(model, fitted)
        else:
            evidence = model._publish_evidence()
        return replace(evidence, choices=(*evidence.choices, *noted)) if noted else evidence

    def _as_fitted(self) -> Self:
        """The model with the constructor arguments that it was fitted with."""
        view = object.__new__(type(self))
        view.__dict__.update(self.__dict__ | self._issued.get("params", {}))
        return view

    def _said_first(self, certificate: Certificate) -> Certificate:
        """The certificate is about the model as it was fitted; say so if it is another now."""
        then = self._issued.get("params", {})
        other = [name for name in _frozen.changed(self, then) if name not in self._quiet]
        if not other:
            return certificate
        words = f"DOES NOT COVER {', '.join(other)}, changed after fit"
        return replace(certificate, found=(words, *certificate.found))

    def _note_choice(self, choice: Choice) -> None:
        """Remember something that was chosen by looking at the rows, outside of ``fit``."""
        if self.__dict__.get("_issued") is not None and "evidence" not in self._issued:
            self._issued["noted"] = (*self._issued.get("noted", ()), choice)

    @property
    def certificate_(self) -> Certificate | None:
        """The certificate chosen in advance: the best of a declared set, δ divided over it.

        None if no bound of the set applies; ``not_applicable_`` has the reasons.
        """
        found = self._kept("certificate", self._best)
        return None if found is None else self._said_first(found)

    @property
    def certificates_(self) -> dict[str, Certificate]:
        """Every bound and estimate that applies, each at its own full δ: they do not hold jointly.

        To report the smallest of several, use ``certificate_`` or ``mercer.bounds.best_of``.
        """
        found: dict[str, Certificate] = self._kept("all", self._assess)[0]
        return {code: self._said_first(one) for code, one in found.items()}

    @property
    def not_applicable_(self) -> dict[str, str]:
        """Why each of the other bounds says nothing about this model."""
        return self._kept("all", self._assess)[1]

    def _best(self) -> Certificate | None:
        try:
            best = best_of(self.evidence_, self._issued["delta"], self._declared)
        except NotApplicable:
            return None
        return advised(best, self.evidence_, alone=not self._issued.get("noted"))

    def _assess(self) -> tuple[dict[str, Certificate], dict[str, str]]:
        return assess(self.evidence_, self._issued["delta"])

    def _kept(self, what: str, compute: Any) -> Any:
        issued = self.__dict__.get("_issued")
        if issued is None:
            raise AttributeError(f"{type(self).__name__} is not fitted yet")
        if issued["certify"] is None and what != "evidence":
            raise AttributeError(
                f"this {type(self).__name__} was fitted with certify=None; use "
                "certify='in-sample', or mercer.certify with fresh rows"
            )
        if what not in issued:
            issued[what] = compute()
        return issued[what]
