"""Run the fast part of the suite beside old and new versions of what Mercer needs.

    python tools/version_matrix.py [NAME ...] [--write docs/versions.md]

One wheel is built per interpreter. An interpreter that this machine does not have is said, not
skipped in silence. Environments stay in build/versions/ and are used again.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "build" / "versions"
# What meets other libraries: estimators and their checks, frames, files, exports, the compiled core
FOLDERS = ("contracts", "kernels", "gram", "solvers", "losses", "metrics", "bounds", "learners",
           "certification", "io", "tables", "plots")  # fmt: skip
FAST = [f"tests/{folder}" for folder in FOLDERS]
# An old library beside newer ones that it needs has warnings of its own
QUIET = ["-W", "ignore::DeprecationWarning"]
LOWEST = "lowest"  # every requirement of pyproject.toml at its lower limit


@dataclass(frozen=True)
class Row:
    """An interpreter and the versions asked for; nothing: the newest there are."""

    python: str
    asked: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return "-".join([self.python, *(re.sub(r"[^a-z0-9.]+", "", a) for a in self.asked)])


ROWS = (
    Row("3.11", (LOWEST,)),
    Row("3.11", ("scikit-learn==1.8.*",)),
    Row("3.12", ("scikit-learn==1.7.*", "numpy==2.0.*")),
    Row("3.12"),
    Row("3.13"),
    Row("3.14"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"some of {', '.join(r.name for r in ROWS)}")
    parser.add_argument("--write", type=Path, help="write the table into this page")
    parser.add_argument("--tests", nargs="*", default=FAST)
    given = parser.parse_args()
    rows = [row for row in ROWS if not given.names or row.name in given.names]
    lines = [run(row, given.tests) for row in rows]
    if given.write:
        given.write.write_text(page(lines))
    return int(any("failed" in line or "error" in line for line in lines))


def run(row: Row, tests: list[str]) -> str:
    """One line of the table."""
    python = interpreter(row.python)
    if python is None:
        line = f"| {row.python} | | {', '.join(row.asked) or 'newest'} | not on this machine | |"
    else:
        bin_ = environment(row, python)
        start = time.monotonic()
        done = subprocess.run(
            [bin_ / "python", "-m", "pytest", "-q", "-n", "2", *QUIET, *tests],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        (PLACE / f"{row.name}.log").write_text(done.stdout + done.stderr)
        told = [found for found in done.stdout.splitlines() if " in " in found][-1:]
        told = (
            re.sub(r" in .*", "", told[0])
            if told
            else f"error: pytest ended with {done.returncode}"
        )
        minutes = (time.monotonic() - start) / 60
        asked = ", ".join(row.asked) or "newest"
        line = f"| {installed(bin_)} | {asked} | {told} | {minutes:.0f} min |"
    print(line, flush=True)
    return line


def interpreter(version: str) -> str | None:
    """A Python of this version that runs."""
    found = shutil.which(f"python{version}")
    works = found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0
    return found if works else None


def environment(row: Row, python: str) -> Path:
    """A virtual environment with a wheel of Mercer's and the versions asked for."""
    folder = PLACE / row.name
    pip = [folder / "bin" / "python", "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    if not (folder / "bin").exists():
        subprocess.run([python, "-m", "venv", folder], check=True)
    wheels = PLACE / f"wheel-{row.python}"
    shutil.rmtree(wheels, ignore_errors=True)
    subprocess.run(
        [*pip[:3], "wheel", "-qq", "--disable-pip-version-check", "--no-deps", "-w", wheels, ROOT],
        check=True,
    )
    wheel = next(wheels.glob("*.whl"))
    limits = PLACE / f"{row.name}.txt"
    limits.write_text("\n".join(constraints(row)))
    subprocess.run([*pip, "-c", limits, f"mercer[test] @ {wheel.as_uri()}"], check=True)
    subprocess.run([*pip, "--force-reinstall", "--no-deps", wheel], check=True)
    return folder / "bin"


def constraints(row: Row) -> list[str]:
    if row.asked != (LOWEST,):
        return list(row.asked)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    asked = [
        *project["dependencies"],
        *(r for name in ("app", "strings", "onnx", "skops", "lab") for r in extras[name]),
    ]
    return [re.sub(r">=([\d.]+).*", r"==\1.*", line) for line in asked]


def installed(bin_: Path) -> str:
    """Which versions it became."""
    code = (
        "import sys, numpy, scipy, sklearn;"
        "print('.'.join(map(str, sys.version_info[:3])), '| NumPy', numpy.__version__,"
        "'SciPy', scipy.__version__, 'scikit-learn', sklearn.__version__)"
    )
    told = subprocess.run([bin_ / "python", "-c", code], capture_output=True, text=True, check=True)
    return told.stdout.strip()


def page(lines: list[str]) -> str:
    return "\n".join(
        [
            "# Versions that are tested",
            "",
            "`make matrix` installs a wheel of Mercer beside each of these and runs the fast part",
            "of the suite; this page is what it wrote last.",
            "The whole suite runs on the newest versions, in `make test`.",
            "",
            "| Python | with | asked for | result | time |",
            "|---|---|---|---|---|",
            *lines,
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
