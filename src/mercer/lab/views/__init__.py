"""The views; a new one is a file here and one of its name in ``static/views``."""

from __future__ import annotations

import functools
import sys

from mercer._discover import discover
from mercer.lab.view import GROUPS, View


@functools.cache
def available() -> dict[str, type[View]]:
    """Every view by its name, in the order of the page."""
    classes = discover(sys.modules[__name__], View).values()  # type: ignore[type-abstract]
    placed = sorted(classes, key=lambda view: (GROUPS.index(view.group), view.place))
    return {view.name: view for view in placed}
