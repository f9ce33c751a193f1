"""The compiled sources keep to what other processors and systems have, too."""

import re
from pathlib import Path

import pytest

SOURCES = sorted(
    path
    for path in (Path(__file__).resolve().parents[2] / "csrc").rglob("*")
    if path.suffix in {".cpp", ".h"}
)
# Headers of one system or processor, and the condition under which they may be asked for
OF_ONE_SYSTEM = re.compile(r"#include <(sys/|unistd|pthread|windows|malloc|immintrin|arm_)")


def code(path):
    """The lines of a source without their comments."""
    return [line.partition("//")[0] for line in path.read_text().splitlines()]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_places_in_arrays_have_64_bits_on_every_system(path):
    # `long` has 32 on Windows, and numbers such as 1L are longs
    assert not [line for line in code(path) if re.search(r"\blong\b|\b\d+L\b|\blabs\b", line)]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_what_one_system_has_is_asked_for_behind_a_condition(path):
    open_conditions = 0
    for line in code(path):
        open_conditions += line.startswith("#if")
        open_conditions -= line.startswith("#endif")
        assert open_conditions or not OF_ONE_SYSTEM.match(line), line
