"""docs/reliability.md from the records: which faults were tried, and how many were survived.

python -m benchmarks.faults table
"""

from pathlib import Path

from benchmarks.faults import broken, load, soak
from benchmarks.faults.records import kept

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
MILLION = 10**6
HEAD = """# Faults tried, faults survived

Mercer is interrupted, fed with damaged files, starved of memory and asked without a pause, on
purpose. This page is written by `python -m benchmarks.faults table` from the records of those runs
(`benchmarks/faults/results`); a test compares the two. A fault is survived if what must hold did.
What was never run says "not run", and what ran for less than its goal says so.

| fault | tried | survived | what must hold | run on |
|---|---|---|---|---|
"""
SIGNALS = (
    "no traceback, an end within two processor seconds, the promised model marked and usable, "
    "nothing half-written"
)
INPUTS = "rows or an error in words; no crash, no standstill, no foreign exception"
CORE = "what the slow twin says; address and undefined behaviour are watched"
GROUPS = {
    "death between two writes": (
        "a death, a full disk or an interrupt between any two writes of a run or of answers",
        "the old files or the new ones, whole, and a true message",
    ),
    "hostile files": (
        "data files made to harm",
        "an error with place and reason, within the memory limit",
    ),
    "model files": (
        "model files and run folders that were edited, mixed up or made to run code",
        "refused with the reason; no code runs",
    ),
    "signals in every state": (
        "a signal in every state of a run",
        "what the first line promised is kept",
    ),
    "degenerate": (
        "rows and targets that nothing can be learned from, for every learner",
        "refused with words or finite answers, within seconds and 100 MB",
    ),
    "memory": (
        "the memory limit at half, once and twice the forecast, for every learner",
        "the peak stays within it, or the fit is refused before anything is taken",
    ),
    "compiled core": (
        "calls of the compiled core with arguments of any shape, size and value",
        "an error or the right answer",
    ),
    "strangers": (
        "requests of other pages, names and clients to the lab and to `mercer serve`",
        "refused, and nothing told",
    ),
    "address and undefined behaviour": (
        "the tests of the compiled core under AddressSanitizer and UBSan",
        "no report",
    ),
    "data races": (
        "the tests of threads of the compiled core under ThreadSanitizer",
        "no report",
    ),
}
ENDS = ("a marked model was saved", "it was finished", "it ended without a result, and said so")
DETAILS = f"""
## What became of the signals

A run that had found nothing yet ends without a result and says so; that breaks no promise.

| run | moments | {" | ".join(ENDS)} | longest wait, processor s |
|---|---|---|---|---|---|
"""
BROKEN = """
## Without its guard

A test that cannot fail shows nothing. `python -m benchmarks.faults broken` takes one guard after
the other out of a copy of the sources and runs its tests, which must fail; it stops after {}.

| guard that was taken out | tests that failed | run on |
|---|---|---|
"""
OFTEN = """
## Try it

```bash
python -m benchmarks.faults signals --only fit     # forty moments of one kind of run
python -m benchmarks.faults inputs --seconds 3600  # damaged data files and model files
python -m benchmarks.faults load --seconds 3600    # clients of mercer serve and of the lab
python -m benchmarks.faults soak                   # a thousand fits of a learner, threads, forks
python -m benchmarks.faults tests                  # what the test suite tries
python -m benchmarks.faults broken                 # the tests, with a guard taken out
make fuzz                                          # inputs, and libFuzzer on the compiled core
make sanitize                                      # the compiled core under sanitizers
```

Inputs that reached new lines are kept in `benchmarks/faults/corpus` and replayed by `make test`;
short versions of the load, the soak and the signals are tests, too (`tests/cli/test_signals.py`,
`tests/house/test_faults.py`).
"""


def row(fault, tried, survived, must, day, *, goal=None):
    """One line; a goal that was not reached is told beside the number."""
    least = f"{tried:,}"
    if goal is not None and tried < goal:
        least += f" (goal {goal:,})"
    return f"| {fault} | {least} | {survived:,} | {must} | {day} |"


def last(parts):
    """The day of the latest of several runs."""
    return max(found["day"] for found in parts)


def unseen(fault, must):
    """What was never run is not left out."""
    return f"| {fault} | not run | | {must} | |"


def signals():
    """SIGINT and SIGTERM, all runs together."""
    fault = "SIGINT or SIGTERM at moments of the processor time of {} kinds of run"
    record = kept("signals")
    if not record:
        return [unseen(fault.format("eight"), SIGNALS)]
    cases = record.values()
    tried = sum(case["moments"] for case in cases)
    broken = sum(len(case["broken"]) for case in cases)
    return [row(fault.format(len(cases)), tried, tried - broken, SIGNALS, last(cases), goal=320)]


def inputs():
    """Changed files and model files, and calls of the compiled core by libFuzzer."""
    record, rows = kept("inputs"), []
    for target, words in (("readers", "data files"), ("models", "model files")):
        fault = f"damaged {words}, guided by the lines they reach"
        if target not in record:
            rows.append(unseen(fault, INPUTS))
            continue
        found = record[target]
        bad = len(found["crashes"]) + len(found["wrong"])
        rows.append(
            row(fault, found["tries"], found["tries"] - bad, INPUTS, found["day"], goal=MILLION)
        )
    record = kept("compiled")
    for target, words in (("core", "sequences and neighbours"), ("solver", "solver")):
        fault = f"inputs of the compiled {words}, by libFuzzer"
        if target not in record:
            rows.append(unseen(fault, CORE))
            continue
        found = record[target]
        good = found["tries"] - found["crashes"]
        rows.append(row(fault, found["tries"], good, CORE, found["day"], goal=MILLION))
    return rows


def loads():
    """Predictions asked of the service and of the lab."""
    record, rows = kept("load"), []
    for case, words in (("serve", "`mercer serve`"), ("lab", "the lab")):
        if case not in record:
            rows.append(unseen(f"predictions asked of {words} without a pause", "the same answers"))
            continue
        found = record[case]
        rate = found.get("rate")
        pace = f"at a pace of {rate:,.0f} a second" if rate else "without a pause"
        fault = (
            f"predictions asked of {words} by {found['clients']} clients {pace}, "
            f"{found['in a request']:,} in a request, for "
            f"{found['seconds']:,.0f} s (goal: an hour at 10,000 a second)"
        )
        must = (
            f"the same answers, memory flat (grown by at most {load.FLAT:g} MB): "
            f"{found['a second']:,} a second, {found['MB']:g} MB, {found['MB grown']:+g} MB; "
            f"a second of the processor answers {found['a processor second']:,}"
        )
        flat = found["MB grown"] <= load.FLAT
        survived = found["predictions"] if flat else 0
        tried = found["predictions"] + found["wrong"]
        rows.append(row(fault, tried, survived, must, found["day"]))
    return rows


def soaks():
    """Many fits in one process, in threads, and in forked children."""
    rows, record = [], kept("soak")
    learners = {
        name: found for name, found in record.items() if "fits" in found and "MB grown" in found
    }
    must = f"memory after the last fit within {soak.FLAT:g} MB of that after a fifth of them"
    if learners:
        fewest = min(found["fits"] for found in learners.values())
        fault = f"{fewest:,} fits and answers in one process, learner by learner"
        flat = sum(found["MB grown"] <= soak.FLAT for found in learners.values())
        most = max(found["MB grown"] for found in learners.values())
        must += f"; the most was {most:+.1f} MB"
        rows.append(row(fault + " (learners)", len(learners), flat, must, last(learners.values())))
    else:
        rows.append(unseen("1,000 fits and answers in one process, learner by learner", must))
    for part, unit, fault, must in (
        ("threads", "fits", "fits of six learners by many threads", "the bits of a fit alone"),
        ("forks", "forks", "forks while other threads allocate", "the child fits and ends"),
    ):
        if part not in record:
            rows.append(unseen(fault, must))
            continue
        found = record[part]
        rows.append(row(fault, found[unit], found[unit] - found["wrong"], must, found["day"]))
    return rows


def tests():
    """What the suite tries, a test for a fault or a family of them."""
    record, rows = kept("tests"), []
    for group, (fault, must) in GROUPS.items():
        if group not in record:
            rows.append(unseen(fault + " (tests)", must))
            continue
        found = record[group]
        tried = found["passed"] + found["failed"]
        rows.append(row(fault + " (tests)", tried, found["passed"], must, found["day"]))
    return rows


def ends():
    """What became of the signals, run by run."""
    record = kept("signals")
    lines = []
    for case, found in record.items():
        counts = " | ".join(str(found["found"].get(end, 0)) for end in ENDS)
        lines.append(f"| {case} | {found['moments']} | {counts} | {found['longest wait']} |")
    return lines


def unguarded():
    """What the tests made of sources that lack a guard."""
    record, lines = kept("broken"), []
    for name in broken.GUARDS:
        if name not in record:
            lines.append(f"| {name} | not run | |")
            continue
        failed, day = record[name]["failed"], record[name]["day"]
        words = "their process died" if failed < 0 else str(failed) if failed else "NONE"
        lines.append(f"| {name} | {words} | {day} |")
    return BROKEN.format(broken.ENOUGH) + "\n".join(lines) + "\n"


def page():
    """The whole page."""
    rows = [*signals(), *inputs(), *loads(), *soaks(), *tests()]
    told = HEAD + "\n".join(rows) + "\n"
    more = ends()
    return told + (DETAILS + "\n".join(more) + "\n" if more else "") + unguarded() + OFTEN


def main(arguments):
    """Write the page."""
    PAGE.write_text(page())
    print(PAGE)
    return False
