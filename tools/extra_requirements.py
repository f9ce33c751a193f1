"""Print the requirements of one extra of pyproject.toml, one per line, without Mercer itself.

``pip install .[dev]`` would rebuild the compiled core just to add a linter; installing these lines
instead does not. Lines whose environment marker contains spaces are printed without the spaces, so
that the shell can split the output safely.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def requirements(extra: str, extras: dict[str, list[str]]) -> list[str]:
    """Flatten ``mercer[other]`` references; keep the order and drop repetitions."""
    found: list[str] = []
    for line in extras[extra]:
        if line.startswith("mercer["):
            inner = line.removeprefix("mercer[").removesuffix("]").split(",")
            lines = [req for name in inner for req in requirements(name.strip(), extras)]
        else:
            lines = [line.replace(" ", "")]
        found += [req for req in lines if req not in found]
    return found


def main() -> int:
    extras = tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]
    if len(sys.argv) != 2 or sys.argv[1] not in extras:
        sys.stderr.write(f"usage: extra_requirements.py {{{','.join(extras)}}}\n")
        return 2
    print("\n".join(requirements(sys.argv[1], extras)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
