"""What every bound in the folder promises, checked over the examples it ships."""

import json
import math
from dataclasses import replace
from itertools import pairwise

import pytest

from mercer.bounds import Bound, Certificate, Choice, Evidence, NotApplicable, available

BOUNDS = list(available().items())
CASES = [
    pytest.param(cls(), evidence, id=f"{code}-{i}")
    for code, cls in BOUNDS
    for i, evidence in enumerate(cls.examples())
]
REAL = [case for case in CASES if case.values[0].kind != "estimate"]
ESTIMATES = [case for case in CASES if case.values[0].kind == "estimate"]


def test_there_are_bounds_and_estimates():
    assert len(REAL) > 30
    assert len(ESTIMATES) >= 6


@pytest.mark.parametrize(("code", "cls"), BOUNDS)
def test_facts_are_stated(code, cls):
    assert code == code.lower()
    assert " " not in code
    assert cls.title
    assert any(char.isdigit() for char in cls.reference) or cls.provenance == "derived"
    assert cls.assumptions
    assert cls.__doc__
    assert cls.provenance in ("book", "corrected", "derived", "literature")
    assert next(iter(cls.examples()), None) is not None


@pytest.mark.parametrize(("code", "cls"), BOUNDS)
def test_empty_evidence_is_refused_with_a_reason(code, cls):
    for task in cls.tasks:
        with pytest.raises(NotApplicable) as refusal:
            cls().evaluate(Evidence(10, task=task, learner="an empty model"))
        assert refusal.value.reason
        assert refusal.value.structural


@pytest.mark.parametrize(("bound", "evidence"), CASES)
def test_another_task_is_refused(bound, evidence):
    for task in {"classification", "regression", "novelty"} - set(bound.tasks):
        with pytest.raises(NotApplicable, match=task):
            bound.evaluate(replace(evidence, task=task))


@pytest.mark.parametrize(("bound", "evidence"), CASES)
def test_certificate_is_complete_and_in_range(bound, evidence):
    c = bound.evaluate(evidence, 0.05)
    low, high = c.loss_range
    assert isinstance(c, Certificate)
    assert low <= c.value <= high
    assert c.vacuous == (c.kind != "estimate" and c.unclipped >= high)
    assert (c.kind, c.side, c.classifier) == (bound.kind, bound.side, bound.classifier)
    assert c.n >= 1
    assert c.counted
    if c.observed is not None:
        assert c.unclipped >= c.observed - 1e-12
        assert c.value >= min(high, c.observed) - 1e-12
    if c.lower is not None:
        assert c.lower <= c.value


@pytest.mark.parametrize(("bound", "evidence"), CASES)
def test_json_round_trip_and_recomputation(bound, evidence):
    c = bound.evaluate(evidence, 0.03)
    text = json.dumps(c.to_dict(), allow_nan=False)
    again = Certificate.from_dict(json.loads(text))
    assert again == c
    assert again.recompute() == c
    assert Evidence.from_dict(json.loads(json.dumps(evidence.to_dict()))) == evidence
    slim = Certificate.from_dict(c.to_dict(inputs=False))
    assert slim.value == c.value
    with pytest.raises(ValueError, match="without its inputs"):
        slim.recompute()


@pytest.mark.parametrize(("bound", "evidence"), CASES)
def test_words(bound, evidence):
    c = bound.evaluate(evidence)
    text = c.explain()
    assert bound.title in text
    assert bound.reference in text
    assert all(assumption in text for assumption in bound.assumptions)
    assert text.startswith(c.first_line())
    assert str(c) == c.first_line()
    page = c._repr_html_()
    assert page.count("<table>") == page.count("</table>") == 1
    assert "<script" not in replace(c, learner="<script>alert(1)</script>")._repr_html_()


@pytest.mark.parametrize(("bound", "evidence"), CASES)
def test_choices_from_the_data_are_declared_in_the_first_line(bound, evidence):
    chosen = (Choice("gamma", "median distance", rows="train"),)
    c = bound.evaluate(replace(evidence, choices=chosen))
    if "train" in bound.covers:
        assert "NOT COVER" not in c.first_line()
        assert not c.uncovered
    else:
        assert c.first_line().startswith("DOES NOT COVER the choice of gamma")
        assert "median distance" in c.explain()
        if c.kind == "bound":
            assert "gamma had been fixed before the data" in c.explain()
    on_test = (Choice("threshold", rows="fresh"),)
    assert "DOES NOT COVER" in bound.evaluate(replace(evidence, choices=on_test)).first_line()
    paid = (Choice("C", rows="fresh", candidates=5, paid=True), Choice("seed", rows="none"))
    assert "NOT COVER" not in bound.evaluate(replace(evidence, choices=paid)).first_line()


@pytest.mark.parametrize(("bound", "evidence"), ESTIMATES)
def test_an_estimate_is_never_called_a_bound(bound, evidence):
    c = bound.evaluate(evidence)
    assert c.delta is None
    assert not c.is_bound
    assert len(c.ledger) == 0
    assert c.first_line().startswith("estimate")
    assert "bound" not in bound.title.lower()
    for text in (c.first_line(), c.explain(), c._repr_html_()):
        assert "<=" not in text
        assert "&lt;=" not in text
        assert "% confidence" not in text
    with pytest.raises(ValueError, match="estimate"):
        c.delta_for(0.1)


@pytest.mark.parametrize(("bound", "evidence"), REAL)
def test_the_ledger_adds_up(bound, evidence):
    for delta in (0.3, 0.05, 1e-6):
        c = bound.evaluate(evidence, delta)
        assert c.delta == delta
        assert len(c.ledger) >= 1
        assert c.ledger.total == pytest.approx(delta, rel=1e-12)
        assert all(entry.what and entry.delta > 0 for entry in c.ledger)


@pytest.mark.parametrize(("bound", "evidence"), REAL)
def test_monotone_in_delta(bound, evidence):
    values = [bound.evaluate(evidence, d).unclipped for d in (0.5, 0.2, 0.05, 1e-3, 1e-9)]
    assert all(a <= b + 1e-12 for a, b in pairwise(values))
    assert values[0] < values[-1] or values[-1] == 1.0


@pytest.mark.parametrize(("bound", "evidence"), REAL)
def test_more_rows_at_the_same_rates_never_hurt(bound, evidence):
    values = [bound.evaluate(evidence.scaled(f)).unclipped for f in (1, 2, 4, 16, 64)]
    assert all(b <= a + 1e-9 for a, b in pairwise(values))


@pytest.mark.parametrize(("bound", "evidence"), REAL)
def test_inversions(bound, evidence):
    c = bound.evaluate(evidence, 0.05)
    if c.unclipped >= c.loss_range[1]:
        return
    found = c.delta_for(c.unclipped * (1 + 1e-9))
    if math.isfinite(c.loss_range[1]):
        assert found == pytest.approx(0.05, rel=1e-3)
    else:  # a rank among the errors: the same for a range of delta, of which this is the smallest
        assert bound.evaluate(evidence, found * 1.001).unclipped == c.unclipped
        assert bound.evaluate(evidence, found * 0.999).unclipped > c.unclipped
    assert c.delta_for(c.unclipped * 1.05) < 0.05
    target = min(2 * c.unclipped, 0.5 * (c.unclipped + c.loss_range[1]))
    rows = c.sample_size(target)
    assert rows is not None
    assert rows <= c.n
    again = bound.evaluate(evidence.scaled(rows / c.n), 0.05)
    assert again.unclipped <= target


@pytest.mark.parametrize(("bound", "evidence"), CASES)
@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, math.nan, 2, "high"])
def test_bad_delta_is_refused(bound, evidence, delta):
    with pytest.raises(ValueError, match="delta"):
        bound.evaluate(evidence, delta)


def test_a_new_bound_is_one_class():
    """The base class does the rest: facts, clipping, ledger, words."""

    class Toy(Bound):
        code, title, reference = "toy", "toy bound", "nobody 2024"
        needs = ("errors",)

        def _outcome(self, evidence, delta):
            from mercer.bounds import Outcome

            return Outcome(value=2.0, n=evidence.n)

        @classmethod
        def examples(cls):
            yield Evidence(10, errors=1)

    c = Toy().evaluate(next(Toy.examples()))
    assert c.vacuous
    assert (c.value, c.unclipped) == (1.0, 2.0)
    assert "says nothing" in c.first_line()
