"""Pieces: ``python -m benchmarks.model_selection thesis --seconds 400``, until complete."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.model_selection import report, sets, speed, thesis, users

LIQUID = ("liquidSVM (its grid)", "liquidSVM (our grid)")
SPEED = ("mercer", "default", "sklearn", "sklearn-estimate", *LIQUID)
RAW = Path("build") / "model_selection"
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Do a piece of one experiment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["thesis", "users", "contest", "report", *SPEED])
    parser.add_argument("--raw", type=Path, default=RAW, help="folder of unfinished results")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=400.0)
    parser.add_argument("--only", type=int, nargs="*", help="sample sizes of the users' question")
    parser.add_argument("--no-offset", action="store_true")
    parser.add_argument("--sets", nargs="*", default=None)
    given = parser.parse_args()
    if given.what in ("users", "contest"):
        whole = users.PLAN if given.what == "users" else users.CONTEST
        plan = {n: whole[n] for n in (given.only or whole)}
        one = users.run if given.what == "users" else users.contest
        done = None if given.what == "users" else given.raw / "users"
        users.main(given.raw / given.what, plan, given.seconds, one, done)
        return
    if given.what == "report":
        report.write(given.raw, RESULTS)
        return
    if given.what in SPEED:
        given.raw.mkdir(parents=True, exist_ok=True)
        speed.main(given.what, given.n, RESULTS / "speed.json", given.raw)
        return
    names = given.sets or list(sets.THESIS)
    thesis.main(
        given.raw / "thesis", names, given.n, given.runs, not given.no_offset, given.seconds
    )


if __name__ == "__main__":
    main()
