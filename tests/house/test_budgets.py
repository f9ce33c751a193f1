"""Short files, quick imports, nothing heavy loaded before it is needed."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONGEST_FILE = 400
IMPORT_SECONDS = 0.5
HEAVY = ("sklearn", "scipy", "matplotlib", "rich")


@pytest.mark.parametrize("folder", ["src", "tests", "tools", "benchmarks", "examples"])
def test_files_are_short(folder):
    long = {
        str(path.relative_to(ROOT)): lines
        for path in (ROOT / folder).rglob("*.py")
        if (lines := len(path.read_text().splitlines())) > LONGEST_FILE
    }
    assert not long, f"split these files: {long}"


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_is_quick():
    code = "import time; t = time.process_time(); import mercer; print(time.process_time() - t)"
    # Of the processor, and the best of a few, because other processes may be busy just now.
    assert min(float(run(code)) for _ in range(3)) < IMPORT_SECONDS


def test_import_loads_nothing_heavy():
    loaded = run("import mercer, sys; print(*sys.modules)").split()
    assert not set(HEAVY) & set(loaded)


@pytest.mark.parametrize(
    "module", ["kernels", "gram", "solvers", "bounds", "datasets", "learners.margin", "plots"]
)
def test_plotting_is_loaded_only_when_used(module):
    # scikit-learn's own callbacks may load rich; that is not ours to prevent.
    before = (
        "import sys, sklearn.base\ntry:\n    import sklearn.callback\nexcept ImportError: pass\n"
    )
    code = f"{before}old = set(sys.modules)\nimport mercer.{module}\nprint(*set(sys.modules) - old)"
    assert not {"matplotlib", "rich"} & set(run(code).split())


@pytest.mark.parametrize("module", ["kernels", "bounds", "datasets", "plots"])
def test_importing_a_folder_changes_nothing_global(module):
    """No environment variable, no warning filter, no logging handler, no thread."""
    code = (
        "import os, sys, warnings, logging, threading, numpy, scipy.stats, sklearn.svm\n"
        "before = dict(os.environ), list(warnings.filters), list(logging.root.handlers)\n"
        f"import mercer.{module}\n"
        "after = dict(os.environ), list(warnings.filters), list(logging.root.handlers)\n"
        "print(before == after, threading.active_count())"
    )
    assert run(code).split() == ["True", "1"]
