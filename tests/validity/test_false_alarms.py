"""Independent rows of every kind: all checks together raise an alarm once in a hundred at most.

The laws are in ``helpers_clean``; none of them was used to set a limit in a check.
``benchmarks/certificates/false_alarms.py`` counts more draws, on real tables too.
"""

import pytest

from helpers_clean import LAWS, alarms, drawn, enter_all
from helpers_validity import ACCEPT, COUNTED, exact_p
from mercer.certification.checks import gate
from mercer.certification.checks.copies import repeats

enter_all()
FULL = 40  # draws of a law in the slow run


@pytest.mark.parametrize("name", LAWS)
def test_one_file_of_every_law_is_let_alone(name):
    assert alarms(name, 1) == []


@pytest.mark.slow
def test_alarms_are_as_rare_as_stated():
    heard = {name: alarms(name, FULL, seed=1) for name in LAWS}
    draws, told = FULL * len(LAWS), sum(len(words) for words in heard.values())
    COUNTED.append(("alarms", told, draws, gate.LEVEL, False))
    loud = {name: words for name, words in heard.items() if words}
    assert exact_p(told, draws, gate.LEVEL) > ACCEPT, loud
    for name, words in loud.items():  # nor may one law pay for all
        assert exact_p(len(words), FULL, gate.LEVEL) > ACCEPT / len(LAWS), (name, words)


def test_there_are_many_laws_and_rows_repeat_in_many_of_them():
    assert len(LAWS) >= 60
    repeating = [case for case in (drawn(name, 0, 0) for name in LAWS) if repeats(case, case.cells)]
    assert len(repeating) >= 30, "laws whose rows never repeat test little"
