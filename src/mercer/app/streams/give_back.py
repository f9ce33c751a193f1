"""What was freed goes back to the system, between the parts of a long run.

The pilot leaves hundreds of megabytes of small pieces, which glibc keeps for later; what comes
after it works in large ones.
"""

from __future__ import annotations

import ctypes
import gc
import sys


def give_back() -> None:
    """On Linux with glibc; elsewhere nothing but a collection."""
    gc.collect()
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
