"""Which Mercer this is, and what it runs on."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version

LIBRARIES = ("numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl", "matplotlib", "rich",
             "lightgbm")  # fmt: skip


def version(name: str = "mercer") -> str:
    """Version of an installed distribution, or ``"not installed"``."""
    try:
        return installed_version(name)
    except PackageNotFoundError:
        return "not installed"


def compiled_core() -> str:
    """One line on the compiled core: the instruction level in use and those this machine runs."""
    try:
        from mercer import _native
    except ImportError as problem:
        return f"missing ({problem})"
    runs = ", ".join(_native.levels())
    try:
        return f"{_native.level()} (this processor runs {runs})"
    except ValueError as problem:  # what MERCER_LEVEL asks for
        return f"refused ({problem})"


def versions() -> dict[str, str]:
    """Everything a bug report should say about the machine, as plain text values."""
    facts = {
        "mercer": version(),
        "compiled core": compiled_core(),
        "python": sys.version.split()[0],
        "system": platform.platform(),
        "processors": str(
            len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        ),
    }
    return facts | {name: version(name) for name in LIBRARIES}


def show_versions() -> None:
    """Write :func:`versions` to standard output, one fact per line, for bug reports."""
    facts = versions()
    width = max(map(len, facts))
    sys.stdout.writelines(f"{key:>{width}}: {value}\n" for key, value in facts.items())
