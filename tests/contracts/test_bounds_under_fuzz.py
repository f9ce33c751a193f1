"""Every bound under impossible and extreme input: an answer, a reason, or a clear refusal.

Evidence is drawn at random, fields in and out of range alike. A bound may give a certificate, raise
`NotApplicable` with a reason or `ValueError`; never NaN, never another exception, and an upper
limit never below what was observed.
"""

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mercer.bounds import Bound, Evidence, NotApplicable, available, curve

BOUNDS = list(available().items())
EXAMPLES = [(code, cls, list(cls.examples())) for code, cls in BOUNDS]

COUNTS = st.one_of(st.integers(0, 60), st.integers(0, 10**7), st.just(10**12))
NUMBERS = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-300, 1e300, math.inf, -math.inf, math.nan]),
    st.floats(-3, 3),
    st.floats(1e-12, 1e12),
)
LISTS = st.lists(NUMBERS, max_size=6)
LEVELS = st.one_of(
    st.floats(1e-320, 1.0, exclude_max=True, exclude_min=True),
    st.sampled_from([0.05, 0.999999, 5e-324]),
)


def twisted(data, value):
    """Another value of the same kind, often an impossible one."""
    if isinstance(value, bool):
        return data.draw(st.booleans())
    if isinstance(value, int):
        return data.draw(st.one_of(COUNTS, st.integers(-5, 5)))
    if isinstance(value, float):
        return data.draw(NUMBERS)
    if isinstance(value, np.ndarray):
        return data.draw(LISTS)
    if isinstance(value, tuple) and value and all(isinstance(v, float) for v in value):
        return tuple(data.draw(NUMBERS) for _ in value)
    if isinstance(value, dict) and value and all(isinstance(v, float) for v in value.values()):
        return {key: data.draw(NUMBERS) for key in value}
    return value


def twist(data, record):
    """The record with one or two of its fields replaced; may refuse to be built."""
    names = [f.name for f in fields(record) if getattr(record, f.name) is not None]
    for name in data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=2)):
        old = getattr(record, name)
        new = twist(data, old) if hasattr(old, "__dataclass_fields__") else twisted(data, old)
        record = replace(record, **{name: new})
    return record


def judge(bound, evidence, delta, *, contradictory=False):
    """A certificate keeps its promises, or there is a reason why there is none."""
    try:
        c = bound.evaluate(evidence, delta)
    except (NotApplicable, ValueError) as refusal:
        return str(refusal)
    low, high = c.loss_range
    assert not math.isnan(c.unclipped)
    assert low <= c.value <= high
    assert c.vacuous == (c.kind != "estimate" and c.unclipped >= high)
    # at δ above a half an exact limit may lie below what was seen; errors that contradict the
    # margins are the business of mercer.evidence_from
    if c.observed is not None and c.kind != "estimate" and delta <= 0.5 and not contradictory:
        assert c.unclipped >= c.observed - 1e-9 * max(1.0, abs(c.observed))
    if c.lower is not None:
        assert c.lower <= c.value
    assert c.explain()
    assert c._repr_html_()
    return str(c)


@pytest.mark.parametrize(("code", "cls", "examples"), EXAMPLES, ids=[c for c, _ in BOUNDS])
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_one_or_two_fields_wrong(code, cls, examples, data):
    evidence = data.draw(st.sampled_from(examples))
    delta = data.draw(LEVELS)
    try:
        changed = twist(data, evidence)
    except (ValueError, TypeError, OverflowError):  # the evidence itself refuses
        return
    several = evidence.margins is not None or evidence.compression is not None
    several |= evidence.lipschitz is not None
    other = changed.errors != evidence.errors or changed.n != evidence.n
    assert judge(cls(), changed, delta, contradictory=several and other)


@pytest.mark.parametrize(("code", "cls", "examples"), EXAMPLES, ids=[c for c, _ in BOUNDS])
def test_constants_fixed_in_advance_out_of_range(code, cls, examples):
    """Numbers among a bound's own constants: impossible ones are refused, not computed with."""
    for name, value in cls().params.items():
        if isinstance(value, float) and not isinstance(value, bool):
            for bad in (0.0, -1.0, math.nan, math.inf):
                try:
                    bound = cls(**{name: bad})
                except ValueError:
                    continue
                for evidence in examples:
                    judge(bound, evidence, 0.05)
        if isinstance(value, str):
            with pytest.raises((ValueError, KeyError)):
                cls(**{name: "no such form"}).evaluate(examples[0], 0.05)


IMPOSSIBLE = {
    "more errors than rows": lambda e: replace(e, errors=e.n + 1),
    "negative errors": lambda e: replace(e, errors=-1),
    "no rows": lambda e: replace(e, n=0),
    "half a row": lambda e: replace(e, n=10.5),
    "NaN among the margins": lambda e: replace(e, margins=[1.0, math.nan]),
    "no margins": lambda e: replace(e, margins=[]),
    "negative norm": lambda e: replace(e, norm=-1.0),
    "infinite norm": lambda e: replace(e, norm=math.inf),
    "negative radius": lambda e: replace(e, radius=-0.1),
    "negative C": lambda e: replace(e, C=-1.0),
    "an empty class of rules": lambda e: replace(e, log_class_size=-math.inf),
    "a description of negative length": lambda e: replace(e, code_length=-3.0),
    "a range of losses upside down": lambda e: replace(e, loss_range=(1.0, 0.0)),
    "a negative dimension": lambda e: replace(e, dimension=-2),
    "a dimension that is no number": lambda e: replace(e, dimension=math.nan),
    "a negative rank": lambda e: replace(e, rank=-1),
    "a negative number of neighbours": lambda e: replace(e, neighbours=-1),
    "negative point norms": lambda e: replace(e, point_norms=[-1.0]),
    "negative trace": lambda e: replace(e, trace=-1.0),
    "an unknown task": lambda e: replace(e, task="guessing"),
    "one class": lambda e: replace(e, n_classes=0),
}


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_impossible_evidence_cannot_be_made(what):
    with pytest.raises(ValueError, match=r"."):
        IMPOSSIBLE[what](Evidence(100))


@pytest.mark.parametrize(("code", "cls", "examples"), EXAMPLES, ids=[c for c, _ in BOUNDS])
def test_combinations_that_say_nothing_are_refused_with_a_reason(code, cls, examples):
    """A dimension that is zero or infinite, a norm without radius, no row on the right side."""
    for evidence in examples:
        for change in (
            {"dimension": 0},
            {"dimension": math.inf},
            {"rank": 0},
            {"radius": None, "point_norms": None, "trace": None},
            {"norm": 0.0},
            {"radius": 0.0},
            {"C": 0.0},
            {"margins": [-1.0, -2.0], "errors": evidence.n, "slacks": [2.0, 3.0]},
            {"errors": evidence.n},
            {"n": 1, "errors": 0},
        ):
            used = {k: v for k, v in change.items() if getattr(evidence, k) is not None or k == "n"}
            try:
                changed = replace(evidence, **used)
            except ValueError:
                continue
            assert judge(cls(), changed, 0.05, contradictory="errors" in used)


@pytest.mark.parametrize(("code", "cls", "examples"), EXAMPLES, ids=[c for c, _ in BOUNDS])
def test_curves_over_n_never_break(code, cls, examples):
    evidence = examples[0]
    points = [1, 2, 3, 10, 1000] + ([] if evidence.repeats_rows else [10**7, 10**9])
    found = curve(cls(), evidence, "n", points)
    assert len(found.values) == len(points)
    assert not any(v < 0 for v in found.values if cls.kind == "bound")


def test_every_bound_is_here():
    assert {code for code, _, _ in EXAMPLES} == set(available())
    assert all(issubclass(cls, Bound) for _, cls, _ in EXAMPLES)
