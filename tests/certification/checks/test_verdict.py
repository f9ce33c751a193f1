"""Levels of findings, and what a verdict does to a certificate."""

import pytest

from mercer.bounds import Evidence, HoldOut, get
from mercer.certification import Refused
from mercer.certification.checks.finding import FIRST_LINE, NOTE, REFUSE, Finding, Verdict

PLAIN = get("holdout")().evaluate(Evidence(200, holdout=HoldOut(200, 4)), 0.05)


def test_notes_leave_the_number_alone():
    verdict = Verdict((Finding("copies", NOTE, "3 copies", acted="they count once"),), ("copies",))
    assert verdict.may_be_printed
    assert verdict.gate
    assert verdict.notes == ("3 copies; they count once",)
    stamped = verdict.stamp(PLAIN)
    assert stamped.found == ()
    assert stamped.about["checks"]["copies"][0]["acted"] == "they count once"


def test_first_words_are_stamped_once_and_the_gate_closes():
    finding = Finding("order", FIRST_LINE, "the labels change along the rows", 0.001)
    verdict = Verdict((finding,), ("order", "copies")) + Verdict((finding,))
    assert verdict.may_be_printed
    assert not verdict.gate
    stamped = verdict.stamp(verdict.stamp(PLAIN))
    assert stamped.found == ("the labels change along the rows",)
    assert stamped.about["checks"]["copies"] == []
    assert stamped.about["checks"]["order"][0]["p_value"] == 0.001


def test_a_refusal_gives_no_number():
    verdict = Verdict((Finding("seen", REFUSE, "all rows were trained on"),))
    assert not verdict.may_be_printed
    with pytest.raises(Refused, match="all rows were trained on"):
        verdict.stamp(PLAIN)
    with pytest.raises(ValueError, match="level"):
        Finding("seen", "loud", "")
