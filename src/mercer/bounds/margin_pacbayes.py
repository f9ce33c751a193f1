"""PAC-Bayesian margin bounds: how far a weight vector can be shaken before it errs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, rel_entr

from mercer.bounds._augment import homogeneous, scales_paid
from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Entry, Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import Floats
from mercer.bounds.numerics import kl_upper, log_cap_bound, log_cap_fraction
from mercer.bounds.numerics.checks import log_level
from mercer.bounds.pacbayes import log_constant

_FIXED = "the kernel and its parameters were fixed before the data"
_SEARCH_ROWS = 1000  # at most so many rows are used to refine the scale
_GLANCE_ROWS = 128  # and so many to find its neighbourhood
_SCALES = 14
_SEARCH_LEVEL = 0.05


class _GaussianGibbs:
    """kl(q̂(μ)‖q) ≤ (μ²/2 + ln(ξ(m)/δ))/m, q̂(μ) the mean of Φ(−μ·Γ_i), for all μ at once.

    Because it holds for all μ at once, μ may be searched for on some of the rows; the value is
    then computed from all of them. ``views`` holds the normalised margins under every declared
    constant feature; each of them has its own, already divided, ``log_delta``.
    """

    def __init__(self, views: list[Floats], m: int, log_deltas: list[float], constant: str) -> None:
        self.views, self.m, log = views, m, log_constant(m, constant)
        self.prices = np.array([log - level for level in log_deltas])
        self.grid = np.linspace(math.log(0.2), 0.5 * math.log(4.0 * m + 1.0), _SCALES)

    def at(self, view: int, log_mu: float) -> tuple[float, float, float]:
        """Bound, μ and empirical risk at one scale, from all rows."""
        mu = math.exp(log_mu)
        risk = float(np.mean(ndtr(-mu * self.views[view])))
        return kl_upper(risk, (0.5 * mu * mu + self.prices[view]) / self.m), mu, risk

    def search(self) -> tuple[int, float]:
        """The most promising view and ln μ: a glance at the grid, then a finer one around it."""
        glance = self._rough(range(len(self.views)), self.grid, _GLANCE_ROWS)
        view, i = divmod(int(glance.argmin()), _SCALES)
        ends = self.grid[max(0, i - 1)], self.grid[min(_SCALES - 1, i + 1)]
        near = np.linspace(*ends, 2 * _SCALES + 1)
        values = self._rough([view], near, _SEARCH_ROWS)[0]
        return view, _bottom(near, values)

    def _rough(self, which: Sequence[int], log_mus: Floats, rows: int) -> Floats:
        """Values to a few digits on some of the rows, one line per view."""
        step = -(-len(self.views[0]) // rows)
        some = np.array([self.views[v][::step] for v in which])
        mu = np.exp(log_mus)
        risk = ndtr(-mu[None, :, None] * some[:, None, :]).mean(axis=2)
        price = (0.5 * mu * mu + self.prices[np.asarray(which), None]) / self.m
        return rough_kl_upper(risk, price)


def _bottom(x: Floats, values: Floats) -> float:
    """Where the parabola through the smallest of equally spaced values and its neighbours ends."""
    i = int(values.argmin())
    if not 0 < i < len(x) - 1:
        return float(x[i])
    left, here, right = values[i - 1 : i + 2]
    bend = left - 2.0 * here + right
    return float(x[i] + (0.5 * (x[1] - x[0]) * (left - right) / bend if bend > 0 else 0.0))


def rough_kl_upper(q: Floats, price: Floats) -> Floats:
    """Largest p with kl(q‖p) ≤ price to eight digits, for many pairs at once; to compare them."""
    low, high = q.copy(), np.ones_like(q)
    for _ in range(28):
        p = 0.5 * (low + high)
        too_far = rel_entr(q, p) + rel_entr(1.0 - q, 1.0 - p) > price
        high, low = np.where(too_far, p, high), np.where(too_far, low, p)
    return low


def gaussian_gibbs(
    normalized: Floats,
    m: int,
    log_delta: float,
    *,
    constant: str = "exact",
    mu: float | None = None,
) -> tuple[float, float, float]:
    """Bound, μ and empirical risk of the Gaussian Gibbs classifier, best over μ unless given."""
    search = _GaussianGibbs([normalized], m, [log_delta], constant)
    return search.at(*(search.search() if mu is None else (0, math.log(mu))))


@dataclass(frozen=True)
class GaussianMarginGibbs(Bound):
    """Error rate of the classifier that draws its weights from N(μw/‖w‖, I) for every new point.

    The largest q with kl(q̂‖q) ≤ (μ²/2 + ln(ξ(m)/δ))/m, q̂ the mean of Φ(−μΓ_i) over the normalised
    margins Γ_i = y_i⟨w,x_i⟩/(‖w‖‖x_i‖); it holds for all w and μ at once, so μ is the best one.
    """

    constant: str = "exact"  # ξ(m), or "maurer" for 2√m, or "langford" for m + 1

    code = "gaussian-margin-gibbs"
    title = "Gaussian-posterior PAC-Bayes margin bound, randomised classifier"
    reference = "Langford and Shawe-Taylor 2003; Maurer 2004 (exact constant)"
    classifier = "gibbs"
    needs = ("margins", "norm", "point_norms")
    by_machine = True
    assumptions = (*Bound.assumptions, _FIXED)

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        if evidence.norm == 0.0:
            raise NotApplicable("the weight vector is zero: it has no direction")
        return self._gibbs(evidence, delta)

    def _gibbs(self, evidence: Evidence, delta: float) -> Outcome:
        margins, declared = evidence.need("margins"), list(homogeneous(evidence))
        views = [normalized(margins, view.norm * view.point_norms(evidence)) for view in declared]

        def gibbs(level: float, constant: str) -> _GaussianGibbs:
            levels = [log_level(level * view.share) for view in declared]
            return _GaussianGibbs(views, evidence.n, levels, constant)

        # All scales are paid for, so where to look is a matter of speed: once for all bounds that
        # ask, at a level of its own, so that the answer does not depend on who asked first.
        where = evidence.remember(
            f"gaussian scale, {self.constant}", gibbs(_SEARCH_LEVEL, self.constant).search
        )
        value, mu, risk = gibbs(delta, self.constant).at(*where)
        return Outcome(
            value=value,
            n=evidence.n,
            observed=risk,
            ledger=Ledger((Entry(self.title, delta, scales_paid(evidence)),)),
            counted=f"Gibbs training error {risk:.4g} at scale μ = {mu:.3g}",
            spent="all rows, for training and for the certificate",
            details={"mu": mu, "gibbs_training_error": risk},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Clean, with errors, with an offset, three classes."""
        ones = np.ones(1)
        yield Evidence(1000, errors=0, margins=0.3 * ones, norm=1.0, point_norms=ones)
        margins = np.linspace(-0.4, 2.0, 40)
        binary = Evidence(
            2000, errors=334, margins=margins, norm=3.0, offset=0.5, point_norms=np.ones(40)
        )
        yield binary
        yield Evidence(2000, n_classes=3, machines=(binary, binary, binary))


@dataclass(frozen=True)
class GaussianMargin(GaussianMarginGibbs):
    """Error rate of the fitted classifier: it is the Gaussian's majority vote, so twice as much.

    R ≤ 2q with kl(q̂(μ)‖q) ≤ (μ²/2 + ln(ξ(m)/δ))/m, q̂(μ) the mean of Φ(−μ·Γ_i) over the normalised
    margins Γ_i.
    """

    code = "gaussian-margin"
    title = "Gaussian-posterior PAC-Bayes margin bound"
    classifier = "deterministic"

    def _gibbs(self, evidence: Evidence, delta: float) -> Outcome:
        gibbs = super()._gibbs(evidence, delta)
        errors = evidence.errors
        return Outcome(
            value=2.0 * gibbs.value,
            n=gibbs.n,
            observed=None if errors is None else errors / evidence.n,
            ledger=gibbs.ledger,
            counted=gibbs.counted,
            spent=gibbs.spent,
            details={**gibbs.details, "gibbs": gibbs.value},
        )


def normalized(margins: Floats, lengths: Floats) -> Floats:
    """Margins over ‖w‖‖x‖; zero for a row without length, unless the machine is not asked.

    At such a row the Gibbs rule tosses a coin, whatever the machine says there.
    """
    nothing = np.where(np.isinf(margins), margins, 0.0)
    return np.divide(margins, lengths, out=nothing, where=lengths > 0)


def cap_price(dimension: int, margin: float, m: int, log_delta: float, form: str) -> float:
    """Complexity of the cap: the value is 2(1 − e^(−price/m)), or 2·price/m but for the first form.

    ``"consistent"``: ln(1/cap) + ln(1/δ). ``"exact-cap"``: + 2 ln m + 1. ``"book"``, (5.12): with
    d·ln(1/(1 − √(1−Γ²))) + ln m² + 2 for a lower bound of the cap.
    """
    if form == "book":
        log_cap = log_cap_bound(dimension, margin) + math.log(2.0)
        return -log_cap + 2.0 * math.log(m) - log_delta + 2.0
    extra = {"consistent": 0.0, "exact-cap": 2.0 * math.log(m) + 1.0}[form]
    return -log_cap_fraction(dimension, margin) - log_delta + extra


@dataclass(frozen=True)
class CapMargin(Bound):
    """All rows correct with normalised margin Γ: a spherical cap of classifiers is consistent.

    2(1 − exp(−(ln(1/cap) + ln(1/δ))/m)), cap the exact share of the sphere in rank(G) dimensions.
    Herbrich's theorem 5.10 with the exact volume and without its 2·ln m. ``form="book"`` is (5.12)
    itself, ``form="exact-cap"`` only has its volume replaced.
    """

    form: str = "consistent"

    code = "cap-margin"
    title = "PAC-Bayes margin bound with exact cap volume"
    reference = "Herbrich and Graepel 2001; Herbrich 2002, theorem 5.10, consistent posteriors"
    provenance = "derived"
    needs = ("margins", "norm", "point_norms", "rank")
    by_machine = True
    assumptions = (*Bound.assumptions, _FIXED)

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        margins = evidence.need("margins")
        if self.form not in ("consistent", "exact-cap", "book"):
            raise ValueError(f"form must be consistent, exact-cap or book, got {self.form!r}")
        if margins.min() <= 0 or evidence.errors:
            raise NotApplicable("needs every training row on its own side of the hyperplane")
        if evidence.norm == 0.0:
            raise NotApplicable("the weight vector is zero: it has no direction")
        best, margin = math.inf, 0.0
        for view in homogeneous(evidence):
            lengths = view.norm * view.point_norms(evidence)
            gamma = min(1.0, float(np.min(normalized(margins, lengths))))
            if gamma <= 0:
                raise NotApplicable("a row of length zero has no normalised margin")
            # rows and weight vector span no more than this, however many features there are (a
            # perceptron's start may lie outside the span of the rows)
            spanned = min(evidence.need("rank"), evidence.n + 1)
            dimension = spanned + (evidence.offset is not None)
            level = log_level(delta * view.share)
            price = cap_price(dimension, gamma, evidence.n, level, self.form) / evidence.n
            value = 2.0 * price if self.form != "consistent" else -2.0 * math.expm1(-price)
            best, margin = min((best, margin), (value, gamma))
        return Outcome(
            value=best,
            n=evidence.n,
            observed=0.0,
            ledger=Ledger((Entry(self.title, delta, scales_paid(evidence)),)),
            counted=f"smallest normalised margin {margin:.4g}",
            spent="all rows, for training and for the certificate",
            details={"margin": margin},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """With and without offset."""
        facts: dict[str, Any] = {
            "margins": np.full(3, 0.3),
            "norm": 1.0,
            "point_norms": np.ones(3),
            "rank": 10,
        }
        yield Evidence(1000, errors=0, **facts)
        yield Evidence(1000, errors=0, offset=0.1, **facts)
