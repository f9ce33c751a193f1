"""Hypothesis draws the same examples in every run, so that a change is judged by what it changed.

``HYPOTHESIS_PROFILE=default`` searches anew each time.
"""

import os

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
