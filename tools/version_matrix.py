"""Run the fast part of the suite beside old and new versions of what Mercer needs.

    python tools/version_matrix.py [NAME ...] [--write docs/versions.md]

One wheel is built per interpreter. An interpreter that this machine does not have is said, not
skipped in silence. Environments stay in build/versions/ and are used again. A row that was not run
now keeps what its last run said, which the page remembers for other machines.
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
# What meets other libraries and the compiled core, and scikit-learn's own tests in our words. All
# other tests are collected, which imports them
FAST = [
    *(
        f"tests/{name}"
        for name in ("kernels", "gram", "solvers", "losses", "metrics", "io", "tables")
    ),
    "tests/learners/test_sklearn_svm_suite.py",
]
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

    @property
    def told(self) -> str:
        return ", ".join(self.asked) or "newest"


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
    parser.add_argument("--write", type=Path, help="write the table of all rows into this page")
    parser.add_argument("--tests", nargs="*", default=FAST)
    parser.add_argument("--workers", default="2", help="processes that run tests")
    parser.add_argument("--wheels", type=Path, help="take the wheels in this folder, build none")
    given = parser.parse_args()
    rows = [row for row in ROWS if not given.names or row.name in given.names]
    lines = [run(row, given) for row in rows]
    if given.write:
        page = given.write.read_text()
        given.write.write_text(filled(page, [last(row, page) for row in ROWS]))
    return int(any("failed" in line or "error" in line for line in lines))


def run(row: Row, given: argparse.Namespace) -> str:
    """One line of the table, which is kept for the runs of other rows."""
    python = interpreter(row.python)
    PLACE.mkdir(parents=True, exist_ok=True)
    if python is None:
        line = f"| {row.python} | | {row.told} | not on this machine | |"
    else:
        bin_ = environment(row, python, given.wheels)
        start = time.monotonic()
        done = subprocess.run(
            [bin_ / "python", "-m", "pytest", "-q", "-n", given.workers, *QUIET, *given.tests],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        (PLACE / f"{row.name}.log").write_text(done.stdout + done.stderr)
        whole = subprocess.run(
            [bin_ / "python", "-m", "pytest", "-q", "--collect-only", *QUIET, "tests"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        if whole.returncode:
            (PLACE / f"{row.name}.log").write_text(whole.stdout + whole.stderr)
        told = f"{summary(done)}; all: {summary(whole)}"
        minutes = (time.monotonic() - start) / 60
        line = f"| {installed(bin_)} | {row.told} | {told} | {minutes:.0f} min |"
    (PLACE / f"{row.name}.line").write_text(line)
    print(line, flush=True)
    return line


def summary(done: subprocess.CompletedProcess[str]) -> str:
    """What pytest said last."""
    told = [found for found in done.stdout.splitlines() if re.search(r" in [\d.]+s", found)]
    failed = "" if told and done.returncode == 0 else f"error: pytest ended with {done.returncode} "
    return failed + re.sub(r"=+ | in .*|/\d+(?= tests)| \(.*\)", "", told[-1] if told else "")


def last(row: Row, page: str) -> str:
    """What the last run of a row said, here or, if the page has it, on another machine."""
    kept = PLACE / f"{row.name}.line"
    if kept.exists():
        return kept.read_text()
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 5 and cells[2] == row.told and f"{cells[0]}.".startswith(f"{row.python}."):
            return line
    return f"| {row.python} | | {row.told} | not run | |"


def interpreter(version: str) -> str | None:
    """A Python of this version that runs."""
    found = shutil.which(f"python{version}")
    works = found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0
    return found if works else None


def environment(row: Row, python: str, wheels: Path | None) -> Path:
    """A virtual environment with a wheel of Mercer's and the versions asked for."""
    folder = PLACE / row.name
    pip = [folder / "bin" / "python", "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    if not (folder / "bin").exists():
        subprocess.run([python, "-m", "venv", folder], check=True)
    wheel = wheel_for(row, wheels or built(row, folder / "bin" / "python"))
    limits = PLACE / f"{row.name}.txt"
    limits.write_text("\n".join(constraints(row)))
    subprocess.run([*pip, "-c", limits, f"mercer[test] @ {wheel.as_uri()}"], check=True)
    subprocess.run([*pip, "--force-reinstall", "--no-deps", wheel], check=True)
    return folder / "bin"


def built(row: Row, python: Path) -> Path:
    """A folder with a wheel of the sources as they are."""
    folder = PLACE / f"wheel-{row.python}"
    shutil.rmtree(folder, ignore_errors=True)
    pip = [python, "-m", "pip", "wheel", "-qq", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "-w", folder, ROOT], check=True)
    return folder


def wheel_for(row: Row, folder: Path) -> Path:
    """The wheel of Python 3.11, or the one that serves 3.12 and all later versions."""
    tag = "cp311" if row.python == "3.11" else "abi3"
    found = sorted(folder.resolve().glob(f"mercer-*-{tag}-*.whl"))
    if not found:
        raise SystemExit(f"{folder} has no wheel for Python {row.python}; make one: make wheel")
    return found[-1]


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


def filled(page: str, lines: list[str]) -> str:
    """The page with the table between its markers."""
    begin, end = "<!-- matrix:begin -->", "<!-- matrix:end -->"
    head, _, rest = page.partition(begin)
    table = ["| Python | with | asked for | result | time |", "|---|---|---|---|---|", *lines]
    return "\n".join([head + begin, *table, end + rest.partition(end)[2]])


if __name__ == "__main__":
    sys.exit(main())
