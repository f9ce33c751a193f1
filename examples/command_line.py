"""From a file to predictions: fit, inspect, predict, report, and the same model from Python."""

import contextlib
import io
import os
import shlex
import sys
import tempfile
from pathlib import Path

import mercer
from mercer.cli._main import main  # what the command `mercer` starts

os.chdir(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
birds = mercer.datasets.load_penguins()


def run(line):
    """What a terminal shows for ``mercer ...``."""
    print(f"$ mercer {line}")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main(shlex.split(line))
    assert code == 0, f"exit code {code}"
    shown = out.getvalue().splitlines()
    print("\n".join([*shown[:12], "..."] if len(shown) > 12 else shown), end="\n\n")


def table(rows, labels):
    """Bill length and depth of some penguins as the text of a CSV file."""
    names = ["bill_length", "bill_depth"] + ["species"] * labels
    lines = [",".join(names)]
    for row in rows:
        cells = [f"{value:.1f}" for value in birds.X[row, :2]]
        lines.append(",".join(cells + [birds.class_names[birds.y[row]]] * labels))
    return "\n".join(lines) + "\n"


Path("penguins.csv").write_text(table(range(0, len(birds.y), 2), labels=True))
Path("new.csv").write_text(table(range(1, len(birds.y), 50), labels=False))

# One command learns, counts errors on rows kept aside, and writes model, certificate and report.
run("fit penguins.csv --target species --kernel gaussian -o birds")
run("inspect birds/model.mercer")
run("predict birds/model.mercer new.csv")

# The model file is plain data: Python opens it without running anything from it.
model = mercer.load("birds/model.mercer")
print("in Python:", model.predict(birds.X[1::50, :2]).tolist())
print(f"certified: at most {model.certificate_.value:.1%} wrong, 95 % confidence")
mercer.save(model, "again.mercer")
run("predict again.mercer new.csv --only")
print(f"report:    {Path('birds/report.html').stat().st_size / 1000:.0f} kB in birds/report.html")
