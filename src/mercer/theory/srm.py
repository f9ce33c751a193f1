"""Choosing among classes or models by a bound, and paying for the choice.

The list of candidates and their weights must be fixed before the data. Ordering linear rules by
the margin they reach on the sample is not such a list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import ArrayLike

from mercer._types import Samples
from mercer.bounds import Bound, Certificate, Choice, Entry, Evidence, Ledger, NotApplicable, get
from mercer.bounds.numerics import split_delta
from mercer.bounds.numerics.checks import level_or_default


@dataclass(frozen=True)
class Selected:
    """The candidate with the smallest value, its certificate, and what the others got."""

    name: str
    certificate: Certificate
    values: Mapping[str, float]  # unclipped; those to which the bound does not apply are missing
    refused: Mapping[str, str]


def select_by_bound(
    candidates: Mapping[str, Evidence],
    bound: str | Bound,
    delta: float | None = None,
    weights: Sequence[float] | None = None,
    *,
    log_delta: float | None = None,
) -> Selected:
    """Structural risk minimisation with any bound: candidate i is evaluated at level δ·w_i.

    All statements hold together with probability 1 − δ (Herbrich lemma 4.14), so the smallest one
    may be reported. δ is 0.05 unless given, or e^``log_delta``.
    """
    delta = level_or_default(delta, log_delta)
    if not candidates:
        raise ValueError("there is nothing to choose from")
    chosen = get(bound)() if isinstance(bound, str) else bound
    if chosen.statement != "bound":
        raise ValueError(f"{chosen.code} is not a bound; only bounds can be selected by")
    shares = split_delta(delta, len(candidates) if weights is None else weights)
    if len(shares) != len(candidates):
        raise ValueError(f"{len(shares)} weights for {len(candidates)} candidates")
    found: dict[str, Certificate] = {}
    refused: dict[str, str] = {}
    for (name, evidence), share in zip(candidates.items(), shares, strict=True):
        try:
            found[name] = chosen.evaluate(evidence, share)
        except NotApplicable as no:
            refused[name] = no.reason
    if not found:
        reasons = "; ".join(f"{name}: {why}" for name, why in refused.items())
        raise NotApplicable(f"{chosen.code} applies to none of the candidates: {reasons}")
    best = min(found, key=lambda name: found[name].unclipped)
    entries = tuple(
        Entry(f"candidate {name}", share, "one of the candidates declared before the data")
        for name, share in zip(candidates, shares, strict=True)
    )
    certificate = replace(
        found[best],
        delta=delta,
        ledger=Ledger(entries),
        details={**found[best].details, "own_delta": found[best].delta, "candidate": best},
    )
    values = {name: c.unclipped for name, c in found.items()}
    return Selected(best, certificate, values, refused)


class SelfBounding:
    """A learner that returns a rule together with its guarantee: argmin over candidates of a bound.

    ``candidates`` maps names to estimators that publish ``evidence_`` when fitted.
    """

    def __init__(
        self, candidates: Mapping[str, Any], bound: str | Bound, *, delta: float = 0.05
    ) -> None:
        self.candidates = candidates
        self.bound = bound
        self.delta = delta

    def fit(
        self, X: Samples, y: ArrayLike, published: Callable[[Any], Evidence] | None = None
    ) -> Any:
        """Fit every candidate, keep the one with the smallest bound as ``model_``."""
        from sklearn.base import clone

        read = published or (lambda model: model.evidence_)
        models = {name: clone(est).fit(X, y) for name, est in self.candidates.items()}
        paid = Choice("the candidate", "smallest bound", candidates=len(models), paid=True)
        evidence = {
            name: replace(e := read(model), choices=(*e.choices, paid))
            for name, model in models.items()
        }
        self.selected_ = select_by_bound(evidence, self.bound, self.delta)
        self.model_ = models[self.selected_.name]
        self.certificate_ = self.selected_.certificate
        return self

    def predict(self, X: Any) -> Any:
        """Answers of the selected model."""
        return self.model_.predict(X)
