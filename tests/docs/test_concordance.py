"""The concordance is what its tool writes today: python tools/make_concordance.py."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_concordance_is_current():
    tool = [sys.executable, ROOT / "tools" / "make_concordance.py", "--check"]
    told = subprocess.run(tool, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
