"""Relations between in-sample bounds, refusals with reasons, and formulas against slow twins."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.bounds import Compression, Evidence, NotApplicable, get
from mercer.bounds.compression import lossless, lossless_relaxed


def value(code, evidence, delta=0.05, **params):
    return get(code)(**params).evaluate(evidence, delta).unclipped


@settings(max_examples=60)
@given(st.integers(20, 5000), st.floats(0.01, 0.5), st.floats(1e-6, 0.5))
def test_relaxed_is_never_below_exact(n, share, delta):
    size = max(1, int(share * n))
    evidence = Evidence(n, compression=Compression(n, size))
    tail = value("compression", evidence, delta)
    assert tail <= lossless(n, size, delta) + 1e-12
    assert lossless(n, size, delta) <= max(1.0, lossless_relaxed(n, size, delta) * (1 + 1e-9))
    assert value("scenario", evidence, delta) <= tail * (1 + 1e-9)


def test_scenario_needs_a_preferent_lossless_scheme():
    good = Compression(100, 10)
    for bad in (
        replace(good, preferent=False),
        replace(good, errors=2),
        replace(good, ordered=True),
    ):
        with pytest.raises(NotApplicable):
            get("scenario")().evaluate(Evidence(100, compression=bad))
    with pytest.raises(NotApplicable, match="every row"):
        get("compression")().evaluate(Evidence(10, compression=Compression(10, 10)))
    bits = value("compression", Evidence(100, compression=replace(good, bits=30.0)))
    assert bits > value("compression", Evidence(100, compression=good))


def test_scenario_interval_for_machines_whose_quantity_is_the_set():
    kept = Compression(300, 30, nondegenerate=True)
    c = get("scenario")().evaluate(Evidence(300, task="novelty", compression=kept))
    assert 0 < c.lower < 0.1 < c.value
    assert "rejected" in c.first_line()
    svc = get("scenario")().evaluate(Evidence(300, compression=kept))
    assert svc.lower is None  # few support vectors say nothing against a small error rate
    assert svc.value < c.value


def test_solver_gap_is_mentioned():
    c = get("scenario")().evaluate(Evidence(300, gap=1e-3, compression=Compression(300, 30)))
    assert "0.001" in c.explain()


def hinge(**changes):
    facts = {
        "n": 500,
        "loss": "hinge",
        "margins": np.ones(5),
        "radius": 1.0,
        "C": 1e-3,
        "errors": 0,
    }
    return Evidence(**(facts | changes))


def test_stability_refuses_what_the_theorem_does_not_cover():
    assert value("stability", hinge()) > 0
    for changes, word in (
        ({"offset": 0.0}, "offset"),
        ({"loss": "squared-hinge"}, "squared-hinge"),
        ({"loss": ""}, "unnamed"),
        ({"n_classes": 3}, "two classes"),
    ):
        with pytest.raises(NotApplicable, match=word):
            get("stability")().evaluate(hinge(**changes))


def test_constant_c_is_never_stable_enough():
    values = [value("stability", hinge(n=n, C=1.0)) for n in (100, 10**4, 10**6)]
    assert min(values) > 1


def test_offset_costs_little_through_a_constant_feature():
    base = Evidence(
        5000, margins=np.linspace(0.2, 1, 50), norm=2.0, point_norms=np.ones(50), errors=0
    )
    plain = value("gaussian-margin", base)
    with_offset = value("gaussian-margin", replace(base, offset=0.05))
    assert plain < with_offset < 1.2 * plain
    assert value("gaussian-margin", replace(base, offset=2.0)) > with_offset


def test_gibbs_is_half_of_the_deterministic_bound():
    evidence = Evidence(2000, margins=np.linspace(-0.2, 1, 60), norm=1.5, point_norms=np.ones(60))
    assert value("gaussian-margin", evidence) == pytest.approx(
        2 * value("gaussian-margin-gibbs", evidence)
    )


def test_binary_machines_are_added_up():
    one = Evidence(
        3000, margins=np.linspace(0.2, 1, 60), norm=1.5, point_norms=np.ones(60), errors=0
    )
    idle = replace(one, margins=np.append(one.margins, np.inf), point_norms=np.ones(61))
    whole = Evidence(3000, n_classes=3, machines=(one, one, idle))
    c = get("gaussian-margin")().evaluate(whole, 0.06)
    assert c.unclipped == pytest.approx(
        2 * value("gaussian-margin", one, 0.02) + value("gaussian-margin", idle, 0.02)
    )
    assert value("gaussian-margin", idle) < value("gaussian-margin", one)
    assert len(c.ledger) == 3
    with pytest.raises(NotApplicable, match="each binary machine"):
        get("gaussian-margin")().evaluate(replace(one, n_classes=3))
    with pytest.raises(NotApplicable, match="norm"):
        get("gaussian-margin")().evaluate(replace(whole, machines=(one, replace(one, norm=None))))


def test_zero_weight_vector_has_no_margin():
    flat = Evidence(10, margins=np.zeros(2), norm=0.0, point_norms=np.ones(2), radius=1.0)
    for code in ("gaussian-margin", "rademacher"):
        with pytest.raises(NotApplicable, match="zero"):
            get(code)().evaluate(flat)


def test_cap_margin_needs_clean_data():
    bad = Evidence(50, margins=[0.2, -0.1], norm=1.0, point_norms=[1.0, 1.0], rank=3, errors=1)
    with pytest.raises(NotApplicable, match="own side"):
        get("cap-margin")().evaluate(bad)


def test_rademacher_covers_every_declared_ball():
    """Rescaling w changes nothing: the margin is relative to the norm."""
    base = Evidence(50_000, margins=np.linspace(0.1, 2, 40), norm=2.0, radius=1.0, errors=0)
    doubled = replace(base, margins=2 * base.margins, norm=4.0)
    assert value("rademacher", doubled) == pytest.approx(value("rademacher", base))
    by_trace = replace(base, radius=None, trace=50_000.0)
    assert value("rademacher", by_trace) > value("rademacher", base)
    with pytest.raises(NotApplicable, match="trace"):
        get("rademacher")().evaluate(replace(base, radius=None))


def test_vc_refusals():
    with pytest.raises(NotApplicable, match="dimension"):
        get("vc")().evaluate(Evidence(100, errors=0, dimension=math.inf))
    with pytest.raises(NotApplicable, match="two classes"):
        get("vc")().evaluate(Evidence(100, errors=0, dimension=3, n_classes=4))
    with pytest.raises(NotApplicable, match="zero training error"):
        get("vc-zero-error")().evaluate(Evidence(100, errors=1, dimension=3))
    with pytest.raises(NotApplicable, match="closed form"):
        get("vc")(growth="closed").evaluate(Evidence(10, errors=1, dimension=300))
