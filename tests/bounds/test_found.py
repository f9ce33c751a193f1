"""What the checks found stands before the number, in the JSON, in the report and in the gate."""

from dataclasses import replace

import pytest

from mercer.bounds import Certificate, Choice, Evidence, HoldOut, get
from mercer.cli._require import require_error
from mercer.errors import TargetMissed
from mercer.report.sections.certificate import caveats_of

PLAIN = get("holdout")().evaluate(Evidence(200, holdout=HoldOut(200, 4)), 0.05)
WORDS = "150 of 200 rows are copies of earlier ones"
TOLD = replace(PLAIN, found=(WORDS,), about={"look": 2})


def test_the_first_line_starts_with_what_was_found_in_its_own_words():
    assert TOLD.first_line() == f"{WORDS}; {PLAIN.first_line()}"
    both = replace(TOLD, uncovered=(Choice("gamma", "scale"),))
    start = f"{WORDS}; DOES NOT COVER the choice of gamma from the data; error rate"
    assert both.first_line().startswith(start)
    assert PLAIN.caveats == ()


def test_every_other_form_says_it_too():
    assert WORDS in TOLD.explain()
    assert "what was found were not so" in TOLD.explain()
    assert WORDS in TOLD._repr_html_()
    assert "#b36b00" in TOLD._repr_html_()  # not the colour of a sound bound
    assert caveats_of(TOLD.to_dict()) == TOLD.caveats == (WORDS,)


def test_it_is_stored_and_survives_being_derived_again():
    data = TOLD.to_dict()
    assert (data["mercer_certificate"], data["found"], data["about"]) == (2, [WORDS], {"look": 2})
    assert Certificate.from_dict(data) == TOLD
    assert TOLD.recompute().found == (WORDS,)


def test_certificates_of_the_first_format_are_read():
    old = PLAIN.to_dict()
    assert "found" not in old  # nothing found takes no room
    assert Certificate.from_dict({**old, "mercer_certificate": 1}) == PLAIN
    with pytest.raises(ValueError, match="format"):
        Certificate.from_dict({**old, "mercer_certificate": 3})


def test_the_gate_of_the_command_line():
    require_error(0.1, PLAIN.to_dict())
    require_error(None, None)
    with pytest.raises(TargetMissed, match="certified is"):
        require_error(0.01, PLAIN.to_dict())
    with pytest.raises(TargetMissed, match=f"cannot count: {WORDS}"):
        require_error(0.1, TOLD.to_dict())
    with pytest.raises(TargetMissed, match="no certificate"):
        require_error(0.1, None)
