"""What runs have found, one JSON file per kind of fault."""

import json
import platform
import time
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def keep(name, found):
    """Write a record; it says when, and on what Python."""
    RESULTS.mkdir(exist_ok=True)
    about = {"day": time.strftime("%Y-%m-%d"), "python": platform.python_version()}
    text = json.dumps({**about, **found}, indent=1, sort_keys=True) + "\n"
    (RESULTS / f"{name}.json").write_text(text)


def kept(name):
    """A record, or None."""
    place = RESULTS / f"{name}.json"
    return json.loads(place.read_text()) if place.exists() else None
