"""The concordance is what its tool writes today: python tools/make_concordance.py."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_concordance_is_current():
    tool = [sys.executable, ROOT / "tools" / "make_concordance.py", "--check"]
    told = subprocess.run(tool, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr


def test_rows_of_every_text_have_their_places():
    places = tomllib.loads((ROOT / "tools" / "places.toml").read_text(encoding="utf-8"))
    counts = {text: sum(ident[0] == text for ident in places) for text in "ATLU"}
    assert counts["U"] == 72  # the thesis numbers everything
    assert counts["L"] > 95
    assert min(counts.values()) > 40
