"""What runs have found: a JSON file per kind of fault, with a part and a day for each run."""

import json
import platform
import time
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def keep(name, part, found):
    """Write one part of a record; it says when and on what Python. The others stay as they are."""
    RESULTS.mkdir(exist_ok=True)
    about = {"day": time.strftime("%Y-%m-%d"), "python": platform.python_version()}
    parts = {**kept(name), part: {**found, **about}}  # another process may have written meanwhile
    text = json.dumps(parts, indent=1, sort_keys=True) + "\n"
    (RESULTS / f"{name}.json").write_text(text)


def kept(name):
    """The parts of a record; none if it was never written."""
    place = RESULTS / f"{name}.json"
    return json.loads(place.read_text()) if place.exists() else {}
