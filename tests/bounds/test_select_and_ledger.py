"""Paying for the best of several, side by side views, curves and the ledger."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer.bounds import (
    Bound,
    Certificate,
    Compression,
    Entry,
    Evidence,
    HoldOut,
    Ledger,
    NotApplicable,
    Outcome,
    assess,
    available,
    best_of,
    curve,
    get,
)

MACHINE = Evidence(
    1000,
    learner="a machine",
    formulation="c-svc",
    loss="hinge",
    errors=20,
    margins=np.linspace(-0.1, 1.5, 100),
    norm=2.0,
    point_norms=np.ones(100),
    radius=1.0,
    compression=Compression(1000, 120),
)
DECLARED = ("scenario", "gaussian-margin", "rademacher")


def test_assess_shows_everything_at_full_delta():
    certificates, refused = assess(MACHINE, 0.1)
    assert set(certificates) | set(refused) == set(available())
    assert {"scenario", "compression", "gaussian-margin", "support-vector-count"} <= set(
        certificates
    )
    assert all(c.delta in (0.1, None) for c in certificates.values())
    assert "hold" in refused["holdout"] or "not trained on" in refused["holdout"]
    assert "dimension" in refused["vc"]
    assert all(refused.values())
    some, none = assess(MACHINE, 0.1, bounds=["scenario", get("vc")()])
    assert (list(some), list(none)) == (["scenario"], ["vc"])


def test_best_of_divides_delta_and_says_so():
    best = best_of(MACHINE, 0.06, DECLARED)
    alone = get("scenario")().evaluate(MACHINE, 0.02)
    assert best.code == "scenario"
    assert best.value == alone.value > get("scenario")().evaluate(MACHINE, 0.06).value
    assert best.delta == 0.06
    assert best.ledger.total == pytest.approx(0.06)
    assert len(best.ledger) == 3
    assert "divided" in best.explain()
    again = Certificate.from_dict(json.loads(json.dumps(best.to_dict())))
    assert again == best
    assert again.recompute() == best
    assert best.delta_for(best.value * (1 + 1e-9)) == pytest.approx(0.06, rel=1e-3)


def test_structural_refusals_give_their_share_back():
    """vc does not apply to any infinite-dimensional kernel, whatever the data."""
    best = best_of(MACHINE, 0.06, ("scenario", "vc"))
    assert best.value == get("scenario")().evaluate(MACHINE, 0.06).value
    assert best.ledger.total == pytest.approx(0.06)


def test_data_dependent_refusals_cost_their_share():
    """Whether the training error is zero is known only afterwards."""
    evidence = Evidence(
        1000, errors=20, dimension=5, compression=Compression(1000, 30), learner="linear"
    )
    best = best_of(evidence, 0.06, ("scenario", "vc-zero-error"))
    assert best.value == get("scenario")().evaluate(evidence, 0.03).value
    assert best.ledger.total == pytest.approx(0.06)


def test_what_only_this_fit_lacks_has_spent_its_share():
    """A solver that does not finish depends on the data, and δ was divided before them."""
    never = replace(MACHINE, compression=None)
    unlucky = replace(never, lost=("compression",))
    declared = ("scenario", "gaussian-margin")
    assert best_of(never, 0.06, declared).details["own_delta"] == 0.06
    assert best_of(unlucky, 0.06, declared).details["own_delta"] == 0.03
    assert Evidence.from_dict(unlucky.to_dict()) == unlucky
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    with pytest.warns(ConvergenceWarning):
        hurried = mercer.SVC(C=1e3, gamma=1.0, max_iter=3).fit(X, y)
    assert hurried.evidence_.compression is None
    assert hurried.certificate_.details["own_delta"] == 0.025


def test_weights():
    best = best_of(MACHINE, 0.05, ("scenario", "rademacher"), {"scenario": 4, "rademacher": 1})
    assert best.details["own_delta"] == pytest.approx(0.04)


def test_two_settings_of_one_bound_are_both_paid_for():
    flat = Evidence(5000, errors=20, dimension=5)
    best = best_of(flat, 0.05, (get("vc")(growth="sauer"), get("vc")(growth="cover")))
    assert best.params["growth"] == "cover"
    assert best.value == get("vc")(growth="cover").evaluate(flat, 0.025).value
    assert best.ledger.total == pytest.approx(0.05)
    assert len(best.ledger) == 2


def test_refusals_of_best_of():
    with pytest.raises(ValueError, match="at least one"):
        best_of(MACHINE, 0.05, ())
    with pytest.raises(ValueError, match="not a bound"):
        best_of(MACHINE, 0.05, ("scenario", "support-vector-count"))
    with pytest.raises(NotApplicable, match="none of the declared"):
        best_of(MACHINE, 0.05, ("vc", "holdout"))
    with pytest.raises(ValueError, match="delta"):
        best_of(MACHINE, 0.0, DECLARED)
    with pytest.raises(ValueError, match="positive"):
        best_of(MACHINE, 0.05, ("scenario",), {"scenario": 0})
    with pytest.raises(KeyError, match="no bound 'magic'"):
        get("magic")


def test_curves():
    part = Evidence(1, holdout=HoldOut(100, 5))
    c = curve(get("holdout")(), part, "n", [100, 1000, 10000])
    assert np.all(np.diff(c.values) < 0)
    over_delta = curve(get("holdout")(), part, "delta", [0.001, 0.01, 0.1])
    assert np.all(np.diff(over_delta.values) < 0)
    sizes = curve(get("compression")(), MACHINE, "compression.size", [0, 100, 300, 500, 1000])
    assert np.all(np.diff(sizes.values[:4]) > 0)
    assert np.isnan(sizes.values[4])
    stable = Evidence(1000, loss="hinge", margins=np.ones(1), radius=1.0, C=0.001, errors=0)
    lam = curve(get("stability")(), stable, "lam", [1e-3, 1e-2, 0.1, 1.0])
    assert np.all(np.diff(lam.values) < 0)
    assert lam.informative_from == 0.1
    clean = Evidence(1000, errors=0, margins=[0.3], norm=1.0, point_norms=[1.0], rank=10)
    margin = curve(get("cap-margin")(), clean, "margin", [0.01, 0.1, 0.5])
    assert np.all(np.diff(margin.values) < 0)
    dimension = curve(get("vc")(), Evidence(10**5, errors=0), "dimension", [1, 10, 100, 10**4])
    assert np.all(np.diff(dimension.values) > 0)
    assert curve(get("vc")(), Evidence(9, errors=9), "dimension", [3]).informative_from is None


def test_a_curve_over_what_the_bound_does_not_read_is_refused():
    part = Evidence(500, errors=3, holdout=HoldOut(100, 5), dimension=4.0, rank=4, norm=1.0)
    for over, values in (("norm", [1.0, 2.0]), ("rank", [1, 2]), ("holdout.trained_on", [1, 9])):
        with pytest.raises(ValueError, match=f"'holdout' does not depend on '{over}'"):
            curve(get("holdout")(), part, over, values)
    assert len(curve(get("holdout")(), part, "norm", [1.0]).values) == 1  # a point is no line
    assert np.isfinite(curve(get("holdout")(), part, "holdout.errors", [1, 9]).values).all()


def test_ledger():
    ledger = Ledger.split(0.05, {"a": 0.8, "b": 0.2}, "why")
    assert ledger["a"] == pytest.approx(0.04)
    assert ledger.total == pytest.approx(0.05)
    assert Ledger.from_list(json.loads(json.dumps(ledger.to_list()))) == ledger
    assert [e.what for e in ledger + Ledger((Entry("c", 0.01),))] == ["a", "b", "c"]
    with pytest.raises(KeyError):
        ledger["z"]
    with pytest.raises(ValueError, match="at most 1"):
        Ledger.split(0.05, {"a": 0.8, "b": 0.3})


class Nan(Bound):
    code, title, reference = "nan", "a broken bound", "nobody 2024"

    def _outcome(self, evidence, delta):
        return Outcome(value=float("nan"), n=evidence.n)

    @classmethod
    def examples(cls):
        yield Evidence(1)


def test_a_bound_that_yields_nan_is_an_error_not_a_certificate():
    """certificates.md §3 no. 6: other code prints nan."""
    with pytest.raises(ArithmeticError, match="NaN"):
        Nan().evaluate(Evidence(1))


def test_certificates_of_another_format_are_refused():
    data = get("holdout")().evaluate(Evidence(1, holdout=HoldOut(9, 1))).to_dict()
    with pytest.raises(ValueError, match="format"):
        Certificate.from_dict({**data, "mercer_certificate": 99})
    with pytest.raises(ValueError, match="unknown certificate field"):
        Certificate.from_dict({**data, "colour": "red"})


@pytest.mark.parametrize("target", [float("nan"), "small", None])
def test_targets_are_numbers(target):
    certificate = get("holdout")().evaluate(Evidence(9, holdout=HoldOut(200, 11)))
    for question in (certificate.sample_size, certificate.delta_for):
        with pytest.raises(ValueError, match="target must be a number"):
            question(target)


def test_sample_size_of_the_impossible_is_none():
    c = get("holdout")().evaluate(Evidence(1, holdout=HoldOut(100, 50)))
    assert c.sample_size(0.4) is None
    assert c.delta_for(0.1) is None
    assert c.sample_size(0.51) > 1000


def test_values_above_the_range_are_clipped_and_kept():
    """certificates.md §3 no. 7: 1.586 was printed as a result."""
    c = get("gaussian-margin")().evaluate(
        Evidence(20, margins=np.full(1, 0.01), norm=1.0, point_norms=np.ones(1))
    )
    assert c.value == 1.0
    assert c.unclipped > 1.0
    assert c.vacuous
    assert "says nothing" in c.first_line()


def test_sample_size_does_not_repeat_losses_without_end():
    """Scaling copies recorded losses; an unreachable target must not eat the memory."""
    losses = np.linspace(0, 1, 50)
    evidence = Evidence(9, task="regression", holdout=HoldOut(50, losses=losses), loss_range=(0, 1))
    c = get("holdout-loss-bernstein")().evaluate(evidence)
    assert c.sample_size(0.4) is None  # below the observed mean
    assert c.sample_size(0.5001) is None  # would need more than a million rows
    assert 50 < c.sample_size(0.55) < 10_000
