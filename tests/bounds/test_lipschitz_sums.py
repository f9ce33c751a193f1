"""Sums of distance functions in a declared box: limits against brute force, and what is refused."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import mercer
from mercer.bounds import DistanceSums, Evidence, NotApplicable, get
from mercer.bounds.lipschitz_sums import (
    LipschitzSums,
    all_scales,
    log_cells,
    offset_noise,
    one_scale,
)
from mercer.learners.metric import LPMachine, OutsideDomainWarning

NAMES = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}
WIDTHS = [(), (0.4,), (0.2, 1.0, 5.0)]


def lattice(sides, points):
    """A fine grid of centres, corners included."""
    return np.stack(np.meshgrid(*[np.linspace(0, s, points) for s in sides]), -1).reshape(
        -1, len(sides)
    )


def brute_force(record, X, signs):
    """The mean of the largest |Σ σ_i h(x_i)| / n over a fine grid of centres, over r."""
    r, diameter = record.half_range(), 2 * record.radius()
    D = cdist(X, lattice(record.sides, 41), NAMES[record.norm])
    columns = [D - diameter / 2]
    if record.widths:
        slopes = [math.sqrt(2 / math.e) / s for s in record.widths]
        low = [math.exp(-((diameter / s) ** 2)) for s in record.widths]
        columns = [
            (np.exp(-((D / s) ** 2)) - (1 + least) / 2) / slope
            for s, slope, least in zip(record.widths, slopes, low, strict=True)
        ]
    H = np.hstack(columns)
    assert np.abs(H).max() <= r * (1 + 1e-12)
    return float(np.abs(signs @ H).max(axis=1).mean()) / (len(X) * r)


@pytest.mark.parametrize("norm", NAMES)
@pytest.mark.parametrize("widths", WIDTHS)
@pytest.mark.parametrize("sides", [(1.0,), (1.0, 0.3)])
def test_above_the_rademacher_value_by_brute_force(norm, widths, sides):
    rng = np.random.default_rng(0)
    n, record = 60, DistanceSums(60, 1.0, sides, norm, widths)
    X = rng.random((n, len(sides))) * sides
    signs = rng.choice([-1.0, 1.0], size=(2000, n))
    exact, limit = brute_force(record, X, signs), one_scale(record, n)
    assert 0.15 * limit < exact < limit <= all_scales(record, n)


def test_without_the_count_of_functions_the_limit_would_be_too_small():
    """The brute force can see a mistake: bumps at three places give every pattern of signs."""
    rng = np.random.default_rng(1)
    n, record = 60, DistanceSums(60, 1.0, (1.0,), widths=(0.05,))
    X = np.repeat([0.1, 0.5, 0.9], 20)[:, None]
    exact = brute_force(record, X, rng.choice([-1.0, 1.0], size=(5000, n)))
    one_function_and_its_negative = math.sqrt(2 * math.log(2) / n)
    assert one_function_and_its_negative < exact < one_scale(record, n)


@pytest.mark.parametrize("norm", NAMES)
def test_so_many_balls_cover_the_box(norm):
    rng = np.random.default_rng(2)
    sides = np.array([1.0, 0.3, 2.0])
    for u in (0.9, 0.4, 0.17):
        parts = np.ceil(
            sides * 3 ** {"euclidean": 0.5, "manhattan": 1, "chebyshev": 0}[norm] / 2 / u
        )
        axes = [(np.arange(k) + 0.5) * s / k for k, s in zip(parts, sides, strict=True)]
        middles = np.stack(np.meshgrid(*axes), -1).reshape(-1, 3)
        assert len(middles) == round(math.exp(log_cells(sides, norm, u)))
        corners = lattice(sides, 2)
        points = np.vstack([rng.random((3000, 3)) * sides, corners])
        assert cdist(points, middles, NAMES[norm]).min(axis=1).max() <= u * (1 + 1e-12)


def test_what_an_offset_gains_on_signs():
    for n in (1, 2, 3, 10, 51, 400):
        exact = sum(math.comb(n, k) * abs(n - 2 * k) for k in range(n + 1)) / (n * 2**n)
        assert exact <= offset_noise(n) <= 1.4 * exact
    assert offset_noise(400) < 1 / math.sqrt(400)


def test_rates_and_units():
    small, fine = DistanceSums(100, 1.0, (1.0,) * 20), DistanceSums(100, 1.0, (1e-9,) * 20)
    assert one_scale(small, 10**6) == pytest.approx(one_scale(fine, 10**6), rel=1e-6)
    assert one_scale(small, 10**8) < 0.15 * one_scale(small, 10**6)  # 1/√n in twenty columns
    wide = DistanceSums(100, 1.0, (1.0,), widths=(1e6,))  # hardly falls within the box
    assert wide.half_range() == pytest.approx(0.5 * math.sqrt(math.e / 2) * 1e-6)
    for n in (10, 10**4, 10**9):  # chaining is the better theorem, and never the smaller number
        assert one_scale(small, n) <= all_scales(small, n)


def test_the_same_by_hand():
    margins, n, delta = np.array([0.5, 1.0, 2.0, -0.1]), 4000, 0.05
    record = DistanceSums(n, 2.0, (3.0,))  # half range 1.5, sum of weights 3 half ranges
    values = []
    for j in range(-2, 5):
        ramp = np.clip(1 - margins * 2.0**j / 3.0, 0, 1).mean()
        share = delta / ((math.pi**2 / 3 - 1) * (1 + abs(j)) ** 2)
        cost = 2.0**j * one_scale(record, n) + (1 + 2.0**j) * offset_noise(n)
        values.append(ramp + 2 * cost + math.sqrt(math.log(1 / share) / (2 * n)))
    found = LipschitzSums().evaluate(Evidence(n, margins=margins, sums=record), delta)
    assert found.unclipped == pytest.approx(min(values), rel=1e-12)


def test_json_round_trip_and_frozen():
    record = DistanceSums(50, 1.5, [1, 2.0], "chebyshev", [0.5], fixed=False)
    evidence = Evidence(50, margins=np.ones(3), sums=record)
    again = Evidence.from_dict(json.loads(json.dumps(evidence.to_dict())))
    assert again == evidence
    assert again.sums == record
    with pytest.raises(AttributeError):
        record.norm = "euclidean"


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"sides": ()}, "at least one side"),
        ({"sides": (1.0, 0.0)}, "sides must be positive"),
        ({"sides": (math.nan,)}, "sides must be positive"),
        ({"sides": (1.7e308, 1.7e308)}, "too large or too small"),
        ({"widths": (-1.0,)}, "widths must be positive"),
        ({"norm": "cosine"}, "norm must be one of"),
        ({"constant": -1.0}, "at least 0"),
    ],
)
def test_impossible_records_are_refused(changes, word):
    with pytest.raises(ValueError, match=word):
        replace(DistanceSums(10, 1.0, (1.0,)), **changes)


# -- the machine that publishes it -----------------------------------------------------------------


def data(n=60, columns=2):
    rng = np.random.default_rng(3)
    X = rng.random((n, columns))
    return X, np.where(X[:, 0] > 0.5, 1, -1)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"domain": 1.0}, r"must be \(low, high\)"),
        ({"domain": (0, 1, 2)}, r"must be \(low, high\)"),
        ({"domain": ("a", "b")}, r"must be \(low, high\)"),
        ({"domain": (0, [1, 1, 1])}, "high has 3 numbers for 2 columns"),
        ({"domain": (0, math.inf)}, "high must be finite"),
        ({"domain": (0, [1, 0])}, "low must be below high; column 1"),
        ({"domain": (0, [1, 0.5])}, "in column 1, outside"),
        ({"domain": (0, 1), "metric": "cosine"}, "'euclidean', 'manhattan' or 'chebyshev'"),
        ({"domain": (0, 1), "metric": lambda a, b: abs(a - b).sum()}, "leave domain=None"),
    ],
)
@pytest.mark.filterwarnings("ignore::mercer.learners.metric.NotAMetricWarning")
def test_boxes_that_make_no_sense(changes, word):
    with pytest.raises(ValueError, match=word):
        LPMachine(**changes).fit(*data())


def test_no_box_around_distances_or_words():
    X, y = data(12)
    with pytest.raises(ValueError, match="got 'PrecomputedDistances'; leave domain=None"):
        LPMachine("precomputed", domain=(0, 1)).fit(cdist(X, X), y)
    with pytest.raises(ValueError, match="got 'Edit'"):
        LPMachine("edit", domain=(0, 1)).fit(["a", "b", "cc", "dd"], [0, 0, 1, 1])


def test_what_the_machine_publishes(tmp_path):
    X, y = data()
    plain = LPMachine().fit(X, y)
    assert "domain=(low, high)" in plain.not_applicable_["lipschitz-sums"]
    boxed = LPMachine(domain=(0, [1.0, 2.0])).fit(X, y)
    np.testing.assert_array_equal(boxed.coef_, plain.coef_)
    assert boxed.evidence_.sums == DistanceSums(60, boxed.penalty_, (1.0, 2.0))
    assert "lipschitz-sums" in boxed.certificates_
    for metric, norm in (("cityblock", "manhattan"), ("chebyshev", "chebyshev")):
        assert LPMachine(metric, domain=(0, 1)).fit(X, y).evidence_.sums.norm == norm
    mercer.save(boxed, tmp_path / "m.mercer")
    assert mercer.load(tmp_path / "m.mercer").evidence_ == boxed.evidence_


def test_new_points_outside_the_box_are_told(tmp_path):
    X, y = data()
    boxed = LPMachine(domain=(0, [1.0, 2.0])).fit(X, y)
    boxed.predict([[0.0, 2.0], [1.0, 0.0]])  # the border belongs to the box
    strays = np.array([[0.5, 0.5], [0.5, 2.5], [-1.0, 9.0]])
    for model in (boxed, mercer.load(mercer.save(boxed, tmp_path / "m.mercer"))):
        for method in (model.predict, model.decision_function):
            with pytest.warns(OutsideDomainWarning, match="row 1 has 2.5 in column 1") as said:
                method(strays)
            assert "2 of 3 rows" in str(said[0].message)
    plain = LPMachine().fit(X, y)
    with pytest.warns(OutsideDomainWarning):
        np.testing.assert_array_equal(boxed.predict(strays), plain.predict(strays))


def test_widths_must_not_come_from_the_rows():
    X, y = data()
    found = LPMachine(profile="gaussian", domain=(0, 1)).fit(X, y)
    assert "read off the rows" in found.not_applicable_["lipschitz-sums"]
    with pytest.raises(NotApplicable) as refusal:
        get("lipschitz-sums")().evaluate(found.evidence_)
    assert refusal.value.structural  # known before the data: its share of δ goes to the others
    declared = LPMachine(
        profile="gaussian", length_scales=np.array([0.5, 1.0]) / 2**0.5, domain=(0, 1)
    ).fit(X, y)
    assert declared.evidence_.sums.widths == pytest.approx((0.5, 1.0))
    assert "lipschitz-sums" in declared.certificates_


def test_a_constant_function_has_no_margin():
    record = DistanceSums(10, 0.0, (1.0,))
    with pytest.raises(NotApplicable, match="constant"):
        LipschitzSums().evaluate(Evidence(10, margins=np.ones(2), sums=record))
