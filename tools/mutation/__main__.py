"""Change what the code computes, one small change at a time, and see whether a test notices.

    python -m tools.mutation [NAME ...] [--most N] [--write docs/mutants.md]

One pytest session collects the tests of a group (`groups.toml`) and notes which of them enter which
function. Then for every change a child is forked in which the function has the changed body, and
the tests that enter it run, fastest first, until one fails. A file of more than ``--most`` changes
is sampled. What survives is named in the record; what `explained.toml` says about it goes into the
page. Constants of modules, defaults and messages are not changed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULTS = HERE / "results"


def main() -> int:
    groups = tomllib.loads((HERE / "groups.toml").read_text())
    parser = argparse.ArgumentParser(prog="tools.mutation", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"some of {', '.join(groups)}")
    parser.add_argument("--most", type=int, default=40, help="changes of a file, drawn at random")
    parser.add_argument("--alive", action="store_true", help="only what survived the last time")
    parser.add_argument("--write", type=Path, help="write the table of all groups into this page")
    given = parser.parse_args()
    for name in given.names or ([] if given.write else groups):
        run_group(name, groups[name], given.most, given.alive)
    if given.write:
        from tools.mutation.page import filled

        given.write.write_text(filled(given.write.read_text(), RESULTS))
    return 0


def run_group(name: str, group: dict[str, list[str]], most: int, alive: bool) -> None:
    """Try the changes of one group and keep what came of each."""
    import pytest
    from tools.mutation.changes import changes
    from tools.mutation.trial import Trial

    import mercer

    package = Path(mercer.__file__).parent  # an installed copy, or src/mercer itself
    chosen, files = [], {}
    for path in group["files"]:
        file = package / Path(path).relative_to("src/mercer")
        found = list(changes(path, str(file), file.read_text()))
        files[str(file)] = path
        draw = random.Random(path)
        chosen += found if len(found) <= most else draw.sample(found, most)
    RESULTS.mkdir(exist_ok=True)
    record, before = RESULTS / f"{name}.json", []
    if alive:
        before = json.loads(record.read_text())
        noticed = {(r["path"], r["line"], r["before"], r["after"]) for r in before
                   if r["came"] == "killed"}  # fmt: skip
        chosen = [c for c in chosen if (c.path, c.line, c.before, c.after) not in noticed]
    trial = Trial(chosen, files, record, before)
    quiet = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist"]
    pytest.main([*quiet, *group["tests"]], plugins=[trial])
    told = json.loads(trial.record.read_text())
    came = [row["came"] for row in told]
    print(name, {word: came.count(word) for word in sorted(set(came))})


if __name__ == "__main__":
    sys.exit(main())
