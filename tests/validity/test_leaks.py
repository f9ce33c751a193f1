"""No way of fooling oneself ends with a clean false line, and clean work raises no alarm.

The ways and the clean cases are in ``helpers_leaks``, one module for each kind of mistake.
"""

import pytest

from helpers_leaks import TIDY, WAYS, alarms, count_false, enter_all, runs_of
from helpers_leaks.first_version import FALSE_CLAIMS
from helpers_validity import ACCEPT, exact_p

enter_all()
FALSE_ALARMS = 0.015  # of all clean work
DRAWS = 3  # of a clean case; FULL ones in the slow run
FULL = 25

# What stands between a way and a green test. Whoever mends it deletes the lines it turns green.
NOT_YET: dict[str, str] = {}


def _marked(name):
    reason = NOT_YET.get(name)
    marks = () if reason is None else pytest.mark.xfail(strict=True, reason=reason)
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [_marked(name) for name in WAYS])
def test_no_clean_line_below_the_truth(name, scale):
    way = WAYS[name]
    draws = scale * way.draws
    wrong = count_false(name, draws, seed=scale - 1)
    p = exact_p(wrong, draws, way.delta)
    assert p > ACCEPT, f"{wrong} of {draws} claims are clean and false, delta {way.delta}"


@pytest.mark.parametrize("name", TIDY)
def test_clean_work_is_let_alone(name):
    assert alarms(name, DRAWS) == []


@pytest.mark.slow
def test_false_alarms_are_rare():
    """Over all clean cases together; the checks share one per cent for each number printed."""
    heard = {name: alarms(name, FULL, seed=1) for name in TIDY}
    told = sum(len(words) for words in heard.values())
    runs = sum(runs_of(name, FULL) for name in TIDY)
    assert told <= FALSE_ALARMS * runs, {name: words for name, words in heard.items() if words}


def test_the_tables_name_what_is_there():
    assert len(WAYS) >= 40
    assert len(TIDY) >= 40
    assert set(NOT_YET) <= set(WAYS)
    assert set(FALSE_CLAIMS) == set(WAYS), "a way has to be seen failing once"
